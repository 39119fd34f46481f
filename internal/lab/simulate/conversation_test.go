package simulate

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// nowhere is a seat that drops all packets.
type nowhere struct{}

func (nowhere) Push(ear.Packet) {}

// npcs behave like a table: a line while an NPC speaks ends its turn.
type npcs struct {
	watch   *watch
	players []*player
	said    []string
	barged  int
}

// voicing reports whether a player is speaking.
func (n *npcs) voicing() bool {
	for _, p := range n.players {
		if p.words.Said(time.Now(), false) != "" {
			return true
		}
	}
	return false
}

// heard reads a player's utterance to its end.
func (n *npcs) heard() string {
	now := time.Now()
	for _, p := range n.players {
		if whole := p.words.Said(now.Add(time.Minute), false); whole != "" && whole == p.words.Said(now, false) {
			return p.words.Said(now, true)
		}
	}
	return ""
}

// run answers each line with 3 s of sound after a second, until ctx ends.
func (n *npcs) run(ctx context.Context) {
	var speaks time.Time // when it began, or zero
	var due time.Time
	for rig.Pause(ctx, 20*time.Millisecond) == nil {
		text := n.heard()
		if text != "" {
			n.said = append(n.said, text)
			due = time.Now().Add(time.Second)
		}
		switch now := time.Now(); {
		case !speaks.IsZero() && n.voicing():
			n.barged++
			speaks = time.Time{}
			n.watch.Emit(&table.TurnEnded{Outcome: table.OutcomeCancelled})
		case speaks.IsZero() && !due.IsZero() && !now.Before(due):
			speaks, due = now, time.Time{}
			n.watch.Emit(&table.AudioStarted{})
		case !speaks.IsZero() && now.Sub(speaks) > 3*time.Second:
			speaks = time.Time{}
			e := &table.TurnEnded{Outcome: table.OutcomeDelivered}
			e.Ledger.FirstSoundMS = 1000
			n.watch.Emit(e)
		}
	}
}

func TestPlayersTalkInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		w := newWatch(newTally(), nil)
		c := &conversation{dice: newDice(1, 1), watch: w, npcs: []string{"Bart", "Greta"}}
		for i := range 4 {
			p := newPlayer(fmt.Sprint("player ", i), i, i == 0, frames(t))
			p.seat = nowhere{}
			c.players = append(c.players, p)
		}
		n := &npcs{watch: w, players: c.players}
		var work sync.WaitGroup
		for _, p := range c.players {
			work.Go(func() { p.sendPackets(ctx) })
		}
		work.Go(func() { n.run(ctx) })
		work.Go(func() { c.converse(ctx) })
		time.Sleep(15 * time.Minute)
		stop()
		work.Wait()

		// A line takes some 3 s, the answer 4, and thinking 1.
		if got := len(n.said); got < 15*60/12 || got > 15*60/6 {
			t.Errorf("%d lines in a quarter of an hour, want one in 6 to 12 s", got)
		}
		counts := map[string]int{}
		for _, line := range n.said {
			name, _, _ := strings.Cut(line, ",")
			counts[name]++
		}
		if a, b := counts["Bart"], counts["Greta"]; min(a, b)*2 < max(a, b) {
			t.Errorf("lines to NPCs: %v, want about as many to each", counts)
		}
		if share := float64(n.barged) / float64(len(n.said)); share < bargingIn/2 || share > bargingIn*2 {
			t.Errorf("%.2f of the answers were interrupted, want about %.2f", share, bargingIn)
		}
		var r Report
		w.tally.addToReport(&r)
		if r.Turns != r.Outcomes["delivered"]+r.Outcomes["cancelled"] || r.Turns == 0 {
			t.Errorf("%d turns of outcomes %v, want their sum", r.Turns, r.Outcomes)
		}
		if got := w.tally.firstSound.distribution(); got.total != r.Outcomes["delivered"] {
			t.Errorf("%d first sounds for %v, want one for each that sounded", got.total, r.Outcomes)
		}
	})
}

func TestPlayersGoOnWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
		defer stop()
		p := newPlayer("Alice", 0, false, frames(t))
		p.seat = nowhere{}
		c := &conversation{dice: newDice(1, 1), watch: newWatch(newTally(), nil), npcs: []string{"Bart"}, players: []*player{p}}
		var work sync.WaitGroup
		work.Go(func() { p.sendPackets(ctx) })
		c.converse(ctx)
		work.Wait()
		said := strings.Count(p.words.Said(time.Now(), true), "Bart")
		if said < 15 || said > 25 {
			t.Errorf("%d lines in 5 min without an answer, want one each 12 s and what it takes to say it", said)
		}
	})
}

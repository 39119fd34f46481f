package ear_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const laneTick = time.Millisecond

// epoch is the start of every scene.
var epoch = time.Date(2031, 5, 1, 20, 0, 0, 0, time.UTC)

// heard is the output of a lane in a scene.
type heard struct {
	events []ear.LaneEvent // without Sound
	sounds map[uint64]clip // by utterance
	ticks  int             // ticks that only Next requested
}

// table drives a lane as its owner does: it ticks when a packet has come and when Next
// asks for it.
type table struct {
	heard
	lane *ear.Lane
	now  time.Time
	seq  uint16
}

func newTable(d ear.Detector, opts *ear.LaneOptions) *table {
	return &table{lane: ear.NewLane(epoch, d, opts), now: epoch, heard: heard{sounds: map[uint64]clip{}}}
}

func (b *table) tick() {
	for _, e := range b.lane.Tick(b.now) {
		if e.Kind == ear.Sound {
			b.sounds[e.Utterance] = append(b.sounds[e.Utterance], e.Frame[:]...)
			continue
		}
		b.events = append(b.events, e)
	}
}

// wait lets d pass without a packet.
func (b *table) wait(d time.Duration) {
	end := b.now.Add(d)
	for {
		at, ok := b.lane.Next()
		if !ok || at.After(end) {
			break
		}
		if at.After(b.now) {
			b.now = at
		}
		b.ticks++
		b.tick()
	}
	b.now = end
}

// play sends c as packets, one every 20 ms.
func (b *table) play(c clip) {
	for _, f := range frames(c) {
		b.wait(audio.FrameDuration)
		b.lane.Intake().Push(b.now, ear.Packet{Seq: b.seq, Frame: &f})
		b.seq++
		b.tick()
	}
}

// story formats the events in one line, in ms since the epoch.
func (h *heard) story() string {
	var words []string
	for _, e := range h.events {
		word := fmt.Sprintf("%v#%d@%d", e.Kind, e.Utterance, e.At.Sub(epoch).Milliseconds())
		if e.Cut {
			word += "(cut)"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// count returns the number of events of a kind.
func (h *heard) count(kind ear.LaneKind) int {
	n := 0
	for _, e := range h.events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

func (h *heard) kinds() []ear.LaneKind {
	var kinds []ear.LaneKind
	for _, e := range h.events {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

func wantKinds(t *testing.T, b *table, want ...ear.LaneKind) {
	t.Helper()
	if got := b.kinds(); !slices.Equal(got, want) {
		t.Errorf("heard %s, want %v", b.story(), want)
	}
}

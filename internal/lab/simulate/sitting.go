package simulate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

const (
	// openEvery is the number of players per open microphone.
	openEvery = 4
	// closeTime bounds the cleanup after the tables have closed.
	closeTime = 5 * time.Second
)

// sitting is one table and its players. One goroutine, run, starts the others
// and waits for them.
type sitting struct {
	parts     Parts
	lib       *opus.Library
	detection *providers.Detection
	session   string
	table     *table.Table
	engines   *engines
	talk      conversation
	cast      []config.NPC
	seats     []*table.Seat // filled when the players are seated, then read-only
	far       front         // nil if the players are in this process, like line
	line      line
	number    int
}

// newSitting sets up table number n, whose NPCs use the named engines.
func newSitting(ctx context.Context, n int, load Load, named []string, parts Parts, o *Options, p *pool, m *meter) (*sitting, error) {
	session, err := parts.Log.StartSession(ctx, fmt.Sprintf("simulation, table %d", n+1))
	if err != nil {
		return nil, fmt.Errorf("starting a session: %w", err)
	}
	s := &sitting{parts: parts, lib: o.Library, detection: o.Detection, session: session.ID, far: o.far, number: n, cast: cast(named)}
	out, handedOver, err := s.newOutlet(o, m)
	if err != nil {
		return nil, err
	}
	d := newDice(o.Seed, n)
	words := map[string]*rig.Words{}
	w := newWatch(m.tally, named)
	sink := table.Sink(w)
	if s.line != nil {
		sink = s.line.sink(w)
	}
	s.talk = conversation{dice: d, watch: w, npcs: names[:load.NPCs]}
	for i := range load.Players {
		pl := newPlayer(nameOfPlayer(i), pitchOfPlayer(n, i), hasOpenMicrophone(i), p)
		words[pl.name] = &pl.words
		s.talk.players = append(s.talk.players, pl)
	}
	cfg := config.Default()
	s.engines = newEngines(named, parts.Host, d, p, o, m.tally.violated)
	s.table = table.New(table.Options{
		Agents: agents(s.cast, cfg.Memory.History), Engine: s.engines, Listener: s.engines.listener(), Host: parts.Host,
		Log: parts.Log, Context: hotctx.New(parts.Log, parts.Graph), Sink: sink, Session: session, Latency: cfg.Latency,
		Voices: play.NewVoices(&voices{p, d, o.Voice}), Outlet: out, Playback: mixer.Options{OnFrame: handedOver},
		Hearing: newRecogniser(words, d, o.Transcript), Expect: stt.Options{Language: "en", Interim: true}, Languages: []string{"en"}, RecentLines: cfg.Memory.RecentLines,
	})
	return s, nil
}

// newOutlet returns the outlet of the NPCs' sound, and the function to call
// with each frame's lateness.
func (s *sitting) newOutlet(o *Options, m *meter) (mixer.Outlet, func(time.Duration), error) {
	if s.far == nil {
		out, err := newOutlet(o.Library)
		return out, m.frame, err
	}
	s.line = s.far.connect(s, o, m)
	return s.line, s.line.handedOver, nil
}

func nameOfPlayer(player int) string { return fmt.Sprintf("Player %d", player+1) }

func pitchOfPlayer(table, player int) int { return (table + player) % len(pitches) }

func hasOpenMicrophone(player int) bool { return player%openEvery == openEvery-1 }

// cast creates NPCs that can roll dice, one for each of the named engines.
func cast(named []string) []config.NPC {
	var all []config.NPC
	for i, name := range names[:len(named)] {
		npc := config.DefaultNPC()
		npc.ID, npc.Name, npc.Tools, npc.Engine = strings.ToLower(name), name, []string{"roll"}, named[i]
		npc.Voice = tts.Voice{ID: name, Language: "en"}
		npc.Personality = "A villager who has seen much and tells little of it."
		npc.Lines = map[string][]string{"filler": {"Hm, let me think.", "Well."}, "unknown": {"I cannot say."}}
		all = append(all, npc)
	}
	return all
}

func agents(cast []config.NPC, history int) []*agent.Agent {
	var all []*agent.Agent
	for _, npc := range cast {
		all = append(all, agent.New(npc, agent.Options{History: history, Language: "en"}))
	}
	return all
}

// seatPlayers seats the players. The table must be running.
func (s *sitting) seatPlayers(ctx context.Context) error {
	for _, p := range s.talk.players {
		o := &table.JoinOptions{}
		if s.detection != nil {
			o.Detector = s.detection.NewDetector()
		}
		if s.lib != nil {
			decoder, err := opus.NewDecoder(s.lib)
			if err != nil {
				return err
			}
			o.Decoder = decoder
		}
		seat, err := s.table.Join(ctx, p.name, o)
		if err != nil {
			return fmt.Errorf("seating %s: %w", p.name, err)
		}
		p.seat = seat
		s.seats = append(s.seats, seat)
	}
	return nil
}

// playTable plays until ctx ends. It calls joined when all players are seated,
// and lets them talk when begin is closed.
func (s *sitting) playTable(ctx context.Context, joined func(), begin <-chan struct{}) error {
	ctx, stop := context.WithCancel(ctx)
	var work sync.WaitGroup
	var failed error
	work.Go(func() {
		defer stop()
		failed = s.table.Run(ctx)
	})
	var err, lost error
	if s.line == nil {
		err = s.seatPlayers(ctx)
	} else {
		err = s.line.open(ctx, s, func(run func(context.Context) error) {
			work.Go(func() {
				defer stop()
				lost = run(ctx)
			})
		})
	}
	if err == nil {
		joined()
		for i, p := range s.talk.players {
			if s.far != nil {
				work.Go(func() { p.relayUtterances(ctx, s.far, s.number, i) })
			} else {
				work.Go(func() { p.sendPackets(ctx) })
			}
		}
		select {
		case <-begin:
			s.talk.converse(ctx)
		case <-ctx.Done():
		}
		<-ctx.Done()
	}
	stop()
	work.Wait()
	err = errors.Join(err, lost)
	s.engines.Close()
	bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	return errors.Join(err, failed, s.parts.Log.EndSession(bye, s.session))
}

// stats sums the counters of the players' ears.
func (s *sitting) stats() ear.Stats {
	var sum ear.Stats
	for _, seat := range s.seats {
		st := seat.Stats()
		sum.Packets.Packets += st.Packets.Packets
		sum.Packets.Dropped += st.Packets.Dropped
		sum.Packets.Lost += st.Packets.Lost
		sum.Dropped += st.Dropped
	}
	return sum
}

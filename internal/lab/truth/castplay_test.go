package truth

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
	sitting "github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// castAnswer is the result of a line.
type castAnswer struct {
	outcome table.Outcome
	text    string
	// called are the called tools, done those that succeeded.
	called, done map[string]bool
	// withheld says why some of its sentences were withheld.
	withheld []string
}

// castSink records a table's events by turn. It is safe for concurrent use.
type castSink struct {
	mu    sync.Mutex // guards turn
	turn  castAnswer
	ended chan castAnswer
}

func newCastSink() *castSink {
	s := &castSink{ended: make(chan castAnswer, 16)}
	s.begin()
	return s
}

func (s *castSink) begin() { s.turn = castAnswer{called: map[string]bool{}, done: map[string]bool{}} }

// Emit implements [table.Sink].
func (s *castSink) Emit(e table.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := e.(type) {
	case *table.ToolCalled:
		s.turn.called[e.Tool] = true
	case *table.ToolFinished:
		s.turn.done[e.Tool] = s.turn.done[e.Tool] || e.OK
	case *table.Guarded:
		s.turn.withheld = append(s.turn.withheld, e.Reason)
	case *table.TurnEnded:
		s.turn.outcome, s.turn.text = e.Outcome, e.Text
		s.ended <- s.turn
		s.begin()
	}
}

// playCast plays a sequence from its first line in a new session: the shipped
// cast, world and tools, without a model.
func playCast(t *testing.T, s castSequence, rules *ruleslookup.Book) (answers []castAnswer) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		cfg, err := sitting.LoadConfig("")
		if err != nil {
			t.Fatal(err)
		}
		cfg.DataDir, cfg.Memory.Path = dir, filepath.Join(dir, "cast.db")
		cfg.Providers.LLM.Name, cfg.Providers.TTS.Name, cfg.Providers.STT.Name = "offline", "silent", "none"
		g, err := sitting.Open(t.Context(), sitting.Options{Config: cfg, Rules: rules})
		if err != nil {
			t.Fatal(err)
		}
		sink := newCastSink()
		session, err := g.StartSession(t.Context(), sitting.SessionOptions{NPC: s.NPC, Sink: sink})
		if err != nil {
			t.Fatal(errors.Join(err, g.Close()))
		}
		for _, l := range s.Lines {
			if err := session.Table.Hear(t.Context(), table.Utterance{Speaker: "Player", Text: l.Text}); err != nil {
				t.Error(err)
				break
			}
			answers = append(answers, <-sink.ended)
		}
		if err := errors.Join(session.Close(), g.Close()); err != nil {
			t.Error(err)
		}
	})
	return answers
}

// castRules is the rule book, read outside any bubble and shared by all.
var castRules = sync.OnceValue(func() *ruleslookup.Book { return ruleslookup.BuiltIn() })

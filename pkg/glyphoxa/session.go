package glyphoxa

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// SessionOptions configure a session. Nil means the zero value.
type SessionOptions struct {
	// NPC, if not empty, is the name of the only NPC at the table.
	NPC string
	// OnEvent, if not nil, receives every event of the table in order, from one goroutine at a time. The table
	// waits for it, so it must return soon, and it must not call the session.
	OnEvent func(Event)
	// OnNotice, if not nil, receives messages for people, such as that a model cannot be reached. It is called
	// from any goroutine.
	OnNotice func(text string)
}

// Event is an event of the table, as docs/events.md describes it.
type Event struct {
	// Kind is the event's kind, such as "sentence" or "turn.ended".
	Kind string
	// Turn is the number of the turn, from 1; 0 outside turns.
	Turn int64
	// JSON is the whole event, one object.
	JSON json.RawMessage
}

// Answer is how a line was answered.
type Answer struct {
	// Turn is the number of the turn.
	Turn int64
	// NPC is the name of the NPC that answered; empty if the line was for none.
	NPC string
	// Text is what the NPC said; empty if it said nothing.
	Text string
	// Outcome says how the turn ended, such as "delivered" or "no_target" (docs/events.md).
	Outcome string
}

// Session is one sitting at the table.
type Session struct {
	played *play.Session
	sink   *sink
	close  func() error // closes once and remembers the error

	mu   sync.Mutex // guards next
	next uint64     // numbers the lines of Ask
}

// Start begins a session. Only one session of a game may run at a time.
func (g *Game) Start(ctx context.Context, o *SessionOptions) (*Session, error) {
	if o == nil {
		o = &SessionOptions{}
	}
	s := &Session{sink: &sink{onEvent: o.OnEvent, asked: map[string]chan Answer{}, turns: map[int64]chan Answer{}}}
	tell := func(_, text string) {
		if o.OnNotice != nil {
			o.OnNotice(text)
		}
	}
	played, err := g.game.StartSession(ctx, play.SessionOptions{NPC: o.NPC, Sink: s.sink, Notify: tell})
	if err != nil {
		return nil, err
	}
	for _, n := range played.Notices {
		tell("info", n)
	}
	s.played = played
	s.close = sync.OnceValue(func() error {
		err := played.Close()
		s.sink.end()
		return err
	})
	return s, nil
}

// Say passes a player's line to the table and returns at once. Events tell what becomes of it. It blocks while
// too many lines wait, and returns ctx's error then, or an error once the session is closed.
func (s *Session) Say(ctx context.Context, speaker, text string) error {
	return s.played.Table.Hear(ctx, table.Utterance{Speaker: speaker, Text: text})
}

// Ask is [Session.Say] and waits for the end of the turn. A second NPC's reaction to the answer is a turn of its
// own, which Ask does not wait for. If ctx ends first, Ask returns its error and the turn goes on.
func (s *Session) Ask(ctx context.Context, speaker, text string) (Answer, error) {
	s.mu.Lock()
	s.next++
	ref := "ask:" + strconv.FormatUint(s.next, 10)
	s.mu.Unlock()
	answer := s.sink.await(ref)
	defer s.sink.forget(ref)
	if err := s.played.Table.Hear(ctx, table.Utterance{Speaker: speaker, Text: text, Ref: ref}); err != nil {
		return Answer{}, err
	}
	select {
	case a, ok := <-answer:
		if !ok {
			return Answer{}, errors.New("the session ended before the line was answered")
		}
		return a, nil
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
}

// Close ends the session: turns that run are cancelled, what was said is stored, and every Ask that waits returns an
// error. Another Close does nothing and returns the same error.
func (s *Session) Close() error { return s.close() }

// sink receives the table's events. The table calls Emit from one goroutine.
type sink struct {
	onEvent func(Event)

	mu    sync.Mutex             // guards the fields below
	asked map[string]chan Answer // by the ref of a line whose turn has no number yet
	turns map[int64]chan Answer  // by the number of a turn that Ask waits for
	ended bool
}

// await returns the channel on which the answer to a line will come. It is closed if the session ends before.
func (s *sink) await(ref string) <-chan Answer {
	c := make(chan Answer, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		close(c)
	} else {
		s.asked[ref] = c
	}
	return c
}

// forget drops a line that Ask no longer waits for, if its turn has not begun.
func (s *sink) forget(ref string) {
	s.mu.Lock()
	delete(s.asked, ref)
	s.mu.Unlock()
}

// end closes the channels of all lines that have no answer.
func (s *sink) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	for ref, c := range s.asked {
		delete(s.asked, ref)
		close(c)
	}
	for turn, c := range s.turns {
		delete(s.turns, turn)
		close(c)
	}
}

// Emit implements table.Sink.
func (s *sink) Emit(e table.Event) {
	switch e := e.(type) {
	case *table.Heard:
		s.begin(e)
	case *table.TurnEnded:
		s.finish(e)
	}
	if s.onEvent == nil {
		return
	}
	h := table.HeaderOf(e)
	raw, err := json.Marshal(e)
	if err != nil {
		return // events of the table marshal; one that does not is of no use to a program
	}
	s.onEvent(Event{Kind: h.Kind, Turn: h.Turn, JSON: raw})
}

// begin records the number of the turn of a line that Ask waits for.
func (s *sink) begin(e *table.Heard) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.asked[e.Ref]; ok {
		delete(s.asked, e.Ref)
		s.turns[e.Turn] = c
	}
}

// finish hands the answer to Ask.
func (s *sink) finish(e *table.TurnEnded) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.turns[e.Turn]; ok {
		delete(s.turns, e.Turn)
		c <- Answer{Turn: e.Turn, NPC: e.NPC, Text: e.Text, Outcome: string(e.Outcome)}
	}
}

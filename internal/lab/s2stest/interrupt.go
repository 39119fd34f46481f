package s2stest

import (
	"context"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// Interrupt implements [s2s.Session].
func (s *session) Interrupt(ctx context.Context, heard time.Duration) error {
	s.mu.Lock()
	defer s.unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	a, making := s.played, s.answer != nil
	var came time.Duration
	if a != nil {
		came = a.came
	}
	if heard > came+rounding || heard < 0 {
		s.violate("an answer was interrupted at %s, of which %s had come", heard, came)
	}
	s.note(Note{Kind: Interrupted, Sound: max(0, min(heard, came))})
	if !making {
		return nil
	}
	s.dropAnswer(a)
	at := time.Now()
	for _, st := range a.late {
		at = at.Add(st.After)
		s.schedule(entry{due: at, step: st, answer: a, orphan: true})
	}
	return nil
}

// SendToolResult implements [s2s.Session].
func (s *session) SendToolResult(ctx context.Context, r s2s.ToolResult) error {
	s.mu.Lock()
	if err := s.usable(ctx); err != nil {
		s.unlock()
		return err
	}
	s.note(Note{Kind: Answered, Result: r})
	var then func()
	switch c := s.calls[r.ID]; {
	case c == nil:
		s.violate("a result was sent of %q, which is no call", r.ID)
	case c.result != nil:
		s.violate("the call %s was answered twice", r.ID)
	default:
		if cut := c.answer.cut; !cut.IsZero() && time.Since(cut) > crossing && !r.Silent {
			s.violate("the call %s was answered aloud after its answer had been interrupted", r.ID)
		}
		c.result = &r
		then = s.goOn(c.answer)
	}
	s.unlock()
	if then != nil {
		then()
	}
	return nil
}

package s2stest_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/s2stest"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// TestViolations violates the contract in every way and checks the notes.
func TestViolations(t *testing.T) {
	one := s2stest.Tone(400, time.Second, rate)
	calls := func(turn s2stest.Turn) s2stest.Answer {
		if turn.Round > 0 {
			return s2stest.Answer{}
		}
		return s2stest.Answer{Steps: s2stest.Calls(llm.ToolCall{ID: "1", Name: "roll"})}
	}
	hangs := steps(s2stest.Answer{Steps: s2stest.Say("a", "", one, rate, 0), Hangs: true})
	limited := every
	limited.Longest = time.Second
	less := func(f func(*s2s.Capabilities)) s2s.Capabilities { c := every; f(&c); return c }
	for _, row := range []struct {
		name string
		can  s2s.Capabilities
		does func(s2stest.Turn) s2stest.Answer
		do   func(*testing.T, s2s.Session) error
		err  error
		want string
	}{
		{"respond_twice", every, hangs, func(t *testing.T, s s2s.Session) error {
			ask(t, s)
			if err := s.Respond(t.Context(), s2s.Response{Text: "And?"}); err == nil {
				t.Error("it is answered twice at once")
			}
			return nil
		}, nil, "an answer was asked for while one was on its way"},
		{"respond_to_nothing", every, nil, func(t *testing.T, s s2s.Session) error { return s.Respond(t.Context(), s2s.Response{}) }, nil, "an answer was asked for to nothing"},
		{"respond_to_text", less(func(c *s2s.Capabilities) { c.Typed = false }), nil, func(t *testing.T, s s2s.Session) error {
			return s.Respond(t.Context(), s2s.Response{Text: "And?"})
		}, s2s.ErrUnsupported, "it was given text to answer, which it cannot do"},
		{"begin_twice", every, nil, func(t *testing.T, s s2s.Session) error {
			return errors.Join(s.BeginTurn(t.Context()), s.BeginTurn(t.Context()))
		}, nil, "a turn was begun while one was under way"},
		{"sound_outside", every, nil, func(t *testing.T, s s2s.Session) error { return s.SendAudio(t.Context(), one) }, nil, "sound was sent outside a turn"},
		{"clear_nothing", every, nil, func(t *testing.T, s s2s.Session) error { return s.ClearTurn(t.Context()) }, nil, "a turn was cleared while none was under way"},
		{"clear_unsupported", less(func(c *s2s.Capabilities) { c.Clears = false }), nil, func(t *testing.T, s s2s.Session) error {
			return errors.Join(s.BeginTurn(t.Context()), s.ClearTurn(t.Context()))
		}, s2s.ErrUnsupported, "a turn was cleared, which it cannot do"},
		{"tools_unsupported", less(func(c *s2s.Capabilities) { c.ToolChange = s2s.ToolsByNewSession }), nil, func(t *testing.T, s s2s.Session) error {
			return s.SetTools(t.Context(), nil)
		}, s2s.ErrUnsupported, "its tools were set, which it cannot do"},
		{"sound_not_meant", less(func(c *s2s.Capabilities) { c.ManualTurns = false }), nil, func(t *testing.T, s s2s.Session) error {
			err := errors.Join(s.BeginTurn(t.Context()), s.SendAudio(t.Context(), one))
			want(t, "told", told(t, s, time.Now()), "500 ResponseStarted", "500 done 0 completed")
			return err
		}, nil, "sound was sent that nobody wanted answered; the vendor answers it by itself"},
		{"unknown_call", every, nil, func(t *testing.T, s s2s.Session) error { return s.SendToolResult(t.Context(), s2s.ToolResult{ID: "1"}) }, nil, `a result was sent of "1", which is no call`},
		{"answered_twice", every, calls, func(t *testing.T, s s2s.Session) error {
			s.OnToolCall(func(c llm.ToolCall) {})
			ask(t, s)
			told(t, s, time.Now())
			r := s2s.ToolResult{ID: "1"}
			return errors.Join(s.SendToolResult(t.Context(), r), s.SendToolResult(t.Context(), r))
		}, nil, "the call 1 was answered twice"},
		{"answered_aloud", every, calls, func(t *testing.T, s s2s.Session) error {
			s.OnToolCall(func(c llm.ToolCall) {})
			ask(t, s)
			told(t, s, time.Now())
			err := s.Interrupt(t.Context(), 0)
			time.Sleep(10 * time.Millisecond)
			return errors.Join(err, s.SendToolResult(t.Context(), s2s.ToolResult{ID: "1"}))
		}, nil, "the call 1 was answered aloud after its answer had been interrupted"},
		{"never_answered", every, calls, func(t *testing.T, s s2s.Session) error {
			s.OnToolCall(func(c llm.ToolCall) {})
			ask(t, s)
			told(t, s, time.Now())
			err := s.Interrupt(t.Context(), 0)
			ask(t, s)
			return err
		}, nil, "an answer was asked for while the call 1 had no result"},
		{"slow_handler", every, calls, func(t *testing.T, s s2s.Session) error {
			s.OnToolCall(func(c llm.ToolCall) { time.Sleep(time.Second) })
			ask(t, s)
			told(t, s, time.Now())
			return nil
		}, nil, "the handler of tool calls took 1s"},
		{"interrupted_beyond", every, hangs, func(t *testing.T, s s2s.Session) error {
			ask(t, s)
			told(t, s, time.Now())
			return s.Interrupt(t.Context(), 1100*time.Millisecond)
		}, nil, "an answer was interrupted at 1.1s, of which 1s had come"},
		{"outlived", limited, hangs, func(t *testing.T, s s2s.Session) error { ask(t, s); told(t, s, time.Now()); return nil }, nil, "its limit came in the middle of an answer"},
		{"two_receive", every, nil, func(t *testing.T, s s2s.Session) error {
			ctx, stop := context.WithTimeout(t.Context(), time.Second)
			defer stop()
			over := make(chan struct{})
			go func() { defer close(over); _, _ = s.Recv(ctx) }()
			synctest.Wait()
			_, _ = s.Recv(ctx)
			<-over
			return nil
		}, nil, "it is received from by two at a time"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, s := open(t, s2stest.Options{Capabilities: row.can, Answer: row.does})
				if err := row.do(t, s); !errors.Is(err, row.err) || err != nil && row.err == nil {
					t.Errorf("err = %v, want %v", err, row.err)
				}
				want(t, "violations", p.Violations(), "session 1: "+row.want)
			})
		})
	}
}

// TestHistoryWithoutTools checks that histories which vendors refuse are
// refused.
func TestHistoryWithoutTools(t *testing.T) {
	p := s2stest.New(s2stest.Options{Capabilities: s2s.Capabilities{Duplex: true}})
	_, err := p.Connect(t.Context(), s2s.SessionOptions{
		Tools: []llm.ToolDefinition{{Name: "roll"}}, History: []llm.Message{{Role: llm.RoleTool, Content: "6"}, {Role: llm.RoleUser, Content: "Hail."}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "violations", p.Violations(), `session 1: it was given a message of "tool" as history`, "session 1: it was opened with tools, which its voice does not take")
}

// TestUsedByManyAtOnce uses sessions from several goroutines while they are
// closed.
func TestUsedByManyAtOnce(t *testing.T) {
	p := s2stest.New(s2stest.Options{Capabilities: every, Answer: func(turn s2stest.Turn) s2stest.Answer {
		if turn.Round < 3 {
			return s2stest.Answer{Steps: s2stest.Calls(llm.ToolCall{Name: "roll"}, llm.ToolCall{Name: "look"})}
		}
		return s2stest.Answer{Steps: s2stest.Say("a", "Aye.", s2stest.Tone(400, time.Second, rate), rate, 0)}
	}})
	for range 50 {
		s, err := p.Connect(t.Context(), s2s.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var work, results sync.WaitGroup
		ctx := t.Context()
		s.OnToolCall(func(c llm.ToolCall) {
			results.Go(func() { _ = s.SendToolResult(ctx, s2s.ToolResult{ID: c.ID}) })
		})
		ask(t, s)
		work.Go(func() {
			for {
				if _, err := s.Recv(ctx); err != nil {
					return
				}
			}
		})
		work.Go(func() {
			for range 10 {
				_ = s.SetTools(ctx, []llm.ToolDefinition{{Name: "roll"}})
				_ = s.Inject(ctx, llm.Message{Role: llm.RoleUser, Content: "It rains."})
			}
			_ = s.Interrupt(ctx, 0)
			_ = s.Close()
		})
		work.Wait()
		results.Wait()
	}
	for _, v := range p.Violations() {
		if !strings.Contains(v, "was answered aloud after its answer had been interrupted") {
			t.Error(v)
		}
	}
}

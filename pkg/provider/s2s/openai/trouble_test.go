package openai_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakerealtime"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s/openai"
)

// TestFailedResponses checks how a failed answer ends, and that the session survives.
func TestFailedResponses(t *testing.T) {
	for _, row := range []struct {
		name   string
		answer fakerealtime.Answer
		status string
		want   error
	}{
		{"server_error", fakerealtime.Answer{Fail: "server_error"}, "failed", s2s.ErrUnavailable},
		{"rate_limit", fakerealtime.Answer{Fail: "rate_limit_exceeded"}, "failed", s2s.ErrRateLimited},
		{"no_quota", fakerealtime.Answer{Fail: "insufficient_quota"}, "failed", s2s.ErrRejected},
		{"incomplete", fakerealtime.Answer{Incomplete: true}, "incomplete", nil},
		{"refused", fakerealtime.Answer{Refuse: "invalid_value"}, "failed", s2s.ErrUnavailable},
		{"refused_by_the_rate", fakerealtime.Answer{Refuse: "rate_limit_exceeded"}, "failed", s2s.ErrRateLimited},
		{"nothing", fakerealtime.Answer{}, "completed", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, s := connect(t, fakerealtime.Script{Answers: []fakerealtime.Answer{row.answer, spoken("Better.", 100*time.Millisecond)}}, s2s.SessionOptions{}, openai.Options{})
			say(t, s, 0, s2s.Response{Text: "Hail."})
			h := hear(t, s, over(1))
			if h.ends[0].Status != row.status || !errors.Is(h.ends[0].Err, row.want) || (row.want == nil) != (h.ends[0].Err == nil) {
				t.Errorf("the end is %+v, want %s and %v", h.ends[0], row.status, row.want)
			}
			say(t, s, 0, s2s.Response{Text: "Again."})
			if h := hear(t, s, over(1)); h.output != "Better." {
				t.Errorf("then heard %q", h.output)
			}
		})
	}
}

// TestMalformedEvents checks that a malformed event is reported and does not end the
// session.
func TestMalformedEvents(t *testing.T) {
	broken := spoken("Still here.", 100*time.Millisecond)
	broken.Raw = []string{
		`{`, `[1,2]`, `null`, `{"type":7}`, `{"type":"response.done"}`, `{"type":"error","error":"oh"}`,
		`{"type":"response.output_audio.delta","item_id":"x","delta":"%%%"}`,
		`{"type":"response.output_audio.delta","item_id":"x","delta":{}}`,
		`{"type":"a.new.event","error":7,"item":[]}`,
	}
	_, s := connect(t, fakerealtime.Script{Answers: []fakerealtime.Answer{broken}}, s2s.SessionOptions{}, openai.Options{})
	say(t, s, 0, s2s.Response{Text: "Hail."})
	h := hear(t, s, over(1))
	if h.output != "Still here." || h.ends[0].Status != "completed" || len(h.failed) != len(broken.Raw)-1 {
		t.Errorf("heard %q, end %+v, %d failures, want %d", h.output, h.ends[0], len(h.failed), len(broken.Raw)-1)
	}
	for _, f := range h.failed {
		if !errors.Is(f.Err, s2s.ErrUnavailable) || !strings.Contains(f.Err.Error(), "no event") {
			t.Errorf("failure %v", f.Err)
		}
	}
}

// TestOversizedEvent ends the session, because the data behind the event cannot be read.
func TestOversizedEvent(t *testing.T) {
	_, s := connect(t, fakerealtime.Script{Answers: []fakerealtime.Answer{{Raw: []string{`{"type":"x","y":"` + strings.Repeat("y", 9<<20) + `"}`}}}}, s2s.SessionOptions{}, openai.Options{})
	say(t, s, 0, s2s.Response{Text: "Hail."})
	end(t, s, s2s.ErrUnavailable)
}

// end receives until the session ends, and checks that every later call fails.
func end(t *testing.T, s s2s.Session, want error) {
	t.Helper()
	var err error
	for err == nil {
		_, err = s.Recv(t.Context())
	}
	if !errors.Is(err, s2s.ErrClosed) || !errors.Is(err, want) {
		t.Errorf("it ends with %v, want %v", err, want)
	}
	_, again := s.Recv(t.Context())
	for _, err := range []error{
		again, s.BeginTurn(t.Context()), s.SendAudio(t.Context(), make([]int16, 480)), s.Respond(t.Context(), s2s.Response{Text: "Aye."}),
		s.Inject(t.Context(), llm.Message{Content: "x"}), s.SetTools(t.Context(), nil), s.Interrupt(t.Context(), 0),
	} {
		if !errors.Is(err, s2s.ErrClosed) {
			t.Errorf("after the end: %v, want %v", err, s2s.ErrClosed)
		}
	}
}

// TestSessionEnds covers each way in which a session ends.
func TestSessionEnds(t *testing.T) {
	t.Run("server_closes", func(t *testing.T) {
		server, s := connect(t, fakerealtime.Script{}, s2s.SessionOptions{}, openai.Options{})
		server.Drop(1001)
		end(t, s, s2s.ErrUnavailable)
	})
	t.Run("in_the_middle", func(t *testing.T) {
		answer := spoken("I was about to", time.Second)
		answer.Break = true
		_, s := connect(t, fakerealtime.Script{Answers: []fakerealtime.Answer{answer}}, s2s.SessionOptions{}, openai.Options{})
		say(t, s, 0, s2s.Response{Text: "Hail."})
		h := hear(t, s, func(h *heard) bool { return len(h.done) == 1 })
		if h.samples() != 24000 {
			t.Errorf("%d samples before the end", h.samples())
		}
		end(t, s, s2s.ErrUnavailable)
	})
	t.Run("session_limit", func(t *testing.T) {
		server, s := connect(t, fakerealtime.Script{}, s2s.SessionOptions{}, openai.Options{})
		server.Expire()
		end(t, s, s2s.ErrUnavailable)
	})
	t.Run("no_quota", func(t *testing.T) {
		answer := fakerealtime.Answer{Raw: []string{`{"type":"error","error":{"type":"invalid_request_error","code":"insufficient_quota","message":"You exceeded your quota."}}`}}
		_, s := connect(t, fakerealtime.Script{Answers: []fakerealtime.Answer{answer}}, s2s.SessionOptions{}, openai.Options{})
		say(t, s, 0, s2s.Response{Text: "Hail."})
		end(t, s, s2s.ErrRejected)
	})
	t.Run("we_close", func(t *testing.T) {
		_, s := connect(t, fakerealtime.Script{}, s2s.SessionOptions{}, openai.Options{})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		end(t, s, s2s.ErrClosed)
	})
}

// TestContextEnds checks that each call respects its context, and the session survives.
func TestContextEnds(t *testing.T) {
	_, s := connect(t, fakerealtime.Script{Answers: []fakerealtime.Answer{spoken("Aye.", 100*time.Millisecond)}}, s2s.SessionOptions{}, openai.Options{})
	late := errors.New("too late")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(late)
	_, received := s.Recv(ctx)
	for _, err := range []error{
		received, s.BeginTurn(ctx), s.SendAudio(ctx, make([]int16, 480)), s.ClearTurn(ctx), s.Respond(ctx, s2s.Response{}),
		s.Inject(ctx), s.SetTools(ctx, nil), s.SendToolResult(ctx, s2s.ToolResult{}), s.Interrupt(ctx, 0),
	} {
		if !errors.Is(err, context.Canceled) || !errors.Is(err, late) {
			t.Errorf("err = %v, want the context's and its cause", err)
		}
	}
	waiting, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		var err error
		for err == nil {
			_, err = s.Recv(waiting)
		}
		done <- err
	}()
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("a wait ends with %v", err)
	}
	say(t, s, 0, s2s.Response{Text: "Hail."})
	if h := hear(t, s, over(1)); h.output != "Aye." {
		t.Errorf("then heard %q", h.output)
	}
	p, err := openai.New(fakerealtime.Key, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Connect(ctx, s2s.SessionOptions{}); !errors.Is(err, late) {
		t.Errorf("connecting: %v", err)
	}
}

// TestRefusedCommands covers commands that the service refuses.
func TestRefusedCommands(t *testing.T) {
	_, s := connect(t, fakerealtime.Script{Answers: []fakerealtime.Answer{spoken("Aye.", 100*time.Millisecond)}}, s2s.SessionOptions{}, openai.Options{})
	if err := s.SetTools(t.Context(), []llm.ToolDefinition{{}}); err != nil {
		t.Fatal(err)
	}
	h := hear(t, s, func(h *heard) bool { return len(h.failed) == 1 })
	if !errors.Is(h.failed[0].Err, s2s.ErrUnavailable) {
		t.Errorf("tools without a name: %v", h.failed[0].Err)
	}
	unwritable := []llm.ToolDefinition{{Name: "x", Parameters: map[string]any{"default": func() {}}}}
	if err := s.SetTools(t.Context(), unwritable); err != nil {
		t.Fatal(err)
	}
	hear(t, s, func(h *heard) bool { return len(h.failed) == 1 })
	say(t, s, 0, s2s.Response{Text: "Hail."})
	if h := hear(t, s, over(1)); h.output != "Aye." {
		t.Errorf("then heard %q", h.output)
	}
}

// TestMany uses a session from many goroutines while it ends.
func TestMany(t *testing.T) {
	answer := func(fakerealtime.Request) fakerealtime.Answer {
		a := spoken("Let me see.", 300*time.Millisecond)
		a.Calls = []fakerealtime.Call{{Name: "roll", Arguments: "{}"}, {Name: "rule", Arguments: "{}"}}
		return a
	}
	server, s := connect(t, fakerealtime.Script{Answer: answer}, s2s.SessionOptions{}, openai.Options{})
	var tasks sync.WaitGroup
	results := make(chan string, 1024)
	s.OnToolCall(func(c llm.ToolCall) { results <- c.ID })
	again := func(do func() error) {
		tasks.Go(func() {
			for {
				if err := do(); errors.Is(err, s2s.ErrClosed) {
					return
				}
			}
		})
	}
	again(func() error { return s.SetTools(t.Context(), []llm.ToolDefinition{{Name: "roll"}}) })
	again(func() error {
		select {
		case id := <-results:
			return s.SendToolResult(t.Context(), s2s.ToolResult{ID: id, Text: "12"})
		default:
			return s.Inject(t.Context(), llm.Message{Role: llm.RoleUser, Content: "Hm."})
		}
	})
	turns := 0
	again(func() error {
		turns++
		if err := s.SendAudio(t.Context(), make([]int16, 480)); err != nil {
			return err
		}
		if err := s.Respond(t.Context(), s2s.Response{Context: "It rains."}); err != nil {
			return s.Interrupt(t.Context(), time.Duration(turns)*time.Millisecond)
		}
		return nil
	})
	hear(t, s, over(40))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	tasks.Wait()
	for _, code := range server.Refused() {
		if code != "response_cancel_not_active" { // the response may have ended by itself
			t.Errorf("the service refused with %q", code)
		}
	}
}

package openai_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/lab/fakerealtime"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s/openai"
)

// connectBasic opens a session with a basic service.
func connectBasic(t *testing.T, script fakerealtime.Script) (*fakerealtime.Server, s2s.Session) {
	t.Helper()
	script.Basic = true
	return connect(t, script, s2s.SessionOptions{Instructions: "You are Mira."}, openai.Options{
		Dialect: openai.Basic, Transcription: "whisper-1",
	})
}

// TestBasic talks to a server that detects turns itself: spoken and typed turns, a tool,
// and an interruption.
func TestBasic(t *testing.T) {
	var asked []fakerealtime.Request
	answers := []fakerealtime.Answer{
		{Parts: []fakerealtime.Part{{Text: "Let me see.", Sound: 300 * time.Millisecond}}, Calls: []fakerealtime.Call{{Name: "roll", Arguments: "{}"}}},
		spoken("A twelve.", 100*time.Millisecond),
		{Parts: []fakerealtime.Part{{Text: "Once there was", Sound: time.Second}}, HoldEnd: true},
		spoken("Yes?", 100*time.Millisecond),
	}
	server, s := connectBasic(t, fakerealtime.Script{Hears: []string{"Do I see him?", "A story!"}, Answer: func(r fakerealtime.Request) fakerealtime.Answer {
		asked = append(asked, r)
		return answers[len(asked)-1]
	}})
	s.OnToolCall(func(llm.ToolCall) {})
	if err := s.ClearTurn(t.Context()); !errors.Is(err, s2s.ErrUnsupported) {
		t.Errorf("clearing a turn: %v", err)
	}
	say(t, s, 600*time.Millisecond, s2s.Response{Context: "It is dark.", Speaker: "Ann"})
	h := hear(t, s, over(1))
	if h.input != "Do I see him?" || h.output != "Let me see." || h.started != 1 || h.samples() != 7200 || len(h.calls) != 1 || len(h.done) != 1 {
		t.Errorf("heard %+v", h)
	}
	if err := s.SendToolResult(t.Context(), s2s.ToolResult{ID: h.calls[0].ID, Text: "12"}); err != nil {
		t.Fatal(err)
	}
	if h := hear(t, s, over(1)); h.output != "A twelve." {
		t.Errorf("after the tool heard %q", h.output)
	}
	say(t, s, 600*time.Millisecond, s2s.Response{})
	hear(t, s, func(h *heard) bool { return h.samples() == 24000 })
	if err := s.Interrupt(t.Context(), 100*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	say(t, s, 0, s2s.Response{Text: "Wait."})
	if h := hear(t, s, over(2)); h.output != "Yes?" || h.ends[0].Status != "cancelled" || len(h.failed) > 0 {
		t.Errorf("after the interruption heard %q, ends %+v, failures %v", h.output, h.ends, h.failed)
	}
	const dark = "You are Mira.\n\nIt is dark.\n\nThe player who speaks now is Ann."
	var instructions []string
	for _, r := range asked {
		instructions = append(instructions, r.Instructions)
	}
	if diff := cmp.Diff([]string{dark, dark, "You are Mira.", "You are Mira."}, instructions); diff != "" {
		t.Error(diff)
	}
	noneRefused(t, server)
}

// TestBasicHearsNothing checks that an answer which the server never begins can be given
// up at once.
func TestBasicHearsNothing(t *testing.T) {
	server, s := connectBasic(t, fakerealtime.Script{Answers: []fakerealtime.Answer{spoken("Yes?", 100*time.Millisecond)}})
	if err := s.SendAudio(t.Context(), make([]int16, 4800)); err != nil {
		t.Fatal(err)
	}
	if err := s.Respond(t.Context(), s2s.Response{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Interrupt(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if h := hear(t, s, over(1)); h.ends[0].Status != "cancelled" || h.started > 0 {
		t.Errorf("ends %+v, started %d times", h.ends, h.started)
	}
	say(t, s, 0, s2s.Response{Text: "Are you there?"})
	if h := hear(t, s, over(1)); h.output != "Yes?" {
		t.Errorf("then heard %q", h.output)
	}
	noneRefused(t, server)
}

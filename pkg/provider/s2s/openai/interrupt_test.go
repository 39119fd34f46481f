package openai_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/lab/fakerealtime"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s/openai"
)

// said returns the length of each of the model's items in the server's conversation.
func said(server *fakerealtime.Server) []time.Duration {
	lengths := []time.Duration{}
	for _, e := range server.Conversation(0) {
		if e.Role == "assistant" {
			lengths = append(lengths, e.Sound)
		}
	}
	return lengths
}

// twoParts is one second and half a second of sound; the second part begins before the
// first has ended.
func twoParts(hold bool) fakerealtime.Answer {
	return fakerealtime.Answer{
		Parts:       []fakerealtime.Part{{Text: "Once there was", Sound: time.Second}, {Text: "a ferry.", Sound: 500 * time.Millisecond}},
		Interleaved: true, HoldEnd: hold,
	}
}

// TestInterrupt ends an answer after some of it was heard: the rest is truncated, and the
// service is never asked to keep more than it has.
func TestInterrupt(t *testing.T) {
	const ms = time.Millisecond
	for _, row := range []struct {
		name   string
		heard  time.Duration
		ended  bool // the generation has already ended
		want   []time.Duration
		status string
	}{
		{"nothing", 0, false, []time.Duration{}, "cancelled"},
		{"less_than_a_millisecond", 900 * time.Microsecond, false, []time.Duration{}, "cancelled"},
		{"negative", -time.Second, false, []time.Duration{}, "cancelled"},
		{"some_of_the_first", 250 * ms, false, []time.Duration{250 * ms}, "cancelled"},
		{"all_of_the_first", 1000 * ms, false, []time.Duration{1000 * ms}, "cancelled"},
		{"some_of_the_second", 1100 * ms, false, []time.Duration{1000 * ms, 100 * ms}, "cancelled"},
		{"more_than_there_is", time.Hour, false, []time.Duration{1000 * ms, 500 * ms}, "cancelled"},
		{"some_after_the_end", 1250 * ms, true, []time.Duration{1000 * ms, 250 * ms}, ""},
		{"nothing_after_the_end", 0, true, []time.Duration{}, ""},
		{"all_after_the_end", 1500 * ms, true, []time.Duration{1000 * ms, 500 * ms}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			server, s := connect(t, fakerealtime.Script{Answers: []fakerealtime.Answer{twoParts(!row.ended), spoken("Yes?", 100*ms)}}, s2s.SessionOptions{}, openai.Options{})
			say(t, s, 0, s2s.Response{Text: "Tell me a story."})
			if row.ended {
				hear(t, s, over(1))
			} else {
				hear(t, s, func(h *heard) bool { return h.samples() == 36000 && len(h.done) == 2 })
			}
			for range 2 { // the second call has nothing to end
				if err := s.Interrupt(t.Context(), row.heard); err != nil {
					t.Fatal(err)
				}
			}
			if !row.ended {
				if h := hear(t, s, over(1)); h.ends[0].Status != row.status || h.samples() > 0 {
					t.Errorf("after the interruption: %+v", h)
				}
			}
			if row.status == "" && row.heard == 1500*ms && len(server.Messages("conversation.item.truncate")) > 0 {
				t.Error("what was heard to its end is cut")
			}
			say(t, s, 0, s2s.Response{Text: "Wait."})
			if h := hear(t, s, over(1)); h.output != "Yes?" {
				t.Errorf("then heard %q", h.output)
			}
			if diff := cmp.Diff(append(row.want, 100*ms), said(server)); diff != "" {
				t.Error(diff)
			}
			noneRefused(t, server)
		})
	}
}

// TestInterleavedParts has two parts whose sound overlaps.
func TestInterleavedParts(t *testing.T) {
	_, s := connect(t, fakerealtime.Script{Answers: []fakerealtime.Answer{twoParts(false)}}, s2s.SessionOptions{}, openai.Options{})
	say(t, s, 0, s2s.Response{Text: "Tell me a story."})
	h := hear(t, s, over(1))
	if len(h.items) != 2 || len(h.sound[h.items[0]]) != 24000 || len(h.sound[h.items[1]]) != 12000 {
		t.Fatalf("items %q with %d samples in all", h.items, h.samples())
	}
	if diff := cmp.Diff(h.items, h.done); diff != "" {
		t.Error(diff)
	}
}

// TestOrphan interrupts before the response has begun: the response is cancelled when it
// comes, none of it is reported, and the next one waits for its end.
func TestOrphan(t *testing.T) {
	for _, forgetful := range []bool{false, true} {
		orphan := spoken("I shall never be heard.", time.Second)
		orphan.HoldCreated, orphan.HoldEnd = true, true
		server, s := connect(t, fakerealtime.Script{Forgetful: forgetful, Answers: []fakerealtime.Answer{orphan, spoken("Better.", 100*time.Millisecond)}}, s2s.SessionOptions{}, openai.Options{})
		say(t, s, 0, s2s.Response{Text: "Never mind."})
		server.Await(t, 1, "response.create")
		if err := s.Interrupt(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		say(t, s, 0, s2s.Response{Text: "How is the ale?"})
		server.Release()
		h := hear(t, s, over(2))
		if h.output != "Better." || h.started != 1 || h.ends[0].Status != "cancelled" || h.ends[1].Status != "completed" || h.samples() != 2400 {
			t.Errorf("heard %q with %d samples, ends %+v", h.output, h.samples(), h.ends)
		}
		if diff := cmp.Diff([]time.Duration{100 * time.Millisecond}, said(server)); diff != "" {
			t.Error(diff)
		}
		noneRefused(t, server)
	}
}

// TestInterruptWhatWaits interrupts an answer that has not been requested yet.
func TestInterruptWhatWaits(t *testing.T) {
	first := spoken("Well, it all began when", time.Second)
	first.HoldEnd = true
	server, s := connect(t, fakerealtime.Script{Answers: []fakerealtime.Answer{first, spoken("Aye.", 100*time.Millisecond)}}, s2s.SessionOptions{}, openai.Options{})
	say(t, s, 0, s2s.Response{Text: "One."})
	hear(t, s, func(h *heard) bool { return h.samples() == 24000 })
	if err := s.Interrupt(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	say(t, s, 0, s2s.Response{Text: "Two."})
	if err := s.Interrupt(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	say(t, s, 0, s2s.Response{Text: "Three."})
	h := hear(t, s, over(3))
	if h.output != "Aye." || h.ends[0].Status != "cancelled" || h.ends[1].Status != "cancelled" || h.ends[2].Status != "completed" {
		t.Errorf("heard %q, ends %+v", h.output, h.ends)
	}
	noneRefused(t, server)
}

// TestInterruptDuringTools checks that late results are sent without requesting a reply.
func TestInterruptDuringTools(t *testing.T) {
	server, s := connect(t, fakerealtime.Script{Answers: []fakerealtime.Answer{
		{Calls: []fakerealtime.Call{{Name: "roll", Arguments: "{}"}}}, spoken("Yes?", 100*time.Millisecond),
	}}, s2s.SessionOptions{}, openai.Options{})
	s.OnToolCall(func(llm.ToolCall) {})
	say(t, s, 0, s2s.Response{Text: "Roll."})
	hear(t, s, over(1))
	if err := s.Interrupt(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	say(t, s, 0, s2s.Response{Text: "Wait."})
	if err := s.SendToolResult(t.Context(), s2s.ToolResult{ID: "call_1", Text: "12"}); err != nil {
		t.Fatal(err)
	}
	if h := hear(t, s, over(1)); h.output != "Yes?" {
		t.Errorf("heard %q", h.output)
	}
	server.Await(t, 3, "conversation.item.create")
	if n := len(server.Messages("response.create")); n != 2 {
		t.Errorf("%d responses were asked for, want 2", n)
	}
	noneRefused(t, server)
}

// TestStranger checks that an unrequested response is cancelled and not reported, and
// that our request is repeated if it was refused because of it.
func TestStranger(t *testing.T) {
	server, s := connect(t, fakerealtime.Script{Stranger: true, Answers: []fakerealtime.Answer{
		{Calls: []fakerealtime.Call{{Name: "roll", Arguments: "{}"}}}, spoken("A twelve.", 100*time.Millisecond),
	}}, s2s.SessionOptions{}, openai.Options{})
	s.OnToolCall(func(llm.ToolCall) {})
	say(t, s, 0, s2s.Response{Text: "Roll."})
	hear(t, s, over(1))
	if err := s.SendToolResult(t.Context(), s2s.ToolResult{ID: "call_1", Text: "12"}); err != nil {
		t.Fatal(err)
	}
	if h := hear(t, s, over(1)); h.output != "A twelve." || h.samples() != 2400 || len(h.failed) > 0 {
		t.Errorf("heard %q, failures %v", h.output, h.failed)
	}
	refused := slices.DeleteFunc(server.Refused(), func(code string) bool {
		return code == "response_cancel_not_active" // the response had not begun yet
	})
	if diff := cmp.Diff([]string{"conversation_already_has_active_response"}, refused); diff != "" {
		t.Error(diff)
	}
}

// TestCancelNamesTheResponse checks the contents of a cancel message.
func TestCancelNamesTheResponse(t *testing.T) {
	first := spoken("Well", time.Second)
	first.HoldEnd = true
	server, s := connect(t, fakerealtime.Script{Answers: []fakerealtime.Answer{first}}, s2s.SessionOptions{}, openai.Options{})
	say(t, s, 0, s2s.Response{Text: "One."})
	hear(t, s, func(h *heard) bool { return h.samples() == 24000 })
	if err := s.Interrupt(t.Context(), time.Second); err != nil {
		t.Fatal(err)
	}
	var m struct {
		ResponseID string `json:"response_id"`
		EventID    string `json:"event_id"`
	}
	if err := json.Unmarshal(server.Await(t, 1, "response.cancel")[0].Data, &m); err != nil || m.ResponseID == "" || m.EventID == "" {
		t.Errorf("a cancel names %+v, %v", m, err)
	}
}

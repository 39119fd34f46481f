package openai

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// service models the state of the real service: it fails the test for messages that the
// real one would refuse.
type service struct {
	t        *rapid.T
	c        *conversation
	pending  string            // tag of the requested response that has not begun
	request  string            // ID of the message that requested it
	active   string            // ID of the requested response in progress
	strange  map[string]bool   // responses in progress without a request
	items    map[string]string // kind by item ID
	received map[string]int64  // samples reported, by item
	cut      map[string]bool
	calls    map[string]int // results by call ID
	asked    int            // answers requested
	reported int            // generation ends reported
	number   int
}

func (s *service) next(kind string) string {
	s.number++
	return fmt.Sprintf("%s_%d", kind, s.number)
}

// say has the service send an event, and checks the reaction.
func (s *service) say(fields map[string]any) {
	data, err := json.Marshal(fields)
	if err != nil {
		s.t.Fatal(err)
	}
	s.c.receive(data)
	s.check()
}

// check handles the conversation's messages and events.
func (s *service) check() {
	for _, e := range s.c.events {
		switch e := e.(type) {
		case s2s.Audio:
			s.received[e.Item] += int64(len(e.Samples))
		case s2s.ToolCalled:
			if _, twice := s.calls[e.Call.ID]; twice {
				s.t.Fatalf("call %s is told twice", e.Call.ID)
			}
			s.calls[e.Call.ID] = 0
		case s2s.GenerationDone:
			s.reported++
		}
	}
	out := s.c.out
	s.c.events, s.c.out = nil, nil
	for _, data := range out {
		var m message
		if err := json.Unmarshal(data, &m); err != nil {
			s.t.Fatal(err)
		}
		s.take(m)
	}
}

func (s *service) take(m message) {
	switch m.Type {
	case "response.create":
		if s.pending != "" || s.active != "" || len(s.strange) > 0 {
			s.t.Fatalf("a response is asked for while %q, %q or %v is under way", s.pending, s.active, s.strange)
		}
		s.pending, s.request = m.Response.Metadata[tagKey], m.EventID
		s.asked++
	case "response.cancel":
		if m.ResponseID == "" {
			if len(s.strange) == 0 {
				s.t.Fatal("nothing is cancelled")
			}
			return
		}
		if m.ResponseID != s.active && !s.strange[m.ResponseID] {
			s.t.Fatalf("%q is cancelled, which is not under way", m.ResponseID)
		}
	case "conversation.item.truncate":
		if s.items[m.ItemID] != "message" || s.cut[m.ItemID] || *m.AudioEndMS <= 0 || *m.AudioEndMS > s.received[m.ItemID]*1000/rate {
			s.t.Fatalf("%s is cut to %d ms; it is a %q with %d samples", m.ItemID, *m.AudioEndMS, s.items[m.ItemID], s.received[m.ItemID])
		}
		s.cut[m.ItemID] = true
	case "conversation.item.delete":
		if s.items[m.ItemID] == "" || s.cut[m.ItemID] {
			s.t.Fatalf("%s is deleted, which is not there", m.ItemID)
		}
		s.cut[m.ItemID] = true
	case "conversation.item.create":
		if m.Item.Type == "function_call_output" {
			if n, told := s.calls[m.Item.CallID]; !told || n > 0 {
				s.t.Fatalf("call %s has %d results already, told: %v", m.Item.CallID, n, told)
			}
			s.calls[m.Item.CallID]++
		}
	}
}

// underWay returns a response in progress, or an empty string.
func (s *service) underWay() string {
	if len(s.strange) > 0 && (s.active == "" || rapid.Bool().Draw(s.t, "strange")) {
		for id := range s.strange { // there is at most one
			return id
		}
	}
	return s.active
}

func (s *service) begin() {
	if s.pending == "" || len(s.strange) > 0 {
		return
	}
	s.active = s.next("resp")
	tag := s.pending
	s.pending = ""
	s.say(map[string]any{"type": responseCreated, "response": map[string]any{"id": s.active, "metadata": map[string]any{tagKey: tag}}})
}

func (s *service) beginUnasked() {
	// The service would refuse a request already in flight.
	if !s.c.echoes || s.pending != "" || s.active != "" || len(s.strange) > 0 {
		return
	}
	id := s.next("resp")
	s.strange[id] = true
	s.say(map[string]any{"type": responseCreated, "response": map[string]any{"id": id, "metadata": nil}})
}

// refuseFor has the service begin a response of its own just before a request arrives.
func (s *service) refuseFor() {
	if !s.c.echoes || s.pending == "" || s.active != "" || len(s.strange) > 0 {
		return
	}
	id := s.next("resp")
	s.strange[id] = true
	s.pending = ""
	s.asked-- // the request is repeated, unless it was interrupted
	begun := map[string]any{"type": responseCreated, "response": map[string]any{"id": id}}
	refused := map[string]any{"type": errorReported, "error": map[string]any{
		"code": "conversation_already_has_active_response", "event_id": s.request,
	}}
	if rapid.Bool().Draw(s.t, "late") {
		begun, refused = refused, begun
	}
	s.say(begun)
	s.say(refused)
}

func (s *service) speak() {
	id := s.underWay()
	if id == "" {
		return
	}
	item := "item_of_" + id + fmt.Sprint(rapid.IntRange(0, 2).Draw(s.t, "part"))
	if s.items[item] == "" {
		s.items[item] = "message"
		s.say(map[string]any{"type": itemAdded, "response_id": id, "item": map[string]any{"id": item, "type": "message"}})
	}
	sound := audio.AppendS16LE(nil, make([]int16, rapid.IntRange(0, 3000).Draw(s.t, "samples")))
	s.say(map[string]any{"type": audioDelta, "response_id": id, "item_id": item, "delta": base64.StdEncoding.EncodeToString(sound)})
	if rapid.Bool().Draw(s.t, "ends") {
		s.say(map[string]any{"type": itemDone, "response_id": id, "item": map[string]any{"id": item, "type": "message", "status": "completed"}})
	}
}

func (s *service) call() {
	id := s.underWay()
	if id == "" {
		return
	}
	item, call := s.next("item"), s.next("call")
	s.items[item] = "function_call"
	entry := map[string]any{"id": item, "type": "function_call", "call_id": call, "name": "roll", "status": "in_progress"}
	s.say(map[string]any{"type": itemAdded, "response_id": id, "item": entry})
	if rapid.Bool().Draw(s.t, "complete") {
		entry["status"] = "completed"
		s.say(map[string]any{"type": argumentsDone, "response_id": id, "item_id": item, "call_id": call, "name": "roll", "arguments": "{}"})
		s.say(map[string]any{"type": itemDone, "response_id": id, "item": entry})
	}
}

func (s *service) end() {
	id := s.underWay()
	if id == "" {
		return
	}
	if id == s.active {
		s.active = ""
	}
	delete(s.strange, id)
	status := rapid.SampledFrom([]string{completed, cancelled, failed, "incomplete"}).Draw(s.t, "status")
	s.say(map[string]any{"type": responseDone, "response": map[string]any{"id": id, "status": status}})
}

// answerAny sends the result of a call.
func (s *service) answerAny() {
	for _, call := range slices.Sorted(maps.Keys(s.calls)) {
		if s.calls[call] == 0 {
			if err := s.c.answerCall(s2s.ToolResult{ID: call, Text: "7", Silent: rapid.Bool().Draw(s.t, "silent")}); err != nil {
				s.t.Fatal(err)
			}
			s.check()
			if err := s.c.answerCall(s2s.ToolResult{ID: call}); err == nil {
				s.t.Fatalf("a second result of %s is taken", call)
			}
			return
		}
	}
}

// TestNothingIsRefused runs players, tools and the service in any order: the service
// never has to refuse a message, each call has one result, and each request for a
// response has one end.
func TestNothingIsRefused(t *testing.T) {
	p, err := New("", nil)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		c := newConversation(p, s2s.SessionOptions{})
		c.ready = true
		s := &service{
			t: t, c: c, strange: map[string]bool{}, items: map[string]string{}, received: map[string]int64{},
			cut: map[string]bool{}, calls: map[string]int{},
		}
		s.check()
		answers := 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 10).Draw(t, "step") {
			case 0:
				if err := c.respond(s2s.Response{Text: "Well met."}); err == nil {
					answers++
				}
				s.check()
			case 1:
				c.interrupt(time.Duration(rapid.IntRange(-10, 300).Draw(t, "heard")) * time.Millisecond)
				s.check()
			case 2, 3:
				s.begin()
			case 4:
				s.speak()
			case 5:
				s.call()
			case 6:
				s.end()
			case 7:
				s.answerAny()
			case 8:
				s.beginUnasked()
			case 9:
				s.refuseFor()
			case 10:
				s.say(map[string]any{"type": "rate_limits.updated"})
			}
		}
		c.interrupt(0)
		s.check()
		for range 4 { // responses in progress, and those that follow them
			s.begin()
			s.end()
		}
		if s.pending != "" || s.active != "" || s.reported < answers || s.reported < s.asked {
			t.Fatalf("%d answers, %d responses and %d ends; %q is pending, %q under way", answers, s.asked, s.reported, s.pending, s.active)
		}
	})
}

// FuzzReceive feeds messages, one per line, between calls: nothing panics, state and
// output are bounded, and the sound reported matches the sound counted.
func FuzzReceive(f *testing.F) {
	for _, seed := range []string{
		`{"type":"session.updated"}` + "\n" + `{"type":"response.created","response":{"id":"r"}}` + "\n" +
			`{"type":"response.output_audio.delta","response_id":"r","item_id":"i","delta":"AAAA"}` + "\n" +
			`{"type":"response.done","response":{"id":"r","status":"completed","usage":{"input_tokens":1e400}}}`,
		`{"type":"response.output_item.done","item":{"type":"function_call","id":"i","call_id":"c","name":"roll","arguments":"{"}}`,
		`{"type":"error","error":{"code":3,"message":null,"event_id":"glyphoxa_2"}}`,
		`{"type":"error","error":{"code":"conversation_already_has_active_response","event_id":"glyphoxa_3"}}`,
		`{"type":"response.done"}`, `{"type":7}`, `[]`, `{`, `null`, `{"type":"response.audio.delta","item_id":"i","delta":"%"}`,
		`{"type":"response.created","response":{"id":"r","metadata":{"glyphoxa_request":1}}}`,
		`{"type":"session.created","session":{"expires_at":1e300}}`,
	} {
		f.Add([]byte(seed))
	}
	p, err := New("", nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := newConversation(p, s2s.SessionOptions{})
		c.ready = true
		_ = c.respond(s2s.Response{Text: "Aye."}) // the first request
		told := map[string]int64{}
		for i, line := range bytes.Split(data, []byte("\n")) {
			c.events, c.out = nil, nil
			c.receive(line)
			if len(c.events) > 4*maxParts || len(c.out) > 4*maxParts {
				t.Fatalf("%d events and %d messages come of one", len(c.events), len(c.out))
			}
			for _, e := range c.events {
				if a, ok := e.(s2s.Audio); ok {
					told[a.Item] += int64(len(a.Samples))
				}
			}
			if i%5 == 4 {
				c.interrupt(time.Duration(i) * time.Millisecond)
				_ = c.respond(s2s.Response{}) // may be too early
			}
		}
		if len(c.calls) > maxOpenCalls || len(c.commands) > maxCommands || len(c.unrequested) > maxStrangers || len(c.answer.parts) > maxParts {
			t.Fatal("a session keeps more than it may")
		}
		for _, p := range c.answer.parts {
			if p.received > told[p.id] {
				t.Fatalf("%d samples of %q are counted, %d were told", p.received, p.id, told[p.id])
			}
		}
	})
}

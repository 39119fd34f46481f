package fakerealtime

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/lab/fakesocket"
)

// maxMessage bounds a client's message in bytes.
const maxMessage = 24 << 20

type object = map[string]any

// item is an entry of the conversation.
type item struct {
	id, kind, role, status string
	text                   string // or the transcript
	spoken                 bool   // the content is sound
	samples                int
	callID, name           string
	arguments, output      string
}

// session is one connection.
type session struct {
	server *Server
	conn   *fakesocket.Conn
	number int

	mu      sync.Mutex // guards the fields below
	config  object
	items   []*item
	sound   []int16 // appended and not committed
	total   int     // samples received in all
	vad     detector
	active  *play
	playing map[string]*play // including those beside the conversation
	outputs []string         // of tools since the last response
	spoke   bool             // sound was received
	counter int              // of ids
	calls   int
	billed  int // input tokens of the last response
}

func newSession(s *Server, conn *fakesocket.Conn, model string) *session {
	return &session{server: s, conn: conn, playing: map[string]*play{}, config: defaults(s.script.Beta, model)}
}

// serve talks with the client until either side ends the session.
func (c *session) serve(ctx context.Context) {
	if sending := c.server.script.Sending; sending != nil {
		c.conn.Sending(func(message []byte) { sending(c.number, message) })
	}
	c.mu.Lock()
	c.say("session.created", object{"session": maps.Clone(c.config)})
	c.mu.Unlock()
	for {
		m, ok := c.conn.Receive(ctx)
		if !ok {
			return
		}
		c.take(ctx, m)
	}
}

// expire ends the session at its time limit.
func (c *session) expire() {
	c.mu.Lock()
	c.refuse("", "session_expired", "Your session hit the maximum duration of 60 minutes.")
	c.mu.Unlock()
	c.conn.Close(1001, "")
}

// say queues an event. Like all functions below it must be called under the
// lock.
func (c *session) say(kind string, fields object) {
	if c.server.script.Beta {
		if kind = betaName(kind); kind == "" {
			return
		}
	}
	if c.server.script.Basic && !slices.Contains(basicEvents, kind) {
		return
	}
	fields["type"] = kind
	fields["event_id"] = c.id("event")
	c.conn.Send(fields)
}

// refuse reports an error about a client's event.
func (c *session) refuse(eventID, code, message string) {
	c.server.recordRefusal(code)
	var about any
	if eventID != "" {
		about = eventID
	}
	kind := "invalid_request_error"
	if code == "rate_limit_exceeded" {
		kind = "rate_limit_exceeded"
	}
	if c.server.script.Basic {
		c.say("error", object{"error": object{"type": code, "code": nil, "message": message, "param": nil, "event_id": nil}})
		return
	}
	c.say("error", object{"error": object{"type": kind, "code": code, "message": message, "param": nil, "event_id": about}})
}

func (c *session) id(kind string) string {
	c.counter++
	return fmt.Sprintf("%s_%d_%d", kind, c.number, c.counter)
}

// find returns an entry of the conversation and its index, or nil.
func (c *session) find(id string) (*item, int) {
	for i, it := range c.items {
		if it.id == id {
			return it, i
		}
	}
	return nil, -1
}

// add inserts an entry into the conversation: after another, at the beginning
// for "root", otherwise at the end.
func (c *session) add(it *item, after string) {
	at := len(c.items)
	if after == "root" {
		at = 0
	} else if _, i := c.find(after); i >= 0 {
		at = i + 1
	}
	c.items = append(c.items, nil)
	copy(c.items[at+1:], c.items[at:])
	c.items[at] = it
	c.say("conversation.item.added", object{"previous_item_id": c.before(it), "item": it.wire(c.server.script.Beta)})
}

// finish reports that an entry is complete.
func (c *session) finish(it *item) {
	c.say("conversation.item.done", object{"previous_item_id": c.before(it), "item": it.wire(c.server.script.Beta)})
}

// before returns the id of an entry's predecessor, or nil for the first.
func (c *session) before(it *item) any {
	if _, i := c.find(it.id); i > 0 {
		return c.items[i-1].id
	}
	return nil
}

// wire returns an entry in wire format.
func (it *item) wire(beta bool) object {
	o := object{"id": it.id, "object": "realtime.item", "type": it.kind, "status": it.status}
	switch it.kind {
	case "function_call":
		o["name"], o["call_id"], o["arguments"] = it.name, it.callID, it.arguments
	case "function_call_output":
		o["call_id"], o["output"] = it.callID, it.output
	default:
		o["role"], o["content"] = it.role, it.content(beta)
	}
	return o
}

func (it *item) content(beta bool) []any {
	switch {
	case it.status == "in_progress":
		return []any{}
	case it.spoken && it.role == "user":
		return []any{object{"type": "input_audio", "transcript": it.text}}
	case it.spoken && beta:
		return []any{object{"type": "audio", "transcript": it.text}}
	case it.spoken:
		return []any{object{"type": "output_audio", "transcript": it.text}}
	case it.role != "assistant":
		return []any{object{"type": "input_text", "text": it.text}}
	case beta:
		return []any{object{"type": "text", "text": it.text}}
	}
	return []any{object{"type": "output_text", "text": it.text}}
}

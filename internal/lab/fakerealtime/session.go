package fakerealtime

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/coder/websocket"
)

// maxMessage is how large a client's message may be.
const maxMessage = 24 << 20

type object = map[string]any

// item is an entry of the conversation.
type item struct {
	id, kind, role, status string
	text                   string // or the transcript of its sound
	spoken                 bool   // its content is sound
	samples                int
	callID, name           string
	arguments, output      string
}

// session is one connection.
type session struct {
	server *Server
	conn   *websocket.Conn
	number int
	tasks  sync.WaitGroup
	work   chan struct{} // holds one while there is something to send

	mu       sync.Mutex // guards the fields below
	config   object
	items    []*item
	sound    []int16 // that was appended and not committed
	total    int     // samples that came in all
	vad      detector
	active   *play
	playing  map[string]*play // beside the conversation too
	outputs  []string         // of tools, since the last response
	spoke    bool             // there has been sound
	counter  int              // of ids
	calls    int
	billed   int // tokens of the last response's input
	out      [][]byte
	farewell *int // code to close with once all is sent
}

func newSession(s *Server, conn *websocket.Conn, model string) *session {
	conn.SetReadLimit(maxMessage)
	return &session{
		server: s, conn: conn, work: make(chan struct{}, 1), playing: map[string]*play{},
		config: defaults(s.script.Beta, model),
	}
}

// serve speaks with the client until one of both goes.
func (c *session) serve(parent context.Context) {
	ctx, cancel := context.WithCancel(parent)
	c.tasks.Go(func() {
		defer cancel()
		c.write(ctx)
	})
	c.mu.Lock()
	c.say("session.created", object{"session": maps.Clone(c.config)})
	c.mu.Unlock()
	for {
		kind, data, err := c.conn.Read(ctx)
		if err != nil {
			break
		}
		c.take(ctx, kind, data)
	}
	cancel()
	c.tasks.Wait()
	_ = c.conn.CloseNow() // the client may have closed it
}

// expire ends the session when its time is over.
func (c *session) expire() {
	c.mu.Lock()
	c.refuse("", "session_expired", "Your session hit the maximum duration of 60 minutes.")
	c.mu.Unlock()
	c.closeWith(int(websocket.StatusGoingAway))
}

// closeWith closes the connection once all is sent.
func (c *session) closeWith(code int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.farewell = &code
	c.wakeWriter()
}

func (c *session) wakeWriter() {
	select {
	case c.work <- struct{}{}:
	default:
	}
}

// write sends what waits.
func (c *session) write(ctx context.Context) {
	for {
		select {
		case <-c.work:
		case <-ctx.Done():
			return
		}
		c.mu.Lock()
		batch, farewell := c.out, c.farewell
		c.out = nil
		c.mu.Unlock()
		for _, data := range batch {
			if c.server.script.Sending != nil {
				c.server.script.Sending(c.number, data)
			}
			if c.conn.Write(ctx, websocket.MessageText, data) != nil {
				return
			}
		}
		switch {
		case farewell == nil:
		case *farewell == 0:
			_ = c.conn.CloseNow() // cut
			return
		default:
			_ = c.conn.Close(websocket.StatusCode(*farewell), "") // the client may be gone
			return
		}
	}
}

// say queues an event. Like all below it is called under the lock.
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
	data, err := json.Marshal(fields)
	if err != nil {
		panic(err) // the events are ours
	}
	c.sayRaw(data)
}

func (c *session) sayRaw(data []byte) {
	c.out = append(c.out, data)
	c.wakeWriter()
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

// find returns an entry of the conversation and its place, nil if there is none.
func (c *session) find(id string) (*item, int) {
	for i, it := range c.items {
		if it.id == id {
			return it, i
		}
	}
	return nil, -1
}

// add puts an entry into the conversation: after another, at its beginning for
// "root", else at its end.
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

// finish tells that an entry is complete.
func (c *session) finish(it *item) {
	c.say("conversation.item.done", object{"previous_item_id": c.before(it), "item": it.wire(c.server.script.Beta)})
}

// before is what an entry follows, nil if it is the first.
func (c *session) before(it *item) any {
	if _, i := c.find(it.id); i > 0 {
		return c.items[i-1].id
	}
	return nil
}

// wire is what an entry looks like.
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

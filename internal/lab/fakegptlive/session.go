package fakegptlive

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakesocket"
)

// maxAppend bounds the tokens in one append.
const maxAppend = 500

// phase is the phase of a session.
type phase uint8

const (
	opening phase = iota // until session.start
	running              // until session.close, or until the service ends it
	over
)

// Session is one session. Its exported methods are safe for concurrent use.
type Session struct {
	server *Server
	conn   *fakesocket.Conn
	events atomic.Int64 // sent so far

	// These fields belong to the connection's handler.
	phase       phase
	config      config
	resource    object
	delegations map[string]bool
	voice       voice
	told        int // usage reports so far

	// server.news guards these fields.
	start    json.RawMessage
	commands []Command
	samples  int // of input
	audible  int // with sound in them
	muted    int // audible ones while muted
}

// Start returns the client's configuration.
func (c *Session) Start() json.RawMessage {
	c.server.news.Lock()
	defer c.server.news.Unlock()
	return slices.Clone(c.start)
}

// Commands returns the commands so far, including session.start and refused
// ones.
func (c *Session) Commands() []Command {
	c.server.news.Lock()
	defer c.server.news.Unlock()
	return slices.Clone(c.commands)
}

// Input returns how much sound was received: samples in all, samples of audible
// pieces, and those of the latter while muted.
func (c *Session) Input() (samples, audible, muted int) {
	c.server.news.Lock()
	defer c.server.news.Unlock()
	return c.samples, c.audible, c.muted
}

// Send sends the client any message, for example invalid JSON.
func (c *Session) Send(raw string) { c.conn.Send(raw) }

// Drop ends the connection without a close frame.
func (c *Session) Drop() { c.conn.Close(0, "") }

// End ends the session for a reason, such as "expired", as the service does. It
// ignores later input.
func (c *Session) End(reason string, seconds float64) {
	c.send("session.closed", "", object{"reason": reason, "session": object{"id": "live_1", "status": "active"}, "usage": object{"seconds": seconds}})
	c.conn.Close(1000, "")
}

// send sends an event with the id of its command.
func (c *Session) send(kind, clientEventID string, fields object) {
	event := object{"type": kind}
	if kind != "session.output_audio.delta" {
		event["event_id"] = fmt.Sprintf("event_%d", c.events.Add(1))
	}
	if clientEventID != "" {
		event["client_event_id"] = clientEventID
	}
	for k, v := range fields {
		event[k] = v
	}
	c.conn.Send(event)
}

// complain reports an error about a command.
func (c *Session) complain(e Error, clientEventID string) {
	e.ClientEventID = clientEventID
	c.send("error", clientEventID, object{"error": e})
}

func invalid(code, param, format string, args ...any) *Error {
	return &Error{Type: "invalid_request_error", Code: code, Param: param, Message: fmt.Sprintf(format, args...)}
}

// command is a command as received.
type command struct {
	Type         string          `json:"type"`
	EventID      string          `json:"event_id"`
	Session      json.RawMessage `json:"session"`
	Audio        *string         `json:"audio"`
	Content      *string         `json:"content"`
	DelegationID json.RawMessage `json:"delegation_id"`
}

// take handles one command.
func (c *Session) take(data []byte) {
	var m command
	if err := json.Unmarshal(data, &m); err != nil || m.Type == "" {
		c.complain(*invalid("invalid_json", "", "The message is no event."), "")
		return
	}
	if m.Type != "session.input_audio.append" {
		c.record(m)
	}
	if e := c.obey(m); e != nil {
		c.complain(*e, m.EventID)
	}
}

// record stores a command for the test.
func (c *Session) record(m command) {
	r := Command{Type: m.Type, EventID: m.EventID}
	if m.Content != nil {
		r.Content = *m.Content
	}
	_ = json.Unmarshal(m.DelegationID, &r.DelegationID) // checked later
	c.server.news.Lock()
	defer c.server.news.Unlock()
	c.commands = append(c.commands, r)
	c.server.news.Announce()
}

// obey executes a command, or returns why not.
func (c *Session) obey(m command) *Error {
	if c.phase == opening {
		if m.Type != "session.start" {
			return invalid("session_not_started", "", "Send session.start first and wait for session.started.")
		}
		return c.begin(m)
	}
	switch m.Type {
	case "session.start":
		return invalid("session_already_started", "", "The session has been started.")
	case "session.update":
		return c.update(m)
	case "session.input_audio.append":
		return c.hear(m)
	case "session.input_audio.mute":
		c.voice.muted = true
		c.send("session.input_audio.muted", m.EventID, nil)
	case "session.input_audio.unmute":
		c.voice.muted = false
		c.send("session.input_audio.unmuted", m.EventID, nil)
	case "session.instructions.append", "session.thinking.append", "session.commentary.append":
		return c.learn(m)
	case "session.close":
		c.finish(m)
	case "response.create", "response.item.create":
		return invalid("invalid_delegation", "", "%s requires Responses delegation.", m.Type)
	default:
		return invalid("unknown_event", "type", "Unknown event type %q.", m.Type)
	}
	return nil
}

func (c *Session) begin(m command) *Error {
	if e := c.server.script.RefuseError; e.Code != "" {
		return &e
	}
	if e := c.config.read(m.Session); e != nil {
		return e
	}
	c.resource = c.config.resource()
	c.voice.begin(c)
	c.phase = running
	c.server.news.Lock()
	c.start = slices.Clone(m.Session)
	c.server.sessions = append(c.server.sessions, c)
	c.server.news.Announce()
	c.server.news.Unlock()
	c.send("session.started", m.EventID, object{"session": c.resource})
	return nil
}

// update changes the delegation, the only setting that can change.
func (c *Session) update(m command) *Error {
	var all map[string]json.RawMessage
	if json.Unmarshal(m.Session, &all) != nil {
		return invalid("invalid_value", "session", "A session is an object.")
	}
	for k := range all {
		if k != "delegation" {
			return invalid("immutable_parameter", "session."+k, "%s cannot change after the session has been started.", k)
		}
	}
	var d delegation
	if raw, ok := all["delegation"]; ok {
		if e := d.read(raw); e != nil {
			return e
		}
		c.resource["delegation"] = d
	}
	c.send("session.updated", m.EventID, object{"session": c.resource})
	return nil
}

// hear handles sound, which drives all other events.
func (c *Session) hear(m command) *Error {
	if m.Audio == nil || *m.Audio == "" {
		return invalid("invalid_audio", "audio", "The audio is empty.")
	}
	data, err := base64.StdEncoding.DecodeString(*m.Audio)
	if err != nil {
		return invalid("invalid_audio", "audio", "The audio is not base64.")
	}
	if len(data)%2 != 0 {
		return invalid("invalid_audio", "audio", "PCM16 audio must contain an even number of bytes.")
	}
	loud := bytes.ContainsFunc(data, func(r rune) bool { return r != 0 })
	c.server.news.Lock()
	c.samples += len(data) / 2
	if loud {
		c.audible += len(data) / 2
		if c.voice.muted {
			c.muted += len(data) / 2
		}
	}
	c.server.news.Announce()
	c.server.news.Unlock()
	c.voice.hear(data)
	if told := int(c.voice.now() / c.server.script.UsageEvery); told > c.told {
		c.told = told
		c.send("session.usage.updated", "", object{"usage": object{"seconds": c.voice.now().Seconds()}, "context_window": object{"usage_ratio": 0.1}})
	}
	return nil
}

// learn appends text to the context.
func (c *Session) learn(m command) *Error {
	if m.Content == nil || strings.TrimSpace(*m.Content) == "" {
		return invalid("missing_required_parameter", "content", "content is required.")
	}
	if n := (len(*m.Content) + 3) / 4; n > maxAppend {
		return invalid("content_too_long", "content", "content has %d tokens, at most %d are allowed.", n, maxAppend)
	}
	if len(m.DelegationID) == 0 {
		return invalid("missing_required_parameter", "delegation_id", "delegation_id is required; it may be null.")
	}
	var id *string
	if json.Unmarshal(m.DelegationID, &id) != nil || id != nil && !c.delegations[*id] {
		return invalid("delegation_not_found", "delegation_id", "There is no such delegation.")
	}
	at := c.voice.now()
	if m.Type == "session.commentary.append" {
		c.voice.say(*m.Content, at+c.server.script.CommentaryLag)
	}
	c.send(strings.TrimSuffix(m.Type, "append")+"appended", m.EventID, object{"start_ms": at.Milliseconds(), "end_ms": at.Milliseconds()})
	return nil
}

// finish says the queued words and ends the session.
func (c *Session) finish(m command) {
	c.voice.sayRest()
	c.phase = over
	c.send("session.closed", m.EventID, object{
		"reason": "close_requested", "session": c.resource, "usage": object{"seconds": c.voice.now().Seconds()},
	})
}

// delegate announces a delegation.
func (c *Session) delegate(at time.Duration, times int) {
	if times == 0 {
		return
	}
	id := fmt.Sprintf("item_delegation_%d", len(c.delegations)+1)
	c.delegations[id] = true
	for range times {
		c.send("session.delegation.created", "", object{
			"offset_ms":  at.Milliseconds(),
			"delegation": object{"id": id, "type": "delegation", "target": "client"},
		})
	}
}

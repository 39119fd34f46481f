package fakegemini

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/lab/fakesocket"
)

type object map[string]any

// call is a tool call. It is open until it is answered or cancelled, which is
// final.
type call struct {
	state  callState
	noWait bool // the answer continues without its result
}

// callState is the state of a tool call.
type callState int

// The states of a call.
const (
	callOpen callState = iota + 1
	callAnswered
	callCancelled
)

// connection is one session. Its fields without a lock belong to the reading
// goroutine.
type connection struct {
	server  *Server
	conn    *fakesocket.Conn
	version string
	key     string

	traits   traits
	manual   bool
	heard    bool // input is transcribed
	shown    bool // output is transcribed
	resumes  bool
	announce bool // history comes first
	history  bool // clientContent is still history
	activity bool // the player is speaking
	pending  bool // input without an answer yet
	current  *generation

	mu    sync.Mutex // guards the fields below
	tools []declaration
	calls map[string]call
	moved chan struct{} // closed and replaced whenever a call changes state
}

// run reads until the connection ends.
func (c *connection) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		if c.current != nil {
			<-c.current.done
		}
	}()
	c.moved = make(chan struct{})
	if c.server.opts.Refuse.Code != 0 {
		c.end(c.server.opts.Refuse)
		return
	}
	for first := true; ; first = false {
		m, ok := c.conn.Receive(ctx)
		if !ok {
			return
		}
		refusal := c.take(ctx, m.Data, first)
		if c.server.opts.Deaf {
			<-ctx.Done()
			return
		}
		if refusal != nil {
			c.server.change(func() { c.server.refusals = append(c.server.refusals, refusal.Reason) })
			c.end(*refusal)
			return
		}
	}
}

// end closes the connection with the service's reason.
func (c *connection) end(why Close) { c.conn.Close(why.Code, why.Reason) }

// say sends one message unless ctx has ended. The service sends JSON in binary
// messages.
func (c *connection) say(ctx context.Context, v any) {
	if ctx.Err() == nil {
		c.conn.SendBinary(v)
	}
}

// record stores a client's message.
func (c *connection) record(kind string, body any) {
	raw, ok := body.(json.RawMessage)
	if !ok {
		raw, _ = json.Marshal(body) // it was decoded from JSON
	}
	c.server.change(func() {
		c.server.messages = append(c.server.messages, Message{Connection: c.conn.Number(), Kind: kind, Body: raw})
	})
}

// take handles one message and returns why it is refused, or nil.
func (c *connection) take(ctx context.Context, data []byte, first bool) *Close {
	var m clientMessage
	if refusal := decode(data, &m); refusal != nil {
		return refusal
	}
	if first != (m.Setup != nil) {
		return &setupFirst
	}
	var bodies map[string]json.RawMessage
	if json.Unmarshal(data, &bodies) != nil || len(bodies) != 1 {
		return &invalid
	}
	switch {
	case m.Setup != nil:
		c.record("setup", bodies["setup"])
		return c.begin(ctx, m.Setup)
	case m.ClientContent != nil:
		c.record("clientContent", bodies["clientContent"])
		return c.takeContent(ctx, m.ClientContent)
	case m.RealtimeInput != nil:
		return c.takeInput(ctx, m.RealtimeInput)
	case m.ToolResponse != nil:
		c.record("toolResponse", m.ToolResponse)
		return c.takeResponses(ctx, m.ToolResponse)
	case m.ContextUpdate != nil:
		c.record("contextUpdate", bodies["contextUpdate"])
		return c.takeUpdate(m.ContextUpdate)
	}
	return &invalid
}

// begin sets the session up.
func (c *connection) begin(ctx context.Context, s *setup) *Close {
	model, ok := strings.CutPrefix(s.Model, "models/")
	opts := c.server.opts
	c.traits = traitsOf(model)
	g := s.GenerationConfig
	switch {
	case c.key == "":
		return &unregistered
	case opts.APIKey != "" && c.key != opts.APIKey:
		return &BadKey
	case !ok, len(opts.Models) > 0 && !slices.Contains(opts.Models, model), !strings.HasPrefix(model, "gemini-"):
		return &Close{1008, s.Model + " is not found for API version " + c.version + ", or is not supported for bidiGenerateContent. Call ListModels"}
	case !slices.Equal(g.ResponseModalities, []string{"AUDIO"}) && len(g.ResponseModalities) > 0,
		c.traits.bareOptions && (g.ThinkingConfig != nil || g.EnableAffectiveDialog != nil || s.Proactivity != nil),
		s.SessionResumption != nil && string(s.SessionResumption.Handle) == "null":
		return &invalid
	case g.SpeechConfig != nil && !languageCode.MatchString(g.SpeechConfig.LanguageCode):
		return &Close{1007, "Unsupported language code '" + g.SpeechConfig.LanguageCode + "' for model " + s.Model}
	case s.SystemInstruction != nil && hasNoText(s.SystemInstruction):
		return &invalid
	}
	if refusal := checkTools(s.Tools, c.traits); refusal != nil {
		return refusal
	}
	c.setTools(s.Tools)
	c.manual = s.RealtimeInputConfig.AutomaticActivityDetection.Disabled
	c.heard, c.shown = s.InputAudioTranscription != nil, s.OutputAudioTranscription != nil
	c.announce = s.HistoryConfig.InitialHistoryInClientContent
	c.history = c.traits.content || c.announce
	if s.SessionResumption != nil {
		c.resumes = true
		if refusal := c.resume(s.SessionResumption.Handle); refusal != nil {
			return refusal
		}
	}
	if opts.NoSetup {
		return nil
	}
	c.say(ctx, object{"setupComplete": object{}})
	return nil
}

var languageCode = regexp.MustCompile(`^([a-z]{2,3}-([A-Z]{2}|[0-9]{3}|[A-Z][a-z]{3}-[A-Z]{2}))?$`)

func hasNoText(c *content) bool {
	return len(c.Parts) == 0 || slices.ContainsFunc(c.Parts, func(p part) bool { return p.Text == nil })
}

// resume continues an earlier session.
func (c *connection) resume(raw json.RawMessage) *Close {
	var handle string
	if raw != nil && json.Unmarshal(raw, &handle) != nil {
		return &invalid
	}
	c.server.news.Lock()
	defer c.server.news.Unlock()
	if handle != "" && !c.server.handles[handle] {
		return &BadHandle
	}
	return nil
}

func (c *connection) setTools(tools []tool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tools = nil
	for _, t := range tools {
		c.tools = append(c.tools, t.FunctionDeclarations...)
	}
}

// takeContent handles a part of the conversation.
func (c *connection) takeContent(ctx context.Context, m *clientContent) *Close {
	if !c.traits.content && !c.history {
		return &invalid
	}
	if refusal := checkContents(m.Turns); refusal != nil {
		return refusal
	}
	if c.announce && c.history {
		c.history = !m.TurnComplete // without an end of turn it is no question
		return nil
	}
	c.interrupt(ctx)
	c.pending = c.pending || len(m.Turns) > 0
	if !m.TurnComplete {
		return nil
	}
	if !c.pending {
		return &noTurn
	}
	c.generate(ctx)
	return nil
}

// takeUpdate changes the instruction and tools.
func (c *connection) takeUpdate(m *contextUpdate) *Close {
	if !c.traits.updates || m.SystemInstruction != nil && hasNoText(m.SystemInstruction) {
		return &invalid
	}
	if m.Tools == nil {
		return nil
	}
	if refusal := checkTools(m.Tools.Tools, c.traits); refusal != nil {
		return refusal
	}
	c.setTools(m.Tools.Tools)
	return nil
}

package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// kind is the purpose of a sent message.
type kind uint8

const (
	updateSession kind = iota
	addItem            // of the history, or injected
	giveInput          // the question of an answer
	giveOutput         // of a tool
	createResponse
	cancelResponse
	cutItem
	dropItem
	clearSound
)

// command records a sent message, in case the service refuses it.
type command struct {
	kind   kind
	answer *answer // of createResponse and giveInput
	tag    string  // of createResponse
	call   string  // of giveOutput
}

// maxCommands is the number of sent messages to remember; the oldest are forgotten first.
const maxCommands = 256

// maxStrangers is the maximum number of unrequested responses in progress.
const maxStrangers = 16

// notice is how long in advance the end of a session is reported.
const notice = time.Minute

// conversation is the state of a session's answers. It decides what to send and to report, but does no I/O:
// messages and events are queued in out and events. It is not safe for concurrent use.
type conversation struct {
	provider     *Provider
	instructions string
	latest       string // current instructions of the session

	answer  *answer   // the latest; nil before the first
	current *response // in progress or requested; nil if there is none
	queued  *answer   // waits until a response may be requested
	// unrequested are the IDs of unrequested responses in progress. unseen means that there is one with an
	// unknown ID.
	unrequested map[string]bool
	unseen      bool
	// announces and echoes report whether the server has announced the start of a response, and echoed the
	// tag of a request.
	announces, echoes bool
	ended             string             // ID of the last response
	calls             map[string]*answer // calls without a result, by ID
	requests          int
	sound             int // samples sent in the turn

	commands map[string]command
	order    []string // of commands, oldest first
	sent     int

	ready       bool // the service has accepted the session's setup
	final       error
	endNoticeAt time.Time // when to report the end; zero once reported

	out    [][]byte
	events []s2s.Event
}

func newConversation(p *Provider, o s2s.SessionOptions) *conversation {
	c := &conversation{
		provider: p, instructions: o.Instructions, latest: o.Instructions,
		unrequested: map[string]bool{}, calls: map[string]*answer{}, commands: map[string]command{},
		endNoticeAt: time.Now().Add(longest - notice),
	}
	c.send(command{kind: updateSession}, message{Type: "session.update", Session: p.session(o)})
	c.inject(o.History)
	return c
}

// send queues a message and remembers its purpose.
func (c *conversation) send(what command, m message) {
	c.sent++
	m.EventID = fmt.Sprintf("glyphoxa_%d", c.sent)
	data, err := json.Marshal(m)
	if err != nil { // a tool's schema that cannot be encoded
		c.queueEvent(s2s.Failed{Err: fmt.Errorf("%w: a message to it cannot be written: %v", s2s.ErrRejected, err), Call: what.call})
		return
	}
	if len(c.order) == maxCommands {
		delete(c.commands, c.order[0])
		c.order = append(c.order[:0], c.order[1:]...)
	}
	c.order = append(c.order, m.EventID)
	c.commands[m.EventID] = what
	c.out = append(c.out, data)
}

func (c *conversation) queueEvent(e s2s.Event) { c.events = append(c.events, e) }

// inject adds messages to the conversation, except empty ones.
func (c *conversation) inject(messages []llm.Message) {
	for _, m := range messages {
		if item := c.provider.opts.Dialect.item(m); item != nil {
			c.send(command{kind: addItem}, message{Type: "conversation.item.create", Item: item})
		}
	}
}

func (c *conversation) setTools(tools []llm.ToolDefinition) {
	c.send(command{kind: updateSession}, message{Type: "session.update", Session: c.provider.opts.Dialect.toolUpdate(tools)})
}

// addSound counts samples and queues the message that carries them.
func (c *conversation) addSound(samples int, data []byte) {
	c.sound += samples
	c.out = append(c.out, data)
}

// clearTurn withdraws the turn's audio, if there is any and the server supports it.
func (c *conversation) clearTurn() {
	if c.sound > 0 && !c.provider.isBasic() {
		c.sound = 0
		c.send(command{kind: clearSound}, message{Type: "input_audio_buffer.clear"})
	}
}

// errUnderWay is returned by Respond if an answer is still in progress.
var errUnderWay = errors.New("an answer is on its way; interrupt it first")

// respond requests an answer.
func (c *conversation) respond(r s2s.Response) error {
	if a := c.answer; a != nil && !a.over && (a.generating || a.open > 0) {
		return errUnderWay
	}
	a := &answer{instructions: instructionsFor(r, c.instructions), silent: r.Silent}
	if a.instructions == "" && c.latest != c.instructions {
		a.instructions = c.instructions
	}
	c.answer = a
	if text := strings.TrimSpace(r.Text); text != "" {
		c.clearTurn()
		item := c.provider.opts.Dialect.item(llm.Message{Role: llm.RoleUser, Name: r.Speaker, Content: text})
		c.send(command{kind: giveInput, answer: a}, message{Type: "conversation.item.create", Item: item})
	} else if c.provider.isBasic() && c.sound > 0 {
		c.endTurn(a)
	} else {
		c.commit(a)
	}
	c.request(a)
	return nil
}

// endTurn makes the server detect the end of the turn and answer it by itself. Context for this answer
// replaces the session's instructions until the next one.
func (c *conversation) endTurn(a *answer) {
	if wanted := cmp.Or(a.instructions, c.instructions); wanted != c.latest {
		c.latest = wanted
		c.send(command{kind: updateSession}, message{Type: "session.update", Session: fields{"type": "realtime", "instructions": wanted}})
	}
	silence := make([]int16, c.provider.opts.InputRate*int(2*pause/time.Millisecond)/1000)
	c.addSound(len(silence), appendSound(silence))
	c.sound = 0
	a.own = true
}

// instructionsFor returns the session's instructions with the context of one answer, or "" if there is no
// context.
func instructionsFor(r s2s.Response, session string) string {
	var more []string
	if r.Context != "" {
		more = append(more, r.Context)
	}
	if name := untrusted.Line(r.Speaker, maxName); name != "" && strings.TrimSpace(r.Text) == "" {
		more = append(more, "The player who speaks now is "+name+".")
	}
	if len(more) == 0 {
		return ""
	}
	if session != "" {
		more = append([]string{session}, more...)
	}
	return strings.Join(more, "\n\n")
}

// commit turns the turn's audio into a conversation item. The service refuses less than a tenth of a second.
func (c *conversation) commit(a *answer) {
	if c.sound == 0 {
		return
	}
	if least := c.provider.opts.InputRate / 10; c.sound < least {
		c.addSound(least-c.sound, appendSound(make([]int16, least-c.sound)))
	}
	c.sound = 0
	c.send(command{kind: giveInput, answer: a}, message{Type: "input_audio_buffer.commit"})
}

// answerCall sends a tool result. Each call has exactly one.
func (c *conversation) answerCall(r s2s.ToolResult) error {
	a, ok := c.calls[r.ID]
	if !ok {
		return fmt.Errorf("no tool call %q waits for a result", untrusted.Line(r.ID, 80))
	}
	delete(c.calls, r.ID)
	a.own = false // from here on responses are requested
	c.send(command{kind: giveOutput, call: r.ID}, message{Type: "conversation.item.create", Item: output(r)})
	a.open--
	if !r.Silent {
		a.wanted = true
	}
	c.proceed(a)
	return nil
}

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

// kind is what a message that was sent asks for.
type kind uint8

const (
	updateSession kind = iota
	addItem            // of the history, or said beside the conversation
	giveInput          // what an answer is an answer to
	giveOutput         // of a tool
	createResponse
	cancelResponse
	cutItem
	dropItem
	clearSound
)

// command is a message that was sent, for when the service refuses it.
type command struct {
	kind   kind
	answer *answer // of createResponse and giveInput
	tag    string  // of createResponse
	call   string  // of giveOutput
}

// maxCommands is how many messages are remembered; the oldest is forgotten first.
const maxCommands = 256

// maxStrangers is how many responses nobody asked for may be under way.
const maxStrangers = 16

// notice is how long before a session's end it is told.
const notice = time.Minute

// conversation is what a session knows of its answers. It decides what is sent next
// and what is told, and does neither: messages and events wait in out and events.
// It has no lock of its own.
type conversation struct {
	provider     *Provider
	instructions string
	latest       string // instructions the session has now

	answer  *answer   // the newest; nil before the first
	current *response // the one under way or asked for; nil if there is none
	queued  *answer   // waits until the service may be asked
	// strangers are responses under way that nobody asked for, by their ids. unseen
	// means that there is one whose id is not known.
	strangers map[string]bool
	unseen    bool
	// announces and echoes say whether the server has told of a response's
	// beginning, and repeated what a request was tagged with.
	announces, echoes bool
	ended             string             // id of the last response
	calls             map[string]*answer // calls without a result, by their ids
	requests          int
	sound             int // samples of the turn that were sent

	commands map[string]command
	order    []string // of commands, the oldest first
	sent     int

	ready bool // the service has taken the session's beginning
	final error
	going time.Time // when the end is to be told; zero once it was

	out    [][]byte
	events []s2s.Event
}

func newConversation(p *Provider, o s2s.SessionOptions) *conversation {
	c := &conversation{
		provider: p, instructions: o.Instructions, latest: o.Instructions,
		strangers: map[string]bool{}, calls: map[string]*answer{}, commands: map[string]command{},
		going: time.Now().Add(longest - notice),
	}
	c.send(command{kind: updateSession}, message{Type: "session.update", Session: p.session(o)})
	c.inject(o.History)
	return c
}

// send puts a message into the queue and remembers what it asks for.
func (c *conversation) send(what command, m message) {
	c.sent++
	m.EventID = fmt.Sprintf("glyphoxa_%d", c.sent)
	data, err := json.Marshal(m)
	if err != nil { // a tool's schema that has no form
		c.tell(s2s.Failed{Err: fmt.Errorf("%w: a message to it cannot be written: %v", s2s.ErrRejected, err), Call: what.call})
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

func (c *conversation) tell(e s2s.Event) { c.events = append(c.events, e) }

// inject adds messages to the conversation; those that say nothing are left out.
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

// addSound takes note of sound and queues the message that carries it.
func (c *conversation) addSound(samples int, data []byte) {
	c.sound += samples
	c.out = append(c.out, data)
}

// clearTurn takes back the turn's sound, if there is any and it can be.
func (c *conversation) clearTurn() {
	if c.sound > 0 && !c.provider.isBasic() {
		c.sound = 0
		c.send(command{kind: clearSound}, message{Type: "input_audio_buffer.clear"})
	}
}

// errUnderWay is what Respond says when it comes too early.
var errUnderWay = errors.New("an answer is on its way; interrupt it first")

// respond asks for an answer.
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

// endTurn has the server find out that the turn is over, and answer it by itself.
// What is to be known for this answer alone replaces the session's instructions until
// the next one.
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

// instructionsFor are the session's with what is said for one answer, empty if
// that is nothing.
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

// commit makes the turn's sound an entry of the conversation. The service refuses
// less than a tenth of a second.
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

// answerCall passes on a tool's result; each call has one.
func (c *conversation) answerCall(r s2s.ToolResult) error {
	a, ok := c.calls[r.ID]
	if !ok {
		return fmt.Errorf("no tool call %q waits for a result", untrusted.Line(r.ID, 80))
	}
	delete(c.calls, r.ID)
	a.own = false // from here on it is asked to go on
	c.send(command{kind: giveOutput, call: r.ID}, message{Type: "conversation.item.create", Item: output(r)})
	a.open--
	if !r.Silent {
		a.wanted = true
	}
	c.proceed(a)
	return nil
}

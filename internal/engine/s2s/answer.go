package s2s

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// maxQueued is how much sound of an answer may wait to be passed on: five minutes.
// A longer answer is cut off there.
const maxQueued = 5 * 60 * audio.SampleRate

// answer is one turn's answer on its way from the conversation, which puts events
// in, to the turn, which takes them out. It is safe for concurrent use.
type answer struct {
	ctx     context.Context
	req     engine.Request
	began   time.Time
	changed chan struct{} // one token: there are events, or it is done
	gone    chan struct{} // closed once nobody takes events any more
	leave   func()

	mu      sync.Mutex // guards the fields below
	events  []engine.Event
	waiting int                 // samples among them
	calls   []engine.ToolCalled // under way
	ran     []ranCall           // in the order of their ends
	tasks   int                 // delegations under way
	givenUp bool                // another engine answers, since the model is silent
	done    bool
	err     error
	doubt   doubt
	silent  bool // the model says nothing, and means it

	said  []string      // sentences told of
	words string        // of the sentence that is open
	sound time.Duration // told of
	until time.Duration // where the last of said ends
}

// ranCall is a tool call that was answered, and what the model was told.
type ranCall struct {
	call   llm.ToolCall
	result string
}

func newAnswer(ctx context.Context, req engine.Request) *answer {
	a := &answer{ctx: ctx, req: req, began: time.Now(), changed: make(chan struct{}, 1), gone: make(chan struct{})}
	a.doubt.over = !req.MayDecline
	a.leave = sync.OnceFunc(func() { close(a.gone) })
	return a
}

// put adds an event. It reports false if the answer is longer than anybody wants
// to hear.
func (a *answer) put(ev engine.Event) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.doubt.take(ev) {
		if a.doubt.over {
			a.passDoubtful()
		}
		return true
	}
	if _, ok := ev.(engine.RoundEnded); ok { // what follows may be silence, too
		a.passDoubtful()
		a.doubt = doubt{over: !a.req.MayDecline}
	}
	return a.pass(ev)
}

// pass adds an event that is sure to be meant. mu is held.
func (a *answer) pass(ev engine.Event) bool {
	switch ev := ev.(type) {
	case engine.Sound:
		if a.waiting+len(ev.Samples) > maxQueued {
			return false
		}
		a.waiting += len(ev.Samples)
		a.sound += audio.Duration(len(ev.Samples), audio.SampleRate)
	case engine.Wording:
		a.words = ev.Text
	case engine.Spoken:
		a.said, a.words, a.until = append(a.said, ev.Text), "", ev.Until
	case engine.ToolCalled:
		a.calls = append(a.calls, ev)
	case engine.ToolFinished:
		a.endCall(ev.Call, engine.RenderOutcome(ev.Outcome))
	case engine.ToolDeferred:
		a.endCall(ev.Call, engine.Accepted)
	}
	a.events = append(a.events, ev)
	wakeup.Signal(a.changed)
	return true
}

// endCall takes in how a call was answered. mu is held.
func (a *answer) endCall(c llm.ToolCall, result string) {
	if i := slices.IndexFunc(a.calls, func(o engine.ToolCalled) bool { return o.Call == c }); i >= 0 {
		a.calls = slices.Delete(a.calls, i, i+1)
	}
	a.ran = append(a.ran, ranCall{c, result})
}

// beginTask says that what the voice delegated is being worked on.
func (a *answer) beginTask() { a.countTasks(1) }

// endTask says that it is not any more.
func (a *answer) endTask() { a.countTasks(-1) }

func (a *answer) countTasks(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tasks += n
	wakeup.Signal(a.changed) // the voice has its time from here on
}

// giveUp says that another engine answers, since the model is silent.
func (a *answer) giveUp() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.givenUp = true
}

func (a *answer) wasGivenUp() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.givenUp
}

// told returns how much of the sound the sentences have that were told of.
func (a *answer) told() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.until
}

// finish ends the answer; err says why there is not more of it.
func (a *answer) finish(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.done {
		a.done, a.err = true, err
		wakeup.Signal(a.changed)
	}
}

// takeEvents returns the events since the last call.
func (a *answer) takeEvents() []engine.Event {
	a.mu.Lock()
	defer a.mu.Unlock()
	events := a.events
	a.events, a.waiting = nil, 0
	return events
}

// result reports whether all events were taken and no more come.
func (a *answer) result() (done bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.done && len(a.events) == 0, a.err
}

// awaitsModel reports whether it is the model's turn to go on, and not a tool's or
// that of who was delegated to.
func (a *answer) awaitsModel() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.calls) == 0 && a.tasks == 0 && len(a.events) == 0
}

// awaitsTools reports whether calls are under way: more follows them.
func (a *answer) awaitsTools() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.calls) > 0
}

// hasSaid reports whether any sound came, or words where nobody listens.
func (a *answer) hasSaid() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sound > 0 || len(a.said) > 0
}

// unfinished ends the sentence in which the sound broke off, with as many of its
// words as can have sounded, which may be none; nil if no sentence is open.
func (a *answer) unfinished() *engine.Spoken {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sound <= a.until {
		return nil
	}
	words := []rune(a.words)
	if fits := int((a.sound - a.until) * audio.SampleRate / usualPace / time.Second); fits < len(words) {
		words = words[:max(fits, 0)]
		for len(words) > 0 && words[len(words)-1] != ' ' {
			words = words[:len(words)-1] // a word that broke off was not said
		}
	}
	s := &engine.Spoken{Text: strings.TrimSpace(string(words)), Until: a.sound}
	if a.words = ""; s.Text != "" {
		a.said = append(a.said, s.Text)
	}
	return s
}

// errSessionLost is how calls end that nobody waits for any more.
var errSessionLost = errors.New("the session that called it has ended")

// lostCalls ends the calls that are under way.
func (a *answer) lostCalls() []engine.ToolFinished {
	a.mu.Lock()
	defer a.mu.Unlock()
	var lost []engine.ToolFinished
	for _, c := range a.calls {
		lost = append(lost, engine.ToolFinished{Round: c.Round, Call: c.Call, Outcome: mcphost.Outcome{Err: errSessionLost}})
	}
	a.calls = nil
	return lost
}

// continuation is the prompt for somebody who is to go on where the answer broke
// off: what its tools have told they need not be asked again.
func (a *answer) continuation() []llm.Message {
	a.mu.Lock()
	defer a.mu.Unlock()
	messages := slices.Clip(a.req.Messages)
	if len(a.ran) > 0 {
		asks := llm.Message{Role: llm.RoleAssistant}
		var results []llm.Message
		for i, r := range a.ran {
			r.call.ID = cmp.Or(r.call.ID, fmt.Sprintf("call-%d", i+1))
			asks.ToolCalls = append(asks.ToolCalls, r.call)
			results = append(results, llm.Message{Role: llm.RoleTool, Name: r.call.Name, ToolCallID: r.call.ID, Content: r.result})
		}
		messages = append(append(messages, asks), results...)
	}
	if len(a.said) == 0 {
		return messages
	}
	return append(messages,
		llm.Message{Role: llm.RoleAssistant, Content: strings.Join(a.said, " ")},
		llm.Message{Role: llm.RoleSystem, Content: "You were cut off after these words, which were heard. Go on from there in one or two sentences, without repeating them."})
}

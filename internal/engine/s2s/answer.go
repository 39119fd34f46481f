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

// maxQueued bounds the sound of an answer that waits to be passed on: five minutes. A longer answer is cut
// there.
const maxQueued = 5 * 60 * audio.SampleRate

// answer is one turn's answer. The conversation adds events, and the turn receives them. It is safe for
// concurrent use.
type answer struct {
	ctx           context.Context
	req           engine.Request
	began         time.Time
	changed       chan struct{} // holds a token if there are new events or the answer is done
	abandoned     chan struct{} // closed once no more events are received
	stopReceiving func()

	mu            sync.Mutex // guards the fields below
	events        []engine.Event
	waiting       int                 // samples in events
	calls         []engine.ToolCalled // running calls
	finishedCalls []finishedCall      // in the order in which they ended
	tasks         int                 // running delegations
	replaced      bool                // another engine answers, because the model is silent
	done          bool
	err           error
	doubt         declineCheck
	declined      bool // the model declines

	sentences []string      // reported sentences
	words     string        // of the current sentence
	sound     time.Duration // length of the reported sound
	until     time.Duration // end of the last sentence in said
}

// finishedCall is a finished tool call with the result that the model received.
type finishedCall struct {
	call   llm.ToolCall
	result string
}

func newAnswer(ctx context.Context, req engine.Request) *answer {
	a := &answer{ctx: ctx, req: req, began: time.Now(), changed: make(chan struct{}, 1), abandoned: make(chan struct{})}
	a.doubt.decided = !req.MayDecline
	a.stopReceiving = sync.OnceFunc(func() { close(a.abandoned) })
	return a
}

// put adds an event. It returns false if the answer is too long.
func (a *answer) put(ev engine.Event) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.doubt.holdEvent(ev) {
		if a.doubt.decided {
			a.passDoubtful()
		}
		return true
	}
	if _, ok := ev.(engine.RoundEnded); ok { // the following text may also mean silence
		a.passDoubtful()
		a.doubt = declineCheck{decided: !a.req.MayDecline}
	}
	return a.pass(ev)
}

// pass adds an event that is certainly part of the answer. The caller holds mu.
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
		a.sentences, a.words, a.until = append(a.sentences, ev.Text), "", ev.Until
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

// endCall records the result of a call. The caller holds mu.
func (a *answer) endCall(c llm.ToolCall, result string) {
	if i := slices.IndexFunc(a.calls, func(o engine.ToolCalled) bool { return o.Call == c }); i >= 0 {
		a.calls = slices.Delete(a.calls, i, i+1)
	}
	a.finishedCalls = append(a.finishedCalls, finishedCall{c, result})
}

// beginTask records that a delegation has started.
func (a *answer) beginTask() { a.countTasks(1) }

// endTask records that a delegation has ended.
func (a *answer) endTask() { a.countTasks(-1) }

func (a *answer) countTasks(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tasks += n
	wakeup.Signal(a.changed) // the time limit of the voice starts here
}

// markReplaced records that another engine answers, because the model is silent.
func (a *answer) markReplaced() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.replaced = true
}

func (a *answer) isReplaced() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.replaced
}

// reportedDuration returns the length of the sound of all reported sentences.
func (a *answer) reportedDuration() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.until
}

// finish ends the answer. err says why it is incomplete.
func (a *answer) finish(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.done {
		a.done, a.err = true, err
		wakeup.Signal(a.changed)
	}
}

// drainEvents removes and returns the events since the last call.
func (a *answer) drainEvents() []engine.Event {
	a.mu.Lock()
	defer a.mu.Unlock()
	events := a.events
	a.events, a.waiting = nil, 0
	return events
}

// result reports whether the answer is done and all events were received.
func (a *answer) result() (done bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.done && len(a.events) == 0, a.err
}

// awaitsModel reports whether the answer waits for the model, and not for a tool or a delegation.
func (a *answer) awaitsModel() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.calls) == 0 && a.tasks == 0 && len(a.events) == 0
}

// awaitsTools reports whether calls are running, so that more of the answer follows.
func (a *answer) awaitsTools() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.calls) > 0
}

// hasOutput reports whether there was any sound, or any words if the answer is only shown.
func (a *answer) hasOutput() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sound > 0 || len(a.sentences) > 0
}

// unfinished ends the sentence in which the sound broke off, with as many of its words as can have been
// heard, perhaps none. It returns nil if no sentence is open.
func (a *answer) unfinished() *engine.Spoken {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sound <= a.until {
		return nil
	}
	words := []rune(a.words)
	if fits := int((a.sound - a.until) * audio.SampleRate / defaultPace / time.Second); fits < len(words) {
		words = words[:max(fits, 0)]
		for len(words) > 0 && words[len(words)-1] != ' ' {
			words = words[:len(words)-1] // an incomplete word was not said
		}
	}
	s := &engine.Spoken{Text: strings.TrimSpace(string(words)), Until: a.sound}
	if a.words = ""; s.Text != "" {
		a.sentences = append(a.sentences, s.Text)
	}
	return s
}

// errSessionLost is the error of calls whose session has ended.
var errSessionLost = errors.New("the session that called it has ended")

// endRunningCalls ends the running calls.
func (a *answer) endRunningCalls() []engine.ToolFinished {
	a.mu.Lock()
	defer a.mu.Unlock()
	var lost []engine.ToolFinished
	for _, c := range a.calls {
		lost = append(lost, engine.ToolFinished{Round: c.Round, Call: c.Call, Outcome: mcphost.Outcome{Err: errSessionLost}})
	}
	a.calls = nil
	return lost
}

// continuation returns the prompt for an engine that continues where the answer broke off. It contains the
// tool results, so that the calls need not be repeated.
func (a *answer) continuation() []llm.Message {
	a.mu.Lock()
	defer a.mu.Unlock()
	messages := slices.Clip(a.req.Messages)
	if len(a.finishedCalls) > 0 {
		asks := llm.Message{Role: llm.RoleAssistant}
		var results []llm.Message
		for i, r := range a.finishedCalls {
			r.call.ID = cmp.Or(r.call.ID, fmt.Sprintf("call-%d", i+1))
			asks.ToolCalls = append(asks.ToolCalls, r.call)
			results = append(results, llm.Message{Role: llm.RoleTool, Name: r.call.Name, ToolCallID: r.call.ID, Content: r.result})
		}
		messages = append(append(messages, asks), results...)
	}
	if len(a.sentences) == 0 {
		return messages
	}
	return append(messages,
		llm.Message{Role: llm.RoleAssistant, Content: strings.Join(a.sentences, " ")},
		llm.Message{Role: llm.RoleSystem, Content: "You were cut off after these words, which were heard. Go on from there in one or two sentences, without repeating them."})
}

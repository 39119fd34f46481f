package s2s

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
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
	waiting int // samples among them
	calls   int // under way
	done    bool
	err     error

	said  []string      // sentences told of
	words string        // of the sentence that is open
	sound time.Duration // told of
	until time.Duration // where the last of said ends
}

func newAnswer(ctx context.Context, req engine.Request) *answer {
	a := &answer{ctx: ctx, req: req, began: time.Now(), changed: make(chan struct{}, 1), gone: make(chan struct{})}
	a.leave = sync.OnceFunc(func() { close(a.gone) })
	return a
}

// put adds an event. It reports false if the answer is longer than anybody wants
// to hear.
func (a *answer) put(ev engine.Event) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
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
		a.calls++
	case engine.ToolFinished, engine.ToolDeferred:
		a.calls--
	}
	a.events = append(a.events, ev)
	wakeup.Signal(a.changed)
	return true
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

// awaitsModel reports whether it is the model's turn to go on, and not a tool's.
func (a *answer) awaitsModel() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.calls <= 0 && len(a.events) == 0
}

// hasSpoken reports whether any sound came.
func (a *answer) hasSpoken() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sound > 0
}

// unfinished ends the sentence in which the sound broke off, with as many of its
// words as can have sounded; nil if there is none.
func (a *answer) unfinished() *engine.Spoken {
	a.mu.Lock()
	defer a.mu.Unlock()
	words := []rune(a.words)
	if fits := int((a.sound - a.until) * audio.SampleRate / usualPace / time.Second); fits < len(words) {
		words = words[:max(fits, 0)]
		for len(words) > 0 && words[len(words)-1] != ' ' {
			words = words[:len(words)-1] // a word that broke off was not said
		}
	}
	s := &engine.Spoken{Text: strings.TrimSpace(string(words)), Until: a.sound}
	if a.words = ""; s.Text == "" {
		return nil
	}
	a.said = append(a.said, s.Text)
	return s
}

// continuation is the prompt for somebody who is to go on where the answer broke
// off.
func (a *answer) continuation() []llm.Message {
	a.mu.Lock()
	defer a.mu.Unlock()
	messages := a.req.Messages
	if len(a.said) == 0 {
		return messages
	}
	return append(messages[:len(messages):len(messages)],
		llm.Message{Role: llm.RoleAssistant, Content: strings.Join(a.said, " ")},
		llm.Message{Role: llm.RoleSystem, Content: "You were cut off after these words, which were heard. Go on from there in one or two sentences, without repeating them."})
}

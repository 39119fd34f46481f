// Package sentence answers a turn with two language models: a fast one opens with
// a sentence in character that claims nothing, and while that is heard a strong one,
// given the same prompt and the opener as the beginning of its answer, goes on.
// Tools are the strong model's alone.
//
// It starts no goroutine: the strong model begins when the opener is complete, which
// is when its sound begins.
package sentence

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/engine/cascaded"
	"github.com/MrWong99/glyphoxa/internal/problem"
	"github.com/MrWong99/glyphoxa/pkg/provider/breaker"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// defaultPatience is Options.Patience if that is zero. A model that needs longer for
// a sentence is not the one to open with.
const defaultPatience = time.Second

// Options tune the engine. The zero value works.
type Options struct {
	// Opener and Continuation tune the two models. MaxTokens of the opener is never
	// more than a sentence takes.
	Opener, Continuation cascaded.Options
	// Patience bounds the wait for the opener, from the request to its end; past it
	// the strong model answers alone. If zero, one second.
	Patience time.Duration
}

// Engine is the sentence engine. It is safe for concurrent use.
type Engine struct {
	fast    llm.Provider
	breaker *breaker.Breaker // of fast, for openers
	long    engine.Engine
	o       Options
}

// New returns an engine that opens with fast and goes on with strong, which may be
// the same: fast is asked to hurry ([llm.Request.Hurry]). Where nothing has to follow,
// as the opener's model says, and the request is plain, strong is not asked. A nil o is the zero value.
func New(fast, strong llm.Provider, o *Options) *Engine {
	e := &Engine{fast: fast, breaker: breaker.New(0, 0)}
	if o != nil {
		e.o = *o
	}
	if e.o.Patience <= 0 {
		e.o.Patience = defaultPatience
	}
	e.long = cascaded.New(strong, &e.o.Continuation)
	return e
}

// Answer implements [engine.Engine]. Where the NPC may decline, either model may, until
// there is an opener. An opener that fails or is late is passed over;
// after three such in a row there is none for a while, which an [engine.Notice] says.
// If the strong model fails after it, the NPC closes with a stock phrase for what it
// does not know, or else one more sentence of the fast model, an [engine.Notice] says
// why, and the answer counts as complete.
func (e *Engine) Answer(ctx context.Context, req engine.Request) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		t := &turn{req: req, engine: e, yield: yield, began: time.Now()}
		if err := t.run(ctx); err != nil && !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	}
}

// errStopped means the consumer broke the loop.
var errStopped = errors.New("stopped")

// turn is one answer in the making.
type turn struct {
	req     engine.Request
	engine  *Engine
	yield   func(engine.Event, error) bool
	began   time.Time
	started bool   // the first token came
	opener  string // what was said first; empty if nothing
	fresh   bool   // the strong model begins, or begins again after its tools
}

func (t *turn) emit(ev engine.Event) error {
	if !t.yield(ev, nil) {
		return errStopped
	}
	return nil
}

func (t *turn) run(ctx context.Context) error {
	if t.req.Again || !t.engine.breaker.Enter() {
		return t.goOn(ctx)
	}
	instruction := opening
	if t.req.MayDecline {
		instruction += declining
	}
	o, err := t.askFast(ctx, instruction)
	if t.req.MayDecline && errors.Is(err, errSilent) {
		t.engine.breaker.Succeeded()
		return engine.ErrDeclined
	}
	if err := t.judgeOpener(ctx, err); err != nil {
		return err
	}
	if err != nil { // the strong model does without
		return t.goOn(ctx)
	}
	t.opener = o.text
	if err := t.emit(engine.Sentence{Text: o.text}); err != nil {
		return err
	}
	if o.whole && t.req.Plain {
		return nil
	}
	return t.goOn(ctx)
}

// judgeOpener takes how the request for an opener ended. It returns an error if the
// turn is over.
func (t *turn) judgeOpener(ctx context.Context, err error) error {
	b := t.engine.breaker
	switch {
	case errors.Is(err, errStopped):
		b.Abandoned()
		return err
	case ctx.Err() != nil:
		b.Abandoned()
		return context.Cause(ctx)
	case err == nil:
		b.Succeeded()
		return nil
	}
	closed := b.Closed()
	if b.Failed(false, 0); !closed || b.Closed() {
		return nil
	}
	return t.emit(engine.Notice{Level: "warning", Text: fmt.Sprintf("answers begin without an opener for a while, the last of several went wrong: %s", problem.OneLine(err))})
}

// goOn has the strong model answer, after the opener if there is one.
func (t *turn) goOn(ctx context.Context) error {
	req := t.req
	if t.opener != "" { // which was heard: it is too late to be silent
		req.Messages, req.MayDecline = t.promptWith(continuing), false
	}
	t.fresh = true
	waited := time.Since(t.began)
	for ev, err := range t.engine.long.Answer(ctx, req) {
		if err != nil {
			return t.closeAnswer(ctx, err)
		}
		switch e := ev.(type) {
		case engine.FirstToken:
			if t.started {
				continue
			}
			t.started = true
			ev = engine.FirstToken{After: waited + e.After}
		case engine.Clause:
			if t.opener != "" {
				continue // the answer has begun
			}
		case engine.RoundEnded:
			t.fresh = true
		case engine.Sentence:
			if t.fresh {
				e.Text = withoutOpener(e.Text, t.opener)
				t.fresh = false
			}
			if ev = e; e.Text == "" {
				continue
			}
		}
		if err := t.emit(ev); err != nil {
			return err
		}
	}
	return nil
}

// closeAnswer ends an answer that the strong model failed to end.
func (t *turn) closeAnswer(ctx context.Context, err error) error {
	switch {
	case t.opener == "", ctx.Err() != nil, errors.Is(err, engine.ErrTooLong):
		return err
	case errors.Is(err, engine.ErrNothingSaid): // the opener was all there was to say
		return nil
	}
	why := engine.Notice{Level: "warning", Text: fmt.Sprintf("%s could not go on after the first sentence: %s", t.req.Persona.Name, problem.OneLine(err))}
	if err := t.emit(why); err != nil {
		return err
	}
	text := ""
	if lines := t.req.Persona.Lines["unknown"]; len(lines) > 0 {
		text = lines[len(t.req.Messages)%len(lines)]
	} else if c, err := t.askFast(ctx, closing); err == nil {
		text = c.text
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if text == "" {
		return nil
	}
	return t.emit(engine.Sentence{Text: text})
}

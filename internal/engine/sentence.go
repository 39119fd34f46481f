package engine

// SentenceCascade answers a turn with two language models. A fast one opens with a sentence in character that
// claims nothing. While that is heard, a strong one continues, with the same prompt and the opener as the
// beginning of its answer. Only the strong model uses tools.
//
// It starts no goroutine. The strong model begins when the opener is complete, which is when the opener's
// sound begins.

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/provider/fallback"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// defaultPatience is the default of SentenceCascadeOptions.Patience. A model that needs longer for a sentence
// is not suited to open with.
const defaultPatience = time.Second

// SentenceCascadeOptions configure the engine. The zero value works.
type SentenceCascadeOptions struct {
	// Opener and Continuation configure the two models. MaxTokens of the opener is never more than a sentence
	// needs.
	Opener, Continuation CascadedOptions
	// Patience bounds the wait for the opener, from the request to its end. After that the strong model answers
	// alone. If zero, one second.
	Patience time.Duration
}

// SentenceCascade is the sentence engine. It is safe for concurrent use.
type SentenceCascade struct {
	fast    llm.Provider
	breaker *fallback.Breaker // of fast, for openers
	strong  Engine
	o       SentenceCascadeOptions
}

// NewSentenceCascade returns an engine that opens with fast and continues with strong. Both may be the same
// provider, because fast is asked to hurry ([llm.Request.Hurry]). If the request is plain and the fast model
// says that nothing has to follow, strong is not asked. A nil o is the zero value.
func NewSentenceCascade(fast, strong llm.Provider, o *SentenceCascadeOptions) *SentenceCascade {
	e := &SentenceCascade{fast: fast, breaker: fallback.NewBreaker(0, 0)}
	if o != nil {
		e.o = *o
	}
	if e.o.Patience <= 0 {
		e.o.Patience = defaultPatience
	}
	e.strong = NewCascaded(strong, &e.o.Continuation)
	return e
}

// Answer implements [Engine]. If the NPC may decline, either model may decline until there is an opener. An
// opener that fails or is late is skipped. After three of these in a row there are none for a while, which a
// [Notice] reports. If the strong model fails after the opener, the NPC closes with a stock phrase for
// unknown things, or with one more sentence of the fast model. A [Notice] gives the reason, and the answer
// counts as complete.
func (e *SentenceCascade) Answer(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		t := &cascade{req: req, engine: e, yield: yield, began: time.Now()}
		if err := t.run(ctx); err != nil && !errors.Is(err, errConsumerStopped) {
			yield(nil, err)
		}
	}
}

// errConsumerStopped means the consumer broke the loop.
var errConsumerStopped = errors.New("stopped")

// cascade is the state of one answer.
type cascade struct {
	req          Request
	engine       *SentenceCascade
	yield        func(Event, error) bool
	began        time.Time
	started      bool   // the first token came
	opener       string // the first sentence; empty if there is none
	atRoundStart bool   // the strong model begins, or begins again after its tools
}

func (t *cascade) emit(ev Event) error {
	if !t.yield(ev, nil) {
		return errConsumerStopped
	}
	return nil
}

func (t *cascade) run(ctx context.Context) error {
	if t.req.Retry || !t.engine.breaker.Enter() {
		return t.continueAnswer(ctx)
	}
	instruction := opening
	if t.req.MayDecline {
		instruction += declining
	}
	o, err := t.requestOpener(ctx, instruction)
	if t.req.MayDecline && errors.Is(err, errSilent) {
		t.engine.breaker.Succeeded()
		return ErrDeclined
	}
	if err := t.recordOpenerResult(ctx, err); err != nil {
		return err
	}
	if err != nil { // the strong model answers without an opener
		return t.continueAnswer(ctx)
	}
	t.opener = o.text
	if err := t.emit(Sentence{Text: o.text}); err != nil {
		return err
	}
	if o.complete && t.req.Plain {
		return nil
	}
	return t.continueAnswer(ctx)
}

// recordOpenerResult handles the result of the request for an opener. It returns an error if the answer is over.
func (t *cascade) recordOpenerResult(ctx context.Context, err error) error {
	b := t.engine.breaker
	switch {
	case errors.Is(err, errConsumerStopped):
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
	return t.emit(Notice{Level: "warning", Text: fmt.Sprintf("for a while, answers start without a quick first sentence, because several failed; the last: %s", userfile.OneLine(err))})
}

// continueAnswer makes the strong model answer, after the opener if there is one.
func (t *cascade) continueAnswer(ctx context.Context) error {
	req := t.req
	if t.opener != "" { // the opener was heard, so it is too late to decline
		req.Messages, req.MayDecline = t.promptWith(continuing), false
	}
	t.atRoundStart = true
	waited := time.Since(t.began)
	for ev, err := range t.engine.strong.Answer(ctx, req) {
		if err != nil {
			return t.closeAnswer(ctx, err)
		}
		switch e := ev.(type) {
		case FirstToken:
			if t.started {
				continue
			}
			t.started = true
			ev = FirstToken{After: waited + e.After}
		case Clause:
			if t.opener != "" {
				continue // the answer has begun
			}
		case RoundEnded:
			t.atRoundStart = true
		case Sentence:
			if t.atRoundStart {
				e.Text = withoutOpener(e.Text, t.opener)
				t.atRoundStart = false
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

// closeAnswer ends an answer that the strong model failed to complete.
func (t *cascade) closeAnswer(ctx context.Context, err error) error {
	switch {
	case t.opener == "", ctx.Err() != nil, errors.Is(err, ErrTooLong):
		return err
	case errors.Is(err, ErrNothingSaid): // the opener was all there was to say
		return nil
	}
	why := Notice{Level: "warning", Text: fmt.Sprintf("%s could not go on after the first sentence: %s", t.req.Persona.Name, userfile.OneLine(err))}
	if err := t.emit(why); err != nil {
		return err
	}
	text := ""
	if lines := t.req.Persona.Lines["unknown"]; len(lines) > 0 {
		text = lines[len(t.req.Messages)%len(lines)]
	} else if c, err := t.requestOpener(ctx, closing); err == nil {
		text = c.text
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if text == "" {
		return nil
	}
	return t.emit(Sentence{Text: text})
}

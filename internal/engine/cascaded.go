package engine

// Cascaded answers a turn with one streaming language model. Sentences are passed on while the model is still
// writing, and tool calls run in rounds between its answers.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Cascaded is the cascaded engine. It is safe for concurrent use.
type Cascaded struct {
	model llm.Provider
	o     CascadedOptions
}

// CascadedOptions configure the model. The zero value leaves all settings to the provider.
type CascadedOptions struct {
	Temperature *float64
	// MaxTokens bounds each answer.
	MaxTokens int
}

// NewCascaded returns an engine that answers with model. A nil o is the zero value.
func NewCascaded(model llm.Provider, o *CascadedOptions) *Cascaded {
	e := &Cascaded{model: model}
	if o != nil {
		e.o = *o
	}
	return e
}

// Answer implements [Engine].
func (e *Cascaded) Answer(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		t := &turn{
			req: req, engine: e, yield: yield, messages: req.Messages[:len(req.Messages):len(req.Messages)],
			rounds: Rounds{Allowed: req.Rounds},
		}
		if err := t.run(ctx); err != nil && !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	}
}

// maxAnswer bounds one answer of a model, in bytes: a quarter of an hour of speech.
const maxAnswer = 16 << 10

// errStopped means the consumer broke the loop.
var errStopped = errors.New("stopped")

// turn is the state of one answer.
type turn struct {
	req       Request
	engine    *Cascaded
	yield     func(Event, error) bool
	messages  []llm.Message
	rounds    Rounds
	started   bool // the first token came
	hasSpoken bool
	clause    bool // a clause was emitted
	refused   bool // the last answer asked for tools although none were offered
	silence   silence
}

func (t *turn) emit(ev Event) error {
	if !t.yield(ev, nil) {
		return errStopped
	}
	return nil
}

func (t *turn) run(ctx context.Context) error {
	for {
		calls, text, err := t.runModelRound(ctx)
		if err != nil {
			return err
		}
		if len(calls) == 0 {
			break
		}
		t.messages = append(t.messages, llm.Message{Role: llm.RoleAssistant, Content: text, ToolCalls: calls})
		if err := t.runRound(ctx, calls); err != nil {
			return err
		}
	}
	switch {
	case t.hasSpoken:
		return nil
	case t.req.MayDecline && t.silence.declared:
		return ErrDeclined
	case t.refused:
		return errOnlyCalls
	}
	return ErrNothingSaid
}

// offeredTools returns the tools that the model may call in this round: none once the tier's rounds are used
// up.
func (t *turn) offeredTools() []llm.ToolDefinition {
	if t.rounds.Exhausted() {
		return nil
	}
	return t.req.Tools.Definitions()
}

// runModelRound runs one model round: it emits the model's text and returns the calls that the model requests.
func (t *turn) runModelRound(ctx context.Context) ([]llm.ToolCall, string, error) {
	offered := t.offeredTools()
	watch := newWatchdog(ctx, t.req.ModelTimeout)
	defer watch.stop()
	scrub := speech.NewScrubber(&speech.Options{Names: t.req.Names, Tools: toolNames(t.req.Tools.Definitions())})
	var split speech.Splitter
	var calls []llm.ToolCall
	var raw []byte
	finish := ""
	t.silence.answerStart = ""
	start := time.Now()
	for chunk, err := range t.engine.model.Stream(watch.ctx, llm.Request{
		Messages: t.messages, Tools: offered, Persona: t.req.Persona, Hurry: t.req.Hurry,
		Temperature: t.engine.o.Temperature, MaxTokens: t.engine.o.MaxTokens,
	}) {
		if err != nil {
			return nil, "", watch.reason(err)
		}
		watch.pause() // handling the chunk does not count as the model's silence
		if !t.started && (chunk.Text != "" || len(chunk.ToolCalls) > 0) {
			t.started = true
			if err := t.emit(FirstToken{After: time.Since(start)}); err != nil {
				return nil, "", err
			}
		}
		if len(raw)+len(chunk.Text) > maxAnswer {
			return nil, "", ErrTooLong
		}
		raw = append(raw, chunk.Text...)
		calls = append(calls, chunk.ToolCalls...)
		finish = cmp.Or(chunk.FinishReason, finish)
		text := scrub.Push(chunk.Text)
		if err := t.examineBeginning(text, len(calls) > 0); err != nil {
			return nil, "", err
		}
		if err := t.emitSentences(split.Push(text)); err != nil {
			return nil, "", err
		}
		if err := t.emitClause(&split); err != nil {
			return nil, "", err
		}
		watch.reset()
	}
	if watch.ctx.Err() != nil {
		return nil, "", context.Cause(watch.ctx)
	}
	rest := scrub.Flush()
	if err := t.examineBeginning(rest, len(calls) > 0); err != nil {
		return nil, "", err
	}
	if err := t.emitSentences(append(split.Push(rest), split.Flush()...)); err != nil {
		return nil, "", err
	}
	t.recordSilence(string(raw), finish)
	if t.refused = len(offered) == 0 && len(calls) > 0; t.refused {
		calls = nil // nothing was offered; there is nothing to run
	}
	return calls, string(raw), nil
}

func (t *turn) emitSentences(sentences []string) error {
	for _, s := range sentences {
		if s = speech.WithoutSilence(s); s == "" {
			continue
		}
		t.hasSpoken = true
		if err := t.emit(Sentence{Text: s}); err != nil {
			return err
		}
	}
	return nil
}

// emitClause emits the beginning of the first sentence as soon as it can be spoken alone.
func (t *turn) emitClause(split *speech.Splitter) error {
	if !t.req.Clauses || t.hasSpoken || t.clause || t.req.MayDecline && !t.silence.answerReported {
		return nil
	}
	text := split.Clause()
	if text == "" {
		return nil
	}
	t.clause = true
	return t.emit(Clause{Text: text})
}

// runRound runs the calls of one answer in parallel and adds their results to the prompt. A round in which
// all calls are malformed is forgiven once. After a second one the model continues without tools.
func (t *turn) runRound(ctx context.Context, calls []llm.ToolCall) error {
	if err := t.awaitConfirmation(ctx); err != nil {
		return err
	}
	number := t.rounds.Next()
	start := time.Now()
	outcomes, err := t.executeCalls(ctx, number, calls)
	if err != nil {
		return err
	}
	malformed := true
	for i, c := range calls {
		o := outcomes[i]
		t.messages = append(t.messages, llm.Message{Role: llm.RoleTool, Name: c.Name, ToolCallID: c.ID, Content: RenderOutcome(o)})
		malformed = malformed && Malformed(o)
	}
	if err := t.emit(RoundEnded{Round: number, Duration: time.Since(start)}); err != nil {
		return err
	}
	t.rounds.End(malformed)
	return context.Cause(ctx)
}

// awaitConfirmation waits until the turn is no longer a guess.
func (t *turn) awaitConfirmation(ctx context.Context) error {
	if t.req.Confirmed == nil {
		return nil
	}
	select {
	case <-t.req.Confirmed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// executeCalls runs the calls that must run now, in parallel, and defers the others.
func (t *turn) executeCalls(ctx context.Context, number int, calls []llm.ToolCall) ([]mcphost.Outcome, error) {
	outcomes := make([]mcphost.Outcome, len(calls))
	var now []llm.ToolCall
	var at []int
	for i, c := range calls {
		if err := t.emit(ToolCalled{Round: number, Call: c}); err != nil {
			return nil, err
		}
		o, deferred := DeferCall(t.req.Tools, c)
		if !deferred {
			now, at = append(now, c), append(at, i)
			continue
		}
		outcomes[i] = o
		var ev Event = ToolDeferred{Round: number, Call: c}
		if o.Err != nil {
			ev = ToolFinished{Round: number, Call: c, Outcome: o}
		}
		if err := t.emit(ev); err != nil {
			return nil, err
		}
	}
	if len(now) > 0 {
		for k, o := range t.req.Tools.ExecuteRound(ctx, now) {
			outcomes[at[k]] = o
			if err := t.emit(ToolFinished{Round: number, Call: now[k], Outcome: o}); err != nil {
				return nil, err
			}
		}
	}
	return outcomes, nil
}

func toolNames(defs []llm.ToolDefinition) []string {
	names := make([]string, len(defs))
	for i, d := range defs {
		names[i] = d.Name
	}
	return names
}

// watchdog cancels a model stream that sends nothing for too long.
type watchdog struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	limit  time.Duration
}

func newWatchdog(parent context.Context, limit time.Duration) *watchdog {
	ctx, cancel := context.WithCancelCause(parent)
	w := &watchdog{ctx: ctx, cancel: cancel, limit: limit}
	if limit > 0 {
		w.timer = time.AfterFunc(limit, func() { cancel(fmt.Errorf("%w for %s", ErrModelSilent, limit)) })
	}
	return w
}

// pause stops the watchdog until the next feed.
func (w *watchdog) pause() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

func (w *watchdog) reset() {
	if w.timer != nil {
		w.timer.Reset(w.limit)
	}
}

func (w *watchdog) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
	w.cancel(nil)
}

// reason returns why the stream ended: the cause of the cancellation if there was one, otherwise err.
func (w *watchdog) reason(err error) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	return err
}

package openai

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	oai "github.com/sashabaranov/go-openai"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/openai/dialect"
)

// outcome is the result of one attempt. A nil err means that the answer is complete or the consumer stopped.
type outcome struct {
	yielded bool
	err     error
	// empty means that the answer is complete and holds nothing. It was not yielded.
	empty bool
}

// Grace periods for what may follow the finish reason of an answer, such as token counts. Servers that keep the
// connection open without "[DONE]" would otherwise delay every answer until a timeout.
const (
	usageGrace = 300 * time.Millisecond
	// stampedGrace applies to a finish reason beside text, because some servers stamp every event with one.
	stampedGrace = 2 * time.Second
)

// attempt sends a request in the form that the endpoint is known to accept. If the endpoint refuses it for a
// known reason, attempt sends it again in a fitting form, and keeps the form that succeeded.
func (p *Provider) attempt(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) outcome {
	known := p.terms.Load()
	t := known
	var lessons []lesson
	var first outcome // of an endpoint that names no cause
	for step := 0; ; {
		q := p.query(req, t)
		out := p.askOnce(ctx, q, yield)
		if out.err == nil || out.yielded {
			p.answered.Store(true)
			if q.hasCalls() {
				p.continued.Store(true)
			}
			if p.terms.CompareAndSwap(known, t) { // otherwise another request has learned something
				p.report(lessons)
			}
			return out
		}
		if first.err == nil {
			first = out
		}
		var f *failure
		if ctx.Err() != nil || len(lessons) == mostLessons || !errors.As(out.err, &f) || !f.refusal.teachable() {
			return out
		}
		l, named, ok := f.refusal.learn(q)
		if !ok && !named && f.refusal.formless() && !aboutModel.MatchString(f.refusal.text) && p.isNew(q) {
			for ; !ok && step < carefulSteps; step++ {
				l, ok = careful(t, step, q)
			}
			if !ok {
				p.gaveUp.Store(true)
				return first
			}
		}
		if !ok {
			return out
		}
		lessons = append(lessons, l)
		t = l.terms
	}
}

// isNew reports whether the endpoint has not accepted a request like q yet, so that the form of q may be wrong.
func (p *Provider) isNew(q *query) bool {
	return !p.gaveUp.Load() && (!p.answered.Load() || q.hasCalls() && !p.continued.Load())
}

// report reports what the endpoint's refusals have taught.
func (p *Provider) report(lessons []lesson) {
	if p.opts.Learned == nil {
		return
	}
	for _, l := range lessons {
		p.opts.Learned(Lesson{Text: p.name + " " + l.text, Loses: l.loses})
	}
}

// askOnce sends one request and yields its answer.
func (p *Provider) askOnce(ctx context.Context, q *query, yield func(llm.Chunk, error) bool) outcome {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	x := &exchange{client: p.client, query: q}
	defer x.close()

	config := oai.DefaultConfig(p.opts.APIKey)
	config.BaseURL = p.service.Address
	config.HTTPClient = x
	// The library's stream is not used for reading, because one event that it cannot decode ends it.
	if _, err := oai.NewClientWithConfig(config).CreateChatCompletionStream(ctx, q.body); err != nil {
		return outcome{err: p.failureOf(err, x)}
	}
	r := p.newReader(x, q, yield, cancel)
	out := r.run()
	if r.completed {
		x.finishExchange(ctx, cancel)
	}
	return out
}

// reader converts the events of one answer to chunks.
type reader struct {
	p      *Provider
	x      *exchange
	q      *query
	yield  func(llm.Chunk, error) bool
	cancel context.CancelFunc

	finish    string
	usage     *llm.Usage
	calls     assembler
	text      unrepeated
	attached  attachments
	think     *dialect.Reader
	grace     time.Duration // new grace period after the finish reason, 0 for none
	until     time.Time     // end of the grace period, zero before the finish reason
	wrote     bool          // there was text, also if it is not said
	yielded   bool
	counted   bool // token counts came after all text, which also ends an answer
	completed bool // the vendor has sent everything
}

func (p *Provider) newReader(x *exchange, q *query, yield func(llm.Chunk, error) bool, cancel context.CancelFunc) *reader {
	return &reader{p: p, x: x, q: q, yield: yield, cancel: cancel, think: dialect.New(q.offer.dialectTools(), p.habits)}
}

func (r *reader) run() outcome {
	for {
		raw, err := r.nextEvent()
		if err != nil {
			// An answer with a finish reason is complete, even if the connection breaks before the end of the
			// stream.
			if r.finish != "" || errors.Is(err, io.EOF) && (r.x.events.done || r.counted) {
				return r.complete()
			}
			return r.failStream(err)
		}
		var e event
		decode(raw, &e)
		if e.isError() {
			if r.finish != "" {
				return r.complete()
			}
			return r.refused(raw)
		}
		if !r.takeEvent(&e) {
			return outcome{yielded: true}
		}
		switch {
		case r.finish == "error":
			return r.refused(raw)
		case len(e.Choices) > 0:
			r.counted = false
		case e.Usage.given() && r.finish != "":
			return r.complete() // token counts come last
		case e.Usage.given() && r.yielded:
			r.counted = true
		}
	}
}

// nextEvent returns the next event. Once there is a finish reason it waits no longer than the grace period,
// however often a server sends something else.
func (r *reader) nextEvent() ([]byte, error) {
	if r.grace > 0 {
		r.until, r.grace = time.Now().Add(r.grace), 0
	}
	if !r.until.IsZero() {
		defer time.AfterFunc(time.Until(r.until), r.cancel).Stop()
	}
	return r.x.events.next()
}

// takeEvent yields the text in e and reports whether to continue.
func (r *reader) takeEvent(e *event) bool {
	r.takeUsage(e.Usage)
	if e.Response != "" && len(e.Choices) == 0 {
		e.Choices = list[choice]{{Text: content{text: string(e.Response)}}}
	}
	for i := range e.Choices {
		c := &e.Choices[i]
		if c.Index.value != 0 {
			continue
		}
		r.takeUsage(c.Usage)
		grace := time.Duration(0) // the finish reason stands
		piece := cmp.Or(c.Delta.text(), c.Text.text)
		if r.takeCalls(c) || piece != "" {
			grace = stampedGrace
		}
		text := ""
		if !c.Delta.isThought() {
			text = r.text.piece(piece) + r.text.whole(c.Message.text())
		}
		r.wrote = r.wrote || strings.TrimSpace(text) != "" || c.Delta.isThought() || c.Delta.Content.thought || c.Message.Content.thought
		if finish := finishReason(string(c.Finish)); finish != "" {
			r.finish = finish
			grace = max(grace, usageGrace)
		} else if c.wholeMessage() && r.finish == "" {
			r.finish = "stop" // a whole answer is complete by itself
		}
		if r.finish != "" {
			r.grace = max(r.grace, grace)
		}
		if c.Delta.hasReasoning() || c.Message.hasReasoning() {
			r.p.habits.Separate()
		}
		if !r.yieldText(r.think.Feed(text)) {
			return false
		}
		if r.think.Holding() && !r.yield(llm.Chunk{Held: true}, nil) {
			return false
		}
	}
	return true
}

// wholeMessage reports whether a choice holds a message and no part of one.
func (c *choice) wholeMessage() bool {
	return (c.Message.text() != "" || len(c.Message.ToolCalls) > 0) && c.Delta.text() == "" && c.Delta.attached == nil
}

// takeCalls adds the tool calls in c and what is attached to them, and reports whether there were any.
func (r *reader) takeCalls(c *choice) bool {
	r.attached.add(c.Delta.attached)
	r.attached.addMissing(c.Message.attached)
	for _, d := range []*delta{&c.Delta, &c.Message} {
		if d.FunctionCall != nil {
			d.ToolCalls = append(d.ToolCalls, fragment{Function: *d.FunctionCall})
		}
	}
	for _, f := range c.Delta.ToolCalls {
		r.calls.addFragment(f)
	}
	for _, f := range c.Message.ToolCalls {
		r.calls.addWhole(f)
	}
	return len(c.Delta.ToolCalls)+len(c.Message.ToolCalls) > 0
}

// takeUsage keeps the latest token counts.
func (r *reader) takeUsage(c counts) {
	u := llm.Usage{
		PromptTokens:     max(c.Prompt.count(), c.Input.count()),
		CompletionTokens: max(c.Completion.count(), c.Output.count()),
		CachedTokens:     max(c.Details.Cached.count(), c.Cached.count(), c.CacheHits.count()),
	}
	if u.PromptTokens+u.CompletionTokens > 0 {
		r.usage = &u
	}
}

// finishReason returns a finish reason in the protocol's words, empty if the answer goes on.
func finishReason(s string) string {
	switch strings.ToLower(s) {
	case "", "null", "none", "0":
		return ""
	case "stop", "normal", "finish", "finished", "done", "endoftext", "end_turn", "eos", "eos_token", "stop_sequence", "completed", "complete", "end":
		return "stop"
	case "length", "max_tokens", "max_output_tokens":
		return "length"
	case "tool_calls", "tool_call", "tool_use", "function_call":
		return "tool_calls"
	}
	if strings.Trim(s, "0123456789") == "" {
		return "stop"
	}
	return s
}

func (r *reader) yieldText(text string) bool {
	if text == "" {
		return true
	}
	r.yielded = true
	return r.yield(llm.Chunk{Text: text}, nil)
}

// complete yields the last chunk.
func (r *reader) complete() outcome {
	r.completed = true
	last := llm.Chunk{
		Text:         r.think.Feed(r.text.end()) + r.think.End(r.finish != "length"),
		ToolCalls:    r.allCalls(r.p.answers.Add(1)),
		FinishReason: r.finish,
		Usage:        r.usage,
	}
	for i := range last.ToolCalls {
		c := &last.ToolCalls[i]
		c.Name = r.q.offer.toolName(c.Name)
		c.Arguments = r.q.offer.arguments(c.Name, c.Arguments)
	}
	r.attached.attach(last.ToolCalls, r.p.origin())
	switch {
	case len(last.ToolCalls) > 0 && (r.finish == "" || r.finish == "stop"):
		last.FinishReason = "tool_calls"
	case r.finish == "":
		last.FinishReason = "stop"
	}
	if !r.yielded && last.Text == "" && len(last.ToolCalls) == 0 {
		switch r.finish {
		case "content_filter", "sensitive", "safety", "SAFETY", "PROHIBITED_CONTENT":
			return outcome{err: r.p.withheld(r.finish)}
		}
		if r.wrote || r.attached.thought() {
			return outcome{err: r.p.onlyThought(last)}
		}
		return outcome{empty: true}
	}
	r.yield(last, nil)
	return outcome{yielded: true}
}

// allCalls returns the answer's calls. Servers that read the calls in the text may leave the text as it is, so
// calls in the text count only if there are no others.
func (r *reader) allCalls(answer int64) []llm.ToolCall {
	calls := r.calls.result(answer)
	if len(calls) > 0 {
		return calls
	}
	for i, c := range r.think.Calls() {
		calls = append(calls, llm.ToolCall{ID: fmt.Sprintf("call_%d_%d", answer, i), Name: c.Name, Arguments: c.Arguments})
	}
	return calls
}

// flush yields the text that was held back, because an answer that breaks off is spoken up to there.
func (r *reader) flush() {
	if r.yielded {
		r.yieldText(r.think.Feed(r.text.end())) // whether more is wanted does not matter at the end
	}
}

func (r *reader) failStream(err error) outcome {
	r.flush()
	switch e := r.x.events; {
	case e.page:
		return outcome{yielded: r.yielded, err: r.p.gotPage(pageTitle(string(bytes.Join(e.plain.lines, []byte("\n")))))}
	case errors.Is(err, io.EOF) && e.odd > 0:
		return r.brokenOff("its stream holds something that is no event")
	case errors.Is(err, io.EOF):
		return r.brokenOff("the stream ended before the answer did")
	}
	_, reason := vendorError(err)
	return r.brokenOff(reason)
}

func (r *reader) brokenOff(reason string) outcome {
	return outcome{yielded: r.yielded, err: r.p.brokenOff(report{message: reason}, false)}
}

// refused handles an error event.
func (r *reader) refused(raw []byte) outcome {
	r.flush()
	return outcome{yielded: r.yielded, err: r.p.brokenOff(reportOf(raw), !r.yielded)}
}

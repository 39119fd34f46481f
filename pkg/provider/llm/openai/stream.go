package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	oai "github.com/sashabaranov/go-openai"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// outcome is the result of one attempt. A nil err means that the answer is complete or the consumer stopped.
type outcome struct {
	yielded bool
	err     error
}

// attemptOnce requests token counts unless the server is known to refuse this, and repeats the request
// without them if the server refuses.
func (p *Provider) attemptOnce(ctx context.Context, req oai.ChatCompletionRequest, yield func(llm.Chunk, error) bool) outcome {
	known := p.usage.Load()
	if known == usageRefused {
		return p.askOnce(ctx, req, yield)
	}
	plain := req
	req.StreamOptions = &oai.StreamOptions{IncludeUsage: true}
	out := p.askOnce(ctx, req, yield)
	if out.err == nil || out.yielded {
		p.usage.CompareAndSwap(usageUnknown, usageAccepted)
		return out
	}
	var f *failure
	if !errors.As(out.err, &f) || !refusesUsage(f, known) {
		return out
	}
	again := p.askOnce(ctx, plain, yield)
	if again.err == nil || again.yielded {
		p.usage.Store(usageRefused)
	}
	return again
}

// refusesUsage reports whether a refusal may be caused by stream_options. As long as the server has never
// accepted them, any 400 or 422 may be.
func refusesUsage(f *failure, known usageSupport) bool {
	if f.status != http.StatusBadRequest && f.status != http.StatusUnprocessableEntity {
		return false
	}
	return known == usageUnknown || strings.Contains(f.text, "stream_options") || strings.Contains(f.text, "include_usage")
}

// askOnce sends one request and yields its answer.
func (p *Provider) askOnce(ctx context.Context, req oai.ChatCompletionRequest, yield func(llm.Chunk, error) bool) outcome {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	x := &exchange{client: p.client}
	defer x.close()

	config := oai.DefaultConfig(p.opts.APIKey)
	config.BaseURL = p.service.Address
	config.HTTPClient = x
	stream, err := oai.NewClientWithConfig(config).CreateChatCompletionStream(ctx, req)
	if err != nil {
		return outcome{err: p.failureOf(err, x.header)}
	}
	r := &reader{p: p, x: x, stream: stream, yield: yield}
	out := r.run()
	if r.completed {
		x.finishExchange(ctx, cancel)
	}
	return out
}

// event is one event of a streamed answer, or a complete answer that was not streamed.
type event struct {
	Choices []struct {
		Index        int    `json:"index"`
		Delta        delta  `json:"delta"`
		Message      delta  `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
		Details          struct {
			CachedTokens int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type delta struct {
	Content content `json:"content"`
	// Refusal is sent instead of content when a model refuses.
	Refusal   string     `json:"refusal"`
	ToolCalls []fragment `json:"tool_calls"`
}

// content is text. Some vendors send it as a list of parts.
type content string

// UnmarshalJSON accepts a string, null, or a list, of which it joins the text parts.
func (c *content) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*c = content(s)
		return nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		if p.Type == "text" {
			*c += content(p.Text)
		}
	}
	return nil
}

// reader converts the events of one answer to chunks.
type reader struct {
	p      *Provider
	x      *exchange
	stream *oai.ChatCompletionStream
	yield  func(llm.Chunk, error) bool

	finish    string
	usage     *llm.Usage
	calls     assembler
	think     thinking
	yielded   bool
	completed bool // the vendor has sent everything
}

func (r *reader) run() outcome {
	for {
		raw, err := r.stream.RecvRaw()
		if errors.Is(err, io.EOF) && (r.x.done || r.finish != "") {
			return r.complete()
		}
		if err != nil {
			// An answer with a finish reason is complete, even if the connection breaks before the end of the
			// stream.
			if r.finish != "" {
				return r.complete()
			}
			return r.failStream(err)
		}
		var e event
		if err := json.Unmarshal(raw, &e); err != nil {
			return r.brokenOff("its stream holds something that is no event", "")
		}
		if len(e.Error) > 0 && string(e.Error) != "null" {
			return r.brokenOff(plainReason(e.Error), errorCode(e.Error))
		}
		if !r.takeEvent(e) {
			return outcome{yielded: true}
		}
	}
}

// takeEvent yields the text in e and reports whether to continue.
func (r *reader) takeEvent(e event) bool {
	if e.Usage != nil {
		r.usage = &llm.Usage{
			PromptTokens: e.Usage.PromptTokens, CompletionTokens: e.Usage.CompletionTokens, CachedTokens: e.Usage.Details.CachedTokens,
		}
	}
	for _, c := range e.Choices {
		if c.Index != 0 {
			continue
		}
		if c.FinishReason != "" {
			r.finish = c.FinishReason
		}
		for _, d := range []delta{c.Delta, c.Message} {
			for _, f := range d.ToolCalls {
				r.calls.addFragment(f)
			}
			if !r.yieldText(r.think.feed(string(d.Content) + d.Refusal)) {
				return false
			}
		}
	}
	return true
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
		Text:         r.think.end(),
		ToolCalls:    r.calls.result(r.p.answers.Add(1)),
		FinishReason: r.finish,
		Usage:        r.usage,
	}
	switch {
	case len(last.ToolCalls) > 0 && (r.finish == "" || r.finish == "stop"):
		last.FinishReason = "tool_calls"
	case r.finish == "":
		last.FinishReason = "stop"
	}
	r.yield(last, nil)
	return outcome{yielded: true}
}

func (r *reader) failStream(err error) outcome {
	var api *oai.APIError
	if errors.As(err, &api) {
		code, _ := api.Code.(string)
		return r.brokenOff(api.Message, code+" "+api.Type)
	}
	if errors.Is(err, io.EOF) {
		return r.brokenOff("the stream ended before the answer did", "")
	}
	_, reason := vendorError(err)
	return r.brokenOff(reason, "")
}

func (r *reader) brokenOff(reason, code string) outcome {
	return outcome{yielded: r.yielded, err: r.p.brokenOff(reason, code)}
}

// errorCode returns the code and type of an error event.
func errorCode(raw json.RawMessage) string {
	var e struct {
		Code any    `json:"code"`
		Type string `json:"type"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return ""
	}
	if n, ok := e.Code.(float64); ok && n == http.StatusTooManyRequests {
		return "rate_limit"
	}
	code, _ := e.Code.(string)
	return code + " " + e.Type
}

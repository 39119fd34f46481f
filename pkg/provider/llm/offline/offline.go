// Package offline is a provider without a language model. It is deterministic: it understands a few dozen
// kinds of requests in English and German, calls the tools it is offered and speaks from the persona's stock
// lines and the tools' results. It needs no network and no key, so that a table can be played, tested and
// demonstrated anywhere.
//
//	for chunk, err := range offline.New().Stream(ctx, req) { … }
//
// It never invents anything: it declines requests without a tool for them, and a number, a rule or a memory
// comes only from a tool's result. The same request always yields the same answer.
package offline

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// chunkSize is the minimum size in bytes at which text is split into chunks.
const chunkSize = 16

// Provider implements [llm.Provider]. The zero value is ready to use. It is safe for concurrent use.
type Provider struct{}

// New returns a provider.
func New() *Provider { return &Provider{} }

// Name returns "offline".
func (*Provider) Name() string { return "offline" }

// Stream implements [llm.Provider]. It never waits; the only error is that of a ctx which is done.
func (*Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		if ctx.Err() != nil {
			yield(llm.Chunk{}, ended(ctx))
			return
		}
		text, calls := respond(&req)
		if len(calls) > 0 {
			yield(llm.Chunk{ToolCalls: calls, FinishReason: "tool_calls"}, nil)
			return
		}
		text, finish := bound(text, req.MaxTokens)
		for rest := text; rest != ""; {
			if ctx.Err() != nil {
				yield(llm.Chunk{}, ended(ctx))
				return
			}
			n := nextChunk(rest)
			if !yield(llm.Chunk{Text: rest[:n]}, nil) {
				return
			}
			rest = rest[n:]
		}
		yield(llm.Chunk{FinishReason: finish}, nil)
	}
}

func ended(ctx context.Context) error {
	return fmt.Errorf("speaking from stock lines: %w", context.Cause(ctx))
}

// nextChunk returns the length of the next chunk of s in bytes. A chunk ends with the word that reaches
// chunkSize.
func nextChunk(s string) int {
	if len(s) <= chunkSize {
		return len(s)
	}
	n := chunkSize
	if i := strings.IndexByte(s[n:], ' '); i >= 0 && i < chunkSize {
		return n + i + 1
	}
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// bound truncates text to maxTokens words; 0 or less means no limit.
func bound(text string, maxTokens int) (kept, finish string) {
	if maxTokens <= 0 {
		return text, "stop"
	}
	words := strings.Fields(text)
	if len(words) <= maxTokens {
		return text, "stop"
	}
	return strings.Join(words[:maxTokens], " "), "length"
}

// respond returns either the text to say or the tools to call.
func respond(req *llm.Request) (string, []llm.ToolCall) {
	t := newTurn(req)
	if len(t.results) > 0 {
		if calls := t.followUpCalls(); len(calls) > 0 {
			return "", calls
		}
		return t.speakResults(), nil
	}
	intents := t.findIntents()
	if text, calls, ok := t.talk(intents); ok {
		return text, calls
	}
	calls, missing := t.planCalls(intents)
	if len(calls) > 0 {
		return "", calls
	}
	return t.declineIntents(missing), nil
}

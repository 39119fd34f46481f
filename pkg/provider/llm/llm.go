// Package llm defines what a language model is to Glyphoxa: messages and tool
// definitions in, a stream of text and tool calls out. One sub-package per
// vendor protocol implements [Provider].
//
// It does no I/O and imports only the standard library.
package llm

import (
	"context"
	"errors"
	"iter"
)

// Role says who a [Message] comes from.
type Role string

const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of a conversation.
type Message struct {
	Role    Role
	Content string
	// Name is the speaker's name for RoleUser, the tool's name for RoleTool.
	Name string
	// ToolCalls are the calls an assistant message asked for.
	ToolCalls []ToolCall
	// ToolCallID ties a RoleTool message to the call it answers.
	ToolCallID string
}

// ToolCall is a model's request to run a tool.
type ToolCall struct {
	ID   string
	Name string
	// Arguments is the JSON text the model produced. It is untrusted and may
	// be malformed.
	Arguments string
}

// ToolDefinition describes a tool to a model and to the host's scheduler.
type ToolDefinition struct {
	// Name is unique in a host and matches ^[A-Za-z0-9_-]{1,64}$.
	Name        string
	Description string
	// Parameters is the JSON Schema of the arguments; its type is "object".
	Parameters map[string]any
	// EstimatedDurationMs is the declared P50 in milliseconds; 0 means unknown.
	EstimatedDurationMs int
	// MaxDurationMs is a hard deadline for one call in milliseconds; 0 means
	// the caller's deadline alone applies.
	MaxDurationMs int
	// Idempotent tools may be retried and probed.
	Idempotent bool
	// CacheableSeconds is how long a result stays valid; 0 means never cache.
	CacheableSeconds int
}

// Persona tells a provider whose words it is writing. Network providers get
// the same facts from the system message and ignore it; the scripted provider
// speaks from it.
type Persona struct {
	Name string
	// Language is what Lines are in, such as "de". If empty, they serve any language.
	Language string
	// Lines are the NPC's stock phrases by occasion, see the NPC file's key
	// "lines".
	Lines map[string][]string
	// Topics are what it has words for, see the NPC file's key "topics".
	Topics []Topic
	// Mind is what it keeps in mind, what matters most first: what was pinned, and what it has
	// learnt of who speaks. Diary is what it has written down of earlier sessions, the latest
	// first, as "Name: text", "I" for itself.
	Mind, Diary []string
}

// Request is one model round.
type Request struct {
	Messages []Message
	// Tools are all the model may call in this round. Empty means none.
	Tools []ToolDefinition
	// MaxTokens bounds the answer; 0 leaves it to the provider.
	MaxTokens int
	// Temperature is nil for the provider's default.
	Temperature *float64
	Persona     Persona
	// Hurry asks for the provider whose first chunk comes fastest lately, rather
	// than the first. A provider that is but one ignores it.
	Hurry bool
}

// Chunk is a piece of a model's answer.
type Chunk struct {
	// Text is the next piece of what the model says; pieces concatenate.
	Text string
	// ToolCalls are complete calls; a provider assembles fragments before it
	// yields them, in the order the model asked for them.
	ToolCalls []ToolCall
	// FinishReason is set on the last chunk: "stop", "tool_calls", "length"
	// or the vendor's own word.
	FinishReason string
	// Usage is set on the last chunk when the vendor reports it.
	Usage *Usage
}

// Usage counts tokens of one round.
type Usage struct {
	PromptTokens     int
	CompletionTokens int
	// CachedTokens is how many of the prompt's the vendor had kept from before.
	CachedTokens int
}

// Provider streams a model's answers. Implementations are safe for concurrent
// use.
type Provider interface {
	// Stream runs one round. The sequence yields chunks until the answer is
	// complete; a non-nil error ends it. Breaking out of the loop or
	// cancelling ctx ends the request and releases the connection before the
	// sequence returns.
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
	// Name identifies vendor and model in logs and notices, such as
	// "openai gpt-4o-mini" or "offline".
	Name() string
}

// Errors a provider wraps so that callers can tell what would help.
var (
	// ErrRateLimited means the vendor asked to slow down (HTTP 429).
	ErrRateLimited = errors.New("model is rate limited")
	// ErrUnavailable means the vendor could not be reached or failed (HTTP 5xx,
	// connection refused, stream cut).
	ErrUnavailable = errors.New("model is unavailable")
	// ErrRejected means the request itself is refused (bad key, unknown model).
	ErrRejected = errors.New("model refused the request")
)

// Package llm defines language models: messages and tool definitions in, a stream of text and tool calls out.
// One sub-package per vendor protocol implements [Provider].
//
//	for chunk, err := range provider.Stream(ctx, llm.Request{Messages: messages, Tools: tools}) { … }
//
// The package does no I/O of its own. A [Chain] makes providers take over from each other.
package llm

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
)

// Role is the author of a [Message].
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
	// ToolCalls are the calls requested by an assistant message.
	ToolCalls []ToolCall
	// ToolCallID links a RoleTool message to the call it answers.
	ToolCallID string
}

// ToolCall is a model's request to run a tool.
type ToolCall struct {
	ID   string
	Name string
	// Arguments is the JSON text written by the model. It is untrusted and may be malformed.
	Arguments string
	// Attached is what the vendor attached to the call and wants back with it, nil for nothing.
	Attached *Attachment `json:"-"`
}

// Attachment holds data of a vendor that must return with a tool call, such as Gemini's thought signatures or
// the reasoning that led to the call. Only the provider that made it reads it. It is immutable.
type Attachment struct {
	// Origin is the endpoint and model that made it. Other endpoints do not get it, because they refuse data
	// that they do not know.
	Origin string
	// Call holds fields of the call itself, Message those of the message with the call.
	Call, Message map[string]json.RawMessage
}

// ToolDefinition describes a tool to a model and to the scheduler of the host.
type ToolDefinition struct {
	// Name is unique in a host and matches ^[A-Za-z0-9_-]{1,64}$.
	Name        string
	Description string
	// Parameters is the JSON Schema of the arguments; its type is "object".
	Parameters map[string]any
	// EstimatedDurationMs is the declared median duration in milliseconds; 0 means unknown.
	EstimatedDurationMs int
	// MaxDurationMs is the hard deadline of a call in milliseconds; 0 means that only the caller's deadline
	// applies.
	MaxDurationMs int
	// Idempotent means that the tool may be retried and probed.
	Idempotent bool
	// CacheableSeconds is how long a result stays valid; 0 disables caching.
	CacheableSeconds int
}

// Persona describes the NPC whose words the provider writes. Network providers ignore it because the system
// message contains the same facts; package offline speaks from it.
type Persona struct {
	Name string
	// Language is the language of Lines, such as "de". If empty, Lines are used in any language.
	Language string
	// Lines are the NPC's stock phrases by occasion, see the key "lines" of NPC files.
	Lines map[string][]string
	// Topics are the topics the NPC has lines for, see the key "topics" of NPC files.
	Topics []Topic
	// Mind is what the NPC remembers, most important first: secrets that it may tell now, pinned facts, and what
	// it has learnt about the speaker. Diary is what it noted about earlier sessions, latest first, as "Name: text", with "I" for
	// itself.
	Mind, Diary []string
}

// Request is one round with a model.
type Request struct {
	Messages []Message
	// Tools are the tools that the model may call in this round. Empty means none.
	Tools []ToolDefinition
	// MaxTokens is the maximum length of the answer; 0 leaves it to the provider.
	MaxTokens int
	// Temperature is nil for the provider's default.
	Temperature *float64
	Persona     Persona
	// Hurry asks for the provider that has lately begun fastest instead of the first one. It has no effect on
	// a single provider.
	Hurry bool
}

// Chunk is a piece of a model's answer.
type Chunk struct {
	// Text is the next part of the answer; parts concatenate. It contains no reasoning, no control tokens of a
	// chat template and no marked-up tool calls.
	Text string
	// ToolCalls are complete calls, in the order in which the model requested them. Providers assemble
	// fragments before they yield a call.
	ToolCalls []ToolCall
	// Held says, on a chunk without text, that the model writes and the provider does not know yet whether that
	// is speech.
	Held bool
	// FinishReason is set on the last chunk: "stop", "tool_calls", "length" or the vendor's own value.
	FinishReason string
	// Usage is set on the last chunk if the vendor reports it.
	Usage *Usage
}

// Usage holds the token counts of one round.
type Usage struct {
	PromptTokens     int
	CompletionTokens int
	// CachedTokens is the number of prompt tokens served from the vendor's cache.
	CachedTokens int
}

// Provider streams a model's answers. Implementations are safe for concurrent
// use.
type Provider interface {
	// Stream runs one round. The sequence yields chunks until the answer is complete; a non-nil error ends
	// it. Breaking out of the loop or cancelling ctx ends the request and releases the connection before the
	// sequence returns.
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
	// Name identifies vendor and model in logs and notices, such as
	// "openai gpt-4o-mini" or "offline".
	Name() string
}

// Errors that providers wrap so that callers can tell how to react.
var (
	// ErrRateLimited means that the vendor asked to slow down (HTTP 429).
	ErrRateLimited = errors.New("model is rate limited")
	// ErrUnavailable means that the vendor could not be reached or failed (HTTP 5xx, connection refused,
	// stream cut off).
	ErrUnavailable = errors.New("model is unavailable")
	// ErrNoAnswer means that the model ended without an answer although it did something: it only thought, or
	// the vendor's filter kept the answer back.
	ErrNoAnswer = errors.New("model gave no answer")
	// ErrRejected means that the vendor refused the request itself (bad key, unknown model).
	ErrRejected = errors.New("model refused the request")
)

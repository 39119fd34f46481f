package fakeopenai

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// Request is a recorded request.
type Request struct {
	// Number counts requests from 0 in order of arrival.
	Number int
	Path   string
	Header http.Header
	// Key is the bearer token.
	Key string
	// Body is the JSON as received; nil for GET.
	Body json.RawMessage
	// Chat is the decoded body of a chat request, as far as it decodes.
	Chat Chat
}

// Chat is a chat completion request. Content is text; lists of parts are
// refused.
type Chat struct {
	Model         string    `json:"model"`
	Messages      []Message `json:"messages"`
	Tools         []Tool    `json:"tools"`
	Stream        bool      `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           int      `json:"max_tokens"`
	MaxCompletionTokens int      `json:"max_completion_tokens"`
	Temperature         *float64 `json:"temperature"`
}

// Message is one message of a chat request.
type Message struct {
	Role string `json:"role"`
	// Content is nil if the request has none.
	Content    *string       `json:"content"`
	Name       string        `json:"name"`
	ToolCalls  []MessageCall `json:"tool_calls"`
	ToolCallID string        `json:"tool_call_id"`
}

// Text returns the message's content, or "".
func (m Message) Text() string {
	if m.Content == nil {
		return ""
	}
	return *m.Content
}

// MessageCall is a tool call in a request's history.
type MessageCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name string `json:"name"`
		// Arguments must be a JSON string on the wire.
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// Tool is a tool definition in a request.
type Tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Parameters  map[string]any `json:"parameters"`
	} `json:"function"`
}

// LastUser returns the text of the last user message.
func (c Chat) LastUser() string {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if c.Messages[i].Role == "user" {
			return c.Messages[i].Text()
		}
	}
	return ""
}

// Script returns the answer to a request. It is called only for valid chat
// requests, possibly concurrently.
type Script func(Request) Response

// Always answers every request with r.
func Always(r Response) Script { return func(Request) Response { return r } }

// Sequence answers the first request with the first response and so on. After
// the last it answers HTTP 500 with a message that says so.
func Sequence(responses ...Response) Script {
	var mu sync.Mutex // guards next
	next := 0
	return func(Request) Response {
		mu.Lock()
		defer mu.Unlock()
		if next >= len(responses) {
			return Response{Status: http.StatusInternalServerError, Message: "the script has no more responses"}
		}
		next++
		return responses[next-1]
	}
}

// Call is a tool call to make.
type Call struct {
	// ID is generated if empty.
	ID   string
	Name string
	// Arguments are sent unchanged, even invalid JSON.
	Arguments string
}

// Response is a scripted answer. The zero value is an empty answer.
type Response struct {
	// Pieces of text, one event each.
	Pieces []string
	// Calls follow the text.
	Calls []Call
	// Finish is the finish reason. If empty, "tool_calls" with calls and
	// "stop" without.
	Finish string
	// First is the pause before the first event.
	First time.Duration
	// Delay is the pause before every other event.
	Delay time.Duration

	// WholeCalls sends each call in one event, like many vendors.
	WholeCalls bool
	// NoCallIDs leaves out the ids of calls.
	NoCallIDs bool
	// NoIndex leaves out the index of calls.
	NoIndex bool
	// ZeroIndex gives every call the index 0.
	ZeroIndex bool
	// Reasoning is sent as reasoning_content before the text.
	Reasoning string
	// Raw lines replace everything above, each followed by an empty line; they
	// must include "[DONE]" themselves.
	Raw []string

	// Status, if 400 or more, answers with an error instead.
	Status int
	// Message is the error's text.
	Message string
	// Code is the error code.
	Code string
	// RetryAfter is the value of the Retry-After header.
	RetryAfter string
	// EchoKey includes the caller's key in the error's text.
	EchoKey bool
	// PlainBody answers an error with Message as plain text.
	PlainBody bool

	// CutAfter drops the connection after that many events. Zero means never;
	// negative means before the first.
	CutAfter int
	// FailAfter sends an error event after that many events and ends the
	// stream. Zero means never.
	FailAfter int
	// Hang sends nothing after the pieces until the client disconnects.
	Hang bool
	// NoDone leaves out the closing "[DONE]".
	NoDone bool
}

// Say answers with text, one event per piece.
func Say(pieces ...string) Response { return Response{Pieces: pieces} }

// CallTools answers with parallel tool calls, in fragments as OpenAI sends them.
func CallTools(calls ...Call) Response { return Response{Calls: calls} }

// Fail answers with an HTTP error.
func Fail(status int, message string) Response { return Response{Status: status, Message: message} }

// RateLimited answers 429.
func RateLimited(retryAfter string) Response {
	return Response{Status: http.StatusTooManyRequests, Message: "Rate limit reached for requests", Code: "rate_limit_exceeded", RetryAfter: retryAfter}
}

// HangAfter sends pieces and then nothing.
func HangAfter(pieces ...string) Response { return Response{Pieces: pieces, Hang: true} }

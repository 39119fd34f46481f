package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// Codes of the dialect's errors.
const (
	dialectForbidden = -32001
	dialectCapacity  = -32002
	codeApproval     = -32003
	codeNotFound     = -32601
	codeInvalidInput = -32602
	codeHandlerError = -32603
)

// errNotInitialized is the error for a request before the handshake.
var errNotInitialized = &mcp.Refusal{Code: mcp.CodeForbidden, Reason: "MCP session is not initialized"}

// invalid returns the error for invalid params.
func invalid(why string) error { return fmt.Errorf("%w: %s", mcp.ErrInvalidArguments, why) }

// dialectUnknownMethod returns the error for a method that is not in the dialect.
func dialectUnknownMethod(method string) error {
	return &mcp.Refusal{Code: mcp.CodeNotFound, Reason: fmt.Sprintf("unknown method %q", untrusted.Clip(method, 100))}
}

// response is the dialect's response to a call.
type response struct {
	Success bool            `json:"success"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *dialectFailure `json:"error,omitempty"`
	Meta    metadata        `json:"metadata"`

	code int64 // code of the JSON-RPC error
}

// dialectFailure describes why a call failed.
type dialectFailure struct {
	Code    mcp.Code `json:"code"`
	Message string   `json:"message"`
	Hint    string   `json:"hint,omitempty"`
	// RetryAfterMs is how long to wait before a retry, in milliseconds.
	RetryAfterMs int64 `json:"retryAfterMs,omitempty"`
	// ApprovalID is the id under which the call waits for approval.
	ApprovalID string `json:"approvalId,omitempty"`
}

// metadata describes the duration and the events of a call.
type metadata struct {
	// Millis has microsecond precision.
	Millis float64  `json:"executionTimeMs"`
	Events []string `json:"eventsEmitted"`
}

// failed returns the response to a call that ended with err.
func failed(err error, m metadata) response {
	f := &dialectFailure{Code: mcp.CodeOf(err), Message: err.Error()}
	var refused *mcp.Refusal
	if errors.As(err, &refused) {
		f.Message, f.Hint, f.ApprovalID = refused.Reason, refused.Hint, refused.Approval
		f.RetryAfterMs = int64((refused.RetryAfter + time.Millisecond - 1) / time.Millisecond)
	}
	if f.Message == "" {
		f.Message = string(f.Code)
	}
	return response{Error: f, Meta: m, code: codeOf(f.Code)}
}

// codeOf returns the JSON-RPC code for a kind of failure.
func codeOf(c mcp.Code) int64 {
	switch c {
	case mcp.CodeForbidden:
		return dialectForbidden
	case mcp.CodeCapacityExceeded:
		return dialectCapacity
	case mcp.CodePendingApproval:
		return codeApproval
	case mcp.CodeNotFound:
		return codeNotFound
	case mcp.CodeInvalidInput:
		return codeInvalidInput
	}
	return codeHandlerError
}

// rpcError converts a failed response to a JSON-RPC error.
func (r response) rpcError() error {
	e := &jsonrpc.Error{Code: r.code, Message: r.Error.Message}
	if data, err := json.Marshal(r); err == nil {
		e.Data = data
	}
	return e
}

// invoke runs a tool.
func invoke(ctx context.Context, s Session, name string, args json.RawMessage) response {
	var events mcp.Events
	start := time.Now()
	res, err := s.Call(mcp.WithEvents(ctx, &events), name, args)
	took := res.Duration
	if err != nil || took == 0 {
		took = time.Since(start)
	}
	m := metadata{Millis: mcp.RoundedMillis(took), Events: events.Names()}
	if m.Events == nil {
		m.Events = []string{}
	}
	if cause := context.Cause(ctx); cause != nil && (errors.Is(err, cause) || errors.Is(err, ctx.Err())) {
		err = errEnding
		var c cancelled
		if errors.As(cause, &c) {
			err = c
		}
	}
	switch {
	case err != nil:
		return failed(err, m)
	case res.IsError:
		return failed(&mcp.Refusal{Code: mcp.CodeHandlerError, Reason: res.Text}, m)
	}
	result, err := resultOf(res)
	if err != nil {
		return failed(fmt.Errorf("encoding the result: %w", err), m)
	}
	return response{Success: true, Result: result, Meta: m}
}

// item is a piece of a result other than text.
type item struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	Data     []byte `json:"data,omitempty"`
	MIMEType string `json:"mimeType,omitempty"`
	URI      string `json:"uri,omitempty"`
	Name     string `json:"name,omitempty"`
}

// resultOf converts a tool's result to one JSON value: its structured content, else its text if that is JSON,
// else an object with the text and the other content.
func resultOf(res mcp.Result) (json.RawMessage, error) {
	if json.Valid(res.Structured) {
		return res.Structured, nil
	}
	var items []item
	for _, c := range res.Content {
		if c.Type != "text" {
			items = append(items, item(c))
		}
	}
	if items == nil && json.Valid([]byte(res.Text)) {
		return json.RawMessage(res.Text), nil
	}
	return json.Marshal(struct {
		Text    string `json:"text"`
		Content []item `json:"content,omitempty"`
	}{res.Text, items})
}

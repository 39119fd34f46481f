package mcpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// metaError is the _meta key of an answer's failure.
const metaError = "glyphoxa/error"

// failure describes to programs why a call failed (docs/adr/0024).
type failure struct {
	Code    mcp.Code `json:"code"`
	Message string   `json:"message"`
	// Hint suggests what the client can do.
	Hint string `json:"hint"`
	// RetryAfterMs is how long to wait before a retry, in milliseconds.
	RetryAfterMs int64 `json:"retryAfterMs,omitempty"`
	// ApprovalID is the id under which the call waits for approval.
	ApprovalID string `json:"approvalId,omitempty"`
	Rule       string `json:"rule,omitempty"`
}

// failureOf describes an error in words that a client may read.
func failureOf(err error) failure {
	code := mcp.CodeOf(err)
	text, _ := mcp.PublicText(err)
	f := failure{Code: code, Message: oneLine(text), Hint: hintFor(code)}
	if errors.Is(err, mcphost.ErrNotSent) || errors.Is(err, mcphost.ErrGivenUp) {
		f.Hint = "its server is away; try again later"
	}
	var refused *mcp.Refusal
	if errors.As(err, &refused) {
		f.Message, f.Rule, f.ApprovalID = oneLine(refused.Reason), refused.Rule, refused.Approval
		if refused.Hint != "" {
			f.Hint = oneLine(refused.Hint)
		}
		if refused.RetryAfter > 0 {
			f.RetryAfterMs = int64((refused.RetryAfter + time.Millisecond - 1) / time.Millisecond)
		}
	}
	return f
}

// hintFor returns the hint for a kind of failure.
func hintFor(code mcp.Code) string {
	switch code {
	case mcp.CodeNotFound:
		return "list the tools again; names may have changed"
	case mcp.CodeInvalidInput:
		return "correct the arguments; the tool's input schema says what fits"
	case mcp.CodeForbidden:
		return "ask the dungeon master for the right to do this"
	case mcp.CodeCapacityExceeded:
		return "wait a moment and try again"
	case mcp.CodeTimeout:
		return "ask for less, or try again later"
	case mcp.CodeUnavailable:
		return "try again later; the server's log says why"
	case mcp.CodePendingApproval:
		return "make the same call again once the dungeon master has approved it"
	case mcp.CodeCancelled:
		return "the call was cancelled; nothing needs to be done"
	}
	return "try something else; the same call is likely to fail again"
}

// reportedFailure describes to programs a failure that a tool itself reports. The text of that failure is
// only in the content.
func reportedFailure() failure {
	return failure{Code: mcp.CodeHandlerError, Message: "the tool reports that it failed; the content of its result says why", Hint: hintFor(mcp.CodeHandlerError)}
}

// forModel formats the failure for a model.
func (f failure) forModel() string {
	text := fmt.Sprintf("%s: %s\n%s", f.Code, f.Message, f.Hint)
	if f.ApprovalID != "" {
		text += fmt.Sprintf(" (approval %s)", f.ApprovalID)
	}
	if f.RetryAfterMs > 0 {
		text += fmt.Sprintf(" (retry after %d ms)", f.RetryAfterMs)
	}
	return text
}

// refuse converts an error to a JSON-RPC error. Clients see the reason but no internal details.
func (d *dispatcher) refuse(err error) error {
	f := failureOf(err)
	if f.Code == mcp.CodeInvalidInput {
		f.Hint = "correct the request"
	}
	data, _ := json.Marshal(f) // plain strings and numbers
	switch f.Code {
	case mcp.CodeHandlerError:
		return d.hide(err)
	case mcp.CodeInvalidInput:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: f.Message, Data: data}
	case mcp.CodeCapacityExceeded:
		return &jsonrpc.Error{Code: codeCapacity, Message: f.Message, Data: data}
	}
	return &jsonrpc.Error{Code: codeForbidden, Message: f.Message, Data: data}
}

// Error codes for refusals, in the range that JSON-RPC leaves to servers.
const (
	codeForbidden = -32001
	codeCapacity  = -32010 // not -32002, which older clients use for a missing resource
)

// hide logs an internal error and returns a general one.
func (d *dispatcher) hide(err error) error {
	d.log.Error("a request could not be answered", "reason", err)
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server could not answer; its log says why"}
}

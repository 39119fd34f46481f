package mcpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// metaError is where an answer's _meta holds its failure.
const metaError = "glyphoxa/error"

// failure is why a call failed, for programs; docs/adr/0012 says why.
type failure struct {
	Code    mcp.Code `json:"code"`
	Message string   `json:"message"`
	// Hint says what to do about it.
	Hint string `json:"hint"`
	// RetryAfterMs is when it is worth trying again.
	RetryAfterMs int64 `json:"retryAfterMs,omitempty"`
	// ApprovalID is under which id the call waits for approval.
	ApprovalID string `json:"approvalId,omitempty"`
	Rule       string `json:"rule,omitempty"`
}

// failureOf puts an error into words a client may read.
func failureOf(err error) failure {
	code := mcp.CodeOf(err)
	text, _ := mcp.Telling(err)
	f := failure{Code: code, Message: oneLine(text), Hint: hintFor(code)}
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

// hintFor says what to do about a kind of failure.
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
		return "its server is away; try again later"
	case mcp.CodePendingApproval:
		return "make the same call again once the dungeon master has approved it"
	case mcp.CodeCancelled:
		return "the call was cancelled; nothing needs to be done"
	}
	return "try something else; the same call is likely to fail again"
}

// reportedFailure is what programs are told of a failure that a tool reports itself: its
// text is in the content alone.
func reportedFailure() failure {
	return failure{Code: mcp.CodeHandlerError, Message: "the tool reports that it failed; the content of its result says why", Hint: hintFor(mcp.CodeHandlerError)}
}

// forModel is the failure as a model reads it.
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

// refuse is an error as a JSON-RPC error: a client sees why, not what we look
// like inside.
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

// Codes for refusals, in the range that JSON-RPC leaves to servers.
const (
	codeForbidden = -32001
	codeCapacity  = -32010 // older clients take -32002 for a missing resource
)

// hide logs what went wrong inside, and hides it.
func (d *dispatcher) hide(err error) error {
	d.log.Error("a request could not be answered", "reason", err)
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server could not answer; its log says why"}
}

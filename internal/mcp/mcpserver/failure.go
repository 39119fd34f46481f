package mcpserver

import (
	"errors"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// metaError is where an answer's _meta holds its failure.
const metaError = "glyphoxa/error"

// failure is why a call failed, for programs (ruling 12).
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
	f := failure{Code: code, Message: line(text), Hint: hint(code)}
	var refused *mcp.Refusal
	if errors.As(err, &refused) {
		f.Message, f.Rule, f.ApprovalID = line(refused.Reason), refused.Rule, refused.Approval
		if refused.Hint != "" {
			f.Hint = line(refused.Hint)
		}
		if refused.RetryAfter > 0 {
			f.RetryAfterMs = int64((refused.RetryAfter + time.Millisecond - 1) / time.Millisecond)
		}
	}
	return f
}

// hint says what to do about a kind of failure.
func hint(code mcp.Code) string {
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

// text is the failure as a model reads it.
func (f failure) text() string {
	text := fmt.Sprintf("%s: %s\n%s", f.Code, f.Message, f.Hint)
	if f.ApprovalID != "" {
		text += fmt.Sprintf(" (approval %s)", f.ApprovalID)
	}
	if f.RetryAfterMs > 0 {
		text += fmt.Sprintf(" (retry after %d ms)", f.RetryAfterMs)
	}
	return text
}

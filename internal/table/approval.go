package table

import (
	"context"
	"encoding/json"
	"time"
)

// ApprovalWaits reports that a tool call waits until someone who leads the game approves it. It belongs to no
// turn.
type ApprovalWaits struct {
	Header
	// ID identifies the call for the decision. Who is its caller, as in the audit log: "npc:" and an id, or the
	// name of an outside client.
	ID   string `json:"id"`
	Who  string `json:"who"`
	Tool string `json:"tool"`
	// Args is JSON, or the beginning of it as text if it is long.
	Args json.RawMessage `json:"args"`
	// Proposed says that the call is made as soon as it is approved. Otherwise the caller has to repeat it.
	Proposed bool      `json:"proposed"`
	Expires  time.Time `json:"expires"`
}

// ApprovalEnded reports that a call no longer waits for approval. It belongs to no turn.
type ApprovalEnded struct {
	Header
	ID      string          `json:"id"`
	Who     string          `json:"who"`
	Tool    string          `json:"tool"`
	Outcome ApprovalOutcome `json:"outcome"`
	// By is the person who decided; empty if the call was not decided.
	By string `json:"by,omitempty"`
}

// ApprovalOutcome says how a waiting call was decided.
type ApprovalOutcome string

const (
	ApprovalGranted ApprovalOutcome = "granted"
	ApprovalDenied  ApprovalOutcome = "denied"
	// ApprovalExpired: the call was not decided in time.
	ApprovalExpired ApprovalOutcome = "expired"
	// ApprovalWithdrawn: the caller was forgotten.
	ApprovalWithdrawn ApprovalOutcome = "withdrawn"
)

// ReportApproval emits e to the sink of t. It returns [ErrClosed] once the table has ended.
func ReportApproval(ctx context.Context, t *Table, e ApprovalWaits) error {
	return t.order(ctx, func() error {
		t.effects.emit(0, KindApprovalWaits, &e)
		return nil
	})
}

// ReportDecision emits e to the sink of t. It returns [ErrClosed] once the table has ended.
func ReportDecision(ctx context.Context, t *Table, e ApprovalEnded) error {
	return t.order(ctx, func() error {
		t.effects.emit(0, KindApprovalEnded, &e)
		return nil
	})
}

package table

import (
	"context"
	"encoding/json"
	"time"
)

// ApprovalWaits reports that a call waits until somebody who leads agrees. It is outside
// of turns.
type ApprovalWaits struct {
	Header
	// ID is what to decide with, and Who asks, as in the audit log: "npc:" and an id, or
	// the name of an outside client.
	ID   string `json:"id"`
	Who  string `json:"who"`
	Tool string `json:"tool"`
	// Args is JSON, or its beginning as text if it is long.
	Args json.RawMessage `json:"args"`
	// Proposed says that the call is made once somebody agrees; else whoever asks has to
	// make it again.
	Proposed bool      `json:"proposed"`
	Expires  time.Time `json:"expires"`
}

// ApprovalEnded reports that a call does not wait any more. It is outside of turns.
type ApprovalEnded struct {
	Header
	ID      string          `json:"id"`
	Who     string          `json:"who"`
	Tool    string          `json:"tool"`
	Outcome ApprovalOutcome `json:"outcome"`
	// By is who decided; empty if nobody did.
	By string `json:"by,omitempty"`
}

// ApprovalOutcome is what became of a call that waited.
type ApprovalOutcome string

const (
	ApprovalGranted ApprovalOutcome = "granted"
	ApprovalDenied  ApprovalOutcome = "denied"
	// ApprovalExpired calls are those nobody decided on in time.
	ApprovalExpired ApprovalOutcome = "expired"
	// ApprovalWithdrawn calls are those whose caller was forgotten.
	ApprovalWithdrawn ApprovalOutcome = "withdrawn"
)

// TellApproval has the sink of t told of a call that waits. It returns [ErrClosed] once
// the table has ended.
func TellApproval(ctx context.Context, t *Table, e ApprovalWaits) error {
	return t.order(ctx, func() error {
		t.effects.emit(0, KindApprovalWaits, &e)
		return nil
	})
}

// TellDecision has the sink of t told that a call does not wait any more, see
// [TellApproval].
func TellDecision(ctx context.Context, t *Table, e ApprovalEnded) error {
	return t.order(ctx, func() error {
		t.effects.emit(0, KindApprovalEnded, &e)
		return nil
	})
}

package play

import (
	"context"
	"encoding/json"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// approvals reports to a table's sink which calls of the campaign wait for approval. Its fields belong to
// run.
type approvals struct {
	policy   *access.Engine
	table    *table.Table
	reported map[string]access.Approval // reported as waiting, by id
}

// run reports changes until ctx or the table ends.
func (a *approvals) run(ctx context.Context) {
	for ctx.Err() == nil {
		changed := a.policy.PendingChanged()
		if a.reportChanges(ctx, a.policy.Pending()) != nil {
			return
		}
		expiry := time.NewTimer(a.untilExpiry())
		select {
		case <-changed:
		case <-expiry.C:
		case <-ctx.Done():
		}
		expiry.Stop()
	}
}

// untilExpiry returns how long until the next waiting call expires, at most an hour.
func (a *approvals) untilExpiry() time.Duration {
	next := time.Hour
	for _, w := range a.reported {
		next = min(next, time.Until(w.Expires))
	}
	return next
}

// reportChanges reports the calls that have begun to wait and those that no longer do.
func (a *approvals) reportChanges(ctx context.Context, waiting []access.Approval) error {
	now := make(map[string]access.Approval, len(waiting))
	for _, w := range waiting {
		now[w.ID] = w
	}
	for id, w := range a.reported {
		if _, still := now[id]; still {
			continue
		}
		if err := table.ReportDecision(ctx, a.table, a.ended(w)); err != nil {
			return err
		}
	}
	for _, w := range waiting {
		if _, known := a.reported[w.ID]; known {
			continue
		}
		args := json.RawMessage(w.Args)
		if !json.Valid(args) { // it was cut
			args, _ = json.Marshal(w.Args) // a string always marshals
		}
		e := table.ApprovalWaits{ID: w.ID, Who: w.Caller, Tool: w.Tool, Args: args, Proposed: w.Proposed, Expires: w.Expires}
		if err := table.ReportApproval(ctx, a.table, e); err != nil {
			return err
		}
	}
	a.reported = now
	return nil
}

// ended says how a waiting call was decided.
func (a *approvals) ended(w access.Approval) table.ApprovalEnded {
	e := table.ApprovalEnded{ID: w.ID, Who: w.Caller, Tool: w.Tool, Outcome: table.ApprovalWithdrawn}
	switch d, decided := a.policy.Decision(w.ID); {
	case decided && d.Granted:
		e.Outcome, e.By = table.ApprovalGranted, d.By
	case decided:
		e.Outcome, e.By = table.ApprovalDenied, d.By
	case !time.Now().Before(w.Expires):
		e.Outcome = table.ApprovalExpired
	}
	return e
}

package workflow

import (
	"crypto/sha256"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

const (
	// maxRuns bounds the runs that wait for an approval, and maxRunsEach those of one
	// caller; beyond, the oldest is forgotten, and begins anew when it is called again.
	maxRuns     = 64
	maxRunsEach = 8
)

// Runs are the runs of workflows that ended at a step which waits for approval. The same
// call by the same caller goes on there, once, as long as the approval can still be had:
// what was done before is not done again. The zero value is empty. It is safe for
// concurrent use.
type Runs struct {
	mu   sync.Mutex // guards the field below
	kept []keptRun  // oldest first
}

// runKey tells runs apart: by what the file said, who called, with whose eyes, and with
// which arguments.
type runKey struct {
	workflow, args [sha256.Size]byte
	caller, viewer string
}

type keptRun struct {
	key   runKey
	run   *run
	until time.Time
}

// take takes the run of a key out, nil if none is kept.
func (rs *Runs) take(key runKey) *run {
	if rs == nil {
		return nil
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	now := time.Now()
	rs.kept = slices.DeleteFunc(rs.kept, func(k keptRun) bool { return !now.Before(k.until) })
	at := slices.IndexFunc(rs.kept, func(k keptRun) bool { return k.key == key })
	if at < 0 {
		return nil
	}
	r := rs.kept[at].run
	rs.kept = slices.Delete(rs.kept, at, at+1)
	return r
}

// keep keeps a run in place of one that the same call left before.
func (rs *Runs) keep(key runKey, r *run, until time.Time) {
	if rs == nil {
		return
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	now, each, oldest := time.Now(), 0, 0
	rs.kept = slices.DeleteFunc(rs.kept, func(k keptRun) bool { return k.key == key || !now.Before(k.until) })
	for i := len(rs.kept) - 1; i >= 0; i-- {
		if rs.kept[i].key.caller == key.caller {
			each, oldest = each+1, i
		}
	}
	switch {
	case each >= maxRunsEach:
		rs.kept = slices.Delete(rs.kept, oldest, oldest+1)
	case len(rs.kept) >= maxRuns:
		rs.kept = slices.Delete(rs.kept, 0, 1)
	}
	rs.kept = append(rs.kept, keptRun{key, r, until})
}

// awaited is until when it is of use to come back to a run that ended with err: zero if
// it did not end because a step waits for approval.
func awaited(err error) time.Time {
	var refused *mcp.Refusal
	if errors.As(err, &refused) && refused.Code == mcp.CodePendingApproval {
		return refused.Until
	}
	return time.Time{}
}

// rewind makes the run one that has done what succeeded, or was skipped by its condition, and
// nothing else.
func (r *run) rewind() {
	for i := range r.reports {
		rep := &r.reports[i]
		if !r.settled[i] || rep.Error == nil {
			continue
		}
		r.left += len(rep.Result)
		delete(r.values.steps, rep.ID)
		*rep = stepReport{ID: rep.ID, Tool: rep.Tool, Skipped: true}
		r.settled[i] = false
		r.done--
	}
	r.progress = nil
}

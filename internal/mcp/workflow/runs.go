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
	// maxRuns limits the runs that wait for an approval, and maxRunsEach limits those of one caller. Beyond
	// the limit the oldest run is dropped, and starts from the beginning when it is called again.
	maxRuns     = 64
	maxRunsEach = 8
)

// Runs holds the runs of workflows that stopped at a step waiting for approval. When the same caller makes
// the same call again, the run resumes at that step and does not repeat completed steps. This works once, and
// only while the approval can still be granted. The zero value is empty and ready to use. Runs is safe for
// concurrent use.
type Runs struct {
	mu     sync.Mutex  // guards the field below
	stored []storedRun // oldest first
}

// runKey identifies a run by the content of the workflow file, the caller, the NPC or player whose view the
// call has, and the arguments.
type runKey struct {
	workflow, args [sha256.Size]byte
	caller, viewer string
}

type storedRun struct {
	key   runKey
	run   *run
	until time.Time
}

// remove removes and returns the run with the given key, or nil if there is none.
func (rs *Runs) remove(key runKey) *run {
	if rs == nil {
		return nil
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	now := time.Now()
	rs.stored = slices.DeleteFunc(rs.stored, func(k storedRun) bool { return !now.Before(k.until) })
	at := slices.IndexFunc(rs.stored, func(k storedRun) bool { return k.key == key })
	if at < 0 {
		return nil
	}
	r := rs.stored[at].run
	rs.stored = slices.Delete(rs.stored, at, at+1)
	return r
}

// store stores a run, replacing an earlier run of the same call.
func (rs *Runs) store(key runKey, r *run, until time.Time) {
	if rs == nil {
		return
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	now, each, oldest := time.Now(), 0, 0
	rs.stored = slices.DeleteFunc(rs.stored, func(k storedRun) bool { return k.key == key || !now.Before(k.until) })
	for i := len(rs.stored) - 1; i >= 0; i-- {
		if rs.stored[i].key.caller == key.caller {
			each, oldest = each+1, i
		}
	}
	switch {
	case each >= maxRunsEach:
		rs.stored = slices.Delete(rs.stored, oldest, oldest+1)
	case len(rs.stored) >= maxRuns:
		rs.stored = slices.Delete(rs.stored, 0, 1)
	}
	rs.stored = append(rs.stored, storedRun{key, r, until})
}

// awaited returns until when a run that ended with err can be resumed. It returns the zero time if the run
// did not stop to wait for an approval.
func awaited(err error) time.Time {
	var refused *mcp.Refusal
	if errors.As(err, &refused) && refused.Code == mcp.CodePendingApproval {
		return refused.Until
	}
	return time.Time{}
}

// rewind resets the run so that only steps that succeeded, or were skipped by their condition, count as done.
func (r *run) rewind() {
	for i := range r.reports {
		rep := &r.reports[i]
		if !r.finished[i] || rep.Error == nil {
			continue
		}
		r.bytesLeft += len(rep.Result)
		delete(r.values.steps, rep.ID)
		*rep = stepReport{ID: rep.ID, Tool: rep.Tool, Skipped: true}
		r.finished[i] = false
		r.finishedCount--
	}
	r.progress = nil
}

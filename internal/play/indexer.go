package play

// The indexer keeps what a store remembers findable by meaning: what is said
// now, what was said while the embedder was down, and everything after another
// embedder was chosen. It works in small batches beside the play and holds nobody
// up.

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// IndexedStore is what is indexed, such as a sqlite store. What it says is left to do
// is done in small pieces.
type IndexedStore interface {
	// Unindexed has a value when something was written that may have to be indexed.
	Unindexed() <-chan struct{}
	// Backlog is how much is left to do.
	Backlog(ctx context.Context) (int, error)
	// IndexLines makes facts of some lines and returns how many, 0 if none are
	// left. It needs no embedder.
	IndexLines(ctx context.Context) (int, error)
	// EmbedFacts gives some facts their vectors, the newest first, and returns how
	// many, 0 if none are left.
	EmbedFacts(ctx context.Context) (int, error)
}

const (
	// shortestPause and longestPause bound how long an embedder that failed is
	// left alone. The pause doubles with each failure.
	shortestPause = time.Second
	longestPause  = time.Minute
	// finishTime bounds what is still done for lines said just before the end.
	finishTime = 5 * time.Second
	// manyLeft is the backlog from which people are told of it: less is done in a
	// moment.
	manyLeft = 500
	// fewLeft is the backlog up to which the end waits for it: what was said in the
	// last moments.
	fewLeft = 64
)

// RunIndexer indexes until ctx ends. What was said just before is still indexed, for
// five seconds at most. notify is told once of each time the embedder fails, and
// of much that is left from before; log has every failure.
func RunIndexer(ctx context.Context, store IndexedStore, log *slog.Logger, notify func(text string)) {
	x := &run{store: store, log: log, notify: notify}
	if n, err := store.Backlog(ctx); err == nil && n >= manyLeft {
		notify(fmt.Sprintf("%d things that were said or are known are being made ready to be searched by meaning; until then they are found by their words", n))
	}
	// A request under way when ctx ends is answered: the embedder is not asked twice.
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(finishTime, cancel)
		context.AfterFunc(work, func() { timer.Stop() })
	})()
	for ctx.Err() == nil {
		if x.indexSome(work) {
			continue
		}
		timer := time.NewTimer(time.Until(x.retry))
		due := timer.C
		if x.retry.IsZero() {
			due = nil
		}
		select {
		case <-ctx.Done():
		case <-store.Unindexed():
		case <-due:
		}
		timer.Stop()
	}
	x.indexLastLines(work)
}

// run is what one Run knows.
type run struct {
	store  IndexedStore
	log    *slog.Logger
	notify func(string)
	pause  time.Duration // 0 unless the last try failed
	retry  time.Time     // when to try again; zero unless the last try failed
}

// indexSome does a piece of what is left and reports whether there may be more
// to do now.
func (x *run) indexSome(ctx context.Context) (more bool) {
	lines, err := x.store.IndexLines(ctx)
	if err != nil {
		x.noteFailure(ctx, err)
		return false
	}
	if time.Now().Before(x.retry) {
		return lines > 0
	}
	facts, err := x.store.EmbedFacts(ctx)
	if err != nil {
		x.noteFailure(ctx, err)
		return lines > 0
	}
	if x.pause > 0 {
		x.log.Info("indexing goes on")
	}
	x.pause, x.retry = 0, time.Time{}
	return lines+facts > 0
}

// noteFailure puts the next try off.
func (x *run) noteFailure(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	x.log.Warn("indexing failed", "reason", err)
	if x.pause == 0 {
		x.notify("what is said cannot be searched by meaning for now, only by its words: " + err.Error())
	}
	x.pause = min(max(shortestPause, 2*x.pause), longestPause)
	x.retry = time.Now().Add(x.pause)
}

// indexLastLines indexes the lines that were said, or reworded, just before the
// end. If much is left from before, all of it waits for the next start.
func (x *run) indexLastLines(ctx context.Context) {
	n, err := x.store.Backlog(ctx)
	for lines := n; err == nil && lines > 0 && n <= fewLeft; {
		lines, err = x.store.IndexLines(ctx)
	}
	for facts := n; err == nil && facts > 0 && n <= fewLeft && x.pause == 0; {
		facts, err = x.store.EmbedFacts(ctx)
	}
	if err != nil {
		x.log.Warn("indexing the last lines", "reason", err)
	}
}

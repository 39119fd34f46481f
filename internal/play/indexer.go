package play

// The indexer makes the content of a store searchable by meaning: new lines, lines that were said while the
// embedder was down, and everything after the embedder was changed. It works in small batches in the
// background and blocks nothing.

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// IndexedStore is a store with content to index, such as a sqlite store. It is indexed in small batches.
type IndexedStore interface {
	// Unindexed returns a channel that has a value when something was written that may have to be indexed.
	Unindexed() <-chan struct{}
	// Backlog returns how much is left to index.
	Backlog(ctx context.Context) (int, error)
	// IndexLines makes facts from some lines and returns their number, 0 if none are left. It needs no embedder.
	IndexLines(ctx context.Context) (int, error)
	// EmbedFacts gives some facts their vectors, the newest first, and returns their number, 0 if none are left.
	EmbedFacts(ctx context.Context) (int, error)
}

const (
	// shortestPause and longestPause bound the pause after an embedder has failed. The pause doubles with each
	// failure.
	shortestPause = time.Second
	longestPause  = time.Minute
	// finishTime bounds the indexing of the last lines after ctx ends.
	finishTime = 5 * time.Second
	// notifyBacklog is the backlog from which people are notified, because less is indexed in a moment.
	notifyBacklog = 500
	// maxFinalBacklog is the largest backlog that is still indexed at the end. It consists of lines from the last
	// moments.
	maxFinalBacklog = 64
)

// RunIndexer indexes until ctx ends, and then the last lines for at most five seconds. It calls notify once
// each time the embedder begins to fail, and for a large backlog at the start. log receives every failure.
func RunIndexer(ctx context.Context, store IndexedStore, log *slog.Logger, notify func(text string)) {
	x := &run{store: store, log: log, notify: notify}
	if n, err := store.Backlog(ctx); err == nil && n >= notifyBacklog {
		notify(fmt.Sprintf("memory is preparing %d entries for search by meaning; until then, it finds them by their words", n))
	}
	// A request in progress when ctx ends is completed, so that the embedder is not asked twice.
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

// run is the state of a RunIndexer call.
type run struct {
	store  IndexedStore
	log    *slog.Logger
	notify func(string)
	pause  time.Duration // 0 unless the last try failed
	retry  time.Time     // when to retry; zero unless the last try failed
}

// indexSome indexes one batch and reports whether there may be more to do now.
func (x *run) indexSome(ctx context.Context) (more bool) {
	lines, err := x.store.IndexLines(ctx)
	if err != nil {
		x.postponeRetry(ctx, err)
		return false
	}
	if time.Now().Before(x.retry) {
		return lines > 0
	}
	facts, err := x.store.EmbedFacts(ctx)
	if err != nil {
		x.postponeRetry(ctx, err)
		return lines > 0
	}
	if x.pause > 0 {
		x.log.Info("indexing goes on")
	}
	x.pause, x.retry = 0, time.Time{}
	return lines+facts > 0
}

// postponeRetry postpones the next try.
func (x *run) postponeRetry(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	x.log.Warn("indexing failed", "reason", err)
	if x.pause == 0 {
		x.notify("memory cannot search by meaning for now, only by words: " + err.Error())
	}
	x.pause = min(max(shortestPause, 2*x.pause), longestPause)
	x.retry = time.Now().Add(x.pause)
}

// indexLastLines indexes the lines that were said or reworded just before the end. A larger backlog waits for
// the next start.
func (x *run) indexLastLines(ctx context.Context) {
	n, err := x.store.Backlog(ctx)
	for lines := n; err == nil && lines > 0 && n <= maxFinalBacklog; {
		lines, err = x.store.IndexLines(ctx)
	}
	for facts := n; err == nil && facts > 0 && n <= maxFinalBacklog && x.pause == 0; {
		facts, err = x.store.EmbedFacts(ctx)
	}
	if err != nil {
		x.log.Warn("indexing the last lines", "reason", err)
	}
}

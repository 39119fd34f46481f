package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// indexQueue bounds the lines that wait to be indexed. When it is full, lines
// are left out of the index and logged; the session log has them all, and full
// text search finds them.
const indexQueue = 256

// farewell bounds what is finished after a session has ended.
const farewell = 5 * time.Second

// indexer is a session log that also makes every line findable by meaning, on
// a goroutine of its own, since an embedder may be far away.
type indexer struct {
	memory.SessionLog
	store *sqlite.Store
	log   *slog.Logger
	queue chan memory.Fact
	done  chan struct{}
	life  context.Context
	end   context.CancelFunc
}

func newIndexer(store *sqlite.Store, log *slog.Logger) *indexer {
	x := &indexer{SessionLog: store, store: store, log: log, queue: make(chan memory.Fact, indexQueue), done: make(chan struct{})}
	x.life, x.end = context.WithCancel(context.Background())
	go x.run()
	return x
}

// Append implements [memory.SessionLog]: lines are durable when it returns and
// indexed soon after.
func (x *indexer) Append(ctx context.Context, lines ...memory.Line) ([]memory.Line, error) {
	kept, err := x.SessionLog.Append(ctx, lines...)
	if err != nil {
		return nil, err
	}
	for _, l := range kept {
		f := memory.Fact{Source: "session:" + l.Session, Text: l.Speaker + ": " + l.Text, At: l.At}
		select {
		case x.queue <- f:
		default:
			x.log.Warn("line left out of the semantic index: it cannot keep up", "session", l.Session, "turn", l.Turn)
		}
	}
	return kept, nil
}

func (x *indexer) run() {
	defer close(x.done)
	for f := range x.queue {
		if err := x.store.Remember(x.life, f); err != nil && x.life.Err() == nil {
			x.log.Warn("line not indexed", "source", f.Source, "reason", err)
		}
	}
}

// close gives the indexer a moment to finish what waits, then ends it. Append
// must not be called any more.
func (x *indexer) close() {
	close(x.queue)
	timer := time.NewTimer(farewell)
	defer timer.Stop()
	select {
	case <-x.done:
	case <-timer.C:
	}
	x.end()
	<-x.done
}

package play

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

// reworded is no line's id.
const reworded = 0

// Indexer is a session log that also makes every line findable by meaning, on
// a goroutine of its own, since an embedder may be far away.
type Indexer struct {
	memory.SessionLog
	store *sqlite.Store
	log   *slog.Logger
	// queue holds ids of lines, not what they say: one that is taken back or
	// reworded while it waits is found so. It holds reworded for facts that
	// changed and have no vector yet.
	queue chan int64
	done  chan struct{}
	life  context.Context
	end   context.CancelFunc
}

// NewIndexer returns an indexer over a store. Close ends it.
func NewIndexer(store *sqlite.Store, log *slog.Logger) *Indexer {
	x := &Indexer{SessionLog: store, store: store, log: log, queue: make(chan int64, indexQueue), done: make(chan struct{})}
	x.life, x.end = context.WithCancel(context.Background())
	go x.run()
	return x
}

// Append implements [memory.SessionLog]: lines are durable when it returns and
// indexed soon after.
func (x *Indexer) Append(ctx context.Context, lines ...memory.Line) ([]memory.Line, error) {
	kept, err := x.SessionLog.Append(ctx, lines...)
	if err != nil {
		return nil, err
	}
	for _, l := range kept {
		select {
		case x.queue <- l.ID:
		default:
			x.log.Warn("line left out of the semantic index: it cannot keep up", "session", l.Session, "turn", l.Turn)
		}
	}
	return kept, nil
}

// Reword implements [memory.SessionLog]: what is indexed already is found by
// its new words when it returns, and by its new meaning soon after.
func (x *Indexer) Reword(ctx context.Context, session, ref, text string) (int, error) {
	n, err := x.SessionLog.Reword(ctx, session, ref, text)
	if n > 0 {
		select {
		case x.queue <- reworded:
		default: // the next start makes up for it
		}
	}
	return n, err
}

func (x *Indexer) run() {
	defer close(x.done)
	for id := range x.queue {
		if err := x.indexLine(id); err != nil && x.life.Err() == nil {
			x.log.Warn("line not indexed", "line", id, "reason", err)
		}
	}
}

func (x *Indexer) indexLine(id int64) error {
	if id == reworded {
		_, err := x.store.Reindex(x.life)
		return err
	}
	return x.store.RememberLines(x.life, id)
}

// Close gives the indexer a moment to finish what waits, then ends it. Append
// and Reword must not be called any more.
func (x *Indexer) Close() {
	close(x.queue)
	timer := time.NewTimer(closeTime)
	defer timer.Stop()
	select {
	case <-x.done:
	case <-timer.C:
	}
	x.end()
	<-x.done
}

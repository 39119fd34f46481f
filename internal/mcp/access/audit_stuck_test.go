package access

import (
	"testing"
	"testing/synctest"
	"time"

	"log/slog"
)

// TestDeadDiskHoldsNobodyForEver has a writer that never returns from a write: no caller
// may wait for it for ever.
func TestDeadDiskHoldsNobodyForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &Log{queue: make(chan *entry, 2), urge: make(chan struct{}, 1), losses: losses{log: slog.New(slog.DiscardHandler)}}
		rows := []struct {
			name string
			took time.Duration
			lost int64
		}{
			{name: "room", took: 0, lost: 0},
			{name: "last_room", took: 0, lost: 0},
			{name: "full", took: maxHold, lost: 1},
			{name: "known_to_be_stuck", took: 0, lost: 2},
		}
		for _, row := range rows {
			start := time.Now()
			l.Add(LogRecord{}, "")
			if took := time.Since(start); took != row.took || l.Lost() != row.lost {
				t.Errorf("%s: Add took %v and %d are lost, want %v and %d", row.name, took, l.Lost(), row.took, row.lost)
			}
		}
		<-l.queue
		l.Add(LogRecord{}, "")
		if l.Lost() != 2 || l.Queued() != 2 {
			t.Errorf("%d lost and %d queued after the writer came back, want 2 and 2", l.Lost(), l.Queued())
		}
	})
}

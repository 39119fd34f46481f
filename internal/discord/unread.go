package discord

import (
	"context"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

// unreadLines queues lines of NPCs that were neither posted nor heard, until they are removed from the
// session log. It is safe for concurrent use. The sender's queue bounds its size.
type unreadLines struct {
	arrived chan struct{} // receives when a line is added

	mu      sync.Mutex // guards waiting
	waiting []table.Unread
}

func newUnreadLines() *unreadLines { return &unreadLines{arrived: make(chan struct{}, 1)} }

func (l *unreadLines) add(u table.Unread) {
	l.mu.Lock()
	l.waiting = append(l.waiting, u)
	l.mu.Unlock()
	wakeup.Signal(l.arrived)
}

// drain removes and returns all lines.
func (l *unreadLines) drain() []table.Unread {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.waiting
	l.waiting = nil
	return all
}

// requeue puts lines back.
func (l *unreadLines) requeue(all []table.Unread) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(all, l.waiting...)
}

// dropUnread removes the queued lines from the table's log.
func (r *session) dropUnread(ctx context.Context) {
	for {
		select {
		case <-r.unread.arrived:
		case <-ctx.Done():
			return
		}
		all := r.unread.drain()
		for i, u := range all {
			err := r.receiver.DropUnread(ctx, u)
			if err != nil && ctx.Err() != nil {
				r.unread.requeue(all[i:])
				return
			}
			if err != nil {
				r.log.Error("taking back what nobody could read", "guild", r.guild, "reason", err)
			}
		}
	}
}

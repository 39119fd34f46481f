package discord

import (
	"context"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

// unreadLines are what NPCs said and nobody could read, until what is kept knows it. It is
// safe for concurrent use. What is in it is bounded by what the sender may have to post.
type unreadLines struct {
	arrived chan struct{} // receives when there is something

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

// takeAll takes all that waits.
func (l *unreadLines) takeAll() []table.Unread {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.waiting
	l.waiting = nil
	return all
}

// returnAll puts back what was taken.
func (l *unreadLines) returnAll(all []table.Unread) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(all, l.waiting...)
}

// dropUnread has the table forget what nobody could read.
func (r *session) dropUnread(ctx context.Context) {
	for {
		select {
		case <-r.unread.arrived:
		case <-ctx.Done():
			return
		}
		all := r.unread.takeAll()
		for i, u := range all {
			err := r.hearer.DropUnread(ctx, u)
			if err != nil && ctx.Err() != nil {
				r.unread.returnAll(all[i:])
				return
			}
			if err != nil {
				r.log.Error("taking back what nobody could read", "guild", r.guild, "reason", err)
			}
		}
	}
}

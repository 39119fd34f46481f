package ear

import (
	"context"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

// crowded is the number of queued events at which the ear pauses.
const crowded = 64

// outbox queues events for a busy listener. It loses none, except that an interim transcript is replaced by a
// newer one of its segment. The sender bounds the queue, by adding nothing while it is crowded.
type outbox struct {
	news chan struct{} // holds a token when there may be events to deliver
	room chan struct{} // holds a token when the queue may have room again

	mu     sync.Mutex // guards the field below
	events []Event
}

func newOutbox() *outbox {
	return &outbox{news: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

func (o *outbox) putEvent(e Event) {
	o.mu.Lock()
	if !o.replaceInterim(e) {
		o.events = append(o.events, e)
	}
	o.mu.Unlock()
	wakeup.Signal(o.news)
}

// replaceInterim replaces a queued interim transcript of the same segment, and reports whether there was one.
func (o *outbox) replaceInterim(e Event) bool {
	if e.Kind != Interim {
		return false
	}
	for i := range o.events {
		old := &o.events[i]
		if old.Kind == Interim && old.Utterance == e.Utterance && old.Segment == e.Segment {
			*old = e
			return true
		}
	}
	return false
}

func (o *outbox) isCrowded() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.events) >= crowded
}

func (o *outbox) nextEvent() (e Event, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.events) == 0 {
		return e, false
	}
	e = o.events[0]
	o.events = append(o.events[:0], o.events[1:]...)
	if len(o.events) == crowded-1 {
		wakeup.Signal(o.room)
	}
	return e, true
}

// deliverEvents calls emit with every event until ctx ends.
func (o *outbox) deliverEvents(ctx context.Context, emit func(Event)) {
	for ctx.Err() == nil {
		if e, ok := o.nextEvent(); ok {
			emit(e)
			continue
		}
		select {
		case <-o.news:
		case <-ctx.Done():
		}
	}
}

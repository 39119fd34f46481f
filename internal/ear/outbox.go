package ear

import (
	"context"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

// crowded is how many events may wait before the ear stops hearing.
const crowded = 64

// outbox keeps events for a listener that is busy. It loses none, but an
// interim transcript gives way to a newer one of its segment. Its bound is kept
// by the one who puts: nothing more while it is crowded.
type outbox struct {
	news chan struct{} // holds a token when there may be something to tell
	room chan struct{} // holds a token when it may be crowded no longer

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

// replaceInterim puts an interim transcript in the place of an older one.
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

// deliverEvents tells emit every event until ctx ends.
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

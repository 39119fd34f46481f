package voice

import (
	"sync"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

// outbox queues the encryption's messages to the gateway. It never blocks: more than maxOutbox messages make
// it overflow, and the session starts over.
type outbox struct {
	ready chan struct{} // one token: new messages or overflow

	mu       sync.Mutex // guards the fields below
	messages []message
	overflow bool
}

const maxOutbox = 64

func (o *outbox) put(m message) {
	o.mu.Lock()
	if len(o.messages) < maxOutbox {
		o.messages = append(o.messages, m)
	} else {
		o.overflow = true
	}
	o.mu.Unlock()
	wakeup.Signal(o.ready)
}

// requeue puts unsent messages back at the front.
func (o *outbox) requeue(m []message) {
	o.mu.Lock()
	o.messages = append(m[:len(m):len(m)], o.messages...)
	o.mu.Unlock()
	wakeup.Signal(o.ready)
}

func (o *outbox) drain() ([]message, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	m := o.messages
	o.messages = nil
	return m, o.overflow
}

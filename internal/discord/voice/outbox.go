package voice

import (
	"sync"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

// outbox holds what the encryption wants the gateway to be told. It never blocks
// who fills it: beyond 64 messages it overflows, and the session is begun anew.
type outbox struct {
	ready chan struct{} // one token: there is something, or too much

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

// putBack puts messages before the others again: they were not sent.
func (o *outbox) putBack(m []message) {
	o.mu.Lock()
	o.messages = append(m[:len(m):len(m)], o.messages...)
	o.mu.Unlock()
	wakeup.Signal(o.ready)
}

func (o *outbox) take() ([]message, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	m := o.messages
	o.messages = nil
	return m, o.overflow
}

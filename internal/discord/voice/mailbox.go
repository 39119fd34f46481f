package voice

import (
	"context"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

// gatewayUpdates keeps the latest voice state and server from the main gateway until they are taken, so that the sender
// never blocks.
type gatewayUpdates struct {
	ready chan struct{} // one token: something new

	mu     sync.Mutex // guards the fields below
	state  *State
	server *Server
}

func (n *gatewayUpdates) putState(s State) {
	n.mu.Lock()
	n.state = &s
	n.mu.Unlock()
	wakeup.Signal(n.ready)
}

func (n *gatewayUpdates) putServer(s Server) {
	n.mu.Lock()
	n.server = &s
	n.mu.Unlock()
	wakeup.Signal(n.ready)
}

// pop returns the news since the last call, nil for none.
func (n *gatewayUpdates) pop() (*State, *Server) {
	n.mu.Lock()
	defer n.mu.Unlock()
	state, server := n.state, n.server
	n.state, n.server = nil, nil
	return state, server
}

// moveTimeout bounds one request to the main gateway.
const moveTimeout = 5 * time.Second

// mover sends the channels that the bot should move to, one after the other, to the main gateway. A new plan
// replaces the rest of the previous one.
type mover struct {
	ready  chan struct{} // one token: a new plan
	failed chan error    // the latest failure

	mu   sync.Mutex // guards the fields below
	plan []string   // channels, in order
	done chan<- error
}

// replace sets a new plan. done, if not nil, must have capacity and receives the result, or nil if another
// plan replaces this one first.
func (m *mover) replace(done chan<- error, channels ...string) {
	m.mu.Lock()
	if m.done != nil {
		m.done <- nil
	}
	m.plan, m.done = channels, done
	m.mu.Unlock()
	wakeup.Signal(m.ready)
}

func (m *mover) popPlan() ([]string, chan<- error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	plan, done := m.plan, m.done
	m.plan, m.done = nil, nil
	return plan, done
}

// run carries out plans until ctx ends.
func (m *mover) run(ctx context.Context, move func(context.Context, string) error) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.ready:
		}
		plan, done := m.popPlan()
		var err error
		for _, channel := range plan {
			if err = moveWithin(ctx, moveTimeout, move, channel); err != nil {
				break
			}
		}
		if done != nil {
			done <- err
		} else if err != nil && ctx.Err() == nil {
			select {
			case m.failed <- err:
			default: // a failure is already pending
			}
		}
	}
}

func moveWithin(ctx context.Context, d time.Duration, move func(context.Context, string) error, channel string) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return move(ctx, channel)
}

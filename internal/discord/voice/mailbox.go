package voice

import (
	"context"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

// news keeps the newest of what the main gateway told until it is taken, so
// that who brings it never waits.
type news struct {
	ready chan struct{} // one token: there is something

	mu     sync.Mutex // guards the fields below
	state  *State
	server *Server
}

func (n *news) putState(s State) {
	n.mu.Lock()
	n.state = &s
	n.mu.Unlock()
	wakeup.Signal(n.ready)
}

func (n *news) putServer(s Server) {
	n.mu.Lock()
	n.server = &s
	n.mu.Unlock()
	wakeup.Signal(n.ready)
}

// take returns what came since it was last called, nil for nothing.
func (n *news) take() (*State, *Server) {
	n.mu.Lock()
	defer n.mu.Unlock()
	state, server := n.state, n.server
	n.state, n.server = nil, nil
	return state, server
}

// moveTimeout is how long the main gateway may take to pass on one wish.
const moveTimeout = 5 * time.Second

// mover passes on to the main gateway where the bot wants to be, one wish after
// the other. A new plan replaces what is left of the one before.
type mover struct {
	ready  chan struct{} // one token: there is a plan
	failed chan error    // the newest failure

	mu   sync.Mutex // guards the fields below
	plan []string   // channels, one after the other
	done chan<- error
}

// replace makes channels the plan. done, if not nil, has room and receives how it
// went, which is well if another plan comes first.
func (m *mover) replace(done chan<- error, channels ...string) {
	m.mu.Lock()
	if m.done != nil {
		m.done <- nil
	}
	m.plan, m.done = channels, done
	m.mu.Unlock()
	wakeup.Signal(m.ready)
}

func (m *mover) take() ([]string, chan<- error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	plan, done := m.plan, m.done
	m.plan, m.done = nil, nil
	return plan, done
}

// run carries plans out until ctx ends.
func (m *mover) run(ctx context.Context, move func(context.Context, string) error) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.ready:
		}
		plan, done := m.take()
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
			default: // One is told already.
			}
		}
	}
}

func moveWithin(ctx context.Context, d time.Duration, move func(context.Context, string) error, channel string) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return move(ctx, channel)
}

package discord

import (
	"context"
	"sync"
)

// tasks are work in the background, with a context that ends with it. It is safe
// for concurrent use.
type tasks struct {
	running sync.WaitGroup

	mu    sync.Mutex // guards the fields below
	life  context.Context
	ended bool // nothing is begun any more
}

// setContext sets the context of all tasks, before the first is spawned.
func (t *tasks) setContext(life context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.life = life
}

// context is what tasks end with.
func (t *tasks) context() context.Context {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.life
}

// spawn begins a task. It reports whether it did: none is begun after end.
func (t *tasks) spawn(do func(ctx context.Context)) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return false
	}
	life := t.life
	t.running.Go(func() { do(life) })
	return true
}

// end lets no task begin any more, cancels those that run, and waits for them.
func (t *tasks) end(cancel context.CancelFunc) {
	t.mu.Lock()
	t.ended = true
	t.mu.Unlock()
	cancel()
	t.running.Wait()
}

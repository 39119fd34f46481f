package discord

import (
	"context"
	"sync"
)

// tasks are background goroutines with a common context. It is safe for concurrent use.
type tasks struct {
	running sync.WaitGroup

	mu    sync.Mutex // guards the fields below
	life  context.Context
	ended bool // no task may start any more
}

// setContext sets the context of all tasks. Call it before the first spawn.
func (t *tasks) setContext(life context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.life = life
}

// context returns the context of all tasks.
func (t *tasks) context() context.Context {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.life
}

// spawn starts a task. It returns false without starting it after end.
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

// end prevents new tasks, cancels the running ones, and waits for them.
func (t *tasks) end(cancel context.CancelFunc) {
	t.mu.Lock()
	t.ended = true
	t.mu.Unlock()
	cancel()
	t.running.Wait()
}

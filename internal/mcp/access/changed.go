package access

import (
	"context"
	"time"
)

// glance is how long [Engine.Run] sleeps at most: timers stand still while a
// machine sleeps, and clocks are set.
const glance = time.Minute

// Changed returns a channel that is closed when what callers may do may have
// changed by itself, since a time window opened or closed or an override ended.
// Take the channel before listing, list, wait for it, and begin again. It needs
// [Engine.Run].
func (e *Engine) Changed() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.changed
}

// Run keeps [Engine.Changed] until ctx is done, and returns nil then, and tells of calls
// that nobody decided on in time. Without rules that depend on the time it only waits. It is to run once.
func (e *Engine) Run(ctx context.Context) error {
	from := e.made.Round(0) // by the wall clock, as the rules are
	for {
		next, ok := e.nextChange(from)
		waits := e.PendingChanged()
		if !ok && e.asks.isEmpty() {
			select {
			case <-ctx.Done():
				return nil
			case <-waits: // from now on a call does
			}
		}
		sleep := glance
		if ok {
			sleep = min(time.Until(next), glance)
		}
		timer := time.NewTimer(sleep)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-timer.C:
		}
		e.tellLapsed()
		now := time.Now().Round(0)
		if !ok {
			continue
		}
		if !now.Before(next) || now.Before(from) { // or the clock was set back
			e.announce()
		}
		from = now
	}
}

// nextChange returns the first instant after t at which a rule changes by itself, and
// whether there is one.
func (e *Engine) nextChange(t time.Time) (time.Time, bool) {
	var best time.Time
	for _, r := range e.gates {
		if n, ok := r.nextChange(t); ok && (best.IsZero() || n.Before(best)) {
			best = n
		}
	}
	return best, !best.IsZero()
}

func (e *Engine) announce() {
	e.mu.Lock()
	defer e.mu.Unlock()
	close(e.changed)
	e.changed = make(chan struct{})
}

package access

import (
	"context"
	"time"
)

// glance bounds how long [Engine.Run] sleeps, because timers stop while a machine is suspended and clocks may
// be set.
const glance = time.Minute

// Changed returns a channel that is closed when permissions may have changed by themselves, because a time
// window opened or closed or an override ended. Get the channel, list, wait for the channel, and repeat. It
// needs [Engine.Run].
func (e *Engine) Changed() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.changed
}

// Run maintains [Engine.Changed] and reports calls that expired without a decision, until ctx ends. It then
// returns nil. Call it once.
func (e *Engine) Run(ctx context.Context) error {
	from := e.made.Round(0) // wall clock, like the rules
	for {
		next, ok := e.nextChange(from)
		waits := e.PendingChanged()
		if !ok && e.approvalQueue.isEmpty() {
			select {
			case <-ctx.Done():
				return nil
			case <-waits: // a call has started to wait
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
		e.notifyExpired()
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

// nextChange returns the first instant after t at which a rule changes by itself, and whether there is one.
func (e *Engine) nextChange(t time.Time) (time.Time, bool) {
	var best time.Time
	for _, r := range e.denyRules {
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

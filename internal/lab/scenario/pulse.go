package scenario

import (
	"context"
	"sync"
	"time"
)

// stall is a time for which the machine had nothing left for the scene.
type stall struct {
	at   time.Duration // its end
	took time.Duration
}

const (
	// beat is how often the pulse is felt, and hiccup from which lateness on a
	// beat counts as a stall.
	beat   = 10 * time.Millisecond
	hiccup = 5 * time.Millisecond
)

// pulse feels how late the machine is while a scene plays in real time, where a
// busy machine delays everything: what it took away is not the scene's fault.
// The zero value has felt nothing.
type pulse struct {
	beating sync.WaitGroup
	stalls  []stall // owned by the goroutine of start until wait
}

// startBeating begins to feel; it ends with ctx.
func (p *pulse) startBeating(ctx context.Context, scene time.Time) {
	p.beating.Go(func() {
		timer := time.NewTimer(beat)
		defer timer.Stop()
		for {
			due := time.Now().Add(beat)
			timer.Reset(beat)
			select {
			case <-timer.C:
			case <-ctx.Done():
				return
			}
			if late := time.Since(due); late > hiccup {
				p.stalls = append(p.stalls, stall{time.Since(scene), late})
			}
		}
	})
}

// awaitStalls returns what was felt, once the context of start has ended.
func (p *pulse) awaitStalls() []stall {
	p.beating.Wait()
	return p.stalls
}

// stalled is how much time the machine took from the scene between two times.
func (p *performance) stalled(from, to time.Duration) time.Duration {
	var sum time.Duration
	for _, s := range p.stalls {
		if s.at >= from && s.at-s.took <= to {
			sum += s.took
		}
	}
	return sum
}

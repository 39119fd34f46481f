package scenario

import (
	"context"
	"sync"
	"time"
)

// stall is a time in which the machine did not run the scene.
type stall struct {
	at   time.Duration // its end
	took time.Duration
}

const (
	// beat is the interval of measurements, and hiccup the lateness that counts
	// as a stall.
	beat   = 10 * time.Millisecond
	hiccup = 5 * time.Millisecond
)

// pulse measures how late the machine is during a scene in real time, because
// such delays are not the scene's fault. The zero value has no measurements.
type pulse struct {
	beating sync.WaitGroup
	stalls  []stall // owned by the goroutine of start until wait
}

// startBeating starts measuring until ctx ends.
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

// awaitStalls returns the stalls once the context of start has ended.
func (p *pulse) awaitStalls() []stall {
	p.beating.Wait()
	return p.stalls
}

// stalled returns how much time stalls took between two times.
func (p *performance) stalled(from, to time.Duration) time.Duration {
	var sum time.Duration
	for _, s := range p.stalls {
		if s.at >= from && s.at-s.took <= to {
			sum += s.took
		}
	}
	return sum
}

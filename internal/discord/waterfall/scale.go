package waterfall

import "time"

const (
	// beyond is how many times the longest target the picture reaches at most: one
	// turn that took forever must not press all others flat.
	beyond = 2
	// fewest is the shortest time the picture shows.
	fewest = 10 * time.Millisecond
	// longest bounds every time: what takes longer is drawn as if it took that.
	longest = 24 * time.Hour
	// maxTicks bounds the ticks after 0.
	maxTicks = 6
)

// reach is the time at the right edge: every target with some room behind it,
// and the turns as far as that is sensible. What cannot be shown is cut.
func reach(turns []Turn) time.Duration {
	var last, early, target time.Duration
	for _, t := range turns {
		target, early = max(target, t.Target), max(early, t.First)
		for _, s := range t.Spans {
			last = max(last, s.To)
		}
	}
	if early == 0 { // nobody was heard
		early = last
	}
	// How long an NPC speaks matters less than what comes before it: of that a
	// fifth of the picture is enough.
	end := min(last, early+early/4)
	if target > 0 {
		end = min(max(end, target+target/8), beyond*target)
	}
	return max(end, fewest)
}

// step is the time between two ticks of a scale that ends at end.
func step(end time.Duration) time.Duration {
	for unit := time.Millisecond; ; unit *= 10 {
		for _, n := range []time.Duration{1, 2, 5} {
			if n*unit*maxTicks >= end {
				return n * unit
			}
		}
	}
}

package cost

import (
	"slices"
	"time"
)

// turns are the last turns of a tier, with the times of each stage in order so
// that a percentile is a look-up.
type turns struct {
	ring   [Window]Sample
	n      int // turns in ring
	next   int // where the next one goes
	stages [StageCount]ordered
	first  ordered
}

func (t *turns) addSample(s Sample) {
	if t.n == Window {
		old := &t.ring[t.next]
		for stage := range t.stages {
			if old.has(Stage(stage)) {
				t.stages[stage].remove(old.Took[stage])
			}
		}
		t.first.remove(old.FirstSound)
	} else {
		t.n++
	}
	t.ring[t.next] = s
	t.next = (t.next + 1) % Window
	for stage := range t.stages {
		if s.has(Stage(stage)) {
			t.stages[stage].insert(s.Took[stage])
		}
	}
	t.first.insert(s.FirstSound)
}

// ordered holds up to Window times, the shortest first.
type ordered struct {
	times [Window]time.Duration
	n     int
}

// insert adds d; there is room.
func (o *ordered) insert(d time.Duration) {
	at, _ := slices.BinarySearch(o.times[:o.n], d)
	o.n++
	copy(o.times[at+1:o.n], o.times[at:o.n-1])
	o.times[at] = d
}

// remove takes out d, which is there.
func (o *ordered) remove(d time.Duration) {
	at, _ := slices.BinarySearch(o.times[:o.n], d)
	copy(o.times[at:], o.times[at+1:o.n])
	o.n--
}

// percentile is by nearest rank; 0 of nothing.
func (o *ordered) percentile(percent int) time.Duration {
	if o.n == 0 {
		return 0
	}
	rank := (o.n*percent + 99) / 100
	return o.times[rank-1]
}

package cost

import (
	"slices"
	"time"
)

// turns are the last turns of a tier. The times of each stage are sorted, so that a percentile is a look-up.
type turns struct {
	ring   [Window]Sample
	n      int // turns in ring
	next   int // index of the next one
	stages [StageCount]ordered
	first  ordered
}

func (t *turns) addSample(s Sample) {
	if t.n == Window {
		old := &t.ring[t.next]
		for stage := range t.stages {
			if old.has(Stage(stage)) {
				t.stages[stage].remove(old.Durations[stage])
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
			t.stages[stage].insert(s.Durations[stage])
		}
	}
	t.first.insert(s.FirstSound)
}

// ordered holds up to Window times in ascending order.
type ordered struct {
	times [Window]time.Duration
	n     int
}

// insert adds d. There must be room.
func (o *ordered) insert(d time.Duration) {
	at, _ := slices.BinarySearch(o.times[:o.n], d)
	o.n++
	copy(o.times[at+1:o.n], o.times[at:o.n-1])
	o.times[at] = d
}

// remove removes d, which must be present.
func (o *ordered) remove(d time.Duration) {
	at, _ := slices.BinarySearch(o.times[:o.n], d)
	copy(o.times[at:], o.times[at+1:o.n])
	o.n--
}

// percentile returns a percentile by nearest rank, 0 without times.
func (o *ordered) percentile(percent int) time.Duration {
	if o.n == 0 {
		return 0
	}
	rank := (o.n*percent + 99) / 100
	return o.times[rank-1]
}

package simulate

import (
	"sync"
	"time"
)

// unmatched is how many frames at most are known by half.
const unmatched = 8

// writing measures how late a table's frames are at the network: the mixer knows of each how
// late it was handed over, the transport how long it took from there. It is safe for
// concurrent use.
type writing struct {
	meter *meter

	mu    sync.Mutex      // guards the fields below
	late  []time.Duration // of frames handed over, of which it is not known when they were sent
	waits []time.Duration // of frames sent, of which it is not known how late they were handed over
	out   uint64          // frames sent
}

// handedOver notes that the next frame was handed to the transport so late.
func (w *writing) handedOver(late time.Duration) {
	w.meter.frame(late)
	w.match(&w.late, &w.waits, late)
}

// sent notes that the next frame was given to the network, and how long that took.
func (w *writing) sent(took time.Duration) {
	w.match(&w.waits, &w.late, took)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out++
}

// frames returns how many were sent.
func (w *writing) frames() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out
}

// match counts a frame's lateness at the network once both halves of it are known.
func (w *writing) match(mine, others *[]time.Duration, d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(*others) > 0 {
		w.meter.written.addDuration(d + (*others)[0])
		*others = (*others)[1:]
		return
	}
	if len(*mine) < unmatched {
		*mine = append(*mine, d)
	}
}

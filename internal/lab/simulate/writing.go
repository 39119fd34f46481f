package simulate

import (
	"sync"
	"time"
)

// unmatched bounds the frames with only one half of their data.
const unmatched = 8

// writing measures the lateness of a table's frames at the network: the mixer
// knows each frame's lateness when handed over, the transport the time from
// there. It is safe for concurrent use.
type writing struct {
	meter *meter

	mu    sync.Mutex      // guards the fields below
	late  []time.Duration // of frames handed over whose sending is not known yet
	waits []time.Duration // of frames sent whose lateness is not known yet
	out   uint64          // frames sent
}

// handedOver records the lateness of the next frame when handed to the
// transport.
func (w *writing) handedOver(late time.Duration) {
	w.meter.frame(late)
	w.match(&w.late, &w.waits, late)
}

// sent records that the next frame was passed to the network, and how long that
// took.
func (w *writing) sent(took time.Duration) {
	w.match(&w.waits, &w.late, took)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out++
}

// frames returns the number of frames sent.
func (w *writing) frames() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out
}

// match counts a frame's lateness at the network when both halves are known.
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

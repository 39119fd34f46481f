package ear

import (
	"context"
	"errors"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// DefaultEarly is the default of Options.Early.
const DefaultEarly = 3

const (
	// earlyAfter is the silence after which a final is requested early. Once requests were in vain twice
	// within an utterance, which is more than a comma after a name explains, the speaker tends to pause. Then
	// the silence is longer by earlyMore for each of them.
	earlyAfter = 100 * time.Millisecond
	earlyMore  = 80 * time.Millisecond
	// leastFirst is the voiced time required before the first early request, and leastMore between two of
	// them.
	leastFirst = 160 * time.Millisecond
	leastMore  = 160 * time.Millisecond
	// mostAsked is the number of outstanding requests at which no early request is made.
	mostAsked = 2
	// mostCredit is the number of early requests in a row that may be in vain. Each costs one credit, and
	// each utterance that ends earns one.
	mostCredit = 6
	// mostHeld is the maximum sound held back, in samples. It is well above the longest silence within an
	// utterance.
	mostHeld = 4 * audio.SampleRate
)

// early is the state of early requests for a final while the end of the utterance is uncertain.
type early struct {
	most   int // per utterance
	tries  int // requests for the newest utterance
	vain   int // those of them that were in vain
	credit int
	spoken time.Duration // voiced time up to the last request, in the newest utterance

	asked bool    // a request was made, and no voice heard since
	held  []int16 // sound since then, which is sent only if the speaker continues
}

// begin resets the state for a new utterance.
func (y *early) begin() { y.tries, y.vain, y.spoken = 0, 0, 0 }

// forget clears the pending request.
func (y *early) forget() { y.asked, y.held = false, y.held[:0] }

// silence returns the silence after which a final is requested.
func (y *early) silence() time.Duration {
	if y.vain < 2 {
		return earlyAfter
	}
	return earlyAfter + time.Duration(y.vain)*earlyMore
}

// askEarly requests the final transcript of the speech so far, if the speaker may have finished.
func (e *Ear) askEarly(ctx context.Context, heard LaneEvent, now time.Time) {
	y := &e.early
	if y.asked || y.tries >= y.most || y.credit <= 0 || heard.Silent < y.silence() {
		return
	}
	least := leastMore
	if y.tries == 0 {
		least = leastFirst
	}
	if heard.Speech < e.minSpeech || heard.Speech-y.spoken < least || len(e.asked) >= mostAsked {
		return
	}
	if _, ok := e.stream.(stt.Resumer); !ok {
		return
	}
	switch _, err := e.askPart(ctx, e.open, now); {
	case errors.Is(err, stt.ErrBusy):
	case err != nil:
		e.loseStream(err, now)
	default:
		y.asked, y.spoken = true, heard.Speech
		y.tries++
		e.countEarly(1, 0)
		if !heard.Known {
			e.lane.Expect(Awaited)
		}
	}
}

// resumeSegment handles a speaker who continues before the end: a final that was requested early is not the
// last one.
func (e *Ear) resumeSegment(now time.Time) {
	if !e.early.asked {
		return
	}
	held := e.early.held
	e.early.forget()
	e.early.vain++
	e.early.credit--
	e.countEarly(0, 1)
	e.stream.(stt.Resumer).Resume()
	e.sendSound(held, now)
}

// endEarly handles the end of the utterance, and reports whether its last final has already been requested.
func (e *Ear) endEarly() bool {
	asked := e.early.asked
	e.early.forget()
	e.early.credit = min(e.early.credit+1, mostCredit)
	return asked
}

// holdSound holds back sound that follows an early request, and reports whether it did.
func (e *Ear) holdSound(samples []int16, now time.Time) bool {
	if !e.early.asked {
		return false
	}
	e.early.held = append(e.early.held, samples...)
	if len(e.early.held) > mostHeld { // continue as if the speaker had
		e.resumeSegment(now)
	}
	return true
}

func (e *Ear) countEarly(asked, vain uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counts.Early += asked
	e.counts.Vain += vain
}

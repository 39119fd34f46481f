package ear

import (
	"context"
	"errors"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// DefaultEarly is how often the final of an utterance is asked for early, at most.
const DefaultEarly = 3

const (
	// earlyAfter is the silence after which a final is asked for early. Where it was in
	// vain more often than for the comma behind a name, the speaker has shown to pause,
	// and it is earlyMore longer for each time.
	earlyAfter = 100 * time.Millisecond
	earlyMore  = 80 * time.Millisecond
	// leastFirst is the voice there must be before the first time, leastMore that
	// between two.
	leastFirst = 160 * time.Millisecond
	leastMore  = 160 * time.Millisecond
	// mostAsked is how many transcripts may be due when one is asked for early.
	mostAsked = 2
	// mostCredit is how many finals in a row may be asked for in vain. Each costs
	// one, and each utterance that ends brings one.
	mostCredit = 6
	// mostHeld is how much sound is held back, well above the longest silence within
	// an utterance.
	mostHeld = 4 * audio.SampleRate
)

// early is the final that was asked for while the end of the utterance is awaited.
type early struct {
	most   int // for each utterance
	tries  int // for the newest
	vain   int // of them
	credit int
	spoken time.Duration // voice up to the last one, of that utterance

	asked bool    // and nobody was heard since
	held  []int16 // sound since then, which is sent only if the speaker goes on
}

// begin is told of a new utterance.
func (y *early) begin() { y.tries, y.vain, y.spoken = 0, 0, 0 }

// forget leaves what was asked for to itself.
func (y *early) forget() { y.asked, y.held = false, y.held[:0] }

// silence is after how much of it a final is asked for.
func (y *early) silence() time.Duration {
	if y.vain < 2 {
		return earlyAfter
	}
	return earlyAfter + time.Duration(y.vain)*earlyMore
}

// askEarly asks for the final of what was said so far, if the speaker may have ended.
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

// resumeSegment takes in that the speaker is heard again before the end: a final that
// was asked for is not the last.
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

// endEarly takes in that the utterance has ended, and reports whether its last final was
// asked for already.
func (e *Ear) endEarly() bool {
	asked := e.early.asked
	e.early.forget()
	e.early.credit = min(e.early.credit+1, mostCredit)
	return asked
}

// holdSound keeps sound back that comes after a final was asked for early, and reports
// whether it did.
func (e *Ear) holdSound(samples []int16, now time.Time) bool {
	if !e.early.asked {
		return false
	}
	e.early.held = append(e.early.held, samples...)
	if len(e.early.held) > mostHeld { // as if somebody had spoken
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

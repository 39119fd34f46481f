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
	// the silence is longer by earlyBackoff for each of them.
	earlyAfter   = 100 * time.Millisecond
	earlyBackoff = 80 * time.Millisecond
	// minVoicedFirst is the voiced time required before the first early request, and minVoicedBetween between two of
	// them.
	minVoicedFirst   = 160 * time.Millisecond
	minVoicedBetween = 160 * time.Millisecond
	// maxOutstanding is the number of outstanding requests at which no early request is made.
	maxOutstanding = 2
	// maxCredit is the number of early requests in a row that may be in vain. Each costs one credit, and
	// each utterance that ends earns one.
	maxCredit = 6
	// maxHeldSamples is the maximum sound held back, in samples. It is well above the longest silence within an
	// utterance.
	maxHeldSamples = 4 * audio.SampleRate
)

// earlyRequests is the state of earlyRequests requests for a final while the end of the utterance is uncertain.
type earlyRequests struct {
	maxPerUtterance int // per utterance
	tries           int // requests for the newest utterance
	wasted          int // those of them that were in vain
	credit          int
	voicedAtRequest time.Duration // voiced time up to the last request, in the newest utterance

	pending   bool    // a request was made, and no voice heard since
	heldSound []int16 // sound since then, which is sent only if the speaker continues
}

// begin resets the state for a new utterance.
func (y *earlyRequests) begin() { y.tries, y.wasted, y.voicedAtRequest = 0, 0, 0 }

// clearPending clears the pending request.
func (y *earlyRequests) clearPending() { y.pending, y.heldSound = false, y.heldSound[:0] }

// requiredSilence returns the requiredSilence after which a final is requested.
func (y *earlyRequests) requiredSilence() time.Duration {
	if y.wasted < 2 {
		return earlyAfter
	}
	return earlyAfter + time.Duration(y.wasted)*earlyBackoff
}

// requestEarlyFinal requests the final transcript of the speech so far, if the speaker may have finished.
func (e *Ear) requestEarlyFinal(ctx context.Context, heard LaneEvent, now time.Time) {
	y := &e.early
	if y.pending || y.tries >= y.maxPerUtterance || y.credit <= 0 || heard.Silent < y.requiredSilence() {
		return
	}
	least := minVoicedBetween
	if y.tries == 0 {
		least = minVoicedFirst
	}
	if heard.Speech < e.minSpeech || heard.Speech-y.voicedAtRequest < least || len(e.requests) >= maxOutstanding {
		return
	}
	if _, ok := e.stream.(stt.Resumer); !ok {
		return
	}
	switch _, err := e.requestPart(ctx, e.open, now); {
	case errors.Is(err, stt.ErrBusy):
	case err != nil:
		e.failStream(err, now)
	default:
		y.pending, y.voicedAtRequest = true, heard.Speech
		y.tries++
		e.countEarly(1, 0)
		if !heard.Known {
			e.lane.SetOutlook(Awaited)
		}
	}
}

// resumeSegment handles a speaker who continues before the end: a final that was requested early is not the
// last one.
func (e *Ear) resumeSegment(now time.Time) {
	if !e.early.pending {
		return
	}
	held := e.early.heldSound
	e.early.clearPending()
	e.early.wasted++
	e.early.credit--
	e.countEarly(0, 1)
	e.stream.(stt.Resumer).Resume()
	e.sendSound(held, now)
}

// endEarly handles the end of the utterance, and reports whether its last final has already been requested.
func (e *Ear) endEarly() bool {
	asked := e.early.pending
	e.early.clearPending()
	e.early.credit = min(e.early.credit+1, maxCredit)
	return asked
}

// bufferSound holds back sound that follows an early request, and reports whether it did.
func (e *Ear) bufferSound(samples []int16, now time.Time) bool {
	if !e.early.pending {
		return false
	}
	e.early.heldSound = append(e.early.heldSound, samples...)
	if len(e.early.heldSound) > maxHeldSamples { // continue as if the speaker had
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

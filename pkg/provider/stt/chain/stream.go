package chain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// takeSamples is the maximum number of samples taken from the queue at a time.
const takeSamples = 4800

// stream implements [stt.Resumer]. The fields below "Owned by run" belong to its goroutine.
type stream struct {
	chain          *Chain
	source         int // sample rate of the audio passed to Send
	opts           stt.Options
	audio          *vendor.Audio
	results        *vendor.Results
	tasks          sync.WaitGroup
	end            func()
	droppedSamples atomic.Int64 // samples at vendor.Rate that were not kept
	broken         atomic.Int64 // failed connections and connection attempts
	resumed        atomic.Int64 // number of the utterance that resumes the previous one

	// Owned by run.
	convert *vendor.Converter
	heard   chan heard
	leg     *leg          // nil if there is no connection
	last    int           // link of the previous leg, -1 before the first
	reason  error         // why the previous leg or the latest try failed
	tried   time.Time     // when the latest try began
	retry   time.Time     // when the next try is due while there is no leg
	pause   time.Duration // pause before the try after that
	waiting []*utterance  // utterances without a final, oldest first
	next    int           // number of the next utterance
	ended   *utterance    // the utterance that finished last, if it may be resent; nil once the next begins
}

// utterance is an utterance without a final transcript.
type utterance struct {
	number         int
	sound          []int16 // at vendor.Rate
	droppedSamples int     // earlier samples that only the current leg has
	finished       bool
	legs           int       // number of legs asked
	deadline       time.Time // when the current leg must have answered
	until          time.Time // when no other provider is asked any more
	failed         error     // why no other provider will be asked
	before         int       // number of preceding utterances whose audio sound includes
}

// heard is a result received from a leg.
type heard struct {
	leg    *leg
	result stt.Result
	err    error
}

// Send implements [stt.Stream].
func (s *stream) Send(samples []int16) error { return s.audio.Push(samples) }

// Finish implements [stt.Stream].
func (s *stream) Finish(ctx context.Context) (int, error) {
	if ctx.Err() != nil {
		return 0, vendor.Stopped(ctx)
	}
	return s.audio.Finish(s.results)
}

// Recv implements [stt.Stream].
func (s *stream) Recv(ctx context.Context) (stt.Result, error) { return s.results.Recv(ctx) }

// Stats implements [stt.Stream].
func (s *stream) Stats() stt.Stats {
	lost := s.droppedSamples.Load() * int64(s.source) / vendor.Rate
	return stt.Stats{Dropped: s.audio.Dropped() + lost, Late: s.results.Late(), Broken: s.broken.Load()}
}

// Close implements [stt.Stream].
func (s *stream) Close() error {
	s.end()
	return nil
}

// run owns the stream's state until ctx ends.
func (s *stream) run(ctx context.Context) {
	defer s.retireLeg()
	s.openLeg(ctx, make([]bool, len(s.chain.links.Links))) // connecting in advance saves time later
	taken := make([]int16, takeSamples)
	for ctx.Err() == nil {
		n, mark := s.audio.Pop(taken)
		if n > 0 || mark {
			s.addSound(ctx, s.convert.Convert(taken[:n], mark), mark)
			select {
			case h := <-s.heard:
				s.hearLeg(ctx, h)
			default:
			}
			continue
		}
		s.awaitNext(ctx)
	}
}

// awaitNext waits for the next event and handles it.
func (s *stream) awaitNext(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	if at, ok := s.nextDue(); ok {
		timer.Reset(time.Until(at))
	} else {
		timer.Stop() // no deadline
	}
	select {
	case <-s.audio.Ready():
	case h := <-s.heard:
		s.hearLeg(ctx, h)
	case <-timer.C:
		if s.leg != nil {
			s.endLeg(ctx, ErrSlow)
			return
		}
		s.retryOpening(ctx)
	case <-ctx.Done():
	}
}

// nextDue returns the next deadline: when the answer of the current leg is overdue or, without a leg, when
// the next try or the end of an utterance is due.
func (s *stream) nextDue() (at time.Time, ok bool) {
	finished := len(s.waiting) > 0 && s.waiting[0].finished
	switch {
	case s.leg == nil && finished && s.waiting[0].until.Before(s.retry):
		return s.waiting[0].until, true
	case s.leg == nil:
		return s.retry, true
	case finished:
		return s.waiting[0].deadline, true
	}
	return time.Time{}, false
}

// retryOpening tries again to open a leg if that is due, and replays the outstanding utterances.
func (s *stream) retryOpening(ctx context.Context) {
	if !time.Now().Before(s.retry) && s.openLeg(ctx, make([]bool, len(s.chain.links.Links))) {
		s.replayUtterances(ctx)
	}
	s.emitFailed()
}

// addSound adds audio to the current utterance and ends it at a mark.
func (s *stream) addSound(ctx context.Context, sound []int16, mark bool) {
	u := s.currentUtterance(ctx)
	u.sound = append(u.sound, sound...)
	if over := len(u.sound) - vendor.Rate*int(MaxKept.Seconds()); over > 0 {
		u.sound = append(u.sound[:0], u.sound[over:]...)
		u.droppedSamples += over
	}
	if mark {
		u.finished, u.until = true, time.Now().Add(s.chain.opts.Final+s.chain.opts.LastFinal)
		s.rememberEnded(u)
	}
	if s.leg == nil || u.failed != nil {
		s.countForgotten(u)
		s.emitFailed()
		return
	}
	if err := s.leg.stream.Send(sound); err != nil {
		s.endLeg(ctx, err)
		return
	}
	if mark {
		s.finishUtterance(ctx, u)
	}
}

// countForgotten counts the samples of u that no provider will get any more.
func (s *stream) countForgotten(u *utterance) {
	s.droppedSamples.Add(int64(u.droppedSamples))
	u.droppedSamples = 0
}

// currentUtterance returns the current utterance. It assigns a new one to the best available provider.
// Without a connection it tries to open one at once, unless the last try was less than firstPause ago.
func (s *stream) currentUtterance(ctx context.Context) *utterance {
	if n := len(s.waiting); n > 0 && !s.waiting[n-1].finished {
		return s.waiting[n-1]
	}
	u := s.newUtterance()
	s.waiting = append(s.waiting, u)
	if len(s.waiting) == 1 && u.before == 0 {
		s.dropSecondBest()
	}
	if s.leg != nil {
		s.assignToLeg(u)
		if len(u.sound) == 0 {
			return u
		}
		if err := s.leg.stream.Send(u.sound); err != nil {
			s.endLeg(ctx, err)
		}
	} else if time.Since(s.tried) > firstPause && s.openLeg(ctx, make([]bool, len(s.chain.links.Links))) {
		s.replayUtterances(ctx)
	}
	return u
}

// dropSecondBest retires the current leg if a preferred provider may be tried.
func (s *stream) dropSecondBest() {
	if s.leg == nil {
		return
	}
	for _, b := range s.chain.links.Breakers[:s.leg.link] {
		if b.Ready() {
			s.reason, s.tried = nil, time.Time{} // look for a better provider at once
			s.retireLeg()
			return
		}
	}
}

// assignToLeg records that the current leg receives u.
func (s *stream) assignToLeg(u *utterance) {
	u.legs++
	s.leg.numbers = append(s.leg.numbers, u.number)
}

// finishUtterance requests the final transcript of u from the current leg.
func (s *stream) finishUtterance(ctx context.Context, u *utterance) {
	patience := s.chain.opts.Final
	switch {
	case u.legs > 1:
		patience = s.chain.opts.LastFinal
	case len(s.chain.links.Links) == 1: // giving up early gains nothing
		patience += s.chain.opts.LastFinal
	}
	u.deadline = time.Now().Add(patience)
	if _, err := s.leg.stream.Finish(ctx); err != nil {
		s.endLeg(ctx, err)
	}
}

// hearLeg handles a result from a leg.
func (s *stream) hearLeg(ctx context.Context, h heard) {
	if h.leg != s.leg {
		return // the leg has been given up
	}
	switch {
	case h.err != nil:
		s.endLeg(ctx, h.err)
	case h.result.Err != nil:
		s.endLeg(ctx, h.result.Err)
	case h.result.Utterance < 0 || h.result.Utterance >= len(h.leg.numbers):
	default:
		r := h.result
		r.Utterance = h.leg.numbers[r.Utterance]
		for _, u := range s.waiting {
			if u.number == r.Utterance {
				r.Before = u.before
			}
		}
		if r.Final {
			if len(s.waiting) == 0 || s.waiting[0].number != r.Utterance || !s.waiting[0].finished {
				return // the utterance already has its final
			}
			s.waiting = append(s.waiting[:0], s.waiting[1:]...)
			s.leg.proven, s.pause = true, firstPause
			s.chain.links.Breakers[s.leg.link].Succeeded()
		}
		s.results.Put(r)
	}
}

// endLeg ends the current leg and replays its utterances to the next provider.
func (s *stream) endLeg(ctx context.Context, reason error) {
	if s.leg == nil || ctx.Err() != nil {
		return
	}
	link := s.leg.link
	s.reason = fmt.Errorf("%s: %w", s.chain.links.Links[link].Name, reason)
	s.broken.Add(1)
	if len(s.waiting) == 0 { // no utterance is affected
		s.retireLeg()
		s.putOffRetry()
		return
	}
	s.leg.proven = true // prevents Abandoned, as the failure is reported here
	s.chain.links.Breakers[link].Failed(isSevere(reason), 0)
	s.retireLeg()
	for _, u := range s.waiting {
		if u.legs > 1 {
			u.failed = s.reason
		}
	}
	excluded := make([]bool, len(s.chain.links.Links))
	excluded[link] = len(excluded) > 1 || isSevere(reason)
	if !s.isNeeded() {
		s.putOffRetry()
	} else if s.openLeg(ctx, excluded) {
		s.replayUtterances(ctx)
	}
	s.emitFailed()
}

// isNeeded reports whether an utterance still needs a provider.
func (s *stream) isNeeded() bool {
	return slices.ContainsFunc(s.waiting, func(u *utterance) bool { return u.failed == nil })
}

// replayUtterances sends the outstanding utterances that have not failed to the current leg.
func (s *stream) replayUtterances(ctx context.Context) {
	leg := s.leg
	for _, u := range slices.Clone(s.waiting) {
		if u.failed != nil {
			continue
		}
		s.countForgotten(u)
		s.assignToLeg(u)
		if err := leg.stream.Send(u.sound); err != nil {
			s.endLeg(ctx, err)
			return
		}
		if u.finished {
			s.finishUtterance(ctx, u)
			if s.leg != leg {
				return // a nested replay has taken place
			}
		}
	}
}

// emitFailed emits the results of finished utterances that failed. Without a leg, utterances fail if none
// will be available in time.
func (s *stream) emitFailed() {
	for _, u := range s.waiting {
		if s.leg == nil && u.finished && u.failed == nil && s.isHopeless(u) {
			u.failed = s.reason
		}
	}
	for len(s.waiting) > 0 && s.waiting[0].finished && s.waiting[0].failed != nil {
		u := s.waiting[0]
		s.waiting = append(s.waiting[:0], s.waiting[1:]...)
		s.results.Put(stt.Result{Utterance: u.number, Before: u.before, Final: true, Err: u.failed})
	}
}

// isHopeless reports whether no provider can answer u in time.
func (s *stream) isHopeless(u *utterance) bool {
	return s.chain.opts.FailFast || errors.Is(s.reason, stt.ErrRejected) || s.retry.After(u.until) || !time.Now().Before(u.until)
}

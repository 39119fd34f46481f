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

// takeSamples is how much sound is taken from the queue at a time.
const takeSamples = 4800

// stream implements [stt.Resumer]. Everything below the goroutine's line is
// owned by run.
type stream struct {
	chain   *Chain
	source  int // sample rate of what is sent to it
	opts    stt.Options
	audio   *vendor.Audio
	results *vendor.Results
	tasks   sync.WaitGroup
	end     func()
	lost    atomic.Int64 // samples at flow.Rate that were not kept
	broken  atomic.Int64 // connections, and tries to make one
	resumed atomic.Int64 // number of the utterance that continues the one before

	// The goroutine's.
	convert *vendor.Converter
	heard   chan heard
	leg     *leg          // nil if there is no connection
	last    int           // link of the last leg, -1 before the first
	reason  error         // why that was given up, or the newest try failed
	tried   time.Time     // when the newest try began
	retry   time.Time     // when the next is due while there is no leg
	pause   time.Duration // before the one after that
	waiting []*utterance  // without a final, oldest first
	next    int           // number of the utterance after those
	ended   *utterance    // the one finished last, if it may be sent again; nil once the next begins
}

// utterance is one that has no final transcript yet.
type utterance struct {
	number    int
	sound     []int16 // at flow.Rate
	forgotten int     // samples before those that only the current leg has
	finished  bool
	legs      int       // that were asked
	deadline  time.Time // when the current leg must have answered
	until     time.Time // when nobody else is asked any more
	failed    error     // why nobody will be asked any more
	before    int       // utterances before it whose sound its own begins with
}

// heard is what a leg received.
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
	lost := s.lost.Load() * int64(s.source) / vendor.Rate
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
	s.openLeg(ctx, make([]bool, len(s.chain.links.Links))) // one at hand saves time later
	taken := make([]int16, takeSamples)
	for ctx.Err() == nil {
		n, mark := s.audio.Take(taken)
		if n > 0 || mark {
			s.feedSound(ctx, s.convert.Convert(taken[:n], mark), mark)
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

// awaitNext returns after something has happened.
func (s *stream) awaitNext(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	if at, ok := s.nextDue(); ok {
		timer.Reset(time.Until(at))
	} else {
		timer.Stop() // nothing happens by itself
	}
	select {
	case <-s.audio.Wake():
	case h := <-s.heard:
		s.hearLeg(ctx, h)
	case <-timer.C:
		if s.leg != nil {
			s.giveUpLeg(ctx, ErrSlow)
			return
		}
		s.retryOpening(ctx)
	case <-ctx.Done():
	}
}

// nextDue returns when time alone decides something: the answer of a leg is overdue,
// or, while there is none, another try or the end of an utterance is due.
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

// retryOpening looks for a provider again, if that is due, and gives it what has no
// final.
func (s *stream) retryOpening(ctx context.Context) {
	if !time.Now().Before(s.retry) && s.openLeg(ctx, make([]bool, len(s.chain.links.Links))) {
		s.replayUtterances(ctx)
	}
	s.settleFailed()
}

// feedSound adds sound to the utterance that is going on, and ends it at a mark.
func (s *stream) feedSound(ctx context.Context, sound []int16, mark bool) {
	u := s.currentUtterance(ctx)
	u.sound = append(u.sound, sound...)
	if over := len(u.sound) - vendor.Rate*int(MaxKept.Seconds()); over > 0 {
		u.sound = append(u.sound[:0], u.sound[over:]...)
		u.forgotten += over
	}
	if mark {
		u.finished, u.until = true, time.Now().Add(s.chain.opts.Final+s.chain.opts.LastFinal)
		s.keepEnded(u)
	}
	if s.leg == nil || u.failed != nil {
		s.countForgotten(u)
		s.settleFailed()
		return
	}
	if err := s.leg.stream.Send(sound); err != nil {
		s.giveUpLeg(ctx, err)
		return
	}
	if mark {
		s.finishUtterance(ctx, u)
	}
}

// countForgotten counts the sound of u that no provider will get any more.
func (s *stream) countForgotten(u *utterance) {
	s.lost.Add(int64(u.forgotten))
	u.forgotten = 0
}

// currentUtterance returns the utterance that is going on; at its beginning it is given
// to the best provider there is. Without a connection there is a try at once,
// unless the last one was just now.
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
			s.giveUpLeg(ctx, err)
		}
	} else if time.Since(s.tried) > firstPause && s.openLeg(ctx, make([]bool, len(s.chain.links.Links))) {
		s.replayUtterances(ctx)
	}
	return u
}

// dropSecondBest drops a connection that is only second best.
func (s *stream) dropSecondBest() {
	if s.leg == nil {
		return
	}
	for _, b := range s.chain.links.Breakers[:s.leg.link] {
		if b.Ready() {
			s.reason, s.tried = nil, time.Time{} // look for a better one at once
			s.retireLeg()
			return
		}
	}
}

// assignToLeg notes that u is heard by the current leg.
func (s *stream) assignToLeg(u *utterance) {
	u.legs++
	s.leg.numbers = append(s.leg.numbers, u.number)
}

// finishUtterance asks the current leg for the final transcript of u.
func (s *stream) finishUtterance(ctx context.Context, u *utterance) {
	patience := s.chain.opts.Final
	switch {
	case u.legs > 1:
		patience = s.chain.opts.LastFinal
	case len(s.chain.links.Links) == 1: // giving up early would gain nothing
		patience += s.chain.opts.LastFinal
	}
	u.deadline = time.Now().Add(patience)
	if _, err := s.leg.stream.Finish(ctx); err != nil {
		s.giveUpLeg(ctx, err)
	}
}

// hearLeg is told what a leg received.
func (s *stream) hearLeg(ctx context.Context, h heard) {
	if h.leg != s.leg {
		return // it was given up
	}
	switch {
	case h.err != nil:
		s.giveUpLeg(ctx, h.err)
	case h.result.Err != nil:
		s.giveUpLeg(ctx, h.result.Err)
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
				return // it has its final
			}
			s.waiting = append(s.waiting[:0], s.waiting[1:]...)
			s.leg.proven, s.pause = true, firstPause
			s.chain.links.Breakers[s.leg.link].Succeeded()
		}
		s.results.Put(r)
	}
}

// giveUpLeg leaves the current leg and gives its utterances to the next provider.
func (s *stream) giveUpLeg(ctx context.Context, reason error) {
	if s.leg == nil || ctx.Err() != nil {
		return
	}
	link := s.leg.link
	s.reason = fmt.Errorf("%s: %w", s.chain.links.Links[link].Name, reason)
	s.broken.Add(1)
	if len(s.waiting) == 0 { // nobody is hurt
		s.retireLeg()
		s.putOffRetry()
		return
	}
	s.leg.proven = true // not an abandoned try
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
	s.settleFailed()
}

// isNeeded reports whether an utterance waits for somebody to hear it.
func (s *stream) isNeeded() bool {
	return slices.ContainsFunc(s.waiting, func(u *utterance) bool { return u.failed == nil })
}

// replayUtterances sends the current leg every utterance that has no final and may be
// asked for again.
func (s *stream) replayUtterances(ctx context.Context) {
	leg := s.leg
	for _, u := range slices.Clone(s.waiting) {
		if u.failed != nil {
			continue
		}
		s.countForgotten(u)
		s.assignToLeg(u)
		if err := leg.stream.Send(u.sound); err != nil {
			s.giveUpLeg(ctx, err)
			return
		}
		if u.finished {
			s.finishUtterance(ctx, u)
			if s.leg != leg {
				return // another replay has been and gone
			}
		}
	}
}

// settleFailed gives the finished utterances that failed their outcome. Without a
// connection those fail for which none will be there in time.
func (s *stream) settleFailed() {
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

// isHopeless reports whether no provider can hear u in time.
func (s *stream) isHopeless(u *utterance) bool {
	return s.chain.opts.FailFast || errors.Is(s.reason, stt.ErrRejected) || s.retry.After(u.until) || !time.Now().Before(u.until)
}

package chain

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/internal/flow"
)

// takeSamples is how much sound is taken from the queue at a time.
const takeSamples = 4800

// stream implements [stt.Stream]. Everything below the goroutine's line is
// owned by run.
type stream struct {
	chain   *Chain
	source  int // sample rate of what is sent to it
	opts    stt.Options
	audio   *flow.Audio
	results *flow.Results
	tasks   sync.WaitGroup
	end     func()
	lost    atomic.Int64 // samples at flow.Rate that were not kept

	// The goroutine's.
	convert *flow.Converter
	heard   chan heard
	leg     *leg         // nil if there is no connection
	last    int          // link of the last leg, -1 before the first
	reason  error        // why that was given up
	waiting []*utterance // without a final, oldest first
	next    int          // number of the utterance after those
}

// utterance is one that has no final transcript yet.
type utterance struct {
	number   int
	sound    []int16 // at flow.Rate
	finished bool
	legs     int // that were asked
	deadline time.Time
	failed   error // why nobody will be asked any more
}

// leg is a connection to one provider.
type leg struct {
	link    int
	stream  stt.Stream
	numbers []int // of the utterances sent there, in order
	cancel  context.CancelFunc
	proven  bool // it gave a final
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
		return 0, flow.Stopped(ctx)
	}
	return s.audio.Finish(s.results)
}

// Recv implements [stt.Stream].
func (s *stream) Recv(ctx context.Context) (stt.Result, error) { return s.results.Recv(ctx) }

// Stats implements [stt.Stream].
func (s *stream) Stats() stt.Stats {
	lost := s.lost.Load() * int64(s.source) / flow.Rate
	return stt.Stats{Dropped: s.audio.Dropped() + lost, Late: s.results.Late()}
}

// Close implements [stt.Stream].
func (s *stream) Close() error {
	s.end()
	return nil
}

// run owns the stream's state until ctx ends.
func (s *stream) run(ctx context.Context) {
	defer s.retire()
	if s.chain.links.Breakers[0].Closed() { // a connection at hand saves time later
		s.connect(ctx, make([]bool, len(s.chain.links.Links)))
	}
	taken := make([]int16, takeSamples)
	for ctx.Err() == nil {
		n, mark := s.audio.Take(taken)
		if n > 0 || mark {
			s.feed(ctx, s.convert.Convert(taken[:n], mark), mark)
			select {
			case h := <-s.heard:
				s.take(ctx, h)
			default:
			}
			continue
		}
		s.wait(ctx)
	}
}

// wait returns after something has happened.
func (s *stream) wait(ctx context.Context) {
	var overdue <-chan time.Time
	if len(s.waiting) > 0 && s.waiting[0].finished {
		timer := time.NewTimer(time.Until(s.waiting[0].deadline))
		defer timer.Stop()
		overdue = timer.C
	}
	select {
	case <-s.audio.Wake():
	case h := <-s.heard:
		s.take(ctx, h)
	case <-overdue:
		s.giveUp(ctx, ErrSlow)
	case <-ctx.Done():
	}
}

// feed adds sound to the utterance that is going on, and ends it at a mark.
func (s *stream) feed(ctx context.Context, sound []int16, mark bool) {
	u := s.going(ctx)
	u.sound = append(u.sound, sound...)
	if over := len(u.sound) - flow.Rate*int(MaxKept.Seconds()); over > 0 {
		u.sound = append(u.sound[:0], u.sound[over:]...)
		s.lost.Add(int64(over))
	}
	u.finished = mark
	if u.failed != nil {
		s.settle()
		return
	}
	if err := s.leg.stream.Send(sound); err != nil {
		s.giveUp(ctx, err)
		return
	}
	if mark {
		s.finish(ctx, u)
	}
}

// going returns the utterance that is going on; at its beginning it is given
// to the best provider there is.
func (s *stream) going(ctx context.Context) *utterance {
	if n := len(s.waiting); n > 0 && !s.waiting[n-1].finished {
		return s.waiting[n-1]
	}
	u := &utterance{number: s.next}
	s.next++
	s.waiting = append(s.waiting, u)
	if len(s.waiting) == 1 {
		s.improve()
	}
	if s.leg == nil && !s.connect(ctx, make([]bool, len(s.chain.links.Links))) {
		u.failed = s.reason
		return u
	}
	s.begin(u)
	return u
}

// improve drops a connection that is only second best.
func (s *stream) improve() {
	if s.leg == nil {
		return
	}
	for _, b := range s.chain.links.Breakers[:s.leg.link] {
		if b.Ready() {
			s.reason = nil
			s.retire()
			return
		}
	}
}

// begin notes that u is heard by the current leg.
func (s *stream) begin(u *utterance) {
	u.legs++
	s.leg.numbers = append(s.leg.numbers, u.number)
}

// finish asks the current leg for the final transcript of u.
func (s *stream) finish(ctx context.Context, u *utterance) {
	patience := s.chain.opts.Final
	switch {
	case u.legs > 1:
		patience = s.chain.opts.LastFinal
	case len(s.chain.links.Links) == 1: // giving up early would gain nothing
		patience += s.chain.opts.LastFinal
	}
	u.deadline = time.Now().Add(patience)
	if _, err := s.leg.stream.Finish(ctx); err != nil {
		s.giveUp(ctx, err)
	}
}

// take is told what a leg received.
func (s *stream) take(ctx context.Context, h heard) {
	if h.leg != s.leg {
		return // it was given up
	}
	switch {
	case h.err != nil:
		s.giveUp(ctx, h.err)
	case h.result.Err != nil:
		s.giveUp(ctx, h.result.Err)
	case h.result.Utterance < 0 || h.result.Utterance >= len(h.leg.numbers):
	default:
		r := h.result
		r.Utterance = h.leg.numbers[r.Utterance]
		if r.Final {
			if len(s.waiting) == 0 || s.waiting[0].number != r.Utterance || !s.waiting[0].finished {
				return // it has its final
			}
			s.waiting = append(s.waiting[:0], s.waiting[1:]...)
			s.leg.proven = true
			s.chain.links.Breakers[s.leg.link].Succeeded()
		}
		s.results.Put(r)
	}
}

// giveUp leaves the current leg and gives its utterances to the next provider.
func (s *stream) giveUp(ctx context.Context, reason error) {
	if s.leg == nil || ctx.Err() != nil {
		return
	}
	link := s.leg.link
	s.reason = fmt.Errorf("%s: %w", s.chain.links.Links[link].Name, reason)
	if len(s.waiting) == 0 { // nobody is hurt
		s.retire()
		return
	}
	s.leg.proven = true // not an abandoned try
	s.chain.links.Breakers[link].Failed(severe(reason), 0)
	s.retire()
	for _, u := range s.waiting {
		if u.legs > 1 {
			u.failed = s.reason
		}
	}
	s.settle()
	if len(s.waiting) == 0 || s.waiting[0].failed != nil {
		return
	}
	excluded := make([]bool, len(s.chain.links.Links))
	excluded[link] = len(excluded) > 1 || severe(reason)
	if !s.connect(ctx, excluded) {
		for _, u := range s.waiting {
			u.failed = s.reason
		}
		s.settle()
		return
	}
	s.replay(ctx)
}

// replay sends the current leg every utterance that has no final.
func (s *stream) replay(ctx context.Context) {
	leg := s.leg
	for _, u := range append([]*utterance(nil), s.waiting...) {
		s.begin(u)
		if err := leg.stream.Send(u.sound); err != nil {
			s.giveUp(ctx, err)
			return
		}
		if u.finished {
			s.finish(ctx, u)
			if s.leg != leg {
				return // another replay has been and gone
			}
		}
	}
}

// settle gives the finished utterances that failed their outcome.
func (s *stream) settle() {
	for len(s.waiting) > 0 && s.waiting[0].finished && s.waiting[0].failed != nil {
		u := s.waiting[0]
		s.waiting = append(s.waiting[:0], s.waiting[1:]...)
		s.results.Put(stt.Result{Utterance: u.number, Final: true, Err: u.failed})
	}
}

// connect opens a leg to the best provider that is not excluded, and reports
// whether there is one.
func (s *stream) connect(ctx context.Context, excluded []bool) bool {
	for link := s.chain.pick(excluded); link >= 0; link = s.chain.pick(excluded) {
		excluded[link] = true
		bounded, cancel := context.WithTimeout(ctx, s.chain.opts.Opening)
		opened, err := s.chain.links.Links[link].Provider.Open(bounded, s.opts)
		cancel()
		switch {
		case err == nil:
			s.start(ctx, link, opened)
			return true
		case ctx.Err() != nil:
			s.chain.links.Breakers[link].Abandoned()
			s.reason = stt.ErrClosed
			return false
		}
		s.chain.links.Breakers[link].Failed(severe(err), 0)
		s.reason = fmt.Errorf("%s: %w", s.chain.links.Links[link].Name, err)
	}
	if s.reason == nil {
		s.reason = stt.ErrUnavailable
	}
	return false
}

// start makes an opened stream the current leg.
func (s *stream) start(ctx context.Context, link int, opened stt.Stream) {
	life, cancel := context.WithCancel(ctx)
	l := &leg{link: link, stream: opened, cancel: cancel}
	s.tasks.Go(func() { s.receive(life, l) })
	if s.last >= 0 {
		s.chain.links.TellSwitch(s.last, link, s.reason)
	}
	s.leg, s.last = l, link
}

// receive passes on what a leg hears until it breaks or is retired, and closes
// it.
func (s *stream) receive(ctx context.Context, l *leg) {
	defer l.stream.Close() // whatever it says, it is over
	for {
		r, err := l.stream.Recv(ctx)
		select {
		case s.heard <- heard{l, r, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// retire leaves the current leg.
func (s *stream) retire() {
	if s.leg == nil {
		return
	}
	if !s.leg.proven {
		s.chain.links.Breakers[s.leg.link].Abandoned()
	}
	s.leg.cancel()
	s.leg = nil
}

package chain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// leg is a connection to one provider.
type leg struct {
	link    int
	stream  stt.Stream
	numbers []int // of the utterances sent, in order
	cancel  context.CancelFunc
	proven  bool // it has returned a final
}

// openLeg opens a leg to the best provider that is not excluded and reports whether it succeeded. If not, it
// schedules the next try.
func (s *stream) openLeg(ctx context.Context, excluded []bool) bool {
	s.tried = time.Now()
	for link := s.chain.pickLink(excluded); link >= 0; link = s.chain.pickLink(excluded) {
		excluded[link] = true
		bounded, cancel := context.WithTimeout(ctx, s.chain.opts.Opening)
		opened, err := s.chain.links.Links[link].Provider.Open(bounded, s.opts)
		cancel()
		switch {
		case err == nil:
			s.startLeg(ctx, link, opened)
			return true
		case ctx.Err() != nil:
			s.chain.links.Breakers[link].Abandoned()
			s.reason = stt.ErrClosed
			return false
		}
		s.broken.Add(1)
		s.chain.links.Breakers[link].Failed(isSevere(err), 0)
		s.reason = fmt.Errorf("%s: %w", s.chain.links.Links[link].Name, err)
	}
	if s.reason == nil {
		s.reason = stt.ErrUnavailable
	}
	s.putOffRetry()
	if s.isNeeded() && !s.chain.opts.FailFast && !errors.Is(s.reason, stt.ErrRejected) {
		s.chain.reportReach(0, s.reason)
	}
	return false
}

// reportReach reports that no provider can be reached, for a reason, or that link can be reached again. It
// reports only changes.
func (c *Chain) reportReach(link int, reason error) {
	if !c.unreachable.CompareAndSwap(reason == nil, reason != nil) || c.opts.OnSwitch == nil {
		return
	}
	name := c.links.Links[link].Name
	c.opts.OnSwitch(Switch{From: name, To: name, Reason: reason})
}

// putOffRetry schedules the next try; the pause grows each time.
func (s *stream) putOffRetry() {
	s.retry = time.Now().Add(s.pause)
	s.pause = min(2*s.pause, maxPause)
}

// startLeg makes an opened stream the current leg.
func (s *stream) startLeg(ctx context.Context, link int, opened stt.Stream) {
	life, cancel := context.WithCancel(ctx)
	l := &leg{link: link, stream: opened, cancel: cancel}
	s.tasks.Go(func() { s.receiveFrom(life, l) })
	s.chain.reportReach(link, nil)
	if s.last >= 0 {
		s.chain.links.ReportSwitch(s.last, link, s.reason)
	}
	s.leg, s.last = l, link
}

// receiveFrom forwards the results of a leg until the leg breaks or is retired, and then closes it.
func (s *stream) receiveFrom(ctx context.Context, l *leg) {
	defer l.stream.Close() // the leg is over, whatever Close returns
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

// retireLeg ends the current leg.
func (s *stream) retireLeg() {
	if s.leg == nil {
		return
	}
	if !s.leg.proven {
		s.chain.links.Breakers[s.leg.link].Abandoned()
	}
	s.leg.cancel()
	s.leg = nil
}

// pickLink enters the breaker of the link to ask next and returns the link, or -1 if all are excluded. If all
// breakers are open, it returns the link whose breaker is due first, because waiting would gain nothing.
func (c *Chain) pickLink(excluded []bool) int {
	link := c.links.Breakers.Enter(excluded)
	if link < 0 {
		link = c.links.Breakers.Soonest(excluded)
	}
	return link
}

package ear

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

const (
	// firstPause is how long a broken stream is left alone before another is
	// opened; it doubles up to maxPause until one gives a final transcript.
	firstPause = 500 * time.Millisecond
	maxPause   = 30 * time.Second
	// opening bounds the opening of a stream.
	opening = 10 * time.Second
)

// errHung is why a stream is given up that takes no more and gives nothing.
var errHung = fmt.Errorf("%w: the stream hangs", stt.ErrUnavailable)

// nothing is the outcome of what was no speech.
var nothing stt.Result

// link is a stream, or one that is being opened.
type link struct {
	cancel context.CancelFunc // ends its goroutine, which closes the stream
	stream stt.Stream         // nil until it is open
	next   int                // number of the utterance that is being sent
	asked  []question         // without a final from the stream, oldest first
}

// question is an utterance that a stream was asked for.
type question struct {
	number int
	since  time.Time
	of     *segment
}

// news is what the goroutine of a link has to say. Without result or error,
// the stream is open.
type news struct {
	link   *link
	stream stt.Stream
	result stt.Result
	err    error
}

// connected reports whether there is an open stream.
func (e *Ear) connected() bool { return e.link != nil && e.link.stream != nil }

// connect begins to open a stream.
func (e *Ear) connect(ctx context.Context, now time.Time) {
	ctx, cancel := context.WithCancel(ctx)
	l := &link{cancel: cancel}
	e.link, e.tried = l, now
	e.tasks.Go(func() {
		defer cancel()
		e.serve(ctx, l)
	})
}

// serve opens the stream of l, passes on what it says until it breaks or ctx
// ends, and closes it.
func (e *Ear) serve(ctx context.Context, l *link) {
	stream, err := e.openStream(ctx)
	if err != nil {
		e.pass(ctx, news{link: l, err: err})
		return
	}
	defer stream.Close() // whatever it says, it is over
	for n := (news{link: l, stream: stream}); e.pass(ctx, n) && n.err == nil; {
		n = news{link: l}
		n.result, n.err = stream.Recv(ctx)
	}
}

func (e *Ear) openStream(ctx context.Context) (stt.Stream, error) {
	if e.provider == nil {
		return nil, fmt.Errorf("opening a stream: %w: there is no provider", stt.ErrRejected)
	}
	ctx, cancel := context.WithTimeout(ctx, opening)
	defer cancel()
	return e.provider.Open(ctx, e.expect)
}

// pass gives n to Run and reports whether it took it.
func (e *Ear) pass(ctx context.Context, n news) bool {
	select {
	case e.news <- n:
		return true
	case <-ctx.Done():
		return false
	}
}

// take takes in what a link has to say.
func (e *Ear) take(ctx context.Context, n news, now time.Time) {
	switch {
	case n.link != e.link: // it was given up
	case n.err != nil:
		e.broke(n.err, now)
	case n.stream != nil:
		e.count(func(s *Stats) { s.Opened++ })
		e.link.stream = n.stream
		e.catchUp(ctx, now)
	default:
		e.transcript(n.result, now)
	}
}

// catchUp sends a new stream the sound that was kept.
func (e *Ear) catchUp(ctx context.Context, now time.Time) {
	for _, s := range e.waiting {
		if s.done || s.wait != nil {
			continue
		}
		if !e.resend(s, now) {
			return
		}
		e.ask(ctx, s, now)
		if !e.connected() {
			return
		}
	}
	if e.open != nil {
		e.resend(e.open, now)
	}
}

// resend sends the sound of s and reports whether the stream took it.
func (e *Ear) resend(s *segment, now time.Time) bool {
	for _, c := range s.sound {
		if !e.send(c.samples[:c.n], now) {
			return false
		}
	}
	return true
}

// send gives sound to the stream and reports whether it took it.
func (e *Ear) send(samples []int16, now time.Time) bool {
	if err := e.link.stream.Send(samples); err != nil {
		e.broke(err, now)
		return false
	}
	return true
}

// ask asks the stream for the transcript of s, whose sound has been sent. A
// segment that is done is only told apart from the next.
func (e *Ear) ask(ctx context.Context, s *segment, now time.Time) {
	l := e.link
	number, err := l.stream.Finish(ctx)
	switch {
	case err == nil:
		l.asked = append(l.asked, question{number: number, since: now, of: s})
		l.next = number + 1
		if !s.done {
			s.ask(number, now)
			e.release(s, len(s.sound))
		}
	case !errors.Is(err, stt.ErrBusy):
		e.broke(err, now)
	case len(l.asked) > 0 && now.Sub(l.asked[0].since) >= budget:
		e.broke(errHung, now)
	case !s.done:
		s.fail(fmt.Errorf("finishing the utterance: %w", err), now)
	}
}

// transcript takes in what the stream understood.
func (e *Ear) transcript(r stt.Result, now time.Time) {
	l := e.link
	if r.Utterance == l.next && !r.Final && r.Err == nil && e.open != nil {
		if r.Text != "" {
			e.open.last = r
			e.interim(e.open, r.Text, now)
		}
		return
	}
	for i, q := range l.asked {
		if q.number != r.Utterance {
			continue
		}
		if !r.Final && r.Err == nil {
			e.waitingInterim(q.of, r, now)
			return
		}
		e.pause = firstPause // the stream is good
		for _, skipped := range l.asked[:i] {
			// Finals come in order: there is none for these.
			e.answer(skipped, stt.Result{Utterance: skipped.number, Final: true}, now)
		}
		if q.of.done && q.of.speech >= e.minSpeech {
			e.late()
		}
		e.answer(q, r, now)
		l.asked = slices.Delete(l.asked, 0, i+1)
		return
	}
	e.late()
}

// answer takes in the final transcript of a question.
func (e *Ear) answer(q question, r stt.Result, now time.Time) {
	if q.of.done {
		return
	}
	if out, err, done := q.of.wait.Take(r); done {
		q.of.finish(out, err, now)
	}
}

// waitingInterim takes in an interim transcript of a segment that has ended.
func (e *Ear) waitingInterim(s *segment, r stt.Result, now time.Time) {
	if s.done {
		if s.speech >= e.minSpeech {
			e.late()
		}
		return
	}
	s.wait.Take(r)
	if r.Text != "" {
		e.interim(s, r.Text, now)
	}
}

func (e *Ear) interim(s *segment, text string, now time.Time) {
	e.tell(Event{Kind: Interim, Utterance: s.utterance, Segment: s.index, At: now, Speech: s.speech, Text: text})
}

func (e *Ear) late() { e.count(func(s *Stats) { s.Late++ }) }

// broke gives up the link, and with it what it was asked for.
func (e *Ear) broke(err error, now time.Time) {
	l := e.link
	l.cancel()
	if !known(err) {
		err = fmt.Errorf("%w: %w", stt.ErrUnavailable, err)
	}
	e.link, e.reason = nil, err
	e.retry = now.Add(e.pause)
	e.log.LogAttrs(context.Background(), slog.LevelWarn, "speech recognition stream broke",
		slog.Bool("opened", l.stream != nil), slog.Duration("retry_in", e.pause), slog.Any("error", err))
	e.pause = min(2*e.pause, maxPause)
	for _, q := range l.asked {
		if !q.of.done {
			q.of.fail(err, now)
		}
	}
	e.count(func(s *Stats) {
		s.Broken++
		if l.stream != nil {
			s.Dropped += l.stream.Stats().Dropped
		}
	})
}

// hopeless reports whether no stream will be there in time for s, which has
// not been sent.
func (e *Ear) hopeless(s *segment) bool {
	return e.link == nil && (errors.Is(e.reason, stt.ErrRejected) || e.retry.After(s.deadline()))
}

// known reports whether err wraps an error of package stt that says why.
func known(err error) bool {
	for _, reason := range []error{stt.ErrRejected, stt.ErrUnavailable, stt.ErrRateLimited, stt.ErrClosed} {
		if errors.Is(err, reason) {
			return true
		}
	}
	return false
}

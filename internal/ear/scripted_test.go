package ear_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/lanetest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/chain"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ms = time.Millisecond

var errBroken = errors.New("line cut")

// provider is scripted: open decides about streams, answer decides what a stream returns
// for an utterance of that length.
type provider struct {
	open   func(ctx context.Context, try int) error
	answer func(s *stream, number int, sound time.Duration)
	whole  bool // each utterance is one request

	mu      sync.Mutex // guards the fields below
	tries   []time.Duration
	began   time.Time
	streams []*stream
	expect  stt.Options
	closed  int
}

func (p *provider) Name() string { return "scripted" }

func (p *provider) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	p.mu.Lock()
	if p.began.IsZero() {
		p.began = time.Now()
	}
	p.tries = append(p.tries, time.Since(p.began))
	p.expect = o
	try := len(p.tries) - 1
	p.mu.Unlock()
	if p.open != nil {
		if err := p.open(ctx, try); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &stream{provider: p, rate: o.SampleRate, results: make(chan stt.Result, 100), broken: make(chan error, 1), done: make(chan struct{})}
	p.streams = append(p.streams, s)
	if p.whole {
		return wholeStream{s}, nil
	}
	return s, nil
}

// Listen serves ears that need no chain, because no stream breaks.
func (p *provider) Listen(ctx context.Context, o stt.Options) (stt.Stream, error) {
	return p.Open(ctx, o)
}

// overChain is a recogniser chain of one provider, as in the product but without early
// finals.
func overChain(p *provider) ear.Options {
	return ear.Options{Recogniser: chain.New([]chain.Link{{Name: "scripted", Provider: p}}, nil), Early: -1}
}

// stream returns the nth stream opened so far, counted from 0.
func (p *provider) stream(n int) *stream {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.streams[n]
}

// stream returns the results that the test gives it, in any order.
type stream struct {
	provider *provider
	rate     int
	results  chan stt.Result
	broken   chan error
	done     chan struct{}
	once     sync.Once

	mu        sync.Mutex // guards the fields below
	number    int
	sound     int // samples of the current utterance
	voiced    int // voiced samples of it
	discarded []int
	refuse    error
	deaf      error
}

func (s *stream) Send(samples []int16) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.deaf != nil {
		return s.deaf
	}
	s.sound += len(samples)
	for _, x := range samples {
		if x > 5 || x < -5 {
			s.voiced++
		}
	}
	return nil
}

// wholeStream is a stream that implements [stt.Discarder].
type wholeStream struct{ *stream }

func (s wholeStream) Discard(n int) {
	s.mu.Lock()
	s.discarded = append(s.discarded, n)
	s.mu.Unlock()
	s.final(n, "")
}

func (s *stream) Finish(context.Context) (int, error) {
	s.mu.Lock()
	if s.refuse != nil {
		defer s.mu.Unlock()
		return 0, s.refuse
	}
	n, sound := s.number, time.Duration(s.sound)*time.Second/time.Duration(s.rate)
	s.number++
	s.sound = 0
	s.mu.Unlock()
	s.provider.mu.Lock()
	answer := s.provider.answer
	s.provider.mu.Unlock()
	if answer != nil {
		answer(s, n, sound)
	}
	return n, nil
}

func (s *stream) Recv(ctx context.Context) (stt.Result, error) {
	select {
	case r := <-s.results:
		return r, nil
	default:
	}
	select {
	case r := <-s.results:
		return r, nil
	case err := <-s.broken:
		return stt.Result{}, err
	case <-s.done:
		return stt.Result{}, stt.ErrClosed
	case <-ctx.Done():
		return stt.Result{}, ctx.Err()
	}
}

func (s *stream) Stats() stt.Stats { return stt.Stats{} }

func (s *stream) Close() error {
	s.once.Do(func() {
		close(s.done)
		s.provider.mu.Lock()
		defer s.provider.mu.Unlock()
		s.provider.closed++
	})
	return nil
}

func (s *stream) interim(number int, text string) {
	s.results <- stt.Result{Utterance: number, Text: text}
}

func (s *stream) final(number int, text string) {
	s.results <- stt.Result{Utterance: number, Text: text, Final: true}
}

func (s *stream) refuses(finish, send error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse, s.deaf = finish, send
}

// length answers with the length of the sound.
func length(s *stream, number int, sound time.Duration) { s.final(number, sound.String()) }

// after answers like length, after a delay.
func after(d time.Duration) func(*stream, int, time.Duration) {
	return func(s *stream, number int, sound time.Duration) {
		time.AfterFunc(d, func() { length(s, number, sound) })
	}
}

// seat is a player in a synctest bubble, with an ear that receives presence events.
type seat struct {
	t        *testing.T
	ear      *ear.Ear
	provider *provider
	began    time.Time
	seq      uint16
	stop     context.CancelFunc
	stopped  chan error

	mu     sync.Mutex // guards the field below
	events []ear.Event
}

// sit runs a scene and checks that Run ends and every stream was closed.
func sit(t *testing.T, p *provider, o ear.Options, scene func(*seat)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &seat{t: t, provider: p, began: time.Now(), stopped: make(chan error, 1)}
		if o.Recogniser == nil && p != nil {
			o.Recogniser = p
		}
		o.Detector = lanetest.Presence{}
		if o.Lane.Merge == 0 {
			o.Lane.Merge = 600 * ms
		}
		s.ear = ear.New("Ann", s.hear, o)
		ctx, stop := context.WithCancel(t.Context())
		s.stop = stop
		go func() { s.stopped <- s.ear.Run(ctx) }() // ends with the scene
		synctest.Wait()
		scene(s)
		stop()
		if err := <-s.stopped; err != nil {
			t.Errorf("Run = %v, want nil", err)
		}
		if p != nil && p.closed != len(p.streams) {
			t.Errorf("%d of %d streams were closed", p.closed, len(p.streams))
		}
	})
}

func (s *seat) hear(e ear.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
}

// loud is a frame of voice.
var loud = func() (f audio.Frame) {
	for i := range f {
		f[i] = int16(i % 100 * 50)
	}
	return f
}()

// say speaks for d and is silent for pause.
func (s *seat) say(d, pause time.Duration) {
	for range int(d / audio.FrameDuration) {
		s.ear.Push(ear.Packet{Seq: s.seq, Frame: &loud})
		s.seq++
		time.Sleep(audio.FrameDuration)
	}
	time.Sleep(pause)
	synctest.Wait()
}

// heard returns the events so far, except those of some kinds.
func (s *seat) heard(without ...ear.Kind) []ear.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	var kept []ear.Event
events:
	for _, e := range s.events {
		for _, k := range without {
			if e.Kind == k {
				continue events
			}
		}
		kept = append(kept, e)
	}
	return kept
}

// finals returns the events of kind Final.
func (s *seat) finals() []ear.Event {
	return s.heard(ear.VoiceOn, ear.VoiceOff, ear.Interim, ear.Ended, ear.Continued)
}

// story formats events in one line: kind, utterance.segment, text.
func story(events []ear.Event) string {
	var words []string
	for _, e := range events {
		word := fmt.Sprintf("%v#%d.%d", e.Kind, e.Utterance, e.Segment)
		if e.Text != "" {
			word += "(" + e.Text + ")"
		}
		if e.Assumed {
			word += "?"
		}
		if e.Err != nil {
			word += "!"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func (s *seat) tells(want string, without ...ear.Kind) {
	s.t.Helper()
	if got := story(s.heard(without...)); got != want {
		s.t.Errorf("heard %s\nwant  %s", got, want)
	}
}

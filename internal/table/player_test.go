package table_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// loud treats every sound as voice.
type loud struct{}

func (loud) Process(f *audio.Frame) float64 {
	if f[0] > 100 {
		return 1
	}
	return 0
}

// recognition is a recogniser whose transcripts the test sets.
type recognition struct {
	after time.Duration // delay from the end of an utterance to its transcript

	mu      sync.Mutex
	players map[string]*listener
	opened  []stt.Options
}

// listener transcribes one player.
type listener struct {
	r       *recognition
	results chan stt.Result
	done    chan struct{}
	once    sync.Once

	mu     sync.Mutex
	number int
	words  string // of the current utterance
	fault  error  // error for the next utterance
	never  bool
}

func (*recognition) Name() string { return "known" }

func (r *recognition) Listen(_ context.Context, o stt.Options) (stt.Stream, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opened = append(r.opened, o)
	l := &listener{r: r, results: make(chan stt.Result, 64), done: make(chan struct{})}
	if r.players == nil {
		r.players = map[string]*listener{}
	}
	r.players[o.Speaker] = l
	return l, nil
}

func (r *recognition) of(speaker string) *listener {
	for {
		r.mu.Lock()
		l := r.players[speaker]
		r.mu.Unlock()
		if l != nil {
			return l
		}
		time.Sleep(time.Millisecond)
	}
}

func (l *listener) Send([]int16) error { return nil }

func (l *listener) Finish(context.Context) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, words, fault := l.number, l.words, l.fault
	l.number++
	l.words, l.fault = "", nil
	if l.never {
		return n, nil
	}
	time.AfterFunc(l.r.after, func() {
		select {
		case l.results <- stt.Result{Utterance: n, Text: words, Final: true, Err: fault}:
		case <-l.done:
		}
	})
	return n, nil
}

// interim sends an interim transcript.
func (l *listener) interim(text string) {
	l.mu.Lock()
	n := l.number
	l.mu.Unlock()
	select {
	case l.results <- stt.Result{Utterance: n, Text: text}:
	case <-l.done:
	}
}

func (l *listener) Recv(ctx context.Context) (stt.Result, error) {
	select {
	case r := <-l.results:
		return r, nil
	case <-l.done:
		return stt.Result{}, stt.ErrClosed
	case <-ctx.Done():
		return stt.Result{}, ctx.Err()
	}
}

func (l *listener) Stats() stt.Stats { return stt.Stats{} }

func (l *listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// player sends one packet per 20 ms, of voice or of silence.
type player struct {
	name string
	seat *table.Seat
	hear *listener

	mu     sync.Mutex
	voiced time.Time // end of the voice
	stop   chan struct{}
	gone   chan struct{}
}

func (r *room) join(name string) *player { return r.joinWith(name, table.JoinOptions{}) }

// joinAsUser is join for a player who also writes, see write.
func (r *room) joinAsUser(name string) *player {
	return r.joinWith(name, table.JoinOptions{User: "id:" + name})
}

// joinWith is join with options.
func (r *room) joinWith(name string, o table.JoinOptions) *player {
	r.t.Helper()
	o.Detector = loud{}
	seat, err := r.Join(context.Background(), name, &o)
	if err != nil {
		r.t.Fatal(err)
	}
	p := &player{name: name, seat: seat, hear: r.ears.of(seat.Speaker()), stop: make(chan struct{}), gone: make(chan struct{})}
	go p.stream()
	r.t.Cleanup(func() { p.leave() })
	return p
}

// stream sends packets until the player leaves.
func (p *player) stream() {
	defer close(p.gone)
	tick := time.NewTicker(audio.FrameDuration)
	defer tick.Stop()
	var seq uint16
	for {
		select {
		case <-p.stop:
			return
		case now := <-tick.C:
			var f audio.Frame
			p.mu.Lock()
			if now.Before(p.voiced) {
				for i := range f {
					f[i] = 5000
				}
			}
			p.mu.Unlock()
			p.seat.Push(ear.Packet{Seq: seq, Frame: &f})
			seq++
		}
	}
}

// say speaks words for a duration and returns when the voice stops.
func (p *player) say(words string, d time.Duration) {
	p.hear.mu.Lock()
	p.hear.words = words
	p.hear.mu.Unlock()
	p.voice(d)
}

// voice makes a sound for a duration.
func (p *player) voice(d time.Duration) {
	p.mu.Lock()
	p.voiced = time.Now().Add(d)
	p.mu.Unlock()
	time.Sleep(d)
}

// fail makes the next transcription fail.
func (p *player) fail() {
	p.hear.mu.Lock()
	defer p.hear.mu.Unlock()
	p.hear.fault = errors.New("the service is down")
}

func (p *player) leave() {
	select {
	case <-p.stop:
	default:
		close(p.stop)
	}
	<-p.gone
	p.seat.Leave()
}

// until waits for the nth ended turn and returns it.
func (r *room) until(n int) *table.TurnEnded {
	r.t.Helper()
	for range 120_000 {
		if all := of[*table.TurnEnded](r.events); len(all) >= n {
			return all[n-1]
		}
		time.Sleep(time.Millisecond)
	}
	r.t.Fatalf("turn %d has not ended after two minutes; events: %+v", n, of[table.Event](r.events))
	return nil
}

// kinds returns the kinds of the events so far.
func (r *room) kinds() []string {
	var out []string
	for _, e := range of[table.Event](r.events) {
		out = append(out, table.HeaderOf(e).Kind)
	}
	return out
}

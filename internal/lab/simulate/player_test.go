package simulate

import (
	"context"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// The sound of all tests, which takes a second to generate and encode.
var (
	plainPool = sync.OnceValues(func() (*pool, error) { return newPool(context.Background(), nil) })
	opusPool  = sync.OnceValues(func() (*pool, error) {
		lib, err := opus.Load()
		if err != nil {
			return nil, err
		}
		return newPool(context.Background(), lib)
	})
)

// TestMain allows one goroutine that a dependency of Gemini's client never
// stops.
func TestMain(m *testing.M) {
	if code := m.Run(); code != 0 {
		os.Exit(code)
	}
	if err := goleak.Find(goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start")); err != nil {
		panic(err)
	}
}

func frames(t *testing.T) *pool {
	t.Helper()
	p, err := plainPool()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// required is the environment variable that forbids skipping tests.
const required = "GLYPHOXA_REQUIRE_PEERS"

// payloads are the encoded sound of all tests.
func payloads(t *testing.T) *pool {
	t.Helper()
	p, err := opusPool()
	if err == nil {
		return p
	}
	if os.Getenv(required) == "1" {
		t.Fatalf("%v, and %s=1 demands it; run: make peers", err, required)
	}
	t.Skipf("%v; to run this test: make peers", err)
	return nil
}

// listener is a seat with a lane, ticked on every packet and every 20 ms.
type listener struct {
	mu      sync.Mutex
	lane    *ear.Lane
	packets int
	events  []ear.LaneEvent
}

func newListener(d ear.Decoder) *listener {
	return &listener{lane: ear.NewLane(time.Now(), ear.NewEnergy(), &ear.LaneOptions{Decoder: d})}
}

func (l *listener) Push(p ear.Packet) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.packets++
	l.lane.Intake().Push(time.Now(), p)
	l.tick()
}

func (l *listener) tick() {
	for _, e := range l.lane.Tick(time.Now()) {
		if e.Kind != ear.Sound {
			l.events = append(l.events, e)
		}
	}
}

// listen ticks until ctx ends.
func (l *listener) listen(ctx context.Context) {
	for rig.Pause(ctx, audio.FrameDuration) == nil {
		l.mu.Lock()
		l.tick()
		l.mu.Unlock()
	}
}

func (l *listener) of(k ear.LaneKind) []ear.LaneEvent {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []ear.LaneEvent
	for _, e := range l.events {
		if e.Kind == k {
			out = append(out, e)
		}
	}
	return out
}

// perform lets a player speak to a listener in a bubble.
func perform(t *testing.T, p *pool, open bool, d ear.Decoder, f func(ctx context.Context, p *player, l *listener)) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l := newListener(d)
	player := newPlayer("Alice", 1, open, p)
	player.seat = l
	var work sync.WaitGroup
	work.Go(func() { player.sendPackets(ctx) })
	work.Go(func() { l.listen(ctx) })
	f(ctx, player, l)
	stop()
	work.Wait()
}

const someLine = "Bart, did anyone strange come through here last night?"

func TestALineIsOneUtterance(t *testing.T) {
	for _, tt := range []struct {
		name  string
		open  bool
		pause time.Duration
	}{{"closed_microphone", false, 0}, {"open_microphone", true, 0}, {"pause", false, 300 * time.Millisecond}, {"open_with_pause", true, 300 * time.Millisecond}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				perform(t, frames(t), tt.open, nil, func(ctx context.Context, p *player, l *listener) {
					time.Sleep(2 * time.Second) // the lane adapts to the room's noise
					start := time.Now()
					if err := p.sayUtterance(ctx, utterance{text: someLine, pause: tt.pause}); err != nil {
						t.Fatal(err)
					}
					took := time.Since(start)
					time.Sleep(3 * time.Second)
					ended := l.of(ear.UtteranceEnded)
					if len(ended) == 0 || ended[len(ended)-1].Utterance != 1 {
						t.Fatalf("the lane heard %+v, want one utterance", l.events)
					}
					if got, want := ended[len(ended)-1].Speech, took-tt.pause; got < want-500*time.Millisecond || got > want+500*time.Millisecond {
						t.Errorf("speech = %v, want %v within half a second", got, want)
					}
					if got := p.words.Said(time.Now(), true); got != someLine {
						t.Errorf("said %q, want %q", got, someLine)
					}
				})
			})
		})
	}
}

func TestACoughIsNoSpeech(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		perform(t, frames(t), true, nil, func(ctx context.Context, p *player, l *listener) {
			time.Sleep(2 * time.Second)
			if err := p.sayUtterance(ctx, utterance{}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(3 * time.Second)
			if got := p.words.Said(time.Now(), true); got != "" {
				t.Errorf("said %q, want nothing", got)
			}
			for _, e := range l.of(ear.UtteranceEnded) {
				if e.Speech > 100*time.Millisecond {
					t.Errorf("the lane heard %v of speech in a cough", e.Speech)
				}
			}
		})
	})
}

func TestOnlyOpenMicrophonesSendSilence(t *testing.T) {
	for _, tt := range []struct {
		name string
		open bool
		want int
	}{{"closed", false, 0}, {"open", true, 250}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				perform(t, frames(t), tt.open, nil, func(_ context.Context, _ *player, l *listener) {
					time.Sleep(5*time.Second - time.Millisecond)
					l.mu.Lock()
					defer l.mu.Unlock()
					if l.packets != tt.want {
						t.Errorf("%d packets in 5 s, want %d", l.packets, tt.want)
					}
				})
			})
		})
	}
}

func TestOpusIsHeardAsFrames(t *testing.T) {
	p := payloads(t)
	decoder, err := opus.NewDecoder(nil)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		perform(t, p, true, decoder, func(ctx context.Context, p *player, l *listener) {
			time.Sleep(2 * time.Second)
			for range 3 {
				if err := p.sayUtterance(ctx, utterance{text: someLine}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(3 * time.Second)
			}
			if got := len(l.of(ear.UtteranceEnded)); got != 3 {
				t.Errorf("the lane heard %d utterances, want 3", got)
			}
			if s := l.lane.Intake().Stats(); s.Broken+s.Dropped+s.Lost != 0 {
				t.Errorf("stats = %+v, want nothing broken, dropped or lost", s)
			}
		})
	})
}

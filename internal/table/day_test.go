package table_test

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// TestADayAtTheTable plays 24 hours (two under the race detector): a player speaks every half
// minute, and every tenth line talks over the answer. Nothing may accumulate.
func TestADayAtTheTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		counts := &tally{ends: map[table.Outcome]int{}}
		r := heard(t, setting{
			model: says("I pour it out. It is dark ale. It is good."), voice: steady{}, journal: &journal{short: true}, sink: counts, outlet: &silence{},
		})
		ana, bob := r.talker("Ana"), r.talker("Bob")
		var first, last uint64
		turns := int(dayLength / (30 * time.Second))
		for i := range turns {
			began := time.Now()
			ana.say([]string{"Mira, what do you drink?", "and why is that?", "Bart, come here!"}[i%3], 1200*ms)
			if i%10 == 0 {
				time.Sleep(2 * time.Second)
				bob.say("Stop, listen to me for a moment!", 1500*ms)
			}
			time.Sleep(30*time.Second - time.Since(began))
			switch i {
			case turns / 4:
				first = heap()
			case turns - 1:
				last = heap()
			}
		}
		counts.mu.Lock()
		defer counts.mu.Unlock()
		if n := turns + (turns+9)/10; counts.ended != n || counts.ends[table.OutcomeDelivered] < turns*8/10 || counts.ends[table.OutcomeBarged] < turns/20 {
			t.Errorf("%d turns ended, want %d, most of them delivered and some barged: %v", counts.ended, n, counts.ends)
		}
		if last > first+256<<10 {
			t.Errorf("the heap grew from %d kB to %d kB in the last three quarters of the day", first>>10, last>>10)
		}
		t.Logf("%v: %d turns, heap %d kB after a quarter, %d kB at the end: %v", dayLength, counts.ended, first>>10, last>>10, counts.ends)
	})
}

// heap returns the live memory. Pools release theirs after two collections.
func heap() uint64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// tally counts the outcomes of turns.
type tally struct {
	mu    sync.Mutex
	ended int
	ends  map[table.Outcome]int
}

func (c *tally) Emit(e table.Event) {
	if end, ok := e.(*table.TurnEnded); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ended++
		c.ends[end.Outcome]++
	}
}

// silence is an outlet that discards frames.
type silence struct{}

func (*silence) Write(context.Context, *audio.Frame) error { return nil }

// steady is a voice of one second per sentence that allocates nothing.
type steady struct{}

var second = slices.Repeat([]int16{1000}, audio.SampleRate)

func (steady) Synthesize(ctx context.Context, _ config.NPC, _ string) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		time.Sleep(75 * ms)
		yield(second, ctx.Err())
	}
}

// talker is a player who sends packets only while speaking, like Discord.
func (r *room) talker(name string) *talker {
	r.t.Helper()
	seat, err := r.Join(context.Background(), name, &table.JoinOptions{Detector: loud{}})
	if err != nil {
		r.t.Fatal(err)
	}
	return &talker{seat: seat, hear: r.ears.of(name)}
}

type talker struct {
	seat *table.Seat
	hear *listener
	seq  uint16
}

func (p *talker) say(words string, d time.Duration) {
	p.hear.mu.Lock()
	p.hear.words = words
	p.hear.mu.Unlock()
	var f audio.Frame
	for i := range f {
		f[i] = 5000
	}
	for range int(d / audio.FrameDuration) {
		p.seat.Push(ear.Packet{Seq: p.seq, Frame: &f})
		p.seq++
		time.Sleep(audio.FrameDuration)
	}
}

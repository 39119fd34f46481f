package scenario

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

func TestPattern(t *testing.T) {
	entry := Entry{Kind: "turn.ended", Fields: map[string]string{"npc": "Mira", "outcome": "barged", "text": "Once a king.", "ledger.total_ms": "120.5", "turn": "2"}}
	for _, row := range []struct {
		text string
		fits bool
	}{
		{"turn.ended", true},
		{"turn.ended npc=Mira outcome=barged", true},
		{"turn.ended npc=Bart", false},
		{"turn.ended npc!=Bart", true},
		{`turn.ended text="Once a king."`, true},
		{"turn.ended text~KING", true},
		{"turn.ended text~queen", false},
		{"turn.ended ledger.total_ms<121", true},
		{"turn.ended ledger.total_ms<=120", false},
		{"turn.ended ledger.total_ms>=120.5 turn>1", true},
		{"turn.started", false},
	} {
		p, err := parsePattern(row.text)
		if err != nil {
			t.Errorf("%s: %v", row.text, err)
			continue
		}
		if got := p.fits(entry); got != row.fits {
			t.Errorf("%s fits: %v, want %v", row.text, got, row.fits)
		}
	}
	p, err := parsePattern("sentence @last -20ms")
	if err != nil || p.nth != -1 || p.shift != -20*time.Millisecond {
		t.Errorf("pattern = %+v, %v, want the last, 20 ms before", p, err)
	}
}

// packetLog is a seat that records packets and their times.
type packetLog struct {
	mu   sync.Mutex
	at   []time.Time
	seqs []uint16
}

func (d *packetLog) Push(p ear.Packet) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at = append(d.at, time.Now())
	d.seqs = append(d.seqs, p.Seq)
}

func TestMicrophoneSendsEvery20msAndNothingInSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := newRecord()
		m := newMicrophone(Player{Name: "Anna", Pitch: 120, Level: -14}, rec, 1)
		ctx, stop := context.WithCancel(t.Context())
		var goroutines sync.WaitGroup
		goroutines.Go(func() { m.sendPackets(ctx) })
		d := &packetLog{}
		m.connectSeat(d)
		time.Sleep(time.Second)
		line, err := speakStep(ctx, blank(), Step{Says: "One [600ms] two"}, m.player, nil)
		if err != nil {
			t.Fatal(err)
		}
		<-m.queueSound(line)
		time.Sleep(time.Second)
		if got := m.words.Said(time.Now(), true); got != "One two" {
			t.Errorf("recognition hears %q, want both words", got)
		}
		stop()
		goroutines.Wait()
		frames := len(line.samples)/960 + tail - 600/20 + tail
		if n := len(d.at); n < frames-1 || n > frames+2 {
			t.Errorf("%d packets for %v of speech with a pause, want about %d", n, soundOf(line.samples), frames)
		}
		for i := 1; i < len(d.at); i++ {
			if gap := d.at[i].Sub(d.at[i-1]); gap != 20*time.Millisecond && gap < 400*time.Millisecond || d.seqs[i] != d.seqs[i-1]+1 {
				t.Fatalf("packet %d comes %v after the one before, as number %d after %d", i, gap, d.seqs[i], d.seqs[i-1])
			}
		}
	})
}

func TestMicrophoneForgetsWhatALeavingPlayerDidNotSay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMicrophone(Player{Name: "Anna", Pitch: 120, Level: -14}, newRecord(), 1)
		ctx, stop := context.WithCancel(t.Context())
		var goroutines sync.WaitGroup
		goroutines.Go(func() { m.sendPackets(ctx) })
		m.connectSeat(&packetLog{})
		line, err := speakStep(ctx, blank(), Step{Says: "one two three four five six seven eight"}, m.player, nil)
		if err != nil {
			t.Fatal(err)
		}
		over := m.queueSound(line)
		time.Sleep(time.Second)
		m.connectSeat(nil)
		<-over
		time.Sleep(5 * time.Second)
		if got := m.words.Said(time.Now(), true); !strings.HasPrefix(got, "one two") || strings.Contains(got, "eight") {
			t.Errorf("recognition hears %q, want what was said within a second", got)
		}
		stop()
		goroutines.Wait()
	})
}

func TestRecogniserFaults(t *testing.T) {
	for _, row := range []struct {
		fault   string
		results int
		text    string
		err     bool // of the result
		opened  int  // connections
	}{
		{"", 1, "good day", false, 1},
		{"never", 0, "", false, 1},
		{"empty", 1, "", false, 1},
		{"duplicate", 2, "good day", false, 1},
		{"wrong", 1, "good bye", false, 1},
		{"error", 1, "", true, 1},
		{"broken", 1, "", true, 2},
	} {
		t.Run("fault_"+row.fault, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMicrophone(Player{Name: "Anna"}, newRecord(), 1)
				f := STTFault{Fault: row.fault}
				if row.fault == "wrong" {
					f.Text = "good bye"
				}
				r := newRecogniser(STT{Delay: blank().STT.Delay, Faults: []STTFault{f}}, m.rec, func(string) *rig.Words { return &m.words })
				s, err := r.Listen(t.Context(), stt.Options{Speaker: "Anna"})
				if err != nil {
					t.Fatal(err)
				}
				m.words.Add(time.Now(), rig.Word{Text: "good"}, rig.Word{Text: "day"})
				if _, err := s.Finish(t.Context()); err != nil {
					t.Fatal(err)
				}
				ctx, stop := context.WithTimeout(t.Context(), time.Minute)
				defer stop()
				n := 0
				for {
					got, err := s.Recv(ctx)
					if err != nil {
						if !errors.Is(err, context.DeadlineExceeded) {
							t.Errorf("the stream ends with %v, want it to last", err)
						}
						break
					}
					if n++; got.Text != row.text || !got.Final || (got.Err != nil) != row.err {
						t.Errorf("result = %+v, want %q", got, row.text)
					}
				}
				if n != row.results {
					t.Errorf("%d results, want %d", n, row.results)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestBubbleTurnsDeadlockAndPanicIntoErrors(t *testing.T) {
	begin := time.Now()
	err := inBubble(func() error { time.Sleep(24 * time.Hour); return errScripted })
	if !errors.Is(err, errScripted) {
		t.Errorf("err = %v, want what the function returned", err)
	}
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("a day in a bubble took %v", took)
	}
	err = inBubble(func() error { panic("boom") })
	if err == nil || !strings.Contains(err.Error(), "boom") {
		t.Errorf("err = %v, want the panic", err)
	}
	err = inBubble(func() error {
		go func() { select {} }() // waits forever, because the test is about that
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "never came to its end") {
		t.Errorf("err = %v, want the deadlock", err)
	}
}

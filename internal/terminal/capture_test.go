package terminal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// pushed is a frame pushed to a seat.
type pushed struct {
	at  time.Duration // since the seat was created
	seq uint16
	// first is the frame's first sample.
	first int16
	quiet bool
}

// fakeSeat records its frames.
type fakeSeat struct {
	since time.Time
	got   []pushed
	// pending is the time until which speech has not become a turn.
	pending time.Duration
	gone    error // error of the table
}

func newFakeSeat() *fakeSeat { return &fakeSeat{since: time.Now()} }

func (s *fakeSeat) Pending(context.Context) (bool, error) {
	return time.Since(s.since) < s.pending, s.gone
}

func (s *fakeSeat) Push(p ear.Packet) {
	s.got = append(s.got, pushed{time.Since(s.since), p.Seq, p.Frame[0], *p.Frame == audio.Frame{}})
}

func (s *fakeSeat) Stats() ear.Stats {
	return ear.Stats{Packets: ear.LaneStats{Packets: uint64(len(s.got)), Dropped: 2, Lost: 3}, Late: 4, Early: 6, Vain: 5, Broken: 1}
}

// voiced returns sound that counts as voice: a buzz at 120 Hz with the rhythm of syllables.
func voiced(length time.Duration) []int16 {
	sound := make([]int16, int(length.Seconds()*audio.SampleRate))
	for i := range sound {
		at := float64(i) / audio.SampleRate
		v := 0.0
		for k := 1.0; k <= 20; k++ {
			v += math.Sin(2*math.Pi*120*k*at) / k
		}
		sound[i] = int16(6000 * v * (0.6 + 0.4*math.Sin(2*math.Pi*4*at)))
	}
	return sound
}

// playing returns a capture of a recording at a fake seat, as start does.
func playing(sound []int16) (*captures, *capture, *fakeSeat) {
	s := newFakeSeat()
	c := &capture{speaker: "Ana", from: "ana.wav", sound: sound, done: make(chan struct{}), seat: s}
	return &captures{all: []*capture{c}, screen: newScreen(io.Discard, false, false)}, c, s
}

// TestRecordingIsPlayedInRealTime checks that a recording's frames come on time, followed by
// silence, and that it ends once its words became a turn.
func TestRecordingIsPlayedInRealTime(t *testing.T) {
	for _, row := range []struct {
		name    string
		pending time.Duration
		gone    error
		min     time.Duration // earliest end; the latest is one poll later
	}{
		{"silence", 0, nil, time.Second + tail},
		{"nothing_understood_while_it_played", time.Second, nil, time.Second + tail},
		{"answer_takes_long", 16 * time.Second, nil, 16 * time.Second},
		{"table_is_gone", time.Hour, errors.New("closed"), time.Second + tail},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cs, c, s := playing(voiced(990 * time.Millisecond))
				s.pending, s.gone = row.pending, row.gone
				cs.runCapture(t.Context(), c)
				if took := time.Since(s.since); took < row.min-audio.FrameDuration || took > row.min+inquiry+audio.FrameDuration {
					t.Errorf("it was over after %v, want %v and %v more at most", took, row.min, inquiry)
				}
				for i, p := range s.got {
					want := time.Duration(i) * audio.FrameDuration
					if p.at != want || p.seq != uint16(i) || p.quiet != (i >= 50) {
						t.Fatalf("frame %d came at %v with number %d, quiet %v; want it at %v, quiet from frame 50 on", i, p.at, p.seq, p.quiet, want)
					}
				}
			})
		})
	}
}

// TestWordsThatNobodyHeard checks that people read about a recording without words, and only
// about such a one.
func TestWordsThatNobodyHeard(t *testing.T) {
	const want = "! the NPCs heard no words from Ana (ana.wav)"
	for _, row := range []struct {
		name   string
		spoken table.Event
		told   bool
	}{
		{"none", nil, true},
		{"another_player", &table.Heard{Speaker: "Ben", Spoken: true}, true},
		{"typed", &table.Heard{Speaker: "Ana"}, true},
		{"some", &table.Heard{Speaker: "Ana", Spoken: true}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				cs, c, _ := playing(voiced(time.Second))
				cs.screen = newScreen(&out, false, false)
				if row.spoken != nil {
					cs.screen.Emit(row.spoken)
				}
				cs.runCapture(t.Context(), c)
				if got := strings.Contains(out.String(), want); got != row.told {
					t.Errorf("people read:\n%s\nwant %q: %t", &out, want, row.told)
				}
			})
		})
	}
}

// TestCaptureEndsWithItsContext checks that a capture ends at once when its context ends.
func TestCaptureEndsWithItsContext(t *testing.T) {
	for _, after := range []time.Duration{0, 300 * time.Millisecond, 5 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			cs, c, s := playing(voiced(time.Second))
			s.pending = time.Hour
			ctx, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			cs.runCapture(ctx, c)
			if took := time.Since(s.since); took != after {
				t.Errorf("it ended after %v, want %v", took, after)
			}
		})
	}
}

func TestOverWaitsForAll(t *testing.T) {
	for _, row := range []struct {
		name string
		end  func(cs *captures, c *capture, leave context.CancelFunc)
	}{
		{"heard_out", func(_ *captures, c *capture, _ context.CancelFunc) { close(c.done) }},
		{"nobody_reads", func(cs *captures, _ *capture, _ context.CancelFunc) {
			cs.screen.recordWriteError(errors.New("broken pipe"))
		}},
		{"left", func(_ *captures, _ *capture, leave context.CancelFunc) { leave() }},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cs, c, _ := playing(nil)
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				over := make(chan struct{})
				go func() {
					defer close(over)
					cs.awaitEnd(ctx)
				}()
				synctest.Wait()
				select {
				case <-over:
					t.Error("over returned while somebody was still heard")
				default:
				}
				row.end(cs, c, leave)
				<-over
			})
		})
	}
}

func TestReportOfSeats(t *testing.T) {
	cs, _, s := playing(nil)
	s.Push(ear.Packet{Frame: new(audio.Frame)})
	want := "Ana (ana.wav): 1 packet, 2 dropped, 3 lost; 0 utterances, 4 late transcripts; 6 asked for early, 5 of them in vain; the speech recognition was missing or broke off 1 time"
	if got := cs.describeSeats(); len(got) != 1 || got[0] != want {
		t.Errorf("report = %q, want %q", got, want)
	}
	if got := new(captures).describeSeats(); len(got) != 1 || !strings.Contains(got[0], "--hear") {
		t.Errorf("report without seats = %q, want how to have some", got)
	}
}

// TestPaceEvensBursts feeds frames in bursts of 120 ms: after the first burst, no gap is long
// enough to count as silence.
func TestPaceEvensBursts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c, s := playing(nil)
		frames := make(chan audio.Frame, maxAhead)
		go func() {
			defer close(frames)
			for n := range 60 {
				if n%6 == 0 {
					time.Sleep(120 * time.Millisecond)
				}
				frames <- audio.Frame{int16(n)}
			}
		}()
		c.pushInTime(t.Context(), frames)
		if len(s.got) != 60 {
			t.Fatalf("%d frames came, want 60", len(s.got))
		}
		for i := 1; i < 60; i++ {
			if gap := s.got[i].at - s.got[i-1].at; gap > 40*time.Millisecond {
				t.Errorf("frame %d came %v after the one before it", i, gap)
			}
		}
	})
}

// TestPaceLosesNothing feeds any bursts and gaps: every frame arrives, in order, and never much
// faster than recorded.
func TestPaceLosesNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		pauses := rapid.SliceOfN(rapid.IntRange(0, 300), 1, 80).Draw(r, "pauses_ms")
		burst := rapid.IntRange(1, 20).Draw(r, "burst")
		synctest.Test(t, func(*testing.T) {
			_, c, s := playing(nil)
			frames := make(chan audio.Frame, maxAhead)
			go func() {
				defer close(frames)
				for i, ms := range pauses {
					if i%burst == 0 {
						time.Sleep(time.Duration(ms) * time.Millisecond)
					}
					frames <- audio.Frame{int16(i)}
				}
			}()
			c.pushInTime(context.Background(), frames)
			if len(s.got) != len(pauses) {
				r.Fatalf("%d frames came, want %d", len(s.got), len(pauses))
			}
			for i, p := range s.got {
				if p.seq != uint16(i) || p.first != int16(i) {
					r.Fatalf("frame %d is number %d, sample %d", i, p.seq, p.first)
				}
				if least := time.Duration(i-1) * (audio.FrameDuration - mostHurry); p.at < least {
					r.Fatalf("frame %d came after %v, want %v at least", i, p.at, least)
				}
			}
		})
	})
}

// TestPaceCatchesUp checks that a delay does not persist.
func TestPaceCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c, s := playing(nil)
		frames := make(chan audio.Frame, maxAhead)
		go func() {
			defer close(frames)
			for n := range 1000 {
				if n >= 20 { // the first 400 ms arrive at once
					time.Sleep(audio.FrameDuration)
				}
				frames <- audio.Frame{int16(n)}
			}
		}()
		c.pushInTime(t.Context(), frames)
		// The last frame was recorded 980 frames after the first burst.
		late := s.got[len(s.got)-1].at - 980*audio.FrameDuration
		if most := 2 * audio.FrameDuration; late < 0 || late > most {
			t.Errorf("the last frame is %v late, want at most %v", late, most)
		}
	})
}

func TestReadFrames(t *testing.T) {
	sound := voiced(70 * time.Millisecond) // three and a half frames
	raw := audio.AppendS16LE(nil, sound)
	broken := errors.New("device gone")
	for _, row := range []struct {
		name string
		r    io.Reader
		want error
	}{
		{"at_once", bytes.NewReader(raw), nil},
		{"byte_by_byte", iotest.OneByteReader(bytes.NewReader(raw)), nil},
		{"breaks", io.MultiReader(bytes.NewReader(raw), iotest.ErrReader(broken)), broken},
	} {
		t.Run(row.name, func(t *testing.T) {
			frames := make(chan audio.Frame, maxAhead)
			if err := readFrames(t.Context(), row.r, frames); !errors.Is(err, row.want) || (err != nil) != (row.want != nil) {
				t.Errorf("err = %v, want %v", err, row.want)
			}
			close(frames)
			var got []int16
			for f := range frames {
				got = append(got, f[:]...)
			}
			if !slices.Equal(got, sound[:3*audio.FrameSamples]) {
				t.Errorf("%d samples came, want the first three frames", len(got))
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := readFrames(ctx, bytes.NewReader(raw), make(chan audio.Frame)); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v with nobody to take frames, want the context's", err)
	}
}

func TestLastComplaint(t *testing.T) {
	for _, row := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"one_line", "no such device\n", "no such device"},
		{"the_last", "recording…\nno such device\n\n", "no such device"},
		{"a_long_one", strings.Repeat("x", 5000), strings.Repeat("x", maxComplaint)},
	} {
		var w tailWriter
		for b := range strings.SplitSeq(row.in, "") {
			if n, err := w.Write([]byte(b)); n != len(b) || err != nil {
				t.Fatalf("%s: Write = %d, %v", row.name, n, err)
			}
		}
		if got := w.String(); got != row.want {
			t.Errorf("%s: kept %q, want %q", row.name, got, row.want)
		}
	}
}

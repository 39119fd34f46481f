package vendor_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// TestAudioKeepsTheNewest compares the queue with a plain list over random calls.
func TestAudioKeepsTheNewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 9000).Draw(t, "limit")
		a, results := vendor.NewAudio(limit), vendor.NewResults()
		var model []int16 // the samples waiting
		var marks []int   // each mark's distance from the oldest sample
		var next int16
		dropped, number := 0, 0
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0, 1:
				samples := make([]int16, rapid.IntRange(0, 6000).Draw(t, "samples"))
				for i := range samples {
					next++
					samples[i] = next
				}
				if err := a.Push(samples); err != nil {
					t.Fatal(err)
				}
				model = append(model, samples...)
				if over := len(model) - limit; over > 0 {
					model, dropped = model[over:], dropped+over
					for i := range marks {
						marks[i] = max(0, marks[i]-over)
					}
				}
			case 2:
				n, err := a.Finish(results)
				if busy := number >= stt.MaxPending; busy != errors.Is(err, stt.ErrBusy) || !busy && n != number {
					t.Fatalf("Finish = %d, %v after %d", n, err, number)
				}
				if err == nil {
					marks = append(marks, len(model))
					number++
				}
			case 3:
				dst := make([]int16, rapid.IntRange(0, 6000).Draw(t, "room"))
				n, mark := a.Pop(dst)
				want := min(len(dst), len(model))
				if len(marks) > 0 {
					want = min(want, marks[0])
				}
				wantMark := len(marks) > 0 && marks[0] == want
				if n != want || mark != wantMark || !slices.Equal(dst[:n], model[:n]) {
					t.Fatalf("Take = %d, %v, want %d, %v, or other samples", n, mark, want, wantMark)
				}
				model = model[n:]
				for i := range marks {
					marks[i] -= n
				}
				if mark {
					marks = marks[1:]
				}
			}
			if got := a.Dropped(); got != int64(dropped) {
				t.Fatalf("dropped %d, want %d", got, dropped)
			}
		}
	})
}

func TestAudioFails(t *testing.T) {
	a := vendor.NewAudio(10)
	a.Fail(stt.ErrUnavailable)
	a.Fail(stt.ErrClosed)
	if err := a.Push([]int16{1}); !errors.Is(err, stt.ErrUnavailable) {
		t.Errorf("Push = %v, want the first error", err)
	}
	if _, err := a.Finish(vendor.NewResults()); !errors.Is(err, stt.ErrUnavailable) {
		t.Errorf("Finish = %v, want the first error", err)
	}
}

// TestEveryUtteranceHasOneFinal sends transcripts in any order.
func TestEveryUtteranceHasOneFinal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := vendor.NewResults()
		last := -1
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			r := stt.Result{Utterance: rapid.IntRange(0, 8).Draw(t, "utterance"), Final: rapid.Bool().Draw(t, "final")}
			m.Put(r)
			if r.Final {
				last = max(last, r.Utterance)
			}
		}
		m.Fail(stt.ErrClosed)
		next := 0
		for {
			r, err := m.Recv(context.Background())
			if err != nil {
				break
			}
			switch {
			case r.Final && r.Utterance != next, !r.Final && r.Utterance <= last:
				t.Fatalf("received %+v, want the final of %d", r, next)
			case r.Final:
				next++
			}
		}
		if next != last+1 {
			t.Fatalf("%d finals, want %d", next, last+1)
		}
	})
}

func TestResultsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := vendor.NewResults()
		time.AfterFunc(time.Second, func() { m.Put(stt.Result{Text: "Aye"}) })
		if r, err := m.Recv(t.Context()); err != nil || r.Text != "Aye" {
			t.Errorf("Recv = %+v, %v", r, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := m.Recv(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Recv = %v, want the context's error", err)
		}
	})
}

func TestKeyterms(t *testing.T) {
	terms := []string{"Bart", " Bart ", "", "Ysolde\u200b  Quill", "Greymantle", "Mira"}
	rows := []struct {
		name                 string
		number, bytes, runes int
		want                 []string
	}{
		{"all", 10, 0, 0, []string{"Bart", "Ysolde Quill", "Greymantle", "Mira"}},
		{"number", 2, 0, 0, []string{"Bart", "Ysolde Quill"}},
		{"bytes", 10, 17, 0, []string{"Bart", "Ysolde Quill"}},
		{"runes", 10, 0, 5, []string{"Bart", "Mira"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, vendor.Keyterms(terms, row.number, row.bytes, row.runes)); diff != "" {
				t.Errorf("terms (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAddress(t *testing.T) {
	rows := []struct{ name, base, want string }{
		{"root", "https://api.example.com", "https://api.example.com/v1/listen"},
		{"slash", "wss://api.example.com/", "wss://api.example.com/v1/listen"},
		{"version", "http://localhost:80/v1", "http://localhost:80/v1/listen"},
		{"whole", "http://localhost/v1/listen", "http://localhost/v1/listen"},
		{"below", "https://proxy/deepgram?team=1", "https://proxy/deepgram/v1/listen?team=1"},
		{"scheme", "ftp://api.example.com", ""},
		{"no_host", "https://", ""},
		{"garbage", "://\x00", ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			u, err := vendor.Address(row.base, "/v1/listen")
			if row.want == "" {
				if !errors.Is(err, vendor.ErrAddress) {
					t.Errorf("Address = %v, %v, want ErrAddress", u, err)
				}
				return
			}
			if err != nil || u.String() != row.want {
				t.Errorf("Address = %v, %v, want %s", u, err, row.want)
			}
		})
	}
}

func TestSeconds(t *testing.T) {
	rows := []struct {
		in   float64
		want time.Duration
	}{{1.5, 1500 * time.Millisecond}, {-1, 0}, {math.NaN(), 0}, {math.Inf(1), 30 * 24 * time.Hour}, {1e300, 30 * 24 * time.Hour}}
	for _, row := range rows {
		if got := vendor.Seconds(row.in); got != row.want {
			t.Errorf("Seconds(%v) = %s, want %s", row.in, got, row.want)
		}
	}
	for in, want := range map[float64]float64{0.5: 0.5, -1: 0, 7: 1, math.Inf(-1): 0} {
		if got := vendor.Confidence(in); got != want {
			t.Errorf("Confidence(%v) = %v, want %v", in, got, want)
		}
	}
}

func TestConverter(t *testing.T) {
	c, err := vendor.NewConverter(stt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // an utterance leaves no state for the next
		n := 0
		for i := range 50 {
			n += len(c.Convert(make([]int16, 960), i == 49))
		}
		if n != vendor.Rate {
			t.Errorf("a second became %d samples, want %d", n, vendor.Rate)
		}
	}
}

func BenchmarkPush(b *testing.B) {
	a := vendor.NewAudio(vendor.Limit(stt.Options{}))
	frame := make([]int16, 960)
	for range 2000 { // until the buffer has its maximum size
		if err := a.Push(frame); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := a.Push(frame); err != nil {
			b.Fatal(err)
		}
	}
}

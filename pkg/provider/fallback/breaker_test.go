package fallback_test

import (
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/pkg/provider/fallback"
)

func TestOpensAndHeals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fallback.NewBreaker(0, 0)
		for i := range fallback.DefaultFailures {
			if !b.Enter() || !b.Closed() {
				t.Fatalf("try %d is not let through", i)
			}
			b.Failed(false, 0)
		}
		if b.Enter() || b.Ready() || b.Closed() {
			t.Error("an open breaker lets tries through")
		}
		pause := fallback.DefaultBackOff
		for range 10 {
			if got := time.Until(b.Due()); got != pause {
				t.Fatalf("open for %v, want %v", got, pause)
			}
			time.Sleep(pause - 1)
			if b.Ready() {
				t.Fatal("lets a try through before its time")
			}
			time.Sleep(time.Nanosecond)
			if !b.Ready() || !b.Enter() || b.Enter() || b.Ready() {
				t.Fatal("lets not exactly one try through")
			}
			b.Failed(false, 0)
			pause = min(2*pause, fallback.MaxBackOff)
		}
		time.Sleep(pause)
		if !b.Enter() {
			t.Fatal("lets nothing through")
		}
		b.Succeeded()
		if !b.Closed() || !b.Enter() || !b.Enter() {
			t.Error("is not closed after a success")
		}
		b.Failed(true, 0)
		if got := time.Until(b.Due()); got != fallback.DefaultBackOff {
			t.Errorf("open for %v after healing, want the first pause", got)
		}
	})
}

func TestFailed(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(b *fallback.Breaker)
		open time.Duration // 0 means closed
	}{
		{"once", func(b *fallback.Breaker) { b.Failed(false, 0) }, 0},
		{"at_once", func(b *fallback.Breaker) { b.Failed(true, 0) }, time.Second},
		{"enough", func(b *fallback.Breaker) { b.Failed(false, 0); b.Failed(false, 0) }, time.Second},
		{"not_in_a_row", func(b *fallback.Breaker) { b.Failed(false, 0); b.Succeeded(); b.Failed(false, 0) }, 0},
		{"told_to_wait", func(b *fallback.Breaker) { b.Failed(true, time.Minute) }, time.Minute},
		{"told_to_wait_less", func(b *fallback.Breaker) { b.Failed(true, time.Millisecond) }, time.Second},
		{"several_under_way", func(b *fallback.Breaker) { b.Failed(true, 0); b.Failed(true, 0); b.Failed(true, 0) }, time.Second},
		{"told_to_wait_by_a_late_one", func(b *fallback.Breaker) { b.Failed(true, 0); b.Failed(true, time.Minute) }, time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := fallback.NewBreaker(2, time.Second)
				tt.do(b)
				if tt.open == 0 {
					if !b.Closed() {
						t.Error("is open, want closed")
					}
					return
				}
				if got := time.Until(b.Due()); b.Closed() || got != tt.open {
					t.Errorf("closed %v, due in %v; want open for %v", b.Closed(), got, tt.open)
				}
			})
		})
	}
}

func TestAbandonedTryMakesRoomForAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fallback.NewBreaker(1, time.Second)
		b.Failed(false, 0)
		time.Sleep(time.Second)
		if !b.Enter() || b.Enter() {
			t.Fatal("lets not exactly one try through")
		}
		b.Abandoned()
		if b.Closed() || !b.Enter() {
			t.Error("an abandoned try decided something")
		}
	})
}

func TestSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fallback.NewBreakers(3, 1, time.Second)
		none := make([]bool, 3)
		if got := s.Enter(none); got != 0 {
			t.Errorf("Enter = %d, want the first", got)
		}
		s[0].Failed(false, time.Minute)
		if got := s.Enter([]bool{false, true, false}); got != 2 {
			t.Errorf("Enter = %d, want the one that is neither open nor excluded", got)
		}
		if got := s.Ready(none); got != 2 {
			t.Errorf("Ready = %d, want 2", got)
		}
		s[1].Failed(false, 0)
		s[2].Failed(false, 30*time.Second)
		if got := s.Enter(none); got != -1 {
			t.Errorf("Enter = %d, want none", got)
		}
		for _, tt := range []struct {
			excluded []bool
			want     int
		}{{none, 1}, {[]bool{false, true, false}, 2}, {[]bool{false, true, true}, 0}, {[]bool{true, true, true}, -1}} {
			if got := s.Soonest(tt.excluded); got != tt.want {
				t.Errorf("Soonest(%v) = %d, want %d", tt.excluded, got, tt.want)
			}
		}
	})
}

// TestNoProviderIsLostForEver applies random acts: once all attempts are reported, the
// breaker allows one within MaxBackOff.
func TestNoProviderIsLostForEver(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		limit := rapid.IntRange(1, 4).Draw(r, "failures")
		acts := rapid.SliceOf(rapid.SampledFrom([]string{"enter", "wait", "failed", "severe", "succeeded", "abandoned"})).Draw(r, "acts")
		lost := false
		synctest.Test(t, func(*testing.T) { lost = !enterAfter(fallback.NewBreaker(limit, time.Second), acts) })
		if lost {
			r.Fatal("lets nothing through")
		}
	})
}

// enterAfter applies acts, reports every attempt, waits for the longest pause, and
// reports whether the next attempt is allowed.
func enterAfter(b *fallback.Breaker, acts []string) bool {
	under := 0
	for _, what := range acts {
		switch {
		case what == "wait":
			time.Sleep(3 * time.Second)
		case what == "enter":
			if b.Enter() {
				under++
			}
		case under > 0:
			under--
			report(b, what)
		}
	}
	for ; under > 0; under-- {
		report(b, "abandoned")
	}
	time.Sleep(fallback.MaxBackOff)
	return b.Enter()
}

func report(b *fallback.Breaker, what string) {
	switch what {
	case "failed":
		b.Failed(false, 0)
	case "severe":
		b.Failed(true, 0)
	case "succeeded":
		b.Succeeded()
	case "abandoned":
		b.Abandoned()
	}
}

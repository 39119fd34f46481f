package simulate

import (
	"math"
	"slices"
	"testing"
	"time"
)

func TestLatenciesAreDistributedAsAsked(t *testing.T) {
	const n = 20000
	for _, tt := range []struct {
		name string
		l    Latency
	}{
		{"transcript", Latency{120 * time.Millisecond, 350 * time.Millisecond}},
		{"model", Latency{350 * time.Millisecond, 1500 * time.Millisecond}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDice(1, 1)
			got := make([]time.Duration, n)
			for i := range got {
				got[i] = d.latency(tt.l)
			}
			slices.Sort(got)
			near(t, "p50", got[n/2], tt.l.P50)
			near(t, "p99", got[n*99/100], tt.l.P99)
			if most := tt.l.at(4); got[n-1] > most {
				t.Errorf("the longest is %v, want at most %v", got[n-1], most)
			}
		})
	}
}

// near requires a drawn percentile within 8 % of the configured one.
func near(t *testing.T, name string, got, want time.Duration) {
	t.Helper()
	if math.Abs(float64(got-want)) > 0.08*float64(want) {
		t.Errorf("%s = %v, want %v within 8 %%", name, got, want)
	}
}

func TestLatencyWithoutSpread(t *testing.T) {
	for _, tt := range []struct {
		name string
		l    Latency
		want time.Duration
	}{
		{"zero", Latency{}, 0},
		{"constant", Latency{P50: time.Second}, time.Second},
		{"negative", Latency{P50: -time.Second, P99: time.Second}, 0},
	} {
		if got := newDice(1, 1).latency(tt.l); got != tt.want {
			t.Errorf("%s: latency = %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestDiceRepeatThemselves(t *testing.T) {
	a, b, other := newDice(7, 3), newDice(7, 3), newDice(7, 4)
	differs := false
	for range 50 {
		x, y := a.between(0, time.Hour), b.between(0, time.Hour)
		if x != y {
			t.Fatalf("the same seed and table drew %v and %v", x, y)
		}
		differs = differs || x != other.between(0, time.Hour)
	}
	if !differs {
		t.Error("two tables of one seed drew the same")
	}
}

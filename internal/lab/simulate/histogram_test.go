package simulate

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestQuantilesAreWithinThreePercent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, int64(time.Hour/time.Microsecond)), 1, 200).Draw(t, "microseconds")
		q := rapid.Float64Range(0.01, 1).Draw(t, "q")
		var h histogram
		for _, v := range values {
			h.addDuration(time.Duration(v) * time.Microsecond)
		}
		slices.Sort(values)
		exact := float64(values[max(int(math.Ceil(q*float64(len(values))))-1, 0)]) / 1000
		d := h.distribution()
		if got := d.quantile(q); got < exact || got > exact*(1+1.0/fine) {
			t.Errorf("quantile(%v) of %v = %v ms, want %v ms or up to 3 %% more", q, values, got, exact)
		}
		if got, want := d.max(), float64(values[len(values)-1])/1000; got != want {
			t.Errorf("max = %v ms, want %v ms", got, want)
		}
	})
}

func TestBucketsFollowEachOther(t *testing.T) {
	for i := range buckets - 1 {
		if got := bucket(upper(i)); got != i {
			t.Fatalf("the upper end of bucket %d, %d µs, is counted in bucket %d", i, upper(i), got)
		}
		if got := bucket(upper(i) + 1); got != i+1 {
			t.Fatalf("%d µs, the first beyond bucket %d, is counted in bucket %d", upper(i)+1, i, got)
		}
	}
}

func TestSinceLeavesOutWhatWasBefore(t *testing.T) {
	var h histogram
	h.addDuration(time.Second)
	before := h.distribution()
	if got := h.distribution().since(before); got.total != 0 || got.quantile(0.5) != 0 || got.max() != 0 {
		t.Errorf("nothing recorded since: total %d, p50 %v, max %v, want zeros", got.total, got.quantile(0.5), got.max())
	}
	h.addDuration(5 * time.Microsecond)
	h.addDuration(-time.Second)
	got := h.distribution().since(before)
	if got.total != 2 || got.quantile(0.5) != 0 || got.quantile(1) != 0.005 {
		t.Errorf("since = %d values, p50 %v ms, p100 %v ms, want 2, 0, 0.005", got.total, got.quantile(0.5), got.quantile(1))
	}
}

func TestRecordAllocatesNothing(t *testing.T) {
	var h histogram
	if got := testing.AllocsPerRun(100, func() { h.addDuration(time.Millisecond) }); got != 0 {
		t.Errorf("record allocates %v times, want never", got)
	}
}

package mcpbench

import (
	"math/bits"
	"testing"
	"time"
)

// spread counts durations in buckets at most a thirtieth wide, because millions
// of them are measured.
type spread struct {
	buckets [64 << spreadBits]uint32
	n       int64
	most    int64
}

const spreadBits = 5

// points are the percentiles of a spread.
type points struct {
	N                  int64
	P50, P95, P99, Max time.Duration
}

func (s *spread) add(ns int64) {
	ns = max(ns, 0)
	s.buckets[bucket(ns)]++
	s.n++
	s.most = max(s.most, ns)
}

// bucket combines the exponent of ns with its leading bits.
func bucket(ns int64) int {
	if ns < 1<<spreadBits {
		return int(ns)
	}
	exponent := bits.Len64(uint64(ns)) - spreadBits - 1
	return (exponent+1)<<spreadBits + int(ns>>exponent)&(1<<spreadBits-1)
}

// upper is the largest value of a bucket.
func upper(bucket int) int64 {
	exponent := bucket>>spreadBits - 1
	if exponent < 0 {
		return int64(bucket)
	}
	return (int64(bucket&(1<<spreadBits-1))+1<<spreadBits+1)<<exponent - 1
}

func (s *spread) merge(o *spread) {
	for i, n := range o.buckets {
		s.buckets[i] += n
	}
	s.n += o.n
	s.most = max(s.most, o.most)
}

func (s *spread) points() points {
	return points{N: s.n, P50: s.percentile(50), P95: s.percentile(95), P99: s.percentile(99), Max: time.Duration(s.most)}
}

func (s *spread) percentile(p int64) time.Duration {
	rank, sum := (s.n*p+99)/100, int64(0)
	for i, n := range s.buckets {
		if sum += int64(n); sum >= rank {
			return time.Duration(min(upper(i), s.most))
		}
	}
	return time.Duration(s.most)
}

func TestSpread(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	for _, tc := range []struct {
		name           string
		from, to       int64
		p50, p95, most int64
	}{
		{"small values are exact", 1, 20, 10, 19, 20},
		{"a thousand nanoseconds", 1, 1000, 500, 950, 1000},
		{"milliseconds", 1_000_001, 1_100_000, 1_050_000, 1_095_000, 1_100_000},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var s, other spread
			for v := tc.from; v <= tc.to; v++ {
				if v%2 == 0 {
					s.add(v)
				} else {
					other.add(v)
				}
			}
			s.merge(&other)
			got := s.points()
			if n := tc.to - tc.from + 1; got.N != n || int64(got.Max) != tc.most {
				t.Errorf("n, max = %d, %d, want %d, %d", got.N, got.Max, n, tc.most)
			}
			for _, p := range []struct {
				got  time.Duration
				want int64
			}{{got.P50, tc.p50}, {got.P95, tc.p95}} {
				if int64(p.got) < p.want || float64(p.got) > float64(p.want)*(1+1.0/30) {
					t.Errorf("percentile = %d, want %d or a thirtieth more", p.got, p.want)
				}
			}
		})
	}
	for _, v := range []int64{0, 1, 31, 32, 33, 1 << 40, 1<<62 - 1} {
		if b := bucket(v); v > upper(b) || b > 0 && v <= upper(b-1) {
			t.Errorf("%d is in bucket %d, which ends at %d", v, b, upper(b))
		}
	}
}

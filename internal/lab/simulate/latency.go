package simulate

import (
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// Latency is a provider's latency, log-normally distributed like most waits for
// servers. The zero value is no latency.
type Latency struct {
	// P50 is the median, P99 the 99th percentile. A P99 below P50 counts as
	// P50: the latency is constant.
	P50, P99 time.Duration
}

// z99 is the 99th percentile of the normal distribution.
const z99 = 2.3263478740408408

// at returns the time whose logarithm is z standard deviations above the mean.
func (l Latency) at(z float64) time.Duration {
	if l.P50 <= 0 || l.P99 <= l.P50 {
		return max(l.P50, 0)
	}
	sigma := math.Log(float64(l.P99)/float64(l.P50)) / z99
	return time.Duration(float64(l.P50) * math.Exp(sigma*z))
}

// dice is the source of randomness of one table. It is safe for concurrent use.
type dice struct {
	mu  sync.Mutex // guards rng
	rng *rand.Rand
}

func newDice(seed uint64, table int) *dice {
	return &dice{rng: rand.New(rand.NewPCG(seed, uint64(table)))}
}

// latency draws from l, within four standard deviations, so that no call hangs.
func (d *dice) latency(l Latency) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return l.at(max(-4, min(4, d.rng.NormFloat64())))
}

// between draws uniformly from [least, most].
func (d *dice) between(least, most time.Duration) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return least + time.Duration(d.rng.Int64N(int64(most-least)+1))
}

// one draws from 0 to n-1.
func (d *dice) one(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rng.IntN(n)
}

// chance reports true with probability p.
func (d *dice) chance(p float64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rng.Float64() < p
}

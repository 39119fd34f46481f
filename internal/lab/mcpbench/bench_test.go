package mcpbench

import (
	"hash/fnv"
	"math/rand/v2"
	"testing"
	"time"
)

// BenchmarkCall has everybody call in turns; one op is one call of each.
func BenchmarkCall(b *testing.B) {
	for _, tr := range transports() {
		b.Run(tr.name, func(b *testing.B) {
			all := tr.open(b, tr.asks)
			rng := rand.New(rand.NewPCG(1, 2))
			b.ResetTimer()
			took, err := round(b.Context(), all, b.N, rng)
			if err != nil {
				b.Fatal(err)
			}
			for i, c := range all {
				b.ReportMetric(float64(percentile(took[i], 50))/float64(time.Microsecond), c.name+"-p50-µs")
				b.ReportMetric(float64(percentile(took[i], 99))/float64(time.Microsecond), c.name+"-p99-µs")
			}
		})
	}
}

// BenchmarkYardstick hashes 1,000 bytes with FNV-1a: work of a known size, to
// set figures from different machines and hours beside each other.
func BenchmarkYardstick(b *testing.B) {
	data := make([]byte, 1000)
	for i := range data {
		data[i] = byte(i)
	}
	h := fnv.New64a()
	var sum uint64
	for b.Loop() {
		h.Reset()
		_, _ = h.Write(data) // a hash takes everything
		sum += h.Sum64()
	}
	if sum == 0 {
		b.Fatal("nothing hashed")
	}
}

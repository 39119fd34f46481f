package mcpbench

import (
	"hash/fnv"
	"math/rand/v2"
	"testing"
	"time"
)

// BenchmarkCall calls through all contenders in turns; one op is one call of
// each.
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

// BenchmarkYardstick hashes 1,000 bytes with FNV-1a, a fixed amount of work, so
// that figures of different machines and hours can be compared.
func BenchmarkYardstick(b *testing.B) {
	data := make([]byte, 1000)
	for i := range data {
		data[i] = byte(i)
	}
	h := fnv.New64a()
	var sum uint64
	for b.Loop() {
		h.Reset()
		_, _ = h.Write(data) // writing to a hash cannot fail
		sum += h.Sum64()
	}
	if sum == 0 {
		b.Fatal("nothing hashed")
	}
}

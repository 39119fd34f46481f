package truth

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkRulesQuestions measures a question over the whole book, through the
// tool.
func BenchmarkRulesQuestions(b *testing.B) {
	book, err := openRules()
	if err != nil {
		b.Fatal(err)
	}
	questions, err := readRows[rulesQuestion](repository.corpus("rules", "dev.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for b.Loop() {
		for _, q := range questions {
			start := time.Now()
			if _, err := book.ask(b.Context(), q.Text); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(start))
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
}

package recall_test

import (
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/recall"
	"github.com/MrWong99/glyphoxa/srd"
)

// BenchmarkRank queries an index of its maximum size, filled with sentences of the rule
// book.
func BenchmarkRank(b *testing.B) {
	var texts []string
	files, err := fs.Glob(srd.FS, "*.yaml")
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range files {
		page, err := fs.ReadFile(srd.FS, name)
		if err != nil {
			b.Fatal(err)
		}
		for text := range strings.SplitSeq(string(page), ". ") {
			texts = append(texts, text[:min(len(text), 90)])
		}
	}
	const kept, dimensions = 16384, 228
	chance := rand.New(rand.NewPCG(1, 2))
	vector := func() []float32 {
		v := make([]float32, dimensions)
		for i := range v {
			v[i] = float32(chance.NormFloat64()) / 15
		}
		return v
	}
	x := recall.NewIndex()
	for i := range kept {
		x.Add(recall.Line{ID: int64(i + 1), Session: int64(i / 200), Speaker: "Ada", Text: texts[i%len(texts)]})
		x.SetVector(int64(i+1), vector())
	}
	q := recall.Query{Text: "What does it cost to have a shield made by the smith at the northern gate?", Vector: vector(), Limit: 10, Sees: func(int64) bool { return true }}
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		x.Rank(q)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

package sqlstore_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
)

// TestNearest searches some thousand vectors that are clustered like those of text for
// the ten nearest, and counts how many are among the candidates.
func TestNearest(t *testing.T) {
	for _, row := range []struct {
		name                string
		dimensions, n, want int
	}{{"bytes", 100, 64, 197}, {"signs", 768, 128, 190}} {
		t.Run(row.name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 2))
			vector := func(around []float32) []float32 {
				v, square := make([]float32, row.dimensions), 0.0
				for i := range v {
					v[i] = float32(rnd.NormFloat64())
					if around != nil {
						v[i] = around[i] + v[i]/float32(math.Sqrt(float64(row.dimensions)))
					}
					square += float64(v[i] * v[i])
				}
				for i := range v {
					v[i] /= float32(math.Sqrt(square))
				}
				return v
			}
			heaps := make([][]float32, 40)
			for i := range heaps {
				heaps[i] = vector(nil)
			}
			s := sqlstore.NewSketch(row.dimensions)
			all := make([][]float32, 4000)
			for i := range all {
				all[i] = vector(heaps[i%len(heaps)])
				s.Add(int64(i), all[i])
			}
			found := 0
			for q := range 20 {
				asked := vector(heaps[q])
				order := make([]int64, len(all))
				for i := range order {
					order[i] = int64(i)
				}
				likeness := func(id int64) (sum float32) {
					for i, x := range all[id] {
						sum += x * asked[i]
					}
					return sum
				}
				slices.SortFunc(order, func(a, b int64) int { return cmp.Compare(likeness(b), likeness(a)) })
				got := s.Nearest(asked, row.n)
				if len(got) != row.n {
					t.Fatalf("%d candidates, want %d", len(got), row.n)
				}
				for _, id := range order[:10] {
					if slices.Contains(got, id) {
						found++
					}
				}
			}
			if found < row.want {
				t.Errorf("%d of the 200 nearest are among the candidates, want %d at least", found, row.want)
			}
			t.Logf("%d of 200", found)
		})
	}
	s := sqlstore.NewSketch(3)
	if got := s.Nearest([]float32{1, 0, 0}, 5); len(got) != 0 {
		t.Errorf("an empty sketch has %v", got)
	}
	s.Add(7, []float32{1, 0, 0})
	if got := s.Nearest([]float32{1, 0, 0}, 5); !slices.Equal(got, []int64{7}) {
		t.Errorf("found %v, want 7", got)
	}
	if got := s.Nearest([]float32{1}, 5); got != nil {
		t.Errorf("a vector of another length finds %v", got)
	}
}

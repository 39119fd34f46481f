package sentencevectors

import (
	"encoding/binary"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "find the axes of the vectors anew")

// TestAxes finds the directions in which sentences of the rule book and of the pages
// under docs differ most. Any English text would do: the file it writes holds only
// differences within the model's own vectors.
func TestAxes(t *testing.T) {
	if !*update {
		t.Skip("run with -update to find the axes anew")
	}
	var spread [wide][wide]float64
	for _, s := range sentences(t) {
		v := load().encode(s)
		for i := range v {
			for j := range v {
				spread[i][j] += float64(v[i]) * float64(v[j])
			}
		}
	}
	var steps, weights []byte
	for _, axis := range principal(&spread) {
		most := 0.0
		for _, x := range axis {
			most = max(most, math.Abs(x))
		}
		steps = binary.LittleEndian.AppendUint32(steps, math.Float32bits(float32(most/127)))
		for _, x := range axis {
			weights = append(weights, byte(int8(math.Round(127*x/most))))
		}
	}
	out := append(append(steps, weights...), make([]byte, 4*axes)...) // no bias
	if err := os.WriteFile("axes.bin", out, 0o644); err != nil {
		t.Fatal(err)
	}
}

// sentences returns sentences from the program's own files.
func sentences(t *testing.T) (all []string) {
	end := regexp.MustCompile(`[.!?]\s+`)
	for _, pattern := range []string{"srd/*.yaml", "docs/*.md"} {
		names, err := filepath.Glob(filepath.Join("../../../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			page, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range end.Split(string(page), -1) {
				if s = strings.Join(strings.Fields(s), " "); i%7 == 0 && len(s) >= 30 && len(s) <= 160 {
					all = append(all, s)
				}
			}
		}
	}
	return all
}

// principal returns the directions of greatest variance, greatest first.
func principal(spread *[wide][wide]float64) [][]float64 {
	out := make([][]float64, axes)
	for k := range out {
		out[k] = make([]float64, wide)
		for i := range out[k] {
			out[k][i] = math.Sin(float64(1 + i*k + i)) // a start value unlike the others
		}
	}
	for range 20 {
		for k, axis := range out {
			next := make([]float64, wide)
			for i := range next {
				for j, x := range axis {
					next[i] += spread[i][j] * x
				}
			}
			for _, before := range out[:k] {
				along := product(next, before)
				for i := range next {
					next[i] -= along * before[i]
				}
			}
			length := math.Sqrt(product(next, next))
			for i := range next {
				next[i] /= length
			}
			out[k] = next
		}
	}
	return out
}

func product(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

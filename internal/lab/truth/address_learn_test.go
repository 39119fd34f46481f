package truth

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/address"
)

var learnAnew = flag.Bool("learn", false, "learn anew what internal/address weighs")

// learnedWeights is where internal/address reads its weights.
var learnedWeights = filepath.Join("..", "..", "address", "learned.tsv")

const (
	// evidencePull and wordPull draw weights to zero, those of words more: most are rare.
	evidencePull, wordPull = 3.0, 15.0
	// trainCounts is what a line of train.tsv counts beside one of dev.tsv, which has
	// more kinds of lines.
	trainCounts = 0.5
	// fewest is in how many lines a word must be to be learned.
	fewest = 4
	// leastWeight is what a weight must be to be kept.
	leastWeight = 0.05
)

// expected are weights that hold until lines teach better. Few lines are surely of rules,
// and an NPC must not answer those.
var expected = map[string]float64{"evidence\trules sure": -2, "evidence\toutsiders": -1.5, "evidence\tstranger": -1.5}

// example is a line with what was weighed about it, as numbers of weights.
type example struct {
	has    []int
	toNPC  float64 // 1 or 0
	counts float64
}

// lesson is what there is to learn from.
type lesson struct {
	names    []string // "evidence\t…", "word\t…"
	numbers  map[string]int
	lines    map[string]int // by word
	examples []example
}

func (le *lesson) number(name string) int {
	n, ok := le.numbers[name]
	if !ok {
		n = len(le.names)
		le.numbers[name] = n
		le.names = append(le.names, name)
	}
	return n
}

// read plays a part with each line decided as it should be, and notes what is weighed.
func (le *lesson) read(t *testing.T, part string, heard bool, count func(word string) bool) {
	counts := 1.0
	if part == "train" {
		counts = trainCounts
	}
	if _, err := repository.playWith(part, heard, func(p *talk, l *truthLine, st address.State, text string, d address.Decision) address.Decision {
		npc, names, words, ok := address.Evidence(p.at, st, text)
		right, known := p.table.rightly(l, d)
		toNPC := l.expected == "npc:"+p.table.NPCs[npc].ID
		if !ok || !known || setAside(l.sequence()) || !toNPC && l.expected != "none" {
			return right
		}
		e := example{counts: counts}
		if toNPC {
			e.toNPC = 1
		}
		for _, n := range names {
			e.has = append(e.has, le.number("evidence\t"+n))
		}
		for _, w := range words {
			if count(w) {
				e.has = append(e.has, le.number("word\t"+w))
			}
		}
		le.examples = append(le.examples, e)
		return right
	}); err != nil {
		t.Fatal(err)
	}
}

// rightly is a decision as the line expects it.
func (tt *truthTable) rightly(l *truthLine, d address.Decision) (right address.Decision, known bool) {
	kind, ids, _ := strings.Cut(l.expected, ":")
	switch kind {
	case "none":
		d.NPCs, d.All = nil, false
	case "room":
		d.All, d.Route = true, address.RouteGroup
		if len(d.NPCs) == 0 {
			d.NPCs = []int{0, 1}
		}
	default:
		d.NPCs = nil
		for id := range strings.SplitSeq(ids, ",") {
			d.NPCs = append(d.NPCs, tt.place(id))
		}
		slices.Sort(d.NPCs)
		if d.Route == address.RouteNone {
			d.Route = address.RouteContinuation
		}
	}
	return d, kind != "room"
}

// learn fits the weights by logistic regression.
func (le *lesson) learn() []float64 {
	const (
		steps, rate    = 200, 0.05
		inertia, smear = 0.9, 0.99
	)
	n := len(le.names)
	w, slope, mean, square := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for step := 1.0; step <= steps; step++ {
		for j, name := range le.names {
			pull := evidencePull
			if strings.HasPrefix(name, "word\t") {
				pull = wordPull
			}
			slope[j] = pull * (w[j] - expected[name])
		}
		for _, e := range le.examples {
			sum := 0.0
			for _, j := range e.has {
				sum += w[j]
			}
			off := e.counts * (1/(1+math.Exp(-sum)) - e.toNPC)
			for _, j := range e.has {
				slope[j] += off
			}
		}
		for j := range w {
			mean[j] = inertia*mean[j] + (1-inertia)*slope[j]
			square[j] = smear*square[j] + (1-smear)*slope[j]*slope[j]
			w[j] -= rate * mean[j] / (1 - math.Pow(inertia, step)) / (math.Sqrt(square[j]/(1-math.Pow(smear, step))) + 1e-9)
		}
	}
	return w
}

// TestLearnWeights learns anew, with -learn, what evidence and words weigh, from dev.tsv
// and two thirds of train.tsv. Else it checks the form of what was learned.
func TestLearnWeights(t *testing.T) {
	if !*learnAnew {
		file, err := os.ReadFile(learnedWeights)
		if err != nil {
			t.Fatal(err)
		}
		for row := range strings.Lines(string(file)) {
			var w float64
			c := strings.Split(strings.TrimSpace(row), "\t")
			if len(c) != 3 || c[0] != "evidence" && c[0] != "word" {
				t.Errorf("%q is no weight", row)
			} else if _, err := fmt.Sscan(c[2], &w); err != nil {
				t.Errorf("%q: %v", row, err)
			}
		}
		return
	}
	le := &lesson{numbers: map[string]int{}, lines: map[string]int{}}
	for _, part := range []string{"dev", "train"} {
		le.read(t, part, false, func(w string) bool { le.lines[w]++; return false })
	}
	le.examples = nil
	for _, part := range []string{"dev", "train"} {
		for _, heard := range []bool{false, true} {
			le.read(t, part, heard, func(w string) bool { return le.lines[w] >= fewest })
		}
	}
	weights := le.learn()
	var rows []string
	for j, name := range le.names {
		if math.Abs(weights[j]) >= leastWeight || strings.HasPrefix(name, "evidence") {
			rows = append(rows, fmt.Sprintf("%s\t%.2f\n", name, weights[j]))
		}
	}
	slices.SortFunc(rows, func(a, b string) int { return cmp.Compare(a, b) })
	if err := os.WriteFile(learnedWeights, []byte(strings.Join(rows, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}

package tabletalk

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
)

// Example is a line for the model to decide, with the right decision.
type Example struct {
	*address.Evidence
	ToNPC bool
	// Counts is the example's weight.
	Counts float64
	// Kind is the line's kind, and Text its words.
	Kind, Text string
}

// Examples plays an evening, decides each line correctly, and returns the
// model's inputs.
func (p *Evening) Examples(heard bool) []Example {
	var out []Example
	rng := rand.New(rand.NewPCG(5, uint64(len(p.lines))))
	p.suppose = func(s *address.Snapshot, known *address.Talk, now time.Time, number int64, players []string) {
		for range supposed {
			l := p.recorded.lines[rng.IntN(len(p.recorded.lines))]
			if l.Speaker == p.recorded.leads {
				continue
			}
			text := l.Text
			if heard {
				text = unmarked(text)
			}
			who := players[rng.IntN(len(players))]
			then := now.Add(time.Duration(len(strings.Fields(text)))*aWord + pauseOf(rng, 1))
			st := known.State(then, number+1, who, func(npc int) int { return npc })
			if e, ok := address.Gather(s, st, text); ok && e.NPC == 0 {
				out = append(out, Example{Evidence: e, Counts: supposedCounts, Kind: "supposed", Text: l.Text})
			}
		}
	}
	defer func() { p.suppose = nil }()
	p.Play(heard, false, rng, func(s *address.Snapshot, st address.State, l *Line, d address.Decision) address.Decision {
		text := l.Text
		if heard {
			text = unmarked(text)
		}
		right := address.Decision{Route: address.RouteNone, Gist: d.Gist, BackChannel: d.BackChannel}
		if l.ToNPC {
			right = address.Decision{NPCs: []int{0}, Route: address.RouteContinuation, Gist: d.Gist}
			if len(d.NPCs) == 1 && d.NPCs[0] == 0 {
				right = d
			}
		}
		if e, ok := address.Gather(s, st, text); ok && (e.NPC == 0 || !l.ToNPC) {
			out = append(out, Example{Evidence: e, ToNPC: l.ToNPC, Counts: 1, Kind: l.Kind, Text: l.Text})
		}
		return right
	})
	return out
}

// pulls draw weights to zero; the stronger they are, the less the model learns
// from rare features. In the planted evenings table talk hardly ever follows an
// NPC's line, so some talk is also treated as if it did: it shows what is no
// answer.
const supposed = 3

// supposedCounts is the weight of each of them.
const supposedCounts = 0.05

const (
	factPull, wordPull, meaningPull = 2.0, 80.0, 40.0
)

// Fit fits weights by logistic regression.
func Fit(examples []Example, steps int) *address.Weights {
	f := newFitting(examples)
	f.descend(steps)
	return f.weights()
}

// fitting is a logistic regression in progress.
type fitting struct {
	names          map[string]int
	words, meaning int // where their weights begin
	w              []float64
	examples       []Example
	terms          [][]term
}

type term struct {
	at    int
	value float64
}

func newFitting(examples []Example) *fitting {
	f := &fitting{names: map[string]int{}, examples: examples}
	for _, e := range examples {
		for _, fact := range e.Facts {
			if _, ok := f.names[fact.Name]; !ok {
				f.names[fact.Name] = len(f.names)
			}
		}
	}
	f.words = len(f.names)
	f.meaning = f.words + address.Buckets
	n := f.meaning
	for _, e := range examples {
		n = max(n, f.meaning+len(e.Meaning))
	}
	f.w = make([]float64, n)
	f.terms = make([][]term, len(examples))
	for i, e := range examples {
		for _, fact := range e.Facts {
			f.terms[i] = append(f.terms[i], term{f.names[fact.Name], float64(fact.Value)})
		}
		for _, b := range e.Words {
			f.terms[i] = append(f.terms[i], term{f.words + int(b), 1})
		}
		for k, x := range e.Meaning {
			if x != 0 {
				f.terms[i] = append(f.terms[i], term{f.meaning + k, float64(x)})
			}
		}
	}
	return f
}

// descend fits the weights with Adam over all examples at once.
func (f *fitting) descend(steps int) {
	const rate, inertia, smear = 0.03, 0.9, 0.99
	n := len(f.w)
	slope, mean, square := make([]float64, n), make([]float64, n), make([]float64, n)
	for step := 1.0; step <= float64(steps); step++ {
		for j := range f.w {
			pull := factPull
			switch {
			case j >= f.meaning:
				pull = meaningPull
			case j >= f.words:
				pull = wordPull
			}
			slope[j] = pull * f.w[j]
		}
		for i, e := range f.examples {
			sum := 0.0
			for _, t := range f.terms[i] {
				sum += f.w[t.at] * t.value
			}
			off := address.Probability(sum)
			if e.ToNPC {
				off--
			}
			off *= e.Counts
			for _, t := range f.terms[i] {
				slope[t.at] += off * t.value
			}
		}
		for j := range f.w {
			mean[j] = inertia*mean[j] + (1-inertia)*slope[j]
			square[j] = smear*square[j] + (1-smear)*slope[j]*slope[j]
			f.w[j] -= rate * mean[j] / (1 - math.Pow(inertia, step)) / (math.Sqrt(square[j]/(1-math.Pow(smear, step))) + 1e-9)
		}
	}
}

func (f *fitting) weights() *address.Weights {
	out := &address.Weights{Facts: map[string]float32{}, Bar: 0.5}
	for name, j := range f.names {
		out.Facts[name] = float32(f.w[j])
	}
	for _, x := range f.w[f.words:f.meaning] {
		out.Words = append(out.Words, float32(x))
	}
	for _, x := range f.w[f.meaning:] {
		out.Meaning = append(out.Meaning, float32(x))
	}
	return out
}

// Lesson selects the training data.
type Lesson struct {
	Source
	// Sequences is the folder of written sequences, and Aside says which of
	// them are excluded from training.
	Sequences string
	Aside     func(sequence string) bool
	// Say, if set, receives progress messages.
	Say func(string)
}

const (
	// English evenings are planted twice, with other exchanges at other places;
	// there are few German ones, so they are planted more often.
	plantings, plantingsGerman = 2, 6
	// fitSteps is the number of steps after which the weights hardly change.
	fitSteps = 120
	// bar is the probability from which attentive NPCs accept a line: at it the
	// evenings of Tune have two false answers an hour.
	bar = 0.55
)

// Learn trains new weights for internal/address.
func (l Lesson) Learn() (*address.Weights, error) {
	var all []Example
	for seed := range plantingsGerman {
		evenings, err := l.Plant(Learn, uint64(seed+1))
		if err != nil {
			return nil, err
		}
		for _, p := range evenings {
			if p.Language == "en" && seed >= plantings {
				continue
			}
			l.say(fmt.Sprintf("%s, planting %d", p.Name, seed+1))
			for _, heard := range []bool{false, true} {
				all = append(all, p.Examples(heard)...)
			}
		}
	}
	for _, heard := range []bool{false, true} {
		some, err := Sequences(l.Sequences, []string{"dev", "train"}, heard, func(name string) bool { return !l.Aside(name) })
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	l.say(fmt.Sprintf("fitting weights to %d lines", len(all)))
	w := Fit(all, fitSteps)
	w.Bar = bar
	return w, nil
}

func (l Lesson) say(what string) {
	if l.Say != nil {
		l.Say(what)
	}
}

// Encode encodes weights in the format of internal/address.
func Encode(w *address.Weights) string {
	var b strings.Builder
	fmt.Fprintf(&b, "bar\t%.3f\n", w.Bar)
	for _, name := range slices.SortedFunc(func(yield func(string) bool) {
		for name := range w.Facts {
			if !yield(name) {
				return
			}
		}
	}, cmp.Compare[string]) {
		fmt.Fprintf(&b, "fact\t%s\t%.3f\n", name, w.Facts[name])
	}
	writeBytes(&b, "words", w.Words)
	writeBytes(&b, "meaning", w.Meaning)
	return b.String()
}

func writeBytes(b *strings.Builder, kind string, weights []float32) {
	most := float32(1e-9)
	for _, x := range weights {
		most = max(most, float32(math.Abs(float64(x))))
	}
	step := most / 127
	raw := make([]byte, len(weights))
	for i, x := range weights {
		raw[i] = byte(int8(math.Round(float64(x / step))))
	}
	fmt.Fprintf(b, "%s\t%g\t%s\n", kind, step, base64.StdEncoding.EncodeToString(raw))
}

package address

import (
	_ "embed"
	"encoding/base64"
	"math"
	"strconv"
	"strings"
)

// weightsFile holds the weights learned from table talk with written exchanges inserted: those of facts, of
// word buckets, and of the directions of sentence vectors. "glyphoxa-lab learn address" writes it.
//
//go:embed weights.tsv
var weightsFile string

var weights = readWeights(weightsFile)

// Weights are the weights of the model that decides whether a line is for the NPC in the conversation.
type Weights struct {
	Facts   map[string]float32
	Words   []float32 // by bucket
	Meaning []float32 // by direction
	// Bar is the probability from which a line is for an attentive NPC.
	Bar float64
}

// Score returns the log-odds that a line is for the NPC.
func (w *Weights) Score(e *Evidence) float64 {
	sum := float32(0)
	for _, f := range e.Facts {
		sum += w.Facts[f.Name] * f.Value
	}
	for _, b := range e.Words {
		if int(b) < len(w.Words) {
			sum += w.Words[b]
		}
	}
	for i, x := range e.Meaning {
		if i < len(w.Meaning) {
			sum += w.Meaning[i] * x
		}
	}
	return float64(sum)
}

// Probability converts log-odds to a probability.
func Probability(score float64) float64 { return 1 / (1 + math.Exp(-score)) }

// readWeights reads a file of weights. A test checks that the files are valid.
func readWeights(file string) *Weights {
	w := &Weights{Facts: map[string]float32{}, Bar: 0.5}
	for row := range strings.Lines(file) {
		c := strings.Split(strings.TrimSuffix(row, "\n"), "\t")
		switch {
		case len(c) == 3 && c[0] == "fact":
			v, _ := strconv.ParseFloat(c[2], 32)
			w.Facts[c[1]] = float32(v)
		case len(c) == 3 && c[0] == "words":
			w.Words = readBytes(c[1], c[2])
		case len(c) == 3 && c[0] == "meaning":
			w.Meaning = readBytes(c[1], c[2])
		case len(c) == 2 && c[0] == "bar":
			w.Bar, _ = strconv.ParseFloat(c[1], 64)
		}
	}
	return w
}

// readBytes decodes weights stored as signed bytes, in multiples of step.
func readBytes(step, coded string) []float32 {
	by, _ := strconv.ParseFloat(step, 64)
	raw, _ := base64.StdEncoding.DecodeString(coded)
	out := make([]float32, len(raw))
	for i, b := range raw {
		out[i] = float32(by) * float32(int8(b))
	}
	return out
}

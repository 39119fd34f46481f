package address

import (
	_ "embed"
	"strconv"
	"strings"
)

// learnedFile holds what was learned from lines whose addressee is known: in each row
// whether it is of a piece of evidence or of a word, its name, and its weight.
// internal/lab/truth writes it anew: go test ./internal/lab/truth -run TestLearnWeights -learn.
//
//go:embed learned.tsv
var learnedFile string

// learned are the weights of evidence by name, and of words.
var learned = readLearned(learnedFile)

type weightsLearned struct {
	evidence, words map[string]float64
}

// readLearned reads a file of weights. What it cannot read weighs nothing; a test
// checks that there is none.
func readLearned(file string) weightsLearned {
	l := weightsLearned{map[string]float64{}, map[string]float64{}}
	for row := range strings.Lines(file) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(row, "\n"), "\t")
		name, number, _ := strings.Cut(rest, "\t")
		w, err := strconv.ParseFloat(number, 64)
		switch {
		case err != nil:
		case kind == "evidence":
			l.evidence[name] = w
		case kind == "word":
			l.words[name] = w
		}
	}
	return l
}

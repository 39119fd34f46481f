package recall

import (
	"math"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// leastEvidence is the evidence from which a line is said to answer a question. On the
// dev questions of testdata/truth/memory it lets through one in twenty of those that
// nobody answered.
const leastEvidence = 4

// claimed reports whether a line may be said to answer: by how much there is that ties it to the
// question, or because the question is nothing but words, which the line has all. A line that
// asks something itself answers nothing.
func (x *Index) claimed(own [][]float32, seen []int, k int, evidence float64, bare bool) bool {
	if bare && saysAll(own, k) {
		return true
	}
	return !x.lines[seen[k]].asks && evidence >= leastEvidence
}

var articles = set(`the a an der die das den dem des ein eine einen einem eines einer`)

// onlyWords reports whether a question is no sentence: such as "burning mill", or "the mill".
func onlyWords(all []string) bool {
	return !slices.ContainsFunc(all, func(w string) bool { return words.Stop(w) && !articles[w] })
}

// evidence is what the words of the question that are in a line and around it weigh, once by
// what they mean and once as they stand, over what it takes to tell one line from
// all others. A score is a share of the question: a short one is soon matched by chance.
func (x *Index) evidence(own [][]float32, seen []int, k int, terms []asked) float64 {
	sum := 0.0
	for j := range terms {
		sum += terms[j].rarity * x.widened(own, seen, k, j)
		if x.saidNear(own[j], seen, k) {
			sum += terms[j].rarity
		}
	}
	return sum / math.Log(1+float64(len(seen)))
}

// saidNear reports whether a word itself is said in a line or the two before or after.
func (x *Index) saidNear(own []float32, seen []int, k int) bool {
	for n := max(0, k-2); n <= min(k+2, len(seen)-1); n++ {
		if own[n] == 1 && x.lines[seen[n]].session == x.lines[seen[k]].session {
			return true
		}
	}
	return false
}

// saysAll reports whether a line says every word that was asked for.
func saysAll(own [][]float32, k int) bool {
	for _, term := range own {
		if term[k] < 1 {
			return false
		}
	}
	return true
}

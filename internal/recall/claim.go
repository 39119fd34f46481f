package recall

import (
	"math"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// leastEvidence is the evidence a line needs before it counts as an answer. On the dev questions in
// testdata/truth/memory it lets through one in twenty of the questions that have no answer.
const leastEvidence = 4

// claimed reports whether a line may be presented as an answer: either its evidence suffices, or the question
// is only words and the line contains all of them. A line that is a question itself passes only in the latter
// case.
func (x *Index) claimed(own [][]float32, seen []int, k int, evidence float64, bare bool) bool {
	if bare && containsAll(own, k) {
		return true
	}
	return !x.lines[seen[k]].isQuestion && evidence >= leastEvidence
}

var articles = set(`the a an der die das den dem des ein eine einen einem eines einer`)

// onlyWords reports whether a question is a bare list of words rather than a sentence, such as "burning mill"
// or "the mill".
func onlyWords(all []string) bool {
	return !slices.ContainsFunc(all, func(w string) bool { return words.Stop(w) && !articles[w] })
}

// evidence sums the rarity of the question's words found in and around a line, once by meaning and once for
// the exact word, and divides by the information needed to single out one line among all. The score alone
// would not do: it is a share of the question, and a short question matches by chance.
func (x *Index) evidence(own [][]float32, seen []int, k int, terms []questionTerm) float64 {
	sum := 0.0
	for j := range terms {
		sum += terms[j].rarity * x.widened(own, seen, k, j)
		if x.occursNear(own[j], seen, k) {
			sum += terms[j].rarity
		}
	}
	return sum / math.Log(1+float64(len(seen)))
}

// occursNear reports whether the word itself occurs in a line or in the two before or after it.
func (x *Index) occursNear(own []float32, seen []int, k int) bool {
	for n := max(0, k-2); n <= min(k+2, len(seen)-1); n++ {
		if own[n] == 1 && x.lines[seen[n]].session == x.lines[seen[k]].session {
			return true
		}
	}
	return false
}

// containsAll reports whether a line contains every word of the question.
func containsAll(own [][]float32, k int) bool {
	for _, term := range own {
		if term[k] < 1 {
			return false
		}
	}
	return true
}

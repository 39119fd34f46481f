package ruleslookup

import (
	"math"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

// likenesses hold for each rule the sum of its word vectors, so that a rule is also found by words with a
// similar meaning.
type likenesses struct {
	rules [][wordvectors.Dimensions]int8 // each of length [wordvectors.Dimensions]
}

// likenessWeight is the weight of a word by the field it occurs in.
var likenessWeight = [fieldCount]float32{fieldName: 1, fieldTags: 1, fieldSummary: 1, fieldAsked: 1, fieldGerman: 1}

// fillLikenesses sums the vectors of each rule's words. It looks up each word only once.
func (b *builder) fillLikenesses(ix *index, rules int) {
	known := wordvectors.Load()
	sums := make([][wordvectors.Dimensions]float32, rules)
	for stem, id := range b.ids {
		var v [wordvectors.Dimensions]float32
		if !known.AddTo(&v, b.raw[id], stem[0] == germanMark[0]) {
			continue
		}
		for i := range b.counts[id] {
			c := &b.counts[id][i]
			weight := float32(0)
			for f, n := range c.fields {
				weight += likenessWeight[f] * float32(n)
			}
			if weight == 0 {
				continue
			}
			sum := &sums[c.doc]
			for j := range v {
				sum[j] += weight * v[j]
			}
		}
	}
	ix.likenesses.rules = make([][wordvectors.Dimensions]int8, rules)
	for i := range sums {
		ix.likenesses.rules[i] = packed(&sums[i])
	}
}

// packed scales a vector so that the product of two packed vectors is about their cosine times the square of
// packedLength.
func packed(v *[wordvectors.Dimensions]float32) (out [wordvectors.Dimensions]int8) {
	square := 0.0
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if square == 0 {
		return out
	}
	norm := packedLength / math.Sqrt(square)
	for i, x := range v {
		out[i] = int8(min(127, max(-127, math.Round(float64(x)*norm))))
	}
	return out
}

// packedLength is the length of a packed vector. It is chosen so that no component comes near it.
const packedLength = 254

// scoreLikeness adds, to each rule that the word search has found, a score for similarity in meaning to the
// question.
func (ix *index) scoreLikeness(s *scratch, q *question) {
	var sum [wordvectors.Dimensions]float32
	known, told := wordvectors.Load(), 0
	for _, w := range q.ws {
		if known.AddTo(&sum, w.raw, q.german) {
			told++
		}
	}
	if told < 2 {
		return
	}
	share := min(1, float32(told-1)/3)
	asked, best := packed(&sum), float32(0)
	for _, x := range s.total {
		best = max(best, x)
	}
	for doc, x := range s.total {
		if x <= candidate*best {
			continue
		}
		product := int32(0)
		for i, y := range ix.likenesses.rules[doc] {
			product += int32(y) * int32(asked[i])
		}
		if like := float32(product)/(packedLength*packedLength) - leastLike; like > 0 {
			s.total[doc] += share * likeBonus * like
		}
	}
}

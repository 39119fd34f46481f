package sqlstore

import (
	"cmp"
	"context"
	"slices"
)

const (
	// postings is how many of the newest texts with a word are looked at. Without a limit, a common word
	// would cost tens of milliseconds. Among thousands of matches, a table usually means a recent one.
	postings = 128
	// fewExact is the number of exact matches below which a word's stem is searched as well.
	fewExact = 24
	// shortlisted is the minimum number of matches that are scored in full.
	shortlisted = 32
)

// Expression is a condition on a text: it contains all of Words, or a word that begins with Beginning.
type Expression struct {
	Words     []string
	Beginning string
}

// FullTextIndex finds texts by their normalised words.
type FullTextIndex interface {
	// Newest returns, for each expression, the ids of up to most matching texts, newest first.
	Newest(ctx context.Context, all []Expression, most int) ([][]int64, error)
	// Size returns the number of texts; the greatest id is close enough.
	Size(ctx context.Context) (float64, error)
}

// Shortlist returns the ids of the texts most likely to score best, at least limit of them if that many
// match, and sets the weights of the words. It looks at the newest texts with each word. It also looks at the
// newest texts with two common words, because otherwise an older text with both would be missed.
func (q FullTextQuery) Shortlist(ctx context.Context, x FullTextIndex, limit int) ([]int64, error) {
	size := max(3*min(limit, 1<<20), shortlisted)
	bound := max(postings, size)
	total, err := x.Size(ctx)
	if err != nil {
		return nil, err
	}
	exact, err := x.Newest(ctx, expressions(len(q), func(i int) Expression { return Expression{Words: []string{q[i].Word}} }), bound)
	if err != nil {
		return nil, err
	}
	var rare []int
	for i := range q {
		if len(exact[i]) < fewExact && q[i].Stem != "" {
			rare = append(rare, i)
		}
	}
	related := make([][]int64, len(q))
	if len(rare) > 0 {
		lists, err := x.Newest(ctx, expressions(len(rare), func(i int) Expression { return Expression{Beginning: q[rare[i]].Stem} }), bound)
		if err != nil {
			return nil, err
		}
		for i, list := range lists {
			related[rare[i]] = list
		}
	}
	sums := make(map[int64]float64)
	var common FullTextQuery
	for i, ids := range exact {
		if slices.Contains(rare, i) {
			q[i].idf = rarity(frequency(related[i], bound, total), total)
			addWeights(sums, related[i], stemShare*q[i].idf)
			addWeights(sums, ids, (1-stemShare)*q[i].idf)
			continue
		}
		q[i].idf = rarity(frequency(ids, bound, total), total)
		addWeights(sums, ids, q[i].idf)
		if len(ids) == bound {
			common = append(common, q[i])
		}
	}
	if len(common) > 1 {
		if err := addCommon(ctx, x, sums, common); err != nil {
			return nil, err
		}
	}
	return topIDs(sums, size), nil
}

func expressions(n int, of func(i int) Expression) []Expression {
	out := make([]Expression, n)
	for i := range out {
		out[i] = of(i)
	}
	return out
}

// addCommon includes the newest texts that contain both of the two rarest common words. It stops at two,
// because intersecting further lists is expensive and adds little.
func addCommon(ctx context.Context, x FullTextIndex, sums map[int64]float64, common FullTextQuery) error {
	slices.SortStableFunc(common, func(a, b Asked) int { return cmp.Compare(b.idf, a.idf) })
	a, b := common[0], common[1]
	both, err := x.Newest(ctx, []Expression{{Words: []string{a.Word, b.Word}}}, shortlisted)
	if err != nil {
		return err
	}
	for _, id := range both[0] {
		sums[id] = max(sums[id], a.idf+b.idf)
	}
	return nil
}

// frequency estimates how many texts match. If there are more matches than bound, it extrapolates from the
// density of the newest ones.
func frequency(newest []int64, bound int, total float64) float64 {
	n := float64(len(newest))
	if len(newest) < bound {
		return n
	}
	span := float64(newest[0] - newest[len(newest)-1] + 1)
	return max(n, n*total/span)
}

func addWeights(sums map[int64]float64, ids []int64, weight float64) {
	for _, id := range ids {
		sums[id] += weight
	}
}

// topIDs returns the n ids with the highest sums, and newer ids first among equal sums.
func topIDs(sums map[int64]float64, n int) []int64 {
	all := make([]scored, 0, len(sums))
	for id, sum := range sums {
		all = append(all, scored{id, sum})
	}
	slices.SortFunc(all, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id)) })
	out := make([]int64, min(n, len(all)))
	for i := range out {
		out[i] = all[i].id
	}
	return out
}

// scored is a match; higher is better.
type scored struct {
	id    int64
	score float64
}

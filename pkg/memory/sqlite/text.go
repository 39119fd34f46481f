package sqlite

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
)

const (
	// postings is how many of the newest texts with a word are looked at.
	// Without a bound a common word would cost tens of milliseconds, and among
	// thousands of matches the recent ones are those a table means.
	postings = 128
	// fewExact is the number of exact matches below which a word's stem is
	// searched, too.
	fewExact = 24
	// shortlisted is the least number of matches that are scored in full.
	shortlisted = 32
)

// textIndex is a full-text table.
type textIndex struct {
	// newest selects the column id of what matches an expression, newest
	// first. Its parameters are the expression, args and a limit.
	newest string
	// size selects how many texts there are; the greatest id will do.
	size string
	args []any
	// scope is a word every match contains, or empty.
	scope string
}

// shortlist returns the ids that promise the best scores for q, at least as
// many as limit if so many match, and fills in the words' weights. It looks at
// the newest texts with each word, and, so that an older text with two common
// words is not missed, at the newest with both.
func (x textIndex) shortlist(ctx context.Context, c *conn, q question, limit int) ([]int64, error) {
	size := max(3*min(limit, 1<<20), shortlisted)
	bound := max(postings, size)
	var total float64
	if err := c.row(ctx, x.size, nil, &total); err != nil {
		return nil, err
	}
	sums := make(map[int64]float64)
	var common question
	for i := range q {
		ids, err := x.newestMatches(ctx, c, q[i].exact(), bound)
		if err != nil {
			return nil, err
		}
		q[i].idf = rarity(frequency(ids, bound, total), total)
		if len(ids) < fewExact && q[i].stem != "" {
			related, err := x.newestMatches(ctx, c, q[i].related(), bound)
			if err != nil {
				return nil, err
			}
			q[i].idf = rarity(frequency(related, bound, total), total)
			addWeights(sums, related, stemShare*q[i].idf)
			addWeights(sums, ids, (1-stemShare)*q[i].idf)
			continue
		}
		addWeights(sums, ids, q[i].idf)
		if len(ids) == bound {
			common = append(common, q[i])
		}
	}
	if len(common) > 1 {
		if err := x.addCommon(ctx, c, sums, common); err != nil {
			return nil, err
		}
	}
	return topIDs(sums, size), nil
}

// addCommon makes sure that the newest texts with two common words count: the
// two rarest, since each further list to intersect costs much and tells little.
func (x textIndex) addCommon(ctx context.Context, c *conn, sums map[int64]float64, common question) error {
	slices.SortStableFunc(common, func(a, b asked) int { return cmp.Compare(b.idf, a.idf) })
	a, b := common[0], common[1]
	ids, err := x.newestMatches(ctx, c, a.exact()+" AND "+b.exact(), shortlisted)
	for _, id := range ids {
		sums[id] = max(sums[id], a.idf+b.idf)
	}
	return err
}

// newestMatches returns the ids of the newest matches. They come as one row, which
// takes a fraction of the time of one row each.
func (x textIndex) newestMatches(ctx context.Context, c *conn, expression string, bound int) ([]int64, error) {
	if x.scope != "" {
		expression = `"` + x.scope + `" AND ` + expression
	}
	var list string
	args := append(append([]any{expression}, x.args...), bound)
	err := c.row(ctx, `SELECT coalesce(group_concat(id, ' '), '') FROM (`+x.newest+`)`, args, &list)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, 0, strings.Count(list, " ")+1)
	for field := range strings.FieldsSeq(list) {
		id, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// frequency estimates how many of all texts match, from the newest that do: if
// there are more, from how densely these lie.
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

// topIDs returns the n ids with the highest sums, newer ones first among equals.
func topIDs(sums map[int64]float64, n int) []int64 {
	all := make([]scored, 0, len(sums))
	for id, sum := range sums {
		all = append(all, scored{id, sum})
	}
	slices.SortFunc(all, compareScored)
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

func compareScored(a, b scored) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id))
}

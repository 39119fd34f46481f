package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

const (
	// maxTerms bounds how many different words of a question count.
	maxTerms = 16
	// candidates is how many of the newest matches are ranked. Ranking costs
	// microseconds per match, so without a bound a common word would cost tens
	// of milliseconds, and among thousands of matches the recent ones are
	// those a table means.
	candidates = 128
	// prefixFrom is the length in runes from which a word also matches as the
	// beginning of another; shorter ones begin too many.
	prefixFrom = 4
	// lastPrefixFrom is the same for the last word, which may be cut off.
	lastPrefixFrom = 3
)

// textIndex is a full-text table with the two queries that search it. Both
// take the match expression first and a limit last.
type textIndex struct {
	// ranked selects id and bm25, newest match first.
	ranked string
	// counted counts matches, at most as many as the limit.
	counted string
}

// scored is a match; higher is better.
type scored struct {
	id    int64
	score float64
}

// terms returns the quoted search terms of free text: its different words, or
// those that mean something if there are any. Every term is one word of
// letters and digits in quotes, so no text can be a syntax error.
func terms(text string) []string {
	all := words.Split(text)
	telling := slices.DeleteFunc(slices.Clone(all), words.Stop)
	if len(telling) > 0 {
		all = telling
	}
	var out []string
	for i, w := range all {
		least := prefixFrom
		if i == len(all)-1 {
			least = lastPrefixFrom
		}
		term := `"` + w + `"`
		if utf8.RuneCountInString(w) >= least {
			term += "*"
		}
		if !slices.Contains(out, term) {
			out = append(out, term)
		}
		if len(out) == maxTerms {
			break
		}
	}
	return out
}

// search finds the best matches for the terms: first those that contain all,
// then, if they are too few, those that contain some of the rarer ones. scope
// is a term every match must contain, or empty. args are the queries'
// parameters between match expression and limit.
func (x textIndex) search(ctx context.Context, c *conn, terms []string, scope string, limit int, args ...any) ([]scored, error) {
	if len(terms) == 0 {
		return nil, nil
	}
	hits, err := x.rank(ctx, c, scoped(scope, strings.Join(terms, " AND ")), limit, args)
	if err != nil || len(hits) >= limit || len(terms) == 1 {
		return hits, err
	}
	rare, err := x.rarest(ctx, c, terms, scope, args)
	if err != nil || len(rare) == 0 {
		return hits, err
	}
	more, err := x.rank(ctx, c, scoped(scope, strings.Join(rare, " OR ")), limit, args)
	if err != nil {
		return nil, err
	}
	for _, m := range more {
		if slices.ContainsFunc(hits, func(h scored) bool { return h.id == m.id }) {
			continue
		}
		if n := len(hits); n > 0 {
			m.score = min(m.score, hits[n-1].score)
		}
		hits = append(hits, m)
	}
	return hits[:min(len(hits), limit)], nil
}

// rank returns the best of the newest matches.
func (x textIndex) rank(ctx context.Context, c *conn, match string, limit int, args []any) ([]scored, error) {
	hits, err := rows(ctx, c, x.ranked, params(match, args, max(limit, candidates)), func(r *sql.Rows) (h scored, err error) {
		err = r.Scan(&h.id, &h.score)
		h.score = max(0, -h.score) // bm25 gives its best the lowest number
		return h, err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(hits, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id))
	})
	return hits[:min(len(hits), limit)], nil
}

// rarest returns those terms that match something, rarest first, as long as
// together they match no more lines than are ranked; at least one, if any
// matches.
func (x textIndex) rarest(ctx context.Context, c *conn, terms []string, scope string, args []any) ([]string, error) {
	type counted struct {
		term string
		n    int
	}
	var found []counted
	for _, t := range terms {
		k := counted{term: t}
		if err := c.row(ctx, x.counted, params(scoped(scope, t), args, candidates+1), &k.n); err != nil {
			return nil, err
		}
		if k.n > 0 {
			found = append(found, k)
		}
	}
	slices.SortStableFunc(found, func(a, b counted) int { return cmp.Compare(a.n, b.n) })
	var out []string
	total := 0
	for _, k := range found {
		total += k.n
		if total > candidates && len(out) > 0 {
			break
		}
		out = append(out, k.term)
	}
	return out, nil
}

func params(match string, args []any, limit int) []any {
	return append(append([]any{match}, args...), limit)
}

func scoped(scope, match string) string {
	if scope == "" {
		return match
	}
	return `"` + scope + `" AND (` + match + `)`
}

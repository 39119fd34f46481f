package postgres

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

const (
	// substitute begins an escape sequence for a byte that PostgreSQL cannot store, or for itself.
	substitute = '\x1a'
	// lastRune ends the range of all words with a given prefix.
	lastRune = "\U0010FFFF"
	// longestWord is the length in bytes to which words are clipped, because an index accepts no more.
	longestWord = 256
)

// escapeText escapes text so that PostgreSQL can store it. The byte 0, bytes that are not valid UTF-8, and the
// substitute itself become the substitute followed by two hexadecimal digits.
func escapeText(s string) string {
	if utf8.ValidString(s) && !strings.ContainsAny(s, "\x00\x1a") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == 0 || r == substitute || r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, "%c%02x", substitute, s[i])
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// restored reverses keepable.
func restored(s string) string {
	if !strings.ContainsRune(s, substitute) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == substitute && i+2 < len(s) {
			if v, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(v))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// clip shortens a word, or a key of several words, to the length that an index accepts.
func clip(w string) string {
	if len(w) <= longestWord {
		return w
	}
	n := longestWord
	for n > 0 && !utf8.RuneStart(w[n]) {
		n--
	}
	return w[:n]
}

// wordsOf returns the distinct search words of a text.
func wordsOf(text string) []string {
	all := words.Split(text)
	for i, w := range all {
		all[i] = clip(w)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// factHash returns the hash that identifies a fact.
func factHash(source, text string) []byte {
	sum := sha256.Sum256([]byte(source + sqlstore.Frame + text))
	return sum[:]
}

// mostIntersected is how many of the newest rows with one word are checked for another.
const mostIntersected = 2048

// textIndex finds rows by their words, on one connection.
type textIndex struct {
	c conn
	// table has the columns word and id; column is the name of the latter.
	table, column string
	// within is a condition that limits the search to a part of the table, on its row w. scope is a further
	// condition on that row. args are their parameters, numbered from $1.
	within, scope string
	args          []any
	// size selects the number of texts.
	size string
}

// Size returns the number of texts.
func (x textIndex) Size(ctx context.Context) (total float64, err error) {
	return total, x.c.Row(ctx, x.size, nil, &total)
}

// Newest returns, for each expression, the ids of the newest matching texts, newest first.
func (x textIndex) Newest(ctx context.Context, all []sqlstore.Expression, most int) ([][]int64, error) {
	out := make([][]int64, len(all))
	var b pgx.Batch
	for i, e := range all {
		query, args := x.newestOf(e, most)
		b.Queue(query, storableArgs(args)...).QueryRow(func(r pgx.Row) error { return r.Scan(&out[i]) })
	}
	return out, x.c.tx.SendBatch(ctx, &b).Close()
}

// newestOf returns a query for the newest matching texts. Its conditions are scalar subqueries, because the
// server never turns those into a join. With a join it would read all lines, instead of those with a word,
// whenever it expects many matches.
func (x textIndex) newestOf(e sqlstore.Expression, most int) (query string, args []any) {
	args = slices.Clone(x.args)
	add := func(v any) string {
		args = append(args, v)
		return "$" + strconv.Itoa(len(args))
	}
	from := x.table
	var where []string
	for i, word := range e.Words {
		if i == 0 {
			where = append(where, x.narrow(`w.word = `+add(clip(word))))
			if len(e.Words) > 1 {
				from = fmt.Sprintf(`(SELECT w.%s FROM %s w WHERE %s ORDER BY w.%[1]s DESC LIMIT %[4]d)`, x.column, x.table, where[0], mostIntersected)
				where = nil
			}
			continue
		}
		where = append(where, fmt.Sprintf(`(SELECT true FROM %s o WHERE o.word = %s AND o.%s = w.%[3]s)`, x.table, add(clip(word)), x.column))
	}
	with := ""
	if e.Beginning != "" {
		with = x.beginning(add(clip(e.Beginning)), add(clip(e.Beginning)+lastRune))
		where = append(where, x.narrow(`w.word = b.word`))
	}
	if x.scope != "" {
		where = append(where, x.scope)
	}
	limit := strconv.Itoa(most) // with a parameter as the limit, the server would expect so many rows that it plans each query again
	newest := fmt.Sprintf(`SELECT w.%s AS id FROM %s w WHERE %s ORDER BY w.%[1]s DESC LIMIT %[4]s`, x.column, from, strings.Join(where, " AND "), limit)
	if with != "" {
		newest = `SELECT DISTINCT n.id FROM beginning b CROSS JOIN LATERAL (` + newest + `) n WHERE b.word IS NOT NULL ORDER BY n.id DESC LIMIT ` + limit
	}
	return with + `SELECT coalesce(array_agg(id), '{}') FROM (` + newest + `) newest`, args
}

// narrow limits a condition to a part of the table.
func (x textIndex) narrow(condition string) string {
	if x.within == "" {
		return condition
	}
	return condition + " AND " + x.within
}

// beginning lists the words between two bounds, finding each from the one before. Asked for the newest rows
// with any of them, the server would instead read all rows of the table in the order of their ids.
func (x textIndex) beginning(from, to string) string {
	return fmt.Sprintf(`WITH RECURSIVE beginning (word) AS (
			(SELECT word FROM %s WHERE word >= %s AND word < %s ORDER BY word LIMIT 1)
			UNION ALL
			SELECT (SELECT o.word FROM %[1]s o WHERE o.word > b.word AND o.word < %[3]s ORDER BY o.word LIMIT 1) FROM beginning b WHERE b.word IS NOT NULL
		) `, x.table, from, to)
}

package sqlite

import (
	"context"
	"strconv"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/memory/internal/sqlstore"
)

// firstArg is the number of query parameters before those of the filter.
const firstArg = 2

// textIndex is a full-text table, used on one connection.
type textIndex struct {
	c sqlstore.Conn
	// newest selects the ids of the texts that match an expression, newest first, as the column id. Its
	// parameters are the expression, a limit and args.
	newest string
	// size selects the number of texts; the greatest id is close enough.
	size string
	args []any
	// scope is a word that every match must contain, or empty.
	scope string
}

// Size returns the number of texts.
func (x textIndex) Size(ctx context.Context) (total float64, err error) {
	return total, x.c.Row(ctx, x.size, nil, &total)
}

// Newest returns the ids of the newest matches of each expression.
func (x textIndex) Newest(ctx context.Context, all []sqlstore.Expression, most int) ([][]int64, error) {
	out := make([][]int64, len(all))
	for i, e := range all {
		var err error
		if out[i], err = x.newestOf(ctx, e, most); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// newestOf returns the ids of the newest matches. It selects them as one row, which is several times faster
// than one row each.
func (x textIndex) newestOf(ctx context.Context, e sqlstore.Expression, most int) ([]int64, error) {
	var list string
	args := append([]any{x.match(e), most}, x.args...)
	err := x.c.Row(ctx, `SELECT coalesce(group_concat(id, ' '), '') FROM (`+x.newest+`)`, args, &list)
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

// match returns an expression in FTS5 syntax. Words have only letters and digits, so in quotes they cannot
// act as operators.
func (x textIndex) match(e sqlstore.Expression) string {
	var all []string
	if x.scope != "" {
		all = append(all, `"`+x.scope+`"`)
	}
	for _, w := range e.Words {
		all = append(all, `"`+w+`"`)
	}
	if e.Beginning != "" {
		all = append(all, `"`+e.Beginning+`"*`)
	}
	return strings.Join(all, " AND ")
}

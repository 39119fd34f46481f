package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/MrWong99/glyphoxa/pkg/memory/internal/pack"
)

// Conditions on what a viewer may see; the parameter is what viewerKeys returns.
// The empty key is part of every list, which is how the operator sees all. Lines
// and facts have the number of their list: it is looked up once for a whole query.
const (
	seenAudiences   = `(SELECT a.n FROM audiences a WHERE a.n = 0 OR EXISTS (SELECT 1 FROM json_each(?) j WHERE instr(a.ids, j.value) > 0))`
	visibleLine     = `l.audience IN ` + seenAudiences
	visibleFact     = `f.audience IN ` + seenAudiences
	visibleEntity   = `(e.visible = '' OR EXISTS (SELECT 1 FROM json_each(:viewer) v WHERE instr(e.visible, v.value) > 0))`
	visibleRelation = `(r.visible = '' OR EXISTS (SELECT 1 FROM json_each(:viewer) v WHERE instr(r.visible, v.value) > 0))`

	// lineAudience and factAudience select a list as it is kept.
	lineAudience = `(SELECT a.ids FROM audiences a WHERE a.n = l.audience)`
	factAudience = `(SELECT a.ids FROM audiences a WHERE a.n = f.audience)`
)

// allKeys are the keys of who sees all.
const allKeys = `[""]`

// viewerKeys returns what a list contains of which viewer may see the row, as a list
// in JSON: itself, or a group of its.
func (db *database) viewerKeys(viewer string) string {
	if viewer == "" {
		return allKeys
	}
	list, err := json.Marshal(pack.ViewerKeys(viewer, db.groups))
	if err != nil {
		return `[]` // strings always marshal
	}
	return string(list)
}

// audienceOf returns the number of a list of ids, which is kept if it is new.
func audienceOf(ctx context.Context, c *conn, ids []string) (n int64, err error) {
	packed, err := pack.Visible(ids)
	if err != nil || packed == "" {
		return 0, err
	}
	err = c.row(ctx, `SELECT n FROM audiences WHERE ids = ?`, []any{packed}, &n)
	if !errors.Is(err, sql.ErrNoRows) {
		return n, err
	}
	res, err := c.exec(ctx, `INSERT INTO audiences (ids) VALUES (?)`, packed)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

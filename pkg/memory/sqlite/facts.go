package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// maxFacts bounds one search; the vector table allows no more than 4096.
const maxFacts = 1000

// pending is a fact with which something is still to be done.
type pending struct {
	id   int64
	text string
}

// Remember adds facts. A fact whose source and text are known is kept once:
// who may find it is then as the latest call says, its id and time stay. A
// fact without a time gets the present one; one without text is left out.
//
// The facts are stored first and given their vectors then. If the embedder
// fails, the error says so, yet the facts are kept and found by full text;
// [Store.Reindex] or remembering them again makes up for it.
func (s *Store) Remember(ctx context.Context, facts ...memory.Fact) error {
	facts = slices.DeleteFunc(slices.Clone(facts), func(f memory.Fact) bool {
		return strings.TrimSpace(f.Text) == ""
	})
	if len(facts) == 0 {
		return nil
	}
	return s.remember(ctx, func(context.Context, *conn) ([]memory.Fact, error) { return facts, nil })
}

// RememberLines adds the facts made of lines, as [Store.Remember] does. What a
// line says at this moment counts; one that is gone makes none.
func (s *Store) RememberLines(ctx context.Context, ids ...int64) error {
	list, err := json.Marshal(ids)
	if err != nil || len(ids) == 0 {
		return err
	}
	return s.remember(ctx, func(ctx context.Context, c *conn) ([]memory.Fact, error) {
		return rows(ctx, c, `SELECT `+lineColumns+` FROM json_each(?) j
			CROSS JOIN lines l ON l.id = j.value JOIN sessions s ON s.n = l.session ORDER BY j.key`, []any{string(list)},
			func(r *sql.Rows) (memory.Fact, error) {
				l, err := scanLine(r)
				return memory.FactOf(l), err
			})
	})
}

// remember adds the facts that list returns, which is called within the
// transaction, and gives them their vectors after it.
func (s *Store) remember(ctx context.Context, list func(context.Context, *conn) ([]memory.Fact, error)) error {
	var todo []pending
	err := s.write(ctx, "remembering facts", func(ctx context.Context, c *conn) error {
		facts, err := list(ctx, c)
		if err != nil {
			return err
		}
		for _, f := range facts {
			id, embedded, err := putFact(ctx, c, f)
			if err != nil {
				return err
			}
			if !embedded {
				todo = append(todo, pending{id, f.Text})
			}
		}
		return nil
	})
	if err != nil || s.embedder == nil {
		return err
	}
	return s.embed(ctx, todo)
}

// putFact stores one fact and reports whether it has a vector.
func putFact(ctx context.Context, c *conn, f memory.Fact) (id int64, embedded bool, err error) {
	visible, err := packVisible(f.Visible)
	if err != nil {
		return 0, false, fmt.Errorf("fact of %q: %w", f.Source, err)
	}
	err = c.row(ctx, `SELECT id, embedded FROM facts WHERE source = ? AND text = ?`, []any{f.Source, f.Text}, &id, &embedded)
	if err == nil {
		_, err = c.exec(ctx, `UPDATE facts SET visible = ? WHERE id = ? AND visible <> ?`, visible, id, visible)
		return id, embedded, err
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return 0, false, err
	}
	if f.At.IsZero() {
		f.At = time.Now()
	}
	res, err := c.exec(ctx, `INSERT INTO facts (source, text, at, visible) VALUES (?, ?, ?, ?)`,
		f.Source, f.Text, f.At.UnixMicro(), visible)
	if err != nil {
		return 0, false, err
	}
	if id, err = res.LastInsertId(); err != nil {
		return 0, false, err
	}
	_, err = c.exec(ctx, `INSERT INTO facts_text (rowid, words) VALUES (?, ?)`, id, words.Key(f.Text))
	return id, false, err
}

// SearchFacts finds the k facts nearest in meaning that viewer may see, best
// first; k 0 means 10. An empty viewer sees all. Facts that have no vector,
// and all of them without a working embedder, are found by full text; they
// come after those found by meaning.
func (s *Store) SearchFacts(ctx context.Context, text, viewer string, k int) ([]memory.FactHit, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	if k <= 0 {
		k = defaultLimit
	}
	k = min(k, maxFacts)
	vector, err := s.embedQuestion(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("searching facts: %w", err)
	}
	var out []memory.FactHit
	err = s.snapshot(ctx, "searching facts", func(c *conn) error {
		near, searched, err := s.nearest(ctx, c, vector, viewer, k)
		if err != nil {
			return err
		}
		if out, err = loadFacts(ctx, c, near); err != nil || len(out) == k {
			return err
		}
		worded, err := searchWords(ctx, c, text, viewer, k-len(out), searched)
		out = appendWorded(out, worded)
		return err
	})
	return out, err
}

// searchWords finds facts by full text: all, or only those without a vector.
func searchWords(ctx context.Context, c *conn, text, viewer string, k int, pendingOnly bool) ([]memory.FactHit, error) {
	q := ask(text)
	if len(q) == 0 {
		return nil, nil
	}
	condition := visibleFact
	if pendingOnly {
		condition += ` AND f.embedded = 0`
	}
	index := textIndex{
		newest: `SELECT t.rowid AS id FROM facts_text t JOIN facts f ON f.id = t.rowid
			WHERE facts_text MATCH ? AND ` + condition + ` ORDER BY t.rowid DESC ` + limitParam,
		size: `SELECT coalesce(max(id), 0) FROM facts`,
		args: []any{viewerKey(viewer)},
	}
	ids, err := index.shortlist(ctx, c, q, k)
	if err != nil {
		return nil, err
	}
	unrated := make([]scored, len(ids))
	for i, id := range ids {
		unrated[i].id = id
	}
	hits, err := loadFacts(ctx, c, unrated)
	if err != nil {
		return nil, err
	}
	return rankFacts(q, hits, k), nil
}

// rankFacts scores the facts by how much of the question they answer, 0 to 1,
// and returns the best.
func rankFacts(q question, hits []memory.FactHit, k int) []memory.FactHit {
	texts := make([]string, len(hits))
	for i, h := range hits {
		texts[i] = h.Text
	}
	most := q.most()
	for i, score := range q.score(texts) {
		if most > 0 {
			hits[i].Score = min(1, score/most)
		}
	}
	slices.SortFunc(hits, func(a, b memory.FactHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID))
	})
	return hits[:min(len(hits), k)]
}

// appendWorded puts full-text hits behind those found by meaning.
func appendWorded(near, worded []memory.FactHit) []memory.FactHit {
	for _, w := range worded {
		if n := len(near); n > 0 {
			w.Score = min(w.Score, near[n-1].Score)
		}
		near = append(near, w)
	}
	return near
}

// loadFacts returns the facts behind the hits, in the hits' order.
func loadFacts(ctx context.Context, c *conn, hits []scored) ([]memory.FactHit, error) {
	ids := make([]int64, len(hits))
	scores := make(map[int64]float64, len(hits))
	for i, h := range hits {
		ids[i] = h.id
		scores[h.id] = h.score
	}
	list, err := json.Marshal(ids)
	if err != nil || len(hits) == 0 {
		return nil, err
	}
	return rows(ctx, c, `SELECT f.id, f.source, f.text, f.at, f.visible FROM json_each(?) j
		CROSS JOIN facts f ON f.id = j.value ORDER BY j.key`, []any{string(list)}, func(r *sql.Rows) (memory.FactHit, error) {
		var h memory.FactHit
		var at int64
		var visible string
		err := r.Scan(&h.ID, &h.Source, &h.Text, &at, &visible)
		h.At, h.Visible, h.Score = fromStamp(at), unpackVisible(visible), scores[h.ID]
		return h, err
	})
}

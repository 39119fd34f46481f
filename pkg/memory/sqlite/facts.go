package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/fulltext"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/pack"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/standing"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// maxFacts bounds one search; the vector table allows no more than 4096.
const maxFacts = 1000

// pending is a fact with which something is still to be done.
type pending struct {
	id   int64
	text string
	// embedded is the column of that name: see stepSpaces.
	embedded int64
}

// Remember adds facts. A fact whose source and text are known is kept once:
// who may find it is then as the latest call says, its id and time stay. A
// fact without a time gets the present one; one without text is left out.
//
// The facts are stored first and given their vectors then. If the embedder
// fails, the error says so, yet the facts are kept and found by full text;
// [Index.EmbedFacts] or remembering them again makes up for it.
func (s *Index) Remember(ctx context.Context, facts ...memory.Fact) error {
	var todo []pending
	err := s.write(ctx, "remembering facts", func(ctx context.Context, c *conn) error {
		space, err := s.ownSpace(ctx, c)
		if err != nil {
			return err
		}
		for _, f := range facts {
			if strings.TrimSpace(f.Text) == "" {
				continue
			}
			p, err := putFact(ctx, c, f)
			if err != nil {
				return err
			}
			if space.n == 0 || p.embedded != space.n && p.embedded != -space.n {
				todo = append(todo, p)
			}
		}
		return nil
	})
	if err != nil || s.embedder == nil {
		return err
	}
	for batch := range slices.Chunk(todo, embedBatch) {
		if err := s.embed(ctx, batch); err != nil {
			s.askForIndexing()
			return err
		}
	}
	return nil
}

// restateFact lets a fact stand that is stated again.
const restateFact = `UPDATE facts SET topic = :topic, stated = max(:now, stated) WHERE id = :id AND (topic <> :topic OR EXISTS
	(SELECT 1 FROM facts n WHERE n.topic = :topic AND n.topic <> '' AND n.id <> :id AND n.stated >= facts.stated))`

// putFact stores one fact.
func putFact(ctx context.Context, c *conn, f memory.Fact) (pending, error) {
	p := pending{text: f.Text}
	audience, err := audienceOf(ctx, c, f.Visible)
	if err != nil {
		return p, fmt.Errorf("fact of %q: %w", f.Source, err)
	}
	err = c.row(ctx, `SELECT id, embedded FROM facts WHERE source = ? AND text = ?`, []any{f.Source, f.Text}, &p.id, &p.embedded)
	if err == nil {
		_, err = c.exec(ctx, `UPDATE facts SET audience = ? WHERE id = ? AND audience <> ?`, audience, p.id, audience)
		if err == nil && f.Topic != "" {
			_, err = c.exec(ctx, restateFact, sql.Named("id", p.id), sql.Named("topic", standing.Key(f.Topic)), sql.Named("now", time.Now().UnixMicro()))
		}
		return p, err
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return p, err
	}
	if f.At.IsZero() {
		f.At = time.Now()
	}
	day, date := pack.Day(f.Date)
	since, sinceDate := pack.Day(f.Since)
	res, err := c.exec(ctx, `INSERT INTO facts (source, text, at, audience, day, date, topic, stated, since_day, since) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		f.Source, f.Text, f.At.UnixMicro(), audience, day, date, standing.Key(f.Topic), f.At.UnixMicro(), since, sinceDate)
	if err != nil {
		return p, err
	}
	if p.id, err = res.LastInsertId(); err != nil {
		return p, err
	}
	_, err = c.exec(ctx, `INSERT INTO facts_text (rowid, words) VALUES (?, ?)`, p.id, words.Key(f.Text))
	return p, err
}

// Unremember deletes the facts of a source that have one of the texts, in one
// transaction.
func (s *Index) Unremember(ctx context.Context, source string, texts ...string) error {
	if len(texts) == 0 {
		return nil
	}
	return s.write(ctx, "deleting facts", func(ctx context.Context, c *conn) error { return deleteFacts(ctx, c, source, texts...) })
}

// SearchFacts finds the k facts nearest in meaning that viewer may see, best
// first; k 0 means 10. An empty viewer sees all. Facts that have no vector,
// and all of them without a working embedder, are found by full text; they
// come after those found by meaning, and have their share of the places.
func (s *Index) SearchFacts(ctx context.Context, text, viewer string, k int) ([]memory.FactHit, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	if k <= 0 {
		k = defaultLimit
	}
	k = min(k, maxFacts)
	vector, err := s.questionVector(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("searching facts: %w", err)
	}
	var out []memory.FactHit
	err = s.readSnapshot(ctx, "searching facts", func(c *conn) error {
		near, space, err := s.nearest(ctx, c, pack.Vector(vector), viewer, k)
		if err != nil {
			return err
		}
		places, err := wordedPlaces(ctx, c, space, k)
		if err != nil {
			return err
		}
		var worded []memory.FactHit
		if places = max(places, k-len(near)); places > 0 {
			if worded, err = s.searchWords(ctx, c, text, viewer, places, space); err != nil {
				return err
			}
		}
		out, err = loadFacts(ctx, c, near[:min(len(near), k-len(worded))])
		out = fulltext.AppendWorded(out, worded)
		if err == nil {
			out, err = s.arrangeFacts(ctx, c, viewer, out, k)
		}
		if err == nil {
			out, err = hideFacts(ctx, c, out)
		}
		return err
	})
	return out, err
}

// wordedPlaces is how many of k places belong to facts without a vector in the
// space: their share of all facts. After a change of embedder a handful of
// vectors would else keep everything older from being found.
func wordedPlaces(ctx context.Context, c *conn, space int64, k int) (int, error) {
	if space == 0 {
		return k, nil
	}
	var stale, all int
	err := c.row(ctx, `SELECT (SELECT count(*) FROM facts WHERE embedded < ?), (SELECT coalesce(max(id), 0) FROM facts)`, []any{space}, &stale, &all)
	return k * stale / max(1, all), err
}

// searchWords finds facts by full text: those without a vector in the space.
func (s *Index) searchWords(ctx context.Context, c *conn, text, viewer string, k int, space int64) ([]memory.FactHit, error) {
	q := fulltext.Parse(text)
	if len(q) == 0 {
		return nil, nil
	}
	index := textIndex{
		c: c,
		newest: `SELECT t.rowid AS id FROM facts_text t JOIN facts f ON f.id = t.rowid
			WHERE facts_text MATCH ? AND ` + visibleFact + ` AND (? = 0 OR f.embedded <> ?) ORDER BY t.rowid DESC ` + limitParam,
		size: `SELECT coalesce(max(id), 0) FROM facts`,
		args: []any{s.viewerKeys(viewer), space, space},
	}
	ids, err := q.Shortlist(ctx, index, k)
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
	return q.RankFacts(hits, k), nil
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
	return rows(ctx, c, `SELECT f.id, f.source, f.text, f.at, `+factAudience+`, f.day, f.date, f.topic, f.since_day, f.since FROM json_each(?) j
		CROSS JOIN facts f ON f.id = j.value ORDER BY j.key`, []any{string(list)}, func(r *sql.Rows) (memory.FactHit, error) {
		var h memory.FactHit
		var at int64
		var visible string
		var day, since sql.NullInt64
		err := r.Scan(&h.ID, &h.Source, &h.Text, &at, &visible, &day, &h.Date.Text, &h.Topic, &since, &h.Since.Text)
		h.At, h.Visible, h.Score, h.Date.Day, h.Since.Day = pack.FromStamp(at), pack.VisibleList(visible), scores[h.ID], day.Int64, since.Int64
		return h, err
	})
}

// arrangeFacts marks the facts that are superseded for a viewer, and puts those that
// stand before them.
func (s *Index) arrangeFacts(ctx context.Context, c *conn, viewer string, hits []memory.FactHit, k int) ([]memory.FactHit, error) {
	topics := standing.Topics(hits)
	if len(topics) == 0 {
		return hits, nil
	}
	list, err := json.Marshal(topics)
	if err != nil {
		return nil, err
	}
	stated, err := rows(ctx, c, `SELECT f.id, f.topic, f.at, f.day, f.date, f.since_day, f.since FROM json_each(?) j JOIN facts f ON f.topic = j.value
		WHERE f.topic <> '' AND `+visibleFact+` ORDER BY f.stated, f.id`, []any{string(list), s.viewerKeys(viewer)},
		func(r *sql.Rows) (standing.Statement, error) {
			var f memory.Fact
			var at int64
			var day, since sql.NullInt64
			err := r.Scan(&f.ID, &f.Topic, &at, &day, &f.Date.Text, &since, &f.Since.Text)
			f.At, f.Date.Day, f.Since.Day = pack.FromStamp(at), day.Int64, since.Int64
			return standing.NewStatement(f), err
		})
	if err != nil {
		return nil, err
	}
	history := standing.NewHistory(stated)
	var missing []scored
	for _, id := range history.Missing(hits) {
		missing = append(missing, scored{id: id})
	}
	added, err := loadFacts(ctx, c, missing)
	return history.Arrange(hits, added, k), err
}

package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/fulltext"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/pack"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/standing"
)

// maxFacts bounds one search.
const maxFacts = 1000

// pending is a fact with which something is still to be done.
type pending struct {
	id   int64
	text string
	// embedded is the column of that name: see stepMemory.
	embedded int64
}

// scored is a match; higher is better.
type scored struct {
	id    int64
	score float64
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
	err := s.write(ctx, "remembering facts", func(ctx context.Context, c conn) error {
		todo = nil
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
const restateFact = `UPDATE facts SET topic = $2, stated = greatest($3, stated) WHERE id = $1 AND (topic <> $2 OR EXISTS
	(SELECT 1 FROM facts n WHERE n.topic = $2 AND n.topic <> '' AND n.id <> $1 AND n.stated >= facts.stated))`

// putFact stores one fact.
func putFact(ctx context.Context, c conn, f memory.Fact) (pending, error) {
	p := pending{text: f.Text}
	audience, err := audienceOf(ctx, c, f.Visible)
	if err != nil {
		return p, fmt.Errorf("fact of %q: %w", f.Source, err)
	}
	hash := factHash(f.Source, f.Text)
	err = row(ctx, c, `SELECT id, embedded FROM facts WHERE hash = $1`, []any{hash}, &p.id, &p.embedded)
	if err == nil {
		_, err = exec(ctx, c, `UPDATE facts SET audience = $1 WHERE id = $2 AND audience <> $1`, audience, p.id)
		if err == nil && f.Topic != "" {
			_, err = exec(ctx, c, restateFact, p.id, standing.Key(f.Topic), time.Now().UnixMicro())
		}
		return p, err
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return p, err
	}
	if f.At.IsZero() {
		f.At = time.Now()
	}
	day, date := pack.Day(f.Date)
	since, sinceDate := pack.Day(f.Since)
	err = row(ctx, c, `INSERT INTO facts (hash, source, text, at, audience, day, date, topic, stated, since_day, since)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $4, $9, $10) RETURNING id`,
		[]any{hash, keepable(f.Source), keepable(f.Text), f.At.UnixMicro(), audience, day, keepable(date), standing.Key(f.Topic), since, keepable(sinceDate)}, &p.id)
	if err != nil {
		return p, err
	}
	_, err = exec(ctx, c, `INSERT INTO fact_words (word, fact) SELECT unnest($1::text[]), $2`, wordsOf(f.Text), p.id)
	return p, err
}

// Unremember deletes the facts of a source that have one of the texts, in one
// transaction.
func (s *Index) Unremember(ctx context.Context, source string, texts ...string) error {
	if len(texts) == 0 {
		return nil
	}
	return s.write(ctx, "deleting facts", func(ctx context.Context, c conn) error { return deleteFacts(ctx, c, source, texts...) })
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
	err = s.read(ctx, "searching facts", func(c conn) error {
		near, space, err := s.nearest(ctx, c, vector, viewer, k)
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
		if err == nil {
			out, err = s.arrangeFacts(ctx, c, viewer, fulltext.AppendWorded(out, worded), k)
		}
		return err
	})
	return out, err
}

// wordedPlaces is how many of k places belong to facts without a vector in the
// space: their share of all facts.
func wordedPlaces(ctx context.Context, c conn, space int64, k int) (int, error) {
	if space == 0 {
		return k, nil
	}
	var stale, all int
	err := row(ctx, c, `SELECT (SELECT count(*) FROM facts WHERE embedded < $1), (SELECT coalesce(max(id), 0) FROM facts)`, []any{space}, &stale, &all)
	return k * stale / max(1, all), err
}

// searchWords finds facts by full text: those without a vector in the space.
func (s *Index) searchWords(ctx context.Context, c conn, text, viewer string, k int, space int64) ([]memory.FactHit, error) {
	q := fulltext.Parse(text)
	if len(q) == 0 {
		return nil, nil
	}
	index := textIndex{
		c: c, table: "fact_words", column: "fact", size: `SELECT coalesce(max(id), 0) FROM facts`,
		scope: `(SELECT true FROM facts f WHERE f.id = w.fact AND ` + heardBy("f", "$1") + ` AND ($2::bigint = 0 OR f.embedded <> $2))`,
		args:  []any{s.viewerKeys(viewer), space},
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
func loadFacts(ctx context.Context, c conn, hits []scored) ([]memory.FactHit, error) {
	if len(hits) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(hits))
	scores := make(map[int64]float64, len(hits))
	for i, h := range hits {
		ids[i] = h.id
		scores[h.id] = h.score
	}
	return rows(ctx, c, `SELECT f.id, f.source, f.text, f.at, `+audienceIn("f")+`, f.day, f.date, f.topic, f.since_day, f.since
		FROM unnest($1::bigint[]) WITH ORDINALITY j (id, place)
		JOIN facts f ON f.id = j.id ORDER BY j.place`, []any{ids}, func(r pgx.Rows) (h memory.FactHit, err error) {
		var at int64
		var visible string
		var day, since *int64
		err = r.Scan(&h.ID, &h.Source, &h.Text, &at, &visible, &day, &h.Date.Text, &h.Topic, &since, &h.Since.Text)
		h.Source, h.Text, h.Date, h.Since = restored(h.Source), restored(h.Text), dateOf(day, h.Date.Text), dateOf(since, h.Since.Text)
		h.At, h.Visible, h.Score = pack.FromStamp(at), listed(visible), scores[h.ID]
		return h, err
	})
}

// arrangeFacts marks the facts that are superseded for a viewer, and puts those that
// stand before them.
func (s *Index) arrangeFacts(ctx context.Context, c conn, viewer string, hits []memory.FactHit, k int) ([]memory.FactHit, error) {
	topics := standing.Topics(hits)
	if len(topics) == 0 {
		return hits, nil
	}
	stated, err := rows(ctx, c, `SELECT f.id, f.topic, f.at, f.day, f.date, f.since_day, f.since FROM facts f
		WHERE f.topic <> '' AND f.topic = ANY ($2::text[]) AND `+heardBy("f", "$1")+` ORDER BY f.stated, f.id`, []any{s.viewerKeys(viewer), topics},
		func(r pgx.Rows) (standing.Statement, error) {
			var f memory.Fact
			var at int64
			var day, since *int64
			err := r.Scan(&f.ID, &f.Topic, &at, &day, &f.Date.Text, &since, &f.Since.Text)
			f.At, f.Date, f.Since = pack.FromStamp(at), dateOf(day, f.Date.Text), dateOf(since, f.Since.Text)
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

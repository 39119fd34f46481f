package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// maxFacts limits one search, because the vector tables of SQLite allow at most 4096 results.
const maxFacts = 1000

// pending is a fact that still needs work.
type pending struct {
	id   int64
	text string
	// embedded is the column of the same name: the number of the space with the fact's vector, 0 without a
	// vector, and negative if the embedder of that space rejected the text.
	embedded int64
}

// Remember adds facts. A fact with a known source and text is stored once: it keeps its id and time, and
// becomes visible as the latest call says. A fact without a time gets the current time; one without text is
// skipped.
//
// The facts are stored before their vectors are computed. If the embedder fails, Remember returns the error,
// but the facts are stored and found by full text. [Store.EmbedFacts], or remembering them again, adds the
// vectors.
func (s *Store) Remember(ctx context.Context, facts ...memory.Fact) error {
	var todo []pending
	err := s.d.Write(ctx, "remembering facts", func(ctx context.Context, c Conn) error {
		todo = nil
		space, err := s.ownSpace(ctx, c)
		if err != nil {
			return err
		}
		for _, f := range facts {
			if strings.TrimSpace(f.Text) == "" {
				continue
			}
			p, err := s.putFact(ctx, c, f)
			if err != nil {
				return err
			}
			if space.N == 0 || p.embedded != space.N && p.embedded != -space.N {
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
			s.signalUnindexed()
			return err
		}
	}
	return nil
}

// restateFact makes a fact current when it is stated again.
const restateFact = `UPDATE facts SET topic = $2, stated = CASE WHEN $3 > stated THEN $3 ELSE stated END WHERE id = $1 AND (topic <> $2 OR EXISTS
	(SELECT 1 FROM facts n WHERE n.topic = $2 AND n.topic <> '' AND n.id <> $1 AND n.stated >= facts.stated))`

// putFact stores one fact.
func (s *Store) putFact(ctx context.Context, c Conn, f memory.Fact) (pending, error) {
	p := pending{text: f.Text}
	audience, err := audienceOf(ctx, c, f.Visible)
	if err != nil {
		return p, fmt.Errorf("fact of %q: %w", f.Source, err)
	}
	f.Topic = topicKey(f.Topic)
	err = c.Row(ctx, s.sql.findFact, s.syntax.FactKey(f.Source, f.Text), &p.id, &p.embedded)
	if err == nil {
		_, err = c.Exec(ctx, `UPDATE facts SET audience = $1 WHERE id = $2 AND audience <> $1`, audience, p.id)
		if err == nil && f.Topic != "" {
			_, err = c.Exec(ctx, restateFact, p.id, f.Topic, time.Now().UnixMicro())
		}
		return p, err
	}
	if !errors.Is(err, ErrNoRows) {
		return p, err
	}
	if f.At.IsZero() {
		f.At = time.Now()
	}
	p.id, err = s.d.InsertFact(ctx, c, NewFact{Fact: f, Audience: audience})
	return p, err
}

// audienceOf returns the number of a list of ids, and stores the list if it is new.
func audienceOf(ctx context.Context, c Conn, ids []string) (n int64, err error) {
	packed, err := Visible(ids)
	if err != nil || packed == "" {
		return 0, err
	}
	err = c.Row(ctx, `SELECT n FROM audiences WHERE ids = $1`, []any{packed}, &n)
	if errors.Is(err, ErrNoRows) {
		err = c.Row(ctx, `INSERT INTO audiences (ids) VALUES ($1) RETURNING n`, []any{packed}, &n)
	}
	return n, err
}

// Unremember deletes the facts of a source with one of the given texts, in one transaction.
func (s *Store) Unremember(ctx context.Context, source string, texts ...string) error {
	if len(texts) == 0 {
		return nil
	}
	texts = slices.Clone(texts)
	slices.Sort(texts)
	texts = slices.Compact(texts)
	return s.d.Write(ctx, "deleting facts", func(ctx context.Context, c Conn) error { return s.d.DeleteFacts(ctx, c, source, texts) })
}

// CampaignFacts returns up to limit facts that may come from campaign files, ordered by id, beginning after the
// id after; 0 begins with the first. It excludes facts made from lines and notes.
func (s *Store) CampaignFacts(ctx context.Context, after int64, limit int) (out []memory.Fact, err error) {
	err = s.d.Read(ctx, "reading facts", func(c Conn) error {
		out, err = Rows(ctx, c, `SELECT f.id, f.source, f.text, f.at, `+audienceOfFact+` FROM facts f WHERE f.id > $1
			AND (substr(f.source, 1, 7) = 'entity:' OR substr(f.source, 1, 9) = 'campaign:') ORDER BY f.id LIMIT $2`, []any{after, max(0, limit)},
			func(r Row) (f memory.Fact, err error) {
				var at int64
				var visible string
				err = r.Scan(&f.ID, &f.Source, &f.Text, &at, &visible)
				f.At, f.Visible = FromStamp(at), VisibleList(visible)
				return f, err
			})
		return err
	})
	return out, err
}

// SearchFacts returns the k facts nearest in meaning that viewer may see, best first; k 0 means 10. An empty
// viewer sees all. Facts without a vector, or all facts if no embedder works, are found by full text. They
// come after those found by meaning, and get a proportional share of the k places.
func (s *Store) SearchFacts(ctx context.Context, text, viewer string, k int) (out []memory.FactHit, err error) {
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
	keys := s.viewerKeys(viewer)
	err = s.d.ReadSnapshot(ctx, "searching facts", func(c Conn) error {
		near, space, err := s.nearest(ctx, c, vector, keys, k)
		if err != nil {
			return err
		}
		places, err := wordedPlaces(ctx, c, space, k)
		if err != nil {
			return err
		}
		var worded []memory.FactHit
		if places = max(places, k-len(near)); places > 0 {
			if worded, err = s.searchWords(ctx, c, text, keys, places, space); err != nil {
				return err
			}
		}
		if out, err = s.loadFacts(ctx, c, near[:min(len(near), k-len(worded))]); err != nil {
			return err
		}
		if out, err = s.arrangeFacts(ctx, c, keys, appendWorded(out, worded), k); err != nil {
			return err
		}
		out, err = s.d.HideFacts(ctx, c, out)
		return err
	})
	return out, err
}

// nearest returns the k facts nearest to the vector and the number of the space it searched, 0 if there was
// none to search.
func (s *Store) nearest(ctx context.Context, c Conn, vector []float32, keys []string, k int) (hits []Scored, searched int64, err error) {
	if vector == nil {
		return nil, 0, nil
	}
	space, err := s.ownSpace(ctx, c)
	if err != nil || space.N == 0 {
		return nil, 0, err
	}
	hits, err = s.d.Nearest(ctx, c, space, vector, keys, k)
	return hits, space.N, err
}

// wordedPlaces returns how many of k places are reserved for facts without a vector in the space, which is
// their share of all facts. Otherwise, after a change of embedder, a handful of new vectors would hide all
// older facts.
func wordedPlaces(ctx context.Context, c Conn, space int64, k int) (int, error) {
	if space == 0 {
		return k, nil
	}
	var stale, all int
	err := c.Row(ctx, `SELECT (SELECT count(*) FROM facts WHERE embedded < $1), (SELECT coalesce(max(id), 0) FROM facts)`, []any{space}, &stale, &all)
	return k * stale / max(1, all), err
}

// searchWords finds facts without a vector in the space by full text.
func (s *Store) searchWords(ctx context.Context, c Conn, text string, keys []string, k int, space int64) ([]memory.FactHit, error) {
	q := parseFullText(text)
	if len(q) == 0 {
		return nil, nil
	}
	ids, err := q.Shortlist(ctx, s.d.FindFacts(c, keys, space), k)
	if err != nil {
		return nil, err
	}
	unrated := make([]Scored, len(ids))
	for i, id := range ids {
		unrated[i].ID = id
	}
	hits, err := s.loadFacts(ctx, c, unrated)
	if err != nil {
		return nil, err
	}
	return q.RankFacts(hits, k), nil
}

// loadFacts returns the facts of the hits, in the order of the hits.
func (s *Store) loadFacts(ctx context.Context, c Conn, hits []Scored) ([]memory.FactHit, error) {
	if len(hits) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(hits))
	scores := make(map[int64]float64, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
		scores[h.ID] = h.Score
	}
	return Rows(ctx, c, s.sql.loadFacts, []any{ids}, func(r Row) (h memory.FactHit, err error) {
		var at int64
		var visible string
		var day, since *int64
		err = r.Scan(&h.ID, &h.Source, &h.Text, &at, &visible, &day, &h.Date.Text, &h.Topic, &since, &h.Since.Text)
		h.At, h.Visible, h.Score = FromStamp(at), VisibleList(visible), scores[h.ID]
		h.Date, h.Since = dateOf(day, h.Date.Text), dateOf(since, h.Since.Text)
		return h, err
	})
}

// dateOf returns the in-world date stored in the columns day and date.
func dateOf(day *int64, text string) memory.Date {
	if day == nil {
		return memory.Date{}
	}
	return memory.Date{Day: *day, Text: text}
}

// arrangeFacts marks the facts that are superseded for a viewer, and puts the current ones before them.
func (s *Store) arrangeFacts(ctx context.Context, c Conn, keys []string, hits []memory.FactHit, k int) ([]memory.FactHit, error) {
	topics := topicsOf(hits)
	if len(topics) == 0 {
		return hits, nil
	}
	stated, err := Rows(ctx, c, s.sql.stated, []any{topics, keys}, func(r Row) (Claim, error) {
		var f memory.Fact
		var at int64
		var day, since *int64
		err := r.Scan(&f.ID, &f.Topic, &at, &day, &f.Date.Text, &since, &f.Since.Text)
		f.At, f.Date, f.Since = FromStamp(at), dateOf(day, f.Date.Text), dateOf(since, f.Since.Text)
		return newClaim(f), err
	})
	if err != nil {
		return nil, err
	}
	history := newHistory(stated)
	var missing []Scored
	for _, id := range history.Missing(hits) {
		missing = append(missing, Scored{ID: id})
	}
	added, err := s.loadFacts(ctx, c, missing)
	return history.Arrange(hits, added, k), err
}

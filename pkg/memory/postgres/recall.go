package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/internal/recall"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	// recallLines is how many of the newest lines are kept in mind to be recalled by
	// meaning, give or take recallSpare.
	recallLines = 16384
	recallSpare = 512
	// recallEntities is how many entities a question may mean without naming them.
	recallEntities = 512
	// entitiesFresh is how long the entities read are taken for those there are.
	entitiesFresh = 5 * time.Second
	// leastRecalled is the score below which a line has nothing to do with a question.
	leastRecalled = 0.12
	// olderRecalled is how many lines before those in mind are looked at.
	olderRecalled = 64
)

// recollection is what is kept in mind of the newest lines. What it finds is read again
// from the database, so that nothing comes of it that has been taken back. The server is
// never asked while mu is held.
type recollection struct {
	mu       sync.Mutex    // guards the fields below
	index    *recall.Index // nil until the lines were read
	dropped  bool          // older lines are no longer in mind
	reading  bool          // somebody reads all of the lines
	times    int           // how often everything was forgotten
	entities []knownEntity
	read     time.Time // when the entities were read
}

// knownEntity is an entity with who knows of it.
type knownEntity struct {
	*recall.Entity
	visible []string
}

// forget lets everything be read anew: lines have been taken back or reworded.
func (r *recollection) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.index, r.dropped, r.entities, r.read = nil, false, nil, time.Time{}
	r.times++
}

// Recall finds lines by what a question means: other words for the same, whom it means
// without a name, who spoke, and what was said around a line. Lines that viewer may not
// know of are not even compared. It returns nothing if no line has anything to do with the
// question, and only the nearest if none has enough to be taken for an answer; the question
// itself is none. Of very many lines the newest are compared, older ones if they have words
// of the question.
func (s *SessionLog) Recall(ctx context.Context, query memory.LineQuery) ([]memory.LineHit, error) {
	if query.Days != nil || strings.TrimSpace(query.Text) == "" {
		return s.SearchLines(ctx, query)
	}
	if query.Limit <= 0 {
		query.Limit = defaultLimit
	}
	q := recall.Query{Text: query.Text, Asker: query.Viewer, Limit: query.Limit}
	var out []memory.LineHit
	var dropped bool
	err := s.read(ctx, "recalling what was said", func(c conn) error {
		if query.Session != "" {
			err := row(ctx, c, `SELECT n FROM sessions WHERE id = $1`, []any{keepable(query.Session)}, &q.Session)
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			if err != nil {
				return err
			}
		}
		hits, more, err := s.compareLines(ctx, c, query.Viewer, q)
		if err != nil {
			return err
		}
		dropped = more
		out, err = s.loadRecalled(ctx, c, query.Viewer, hits)
		return err
	})
	if err == nil && dropped {
		var older []memory.LineHit
		older, err = s.recallOlder(ctx, query, q)
		out = append(out, slices.DeleteFunc(older, func(h memory.LineHit) bool {
			return slices.ContainsFunc(out, func(o memory.LineHit) bool { return o.ID == h.ID })
		})...)
	}
	slices.SortStableFunc(out, func(a, b memory.LineHit) int { return cmp.Compare(b.Score, a.Score) })
	out = out[:min(len(out), query.Limit)]
	for i := range out { // the first says for all whether the question is answered
		out[i].Nearest = out[0].Nearest
	}
	return out, err
}

// compareLines ranks the lines in mind, and reports whether there are others.
func (s *SessionLog) compareLines(ctx context.Context, c conn, viewer string, q recall.Query) ([]recall.Hit, bool, error) {
	seen, err := rows(ctx, c, `SELECT a.n FROM audiences a WHERE a.n = 0 OR EXISTS (SELECT 1 FROM unnest($1::text[]) k WHERE strpos(a.ids, k) > 0)`, []any{s.viewerKeys(viewer)}, scanNumber)
	if err != nil {
		return nil, false, err
	}
	q.Sees = func(audience int64) bool { return viewer == "" || slices.Contains(seen, audience) }
	if err := s.bringToMind(ctx, c); err != nil {
		return nil, false, err
	}
	r := &s.recollection
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.index == nil {
		return nil, true, nil // they are being read; who asks does not wait
	}
	for _, e := range r.entities {
		if s.groups.Knows(e.visible, viewer) {
			q.Entities = append(q.Entities, e.Entity)
		}
	}
	return r.index.Rank(q), r.dropped, nil
}

func scanNumber(r pgx.Rows) (n int64, err error) { return n, r.Scan(&n) }

// remindOfLines reads the lines that are kept in mind, so that nobody who asks has to.
func (s *database) remindOfLines(ctx context.Context) error {
	return s.read(ctx, "reading lines to be recalled", func(c conn) error { return s.bringToMind(ctx, c) })
}

// bringToMind reads the lines that were said since the last time, all that are kept in mind
// at the first, and now and then the entities.
func (s *database) bringToMind(ctx context.Context, c conn) error {
	r := &s.recollection
	r.mu.Lock()
	index, times, stale := r.index, r.times, time.Since(r.read) >= entitiesFresh
	first := index == nil
	if first && r.reading {
		r.mu.Unlock()
		return nil
	}
	var last int64
	if first {
		r.reading, index = true, recall.NewIndex()
	} else {
		last = index.Last()
	}
	r.mu.Unlock()

	var err error
	if first {
		err = row(ctx, c, `SELECT coalesce((SELECT id FROM lines ORDER BY id DESC OFFSET $1 LIMIT 1), 0)`, []any{recallLines}, &last)
	}
	var since []recall.Line
	if err == nil {
		since, err = rows(ctx, c, `SELECT id, session, audience, speaker, npc, text FROM lines WHERE id > $1 ORDER BY id`, []any{last}, scanRecalled)
	}
	var entities []knownEntity
	if err == nil && stale {
		entities, err = rows(ctx, c, `SELECT name, coalesce(aliases, ''), description, visible FROM entities ORDER BY id LIMIT $1`, []any{recallEntities}, scanKnown)
	}
	if first { // nobody else has it yet
		for _, l := range since {
			index.Add(l)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if first {
		r.reading = false
	}
	if err != nil || times != r.times {
		return err
	}
	if first {
		r.index, r.dropped = index, last > 0
	} else {
		for _, l := range since {
			if l.ID > index.Last() { // else somebody was faster
				index.Add(l)
			}
		}
	}
	if index.Len() > recallLines+recallSpare {
		index.Drop(recallLines)
		r.dropped = true
	}
	if stale {
		r.entities, r.read = entities, time.Now()
	}
	return nil
}

func scanRecalled(r pgx.Rows) (l recall.Line, err error) {
	err = r.Scan(&l.ID, &l.Session, &l.Audience, &l.Speaker, &l.NPC, &l.Text)
	l.Speaker, l.NPC, l.Text = restored(l.Speaker), restored(l.NPC), restored(l.Text)
	return l, err
}

func scanKnown(r pgx.Rows) (e knownEntity, err error) {
	var name, aliases, about, visible string
	err = r.Scan(&name, &aliases, &about, &visible)
	other := strings.FieldsFunc(aliases, func(r rune) bool { return strings.ContainsRune(`[]",`, r) })
	e.Entity, e.visible = recall.NewEntity(restored(name), other, restored(about)), listed(visible)
	return e, err
}

// loadRecalled reads the lines that answer, as far as they are still there.
func (s *SessionLog) loadRecalled(ctx context.Context, c conn, viewer string, hits []recall.Hit) ([]memory.LineHit, error) {
	found := make(map[int64]recall.Hit, len(hits))
	var ids []int64
	for _, h := range hits {
		if h.Score >= leastRecalled {
			ids, found[h.ID] = append(ids, h.ID), h
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	out, err := rows(ctx, c, `SELECT `+lineColumns+` FROM unnest($1::bigint[]) WITH ORDINALITY j (id, place)
		JOIN lines l ON l.id = j.id JOIN sessions s ON s.n = l.session ORDER BY j.place`, []any{ids}, lineHit)
	for i := range out {
		h := found[out[i].ID]
		out[i].Score, out[i].Nearest = h.Score, !h.Claimed
	}
	return slices.DeleteFunc(out, func(h memory.LineHit) bool { return !s.groups.Knows(h.Present, viewer) }), err
}

// recallOlder compares older lines that have words of the question.
func (s *SessionLog) recallOlder(ctx context.Context, query memory.LineQuery, q recall.Query) (out []memory.LineHit, err error) {
	query.Limit = olderRecalled
	found, err := s.SearchLines(ctx, query)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b memory.LineHit) int { return cmp.Compare(a.ID, b.ID) })
	x := recall.NewIndex()
	byID := make(map[int64]memory.LineHit, len(found))
	for _, h := range found {
		x.Add(recall.Line{ID: h.ID, Speaker: h.Speaker, NPC: h.NPC, Text: h.Text})
		byID[h.ID] = h
	}
	q.Sees, q.Session = func(int64) bool { return true }, 0
	for _, h := range x.Rank(q) {
		if h.Score >= leastRecalled {
			line := byID[h.ID]
			line.Score, line.Nearest = h.Score, !h.Claimed
			out = append(out, line)
		}
	}
	return out, nil
}

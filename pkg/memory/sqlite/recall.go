package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/recall"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/pack"
)

const (
	// recallLines is how many of the newest lines are kept in mind to be recalled by
	// meaning: dozens of evenings, in a few megabytes.
	recallLines = 16384
	// recallBatch is how many of them are read at a time.
	recallBatch = 512
	// recallEntities is how many entities a question may mean without naming them.
	recallEntities = 512
	// entitiesFresh is how long the entities read are taken for those there are.
	entitiesFresh = 5 * time.Second
	// leastRecalled is the score below which a line has nothing to do with a question.
	leastRecalled = 0.12
	// olderRecalled is how many lines before those in mind are looked at.
	olderRecalled = 64
)

// recollection is what is kept in mind of the newest lines. What it finds is read
// again from the database, so that nothing comes of it that has been taken back.
type recollection struct {
	mu       sync.Mutex    // guards the fields below
	index    *recall.Index // nil until the lines were read
	dropped  bool          // older lines are no longer in mind
	reading  bool          // somebody reads the lines
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

// Recall finds lines by what a question means: other words for the same, whom it
// means without a name, who spoke, and what was said around a line. Lines that
// viewer may not know of are not even compared. It returns nothing if no line has
// anything to do with the question, and only the nearest if none has enough to be
// taken for an answer; the question itself is none.
//
// Of very many lines the newest are compared, older ones if they have words of the
// question.
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
	err := s.readSnapshot(ctx, "recalling what was said", func(c *conn) error {
		if query.Session != "" {
			err := c.row(ctx, `SELECT n FROM sessions WHERE id = ?`, []any{query.Session}, &q.Session)
			if errors.Is(err, sql.ErrNoRows) {
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
	if err != nil || !dropped {
		return judgeLines(out), err
	}
	older, err := s.recallOlder(ctx, query, q)
	if err != nil {
		return nil, err
	}
	for _, h := range older {
		if !slices.ContainsFunc(out, func(o memory.LineHit) bool { return o.ID == h.ID }) {
			out = append(out, h)
		}
	}
	slices.SortStableFunc(out, func(a, b memory.LineHit) int { return cmp.Compare(b.Score, a.Score) })
	return judgeLines(out[:min(len(out), query.Limit)]), nil
}

// judgeLines lets the first line say for all of them whether the question is answered.
func judgeLines(hits []memory.LineHit) []memory.LineHit {
	for i := range hits {
		hits[i].Nearest = hits[0].Nearest
	}
	return hits
}

// compareLines ranks the lines in mind, and reports whether there are older ones.
func (s *SessionLog) compareLines(ctx context.Context, c *conn, viewer string, q recall.Query) ([]recall.Hit, bool, error) {
	seen, err := rows(ctx, c, `SELECT n FROM audiences WHERE n IN `+seenAudiences, []any{s.viewerKeys(viewer)}, scanID)
	if err != nil {
		return nil, false, err
	}
	q.Sees = func(audience int64) bool { return viewer == "" || slices.Contains(seen, audience) }
	if err := s.readLines(ctx, c); err != nil {
		return nil, false, err
	}
	r := &s.recollection
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.index == nil {
		return nil, true, nil // they are being read; who asks does not wait
	}
	if err := s.bringToMind(ctx, c); err != nil {
		return nil, false, err
	}
	for _, e := range r.entities {
		if s.groups.Knows(e.visible, viewer) {
			q.Entities = append(q.Entities, e.Entity)
		}
	}
	return r.index.Rank(q), r.dropped, nil
}

// remindOfLines reads the lines that are kept in mind, so that nobody who asks has to.
func (db *database) remindOfLines(ctx context.Context) error {
	return db.readSnapshot(ctx, "reading lines to be recalled", func(c *conn) error { return db.readLines(ctx, c) })
}

// readLines reads the lines that are kept in mind, unless they have been or somebody
// does. No lock is held meanwhile.
func (db *database) readLines(ctx context.Context, c *conn) error {
	r := &db.recollection
	r.mu.Lock()
	if r.index != nil || r.reading {
		r.mu.Unlock()
		return nil
	}
	r.reading = true
	times := r.times
	r.mu.Unlock()
	x := recall.NewIndex()
	var skipped int64
	err := c.row(ctx, `SELECT coalesce((SELECT id FROM lines ORDER BY id DESC LIMIT 1 OFFSET ?), 0)`, []any{recallLines}, &skipped)
	if err == nil {
		err = readSince(ctx, c, x, skipped)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reading = false
	if err == nil && times == r.times {
		r.index, r.dropped = x, skipped > 0
	}
	return err
}

// bringToMind reads the lines that were said since, and now and then the entities.
// The caller holds the lock.
func (s *SessionLog) bringToMind(ctx context.Context, c *conn) error {
	r := &s.recollection
	if err := readSince(ctx, c, r.index, r.index.Last()); err != nil {
		return err
	}
	if r.index.Len() > recallLines+recallBatch {
		r.index.Drop(recallLines)
		r.dropped = true
	}
	if time.Since(r.read) < entitiesFresh {
		return nil
	}
	entities, err := rows(ctx, c, `SELECT name, coalesce(aliases, ''), description, visible FROM entities ORDER BY id `+limitParam, []any{recallEntities},
		func(r *sql.Rows) (e knownEntity, err error) {
			var name, aliases, about, visible string
			err = r.Scan(&name, &aliases, &about, &visible)
			other := strings.FieldsFunc(aliases, func(r rune) bool { return strings.ContainsRune(`[]",`, r) })
			e.Entity, e.visible = recall.NewEntity(name, other, about), pack.VisibleList(visible)
			return e, err
		})
	r.entities, r.read = entities, time.Now()
	return err
}

// readSince adds the lines after one.
func readSince(ctx context.Context, c *conn, x *recall.Index, id int64) error {
	for {
		next, err := rows(ctx, c, `SELECT id, session, audience, speaker, npc, text FROM lines WHERE id > ? ORDER BY id `+limitParam, []any{id, recallBatch},
			func(r *sql.Rows) (l recall.Line, err error) {
				return l, r.Scan(&l.ID, &l.Session, &l.Audience, &l.Speaker, &l.NPC, &l.Text)
			})
		if err != nil {
			return err
		}
		for _, l := range next {
			x.Add(l)
			id = l.ID
		}
		if len(next) < recallBatch {
			return nil
		}
	}
}

// loadRecalled reads the lines that answer, as far as they are still there.
func (s *SessionLog) loadRecalled(ctx context.Context, c *conn, viewer string, hits []recall.Hit) ([]memory.LineHit, error) {
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
	out, err := loadLines(ctx, c, ids)
	if err == nil {
		out, err = hideLines(ctx, c, out, lineOf)
	}
	if err != nil {
		return nil, err
	}
	for i := range out {
		h := found[out[i].ID]
		out[i].Score, out[i].Nearest = h.Score, !h.Claimed
	}
	return slices.DeleteFunc(out, func(h memory.LineHit) bool {
		return !s.groups.Knows(h.Present, viewer)
	}), nil
}

// recallOlder compares older lines that have words of the question.
func (s *SessionLog) recallOlder(ctx context.Context, query memory.LineQuery, q recall.Query) ([]memory.LineHit, error) {
	limit := query.Limit
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
	q.Sees, q.Session, q.Limit = func(int64) bool { return true }, 0, limit
	var out []memory.LineHit
	for _, h := range x.Rank(q) {
		if h.Score >= leastRecalled {
			line := byID[h.ID]
			line.Score, line.Nearest = h.Score, !h.Claimed
			out = append(out, line)
		}
	}
	return out, nil
}

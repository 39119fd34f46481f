package sqlstore

import (
	"context"

	"github.com/MrWong99/glyphoxa/internal/recall"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Recall finds lines by a question's meaning; see [Mind.Recall].
func (s *Store) Recall(ctx context.Context, query memory.LineQuery) ([]memory.LineHit, error) {
	return s.lineCache.Recall(ctx, Log{
		Read: func(ctx context.Context, use func(Source) error) error {
			return s.d.ReadSnapshot(ctx, "recalling what was said", func(c Conn) error { return use(source{c, s}) })
		},
		Search: s.SearchLines,
		Embed:  s.questionVector,
		Knows:  s.groups.Knows,
	}, query)
}

// refreshLineCache updates the lines in memory in advance, so that no search has to wait for it.
func (s *Store) refreshLineCache(ctx context.Context) error {
	return s.d.ReadSnapshot(ctx, "reading lines to be recalled", func(c Conn) error { return s.lineCache.Read(ctx, source{c, s}) })
}

// questionVector returns the vector of a question, or nil if it has to be answered by full text.
func (s *Store) questionVector(ctx context.Context, text string) ([]float32, error) {
	return embedQuestion(ctx, s.embedder, s.log, text)
}

// senseLines loads the vectors of up to most of the lines in memory; 0 means all.
func (s *Store) senseLines(ctx context.Context, most int) error {
	return s.d.ReadSnapshot(ctx, "reading vectors of lines to be recalled", func(c Conn) error { return s.lineCache.Sense(ctx, source{c, s}, most) })
}

// source implements [Source] on one connection.
type source struct {
	c Conn
	s *Store
}

func (x source) Session(ctx context.Context, id string) (int64, error) {
	return findSession(ctx, x.c, id)
}

func (x source) Audiences(ctx context.Context, viewer string) ([]int64, error) {
	return Rows(ctx, x.c, x.s.sql.audiences, []any{x.s.viewerKeys(viewer)}, ScanID)
}

func (x source) Before(ctx context.Context, newest int) (id int64, err error) {
	return id, x.c.Row(ctx, `SELECT coalesce((SELECT id FROM lines ORDER BY id DESC LIMIT 1 OFFSET $1), 0)`, []any{newest}, &id)
}

func (x source) Since(ctx context.Context, id int64, most int) ([]recall.Line, error) {
	return Rows(ctx, x.c, `SELECT id, session, audience, speaker, npc, text FROM lines WHERE id > $1 ORDER BY id LIMIT $2`, []any{id, most},
		func(r Row) (l recall.Line, err error) {
			err = r.Scan(&l.ID, &l.Session, &l.Audience, &l.Speaker, &l.NPC, &l.Text)
			return l, err
		})
}

func (x source) Vectors(ctx context.Context, ids []int64) (map[int64][]float32, error) {
	space, err := x.s.ownSpace(ctx, x.c)
	if err != nil || space.N == 0 {
		return nil, err
	}
	return x.s.d.LineVectors(ctx, x.c, space, ids)
}

func (x source) Entities(ctx context.Context, most int) ([]Known, error) {
	return Rows(ctx, x.c, `SELECT name, coalesce(aliases, ''), description, visible FROM entities ORDER BY id LIMIT $1`, []any{most},
		func(r Row) (Known, error) {
			var name, aliases, about, visible string
			err := r.Scan(&name, &aliases, &about, &visible)
			return newKnown(name, aliases, about, VisibleList(visible)), err
		})
}

func (x source) Lines(ctx context.Context, ids []int64) ([]memory.LineHit, error) {
	return x.s.loadLines(ctx, x.c, ids)
}

package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/MrWong99/glyphoxa/internal/recall"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/embedder"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/pack"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/recollection"
)

// Recall finds lines by what a question means, as [recollection.Mind.Recall] says.
func (s *SessionLog) Recall(ctx context.Context, query memory.LineQuery) ([]memory.LineHit, error) {
	return s.mind.Recall(ctx, recollection.Log{
		Read: func(ctx context.Context, use func(recollection.Source) error) error {
			return s.readSnapshot(ctx, "recalling what was said", func(c *conn) error { return use(source{c, s.database}) })
		},
		Search: s.SearchLines,
		Embed:  s.questionVector,
		Knows:  s.groups.Knows,
	}, query)
}

// remindOfLines reads the lines that are kept in mind, so that nobody who asks has to.
func (db *database) remindOfLines(ctx context.Context) error {
	return db.readSnapshot(ctx, "reading lines to be recalled", func(c *conn) error { return db.mind.Read(ctx, source{c, db}) })
}

// questionVector is the vector of a question, nil if it is to be answered by full text.
func (db *database) questionVector(ctx context.Context, text string) ([]float32, error) {
	return embedder.Question(ctx, db.embedder, db.log, text)
}

// senseLines reads vectors of lines that are kept in mind, at most so many, or all.
func (db *database) senseLines(ctx context.Context, most int) error {
	return db.readSnapshot(ctx, "reading vectors of lines to be recalled", func(c *conn) error { return db.mind.Sense(ctx, source{c, db}, most) })
}

// source is the database as a reader sees it.
type source struct {
	c  *conn
	db *database
}

func (s source) Session(ctx context.Context, id string) (n int64, err error) {
	err = s.c.row(ctx, `SELECT n FROM sessions WHERE id = ?`, []any{id}, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return n, err
}

func (s source) Audiences(ctx context.Context, viewer string) ([]int64, error) {
	return rows(ctx, s.c, `SELECT n FROM audiences WHERE n IN `+seenAudiences, []any{s.db.viewerKeys(viewer)}, scanID)
}

func (s source) Before(ctx context.Context, newest int) (id int64, err error) {
	return id, s.c.row(ctx, `SELECT coalesce((SELECT id FROM lines ORDER BY id DESC LIMIT 1 OFFSET ?), 0)`, []any{newest}, &id)
}

func (s source) Since(ctx context.Context, id int64, most int) ([]recall.Line, error) {
	return rows(ctx, s.c, `SELECT id, session, audience, speaker, npc, text FROM lines WHERE id > ? ORDER BY id `+limitParam, []any{id, most},
		func(r *sql.Rows) (l recall.Line, err error) {
			return l, r.Scan(&l.ID, &l.Session, &l.Audience, &l.Speaker, &l.NPC, &l.Text)
		})
}

func (s source) Vectors(ctx context.Context, ids []int64) (map[int64][]float32, error) {
	space, err := s.db.ownSpace(ctx, s.c)
	if err != nil || space.n == 0 {
		return nil, err
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	out := make(map[int64][]float32, len(ids))
	_, err = rows(ctx, s.c, `SELECT l.id, v.embedding FROM json_each(?) j CROSS JOIN lines l ON l.id = j.value JOIN sessions s ON s.n = l.session
		CROSS JOIN facts f ON f.source = 'session:' || s.id AND f.text = l.speaker || ': ' || l.text AND f.embedded = ?
		CROSS JOIN `+vectorTable(space.n)+` v ON v.rowid = f.id`, []any{string(list), space.n},
		func(r *sql.Rows) (id int64, err error) {
			var packed []byte
			err = r.Scan(&id, &packed)
			out[id] = pack.Floats(packed)
			return id, err
		})
	return out, err
}

func (s source) Entities(ctx context.Context, most int) ([]recollection.Known, error) {
	return rows(ctx, s.c, `SELECT name, coalesce(aliases, ''), description, visible FROM entities ORDER BY id `+limitParam, []any{most},
		func(r *sql.Rows) (recollection.Known, error) {
			var name, aliases, about, visible string
			err := r.Scan(&name, &aliases, &about, &visible)
			return recollection.NewKnown(name, aliases, about, pack.VisibleList(visible)), err
		})
}

func (s source) Lines(ctx context.Context, ids []int64) ([]memory.LineHit, error) {
	out, err := loadLines(ctx, s.c, ids)
	if err != nil {
		return nil, err
	}
	return hideLines(ctx, s.c, out, lineOf)
}

package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/internal/recall"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/embedder"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/recollection"
)

// Recall finds lines by what a question means, as [recollection.Mind.Recall] says.
func (s *SessionLog) Recall(ctx context.Context, query memory.LineQuery) ([]memory.LineHit, error) {
	return s.mind.Recall(ctx, recollection.Log{
		Read: func(ctx context.Context, use func(recollection.Source) error) error {
			return s.read(ctx, "recalling what was said", func(c conn) error { return use(source{c, s.database}) })
		},
		Search: s.SearchLines,
		Embed:  s.questionVector,
		Knows:  s.groups.Knows,
	}, query)
}

// remindOfLines reads the lines that are kept in mind, so that nobody who asks has to.
func (s *database) remindOfLines(ctx context.Context) error {
	return s.read(ctx, "reading lines to be recalled", func(c conn) error { return s.mind.Read(ctx, source{c, s}) })
}

// questionVector is the vector of a question, nil if it is to be answered by full text.
func (s *database) questionVector(ctx context.Context, text string) ([]float32, error) {
	return embedder.Question(ctx, s.embedder, s.log, text)
}

// senseLines reads vectors of lines that are kept in mind, at most so many, or all.
func (s *database) senseLines(ctx context.Context, most int) error {
	return s.read(ctx, "reading vectors of lines to be recalled", func(c conn) error { return s.mind.Sense(ctx, source{c, s}, most) })
}

// source is the database as a reader sees it.
type source struct {
	c  conn
	db *database
}

func (s source) Session(ctx context.Context, id string) (n int64, err error) {
	err = row(ctx, s.c, `SELECT n FROM sessions WHERE id = $1`, []any{keepable(id)}, &n)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return n, err
}

func (s source) Audiences(ctx context.Context, viewer string) ([]int64, error) {
	return rows(ctx, s.c, `SELECT a.n FROM audiences a WHERE a.n = 0 OR EXISTS (SELECT 1 FROM unnest($1::text[]) k WHERE strpos(a.ids, k) > 0)`,
		[]any{s.db.viewerKeys(viewer)}, func(r pgx.Rows) (n int64, err error) { return n, r.Scan(&n) })
}

func (s source) Before(ctx context.Context, newest int) (id int64, err error) {
	return id, row(ctx, s.c, `SELECT coalesce((SELECT id FROM lines ORDER BY id DESC OFFSET $1 LIMIT 1), 0)`, []any{newest}, &id)
}

func (s source) Since(ctx context.Context, id int64, most int) ([]recall.Line, error) {
	return rows(ctx, s.c, `SELECT id, session, audience, speaker, npc, text FROM lines WHERE id > $1 ORDER BY id LIMIT $2`, []any{id, most},
		func(r pgx.Rows) (l recall.Line, err error) {
			err = r.Scan(&l.ID, &l.Session, &l.Audience, &l.Speaker, &l.NPC, &l.Text)
			l.Speaker, l.NPC, l.Text = restored(l.Speaker), restored(l.NPC), restored(l.Text)
			return l, err
		})
}

func (s source) Vectors(ctx context.Context, ids []int64) (map[int64][]float32, error) {
	space, err := s.db.ownSpace(ctx, s.c)
	if err != nil || space.n == 0 {
		return nil, err
	}
	lines, err := s.Lines(ctx, ids)
	if err != nil {
		return nil, err
	}
	saying := make(map[string][]int64, len(lines)) // lines' ids, by the hash of their fact
	hashes := make([][]byte, len(lines))
	for i, l := range lines {
		f := memory.FactOf(l.Line)
		hashes[i] = factHash(f.Source, f.Text)
		saying[string(hashes[i])] = append(saying[string(hashes[i])], l.ID)
	}
	out := make(map[int64][]float32, len(ids))
	_, err = rows(ctx, s.c, `SELECT f.hash, v.embedding FROM facts f JOIN `+vectorTable(space.n)+` v ON v.fact = f.id WHERE f.hash = ANY ($1::bytea[]) AND f.embedded = $2`,
		[]any{hashes, space.n}, func(r pgx.Rows) (none struct{}, err error) {
			hash, v, err := space.scanVector(r)
			for _, id := range saying[string(hash)] {
				out[id] = v
			}
			return none, err
		})
	return out, err
}

func (s source) Entities(ctx context.Context, most int) ([]recollection.Known, error) {
	return rows(ctx, s.c, `SELECT name, coalesce(aliases, ''), description, visible FROM entities ORDER BY id LIMIT $1`, []any{most},
		func(r pgx.Rows) (recollection.Known, error) {
			var name, aliases, about, visible string
			err := r.Scan(&name, &aliases, &about, &visible)
			return recollection.NewKnown(restored(name), aliases, restored(about), listed(visible)), err
		})
}

func (s source) Lines(ctx context.Context, ids []int64) ([]memory.LineHit, error) {
	return rows(ctx, s.c, `SELECT `+lineColumns+` FROM unnest($1::bigint[]) WITH ORDINALITY j (id, place)
		JOIN lines l ON l.id = j.id JOIN sessions s ON s.n = l.session ORDER BY j.place`, []any{ids}, lineHit)
}

package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// deleteLines deletes the user's lines, session by session, and the answers that
// repeat them.
func (w *forgetWork) deleteLines(ctx context.Context) error {
	var sessions []int64
	err := w.s.read(ctx, "looking for a user's lines", func(c *conn) (err error) {
		sessions, err = rows(ctx, c, `SELECT DISTINCT session FROM speakers WHERE user = ? ORDER BY session`, []any{w.f.User}, scanID)
		return err
	})
	if err != nil {
		return err
	}
	if err := w.noteDeletedIfMany(ctx); err != nil {
		return err
	}
	size := pace(firstStep)
	for _, session := range sessions {
		for from := int64(0); ; {
			var ids []int64
			err := w.s.read(ctx, "looking for a user's lines", func(c *conn) (err error) {
				ids, err = rows(ctx, c, `SELECT id FROM lines WHERE session = ? AND id > ? AND id <= ? AND user = ? ORDER BY id `+limitParam,
					[]any{session, from, w.f.line, w.f.User, int(size)}, scanID)
				return err
			})
			if err != nil {
				return err
			}
			if len(ids) == 0 {
				break
			}
			from = ids[len(ids)-1]
			if err := w.step(ctx, &size, func(ctx context.Context, c *conn) error { return w.deleteSome(ctx, c, ids) }); err != nil {
				return err
			}
		}
	}
	// Who speaks meanwhile is not forgotten by that.
	return w.s.write(ctx, "forgetting a user", func(ctx context.Context, c *conn) error {
		_, err := c.exec(ctx, `DELETE FROM speakers WHERE user = ?1 AND NOT EXISTS
			(SELECT 1 FROM lines l WHERE l.session = speakers.session AND l.id > ?2 AND l.user = ?1 AND l.speaker = speakers.speaker)`, w.f.User, w.f.line)
		return err
	})
}

// deleteSome deletes lines of the user, and answers to them.
func (w *forgetWork) deleteSome(ctx context.Context, c *conn, ids []int64) error {
	list, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	const theirs = `l.id IN (SELECT value FROM json_each(?))`
	answers, err := rows(ctx, c, `SELECT a.id, l.text, a.text FROM json_each(?1) j CROSS JOIN lines l ON l.id = j.value
		CROSS JOIN lines a ON a.id > l.id AND a.id <= l.id + ?2 AND a.session = l.session AND a.turn = l.turn AND a.npc <> ''`,
		[]any{string(list), memory.AnswerWithin},
		func(r *sql.Rows) (a answer, err error) {
			return a, r.Scan(&a.id, &a.said, &a.text)
		})
	if err != nil {
		return err
	}
	n, err := deleteLines(ctx, c, theirs, string(list))
	if err != nil {
		return err
	}
	w.f.gone += n
	for _, a := range answers {
		repeats, err := w.repeats(ctx, c, a)
		if err != nil || !repeats {
			if err != nil {
				return err
			}
			continue
		}
		if _, err := deleteLines(ctx, c, `l.id = ?`, a.id); err != nil {
			return err
		}
	}
	return nil
}

// answer is what an NPC said to a line.
type answer struct {
	id         int64
	said, text string // the line, which is deleted, and the answer
}

// usedElsewhere says whether a word is in a line before an answer, or in one of another
// player's, of those that were said last.
const usedElsewhere = `SELECT EXISTS (SELECT 1 FROM lines_text WHERE lines_text MATCH ?1 AND rowid < ?2) OR EXISTS (
	SELECT 1 FROM (SELECT rowid AS id FROM lines_text WHERE lines_text MATCH ?1 ORDER BY rowid DESC LIMIT 256) t
	CROSS JOIN lines l ON l.id = t.id WHERE l.npc = '' AND l.user <> ?3)`

// repeats reports whether an answer repeats what the player said: some words in a
// row, or one that was not said before and not by another player.
func (w *forgetWork) repeats(ctx context.Context, c *conn, a answer) (bool, error) {
	quotes, betraying := memory.Repeats(a.said, a.text)
	for _, word := range betraying {
		var elsewhere bool
		err := c.row(ctx, usedElsewhere, []any{`"` + word + `"`, a.id, w.f.User}, &elsewhere)
		if err != nil || !elsewhere {
			return err == nil, err
		}
	}
	return quotes, nil
}

// renameEverywhere puts another word in the place of the user's names, in what others said, in facts
// and in the world.
func (w *forgetWork) renameEverywhere(ctx context.Context) error {
	r := memory.NewRenamer(w.f.Names, w.f.Keep, w.f.Instead)
	match := namesMatch(r)
	if match == "" {
		return nil
	}
	size := pace(firstStep)
	err := w.eachMatch(ctx, `SELECT rowid FROM lines_text WHERE lines_text MATCH ? AND rowid > ? AND rowid <= ? ORDER BY rowid `+limitParam,
		match, w.f.line, &size, func(ctx context.Context, c *conn, ids string) error {
			some, err := selectLines(ctx, c, `l.id IN (SELECT value FROM json_each(?))`, ids)
			for _, l := range some {
				text, named := r.Rename(l.Text)
				if err == nil && named {
					err = rewordLine(ctx, c, l, text)
				}
			}
			return err
		})
	if err != nil {
		return err
	}
	err = w.eachMatch(ctx, `SELECT rowid FROM facts_text WHERE facts_text MATCH ? AND rowid > ? AND rowid <= ? ORDER BY rowid `+limitParam,
		match, w.f.fact, &size, func(ctx context.Context, c *conn, ids string) error { return renameFacts(ctx, c, r, ids) })
	if err != nil {
		return err
	}
	w.s.askForIndexing()
	return w.renameWorld(ctx, r)
}

// eachMatch runs do on the ids of what matches in a full text, some at a time.
func (w *forgetWork) eachMatch(ctx context.Context, query, match string, upTo int64, size *pace, do func(ctx context.Context, c *conn, ids string) error) error {
	for from := int64(0); ; {
		var ids []int64
		err := w.s.read(ctx, "looking for a user's name", func(c *conn) (err error) {
			ids, err = rows(ctx, c, query, []any{match, from, upTo, int(*size)}, scanID)
			return err
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		from = ids[len(ids)-1]
		list, err := json.Marshal(ids)
		if err != nil {
			return err
		}
		if err := w.step(ctx, size, func(ctx context.Context, c *conn) error { return do(ctx, c, string(list)) }); err != nil {
			return err
		}
	}
}

// renameFacts takes names out of facts, but for those of lines, which have changed
// with these.
func renameFacts(ctx context.Context, c *conn, r *memory.Renamer, ids string) error {
	some, err := rows(ctx, c, `SELECT f.id FROM json_each(?) j JOIN facts f ON f.id = j.value
		WHERE f.source NOT LIKE 'session:%'`, []any{ids}, scanID)
	if err != nil {
		return err
	}
	for _, id := range some {
		hits, err := loadFacts(ctx, c, []scored{{id: id}})
		if err != nil || len(hits) == 0 {
			return err
		}
		f := hits[0].Fact
		text, named := r.Rename(f.Text)
		if !named {
			continue
		}
		if err := deleteFacts(ctx, c, f.Source, f.Text); err != nil {
			return err
		}
		f.Text = text
		if _, err := putFact(ctx, c, f); err != nil {
			return err
		}
	}
	return nil
}

// renameWorld takes names out of entities and relations, and of what changed them.
func (w *forgetWork) renameWorld(ctx context.Context, r *memory.Renamer) error {
	g := &Graph{w.s.database}
	entities, relations, err := g.World(ctx)
	if err != nil {
		return err
	}
	size := pace(firstStep)
	for _, e := range entities {
		if !r.Entity(&e) {
			continue
		}
		if err := w.step(ctx, &size, func(ctx context.Context, c *conn) error { return changeEntity(ctx, c, e) }); err != nil {
			return err
		}
	}
	for _, rel := range relations {
		note, named := r.Rename(rel.Note)
		if !named {
			continue
		}
		rel.Note = note
		if err := w.step(ctx, &size, func(ctx context.Context, c *conn) error { return putRelation(ctx, c, rel) }); err != nil {
			return err
		}
	}
	return w.renameChanges(ctx, r)
}

// namesMatch is the full text's expression for texts that may have a name, empty without
// names.
func namesMatch(r *memory.Renamer) string {
	var names []string
	for _, name := range r.Words() {
		var all []string
		for _, w := range name {
			all = append(all, `("`+w+`" OR "`+w+`s")`)
		}
		names = append(names, "("+strings.Join(all, " AND ")+")")
	}
	return strings.Join(names, " OR ")
}

// renameChanges takes the record away of changes of the world that name the user:
// what they were is nothing to go back to.
func (w *forgetWork) renameChanges(ctx context.Context, r *memory.Renamer) error {
	var named []int64
	err := w.s.read(ctx, "looking for a user's name", func(c *conn) error {
		_, err := rows(ctx, c, `SELECT seq, cause, coalesce(data, '') FROM world_changes`, nil, func(rs *sql.Rows) (none struct{}, err error) {
			var seq int64
			var cause, data string
			err = rs.Scan(&seq, &cause, &data)
			_, inCause := r.Rename(cause)
			_, inData := r.Rename(data)
			if inCause || inData {
				named = append(named, seq)
			}
			return none, err
		})
		return err
	})
	if err != nil || len(named) == 0 {
		return err
	}
	size := pace(firstStep)
	for _, seq := range named {
		err := w.step(ctx, &size, func(ctx context.Context, c *conn) error {
			var cause string
			if err := c.row(ctx, `SELECT cause FROM world_changes WHERE seq = ?`, []any{seq}, &cause); errors.Is(err, sql.ErrNoRows) {
				return nil
			} else if err != nil {
				return err
			}
			cause, _ = r.Rename(cause)
			_, err := c.exec(ctx, `UPDATE world_changes SET cause = ?, data = NULL WHERE seq = ?`, cause, seq)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

package postgres

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// someIDs are the ids of a query that come after one, a step's worth.
func someIDs(ctx context.Context, c conn, query string, args ...any) (ids []int64, last int64, err error) {
	ids, err = rows(ctx, c, query, append(args, forgottenAtOnce), scanID)
	if len(ids) > 0 {
		last = ids[len(ids)-1]
	}
	return ids, last, err
}

// forgetLines deletes the user's lines, and the answers that repeat them.
func (s *SessionLog) forgetLines(ctx context.Context, f *forgetting, tell func()) error {
	n := 0
	done := func() {
		f.gone += n
		tell()
	}
	return s.inSteps(ctx, done, func(ctx context.Context, c conn, after int64) (int64, error) {
		ids, last, err := someIDs(ctx, c, `SELECT id FROM lines WHERE said_by = $1 AND said_by <> '' AND id > $2 AND id <= $3 ORDER BY id LIMIT $4`, keepable(f.User), after, f.line)
		if err != nil || last == 0 {
			return 0, err
		}
		n, err = deleteWithAnswers(ctx, c, f.User, ids)
		return last, err
	})
}

// answer is what an NPC said to a line.
type answer struct {
	id         int64
	said, text string // the line, which is deleted, and the answer
}

// deleteWithAnswers deletes lines of a user, and answers that repeat them, and returns how many
// lines of the user those were.
func deleteWithAnswers(ctx context.Context, c conn, user string, ids []int64) (int, error) {
	answers, err := rows(ctx, c, `SELECT a.id, l.text, a.text FROM lines l
		JOIN lines a ON a.session = l.session AND a.id > l.id AND a.id <= l.id + $2 AND a.turn = l.turn AND a.npc <> ''
		WHERE l.id = ANY($1) ORDER BY a.id`, []any{ids, memory.AnswerWithin}, func(r pgx.Rows) (a answer, err error) {
		err = r.Scan(&a.id, &a.said, &a.text)
		a.said, a.text = restored(a.said), restored(a.text)
		return a, err
	})
	if err != nil {
		return 0, err
	}
	const these = `l.id = ANY($1)`
	n, err := deleteLines(ctx, c, these, ids)
	if err != nil {
		return 0, err
	}
	repeated := []int64{}
	for _, a := range answers {
		repeats, err := repeatsLine(ctx, c, a, user, repeated)
		if err != nil {
			return 0, err
		}
		if repeats {
			repeated = append(repeated, a.id)
		}
	}
	if len(repeated) > 0 {
		_, err = deleteLines(ctx, c, these, repeated)
	}
	return n, err
}

// usedElsewhere says whether a word is in a line before an answer that is not one of those
// that are deleted, or in one of another player's, of those that were said last.
const usedElsewhere = `SELECT EXISTS (SELECT 1 FROM line_words WHERE word = $1 AND line < $2 AND line <> ALL($4)) OR EXISTS (
	SELECT 1 FROM (SELECT line FROM line_words WHERE word = $1 ORDER BY line DESC LIMIT 256) t
	JOIN lines l ON l.id = t.line WHERE l.npc = '' AND l.said_by <> $3)`

// repeatsLine reports whether an answer repeats what the player said: some words in a
// row, or one that was not said before and not by another player.
func repeatsLine(ctx context.Context, c conn, a answer, user string, deleted []int64) (bool, error) {
	quotes, betraying := memory.Repeats(a.said, a.text)
	for _, word := range betraying {
		elsewhere := false
		err := row(ctx, c, usedElsewhere, []any{clip(word), a.id, keepable(user), deleted}, &elsewhere)
		if err != nil || !elsewhere {
			return err == nil, err
		}
	}
	return quotes, nil
}

// forgetNames puts another word in the place of the user's names, in what others said, in
// facts and in the world.
func (s *SessionLog) forgetNames(ctx context.Context, f *forgetting, tell func()) error {
	r := memory.NewRenamer(f.Names, f.Keep, f.Instead)
	rare := wordsOfNames(r)
	if len(rare) == 0 {
		return nil
	}
	err := s.inSteps(ctx, tell, func(ctx context.Context, c conn, after int64) (int64, error) {
		ids, last, err := someIDs(ctx, c, `SELECT DISTINCT line FROM line_words WHERE word = ANY($1) AND line > $2 AND line <= $3 ORDER BY line LIMIT $4`, rare, after, f.line)
		if err != nil || last == 0 {
			return 0, err
		}
		return last, renameLines(ctx, c, r, ids)
	})
	if err != nil {
		return err
	}
	err = s.inSteps(ctx, tell, func(ctx context.Context, c conn, after int64) (int64, error) {
		ids, last, err := someIDs(ctx, c, `SELECT DISTINCT fact FROM fact_words WHERE word = ANY($1) AND fact > $2 AND fact <= $3 ORDER BY fact LIMIT $4`, rare, after, f.fact)
		if err != nil || last == 0 {
			return 0, err
		}
		return last, renameFacts(ctx, c, r, ids)
	})
	if err != nil {
		return err
	}
	return s.writeUnsynced(ctx, "forgetting a user", func(ctx context.Context, c conn) error { return renameWorld(ctx, c, r) })
}

// wordsOfNames are words of which every text with a name has one: of each name the longest.
func wordsOfNames(r *memory.Renamer) (all []string) {
	for _, name := range r.Words() {
		longest := slices.MaxFunc(name, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
		all = append(all, clip(longest), clip(longest+"s"))
	}
	return all
}

func renameLines(ctx context.Context, c conn, r *memory.Renamer, ids []int64) error {
	some, err := selectLines(ctx, c, `l.id = ANY($1)`, ids)
	if err != nil {
		return err
	}
	for _, l := range some {
		if text, named := r.Rename(l.Text); named {
			if err := rewordLine(ctx, c, l, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// renameFacts takes names out of facts, but for those of lines, which have changed
// with these.
func renameFacts(ctx context.Context, c conn, r *memory.Renamer, ids []int64) error {
	unrated := make([]scored, len(ids))
	for i, id := range ids {
		unrated[i].id = id
	}
	some, err := loadFacts(ctx, c, unrated)
	if err != nil {
		return err
	}
	for _, h := range some {
		f := h.Fact
		text, named := r.Rename(f.Text)
		if !named || strings.HasPrefix(f.Source, "session:") {
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

// renameWorld takes names out of entities and relations, and the record away of changes of
// the world that name the user: what they were is nothing to go back to.
func renameWorld(ctx context.Context, c conn, r *memory.Renamer) error {
	entities, relations, err := selectWorld(ctx, c)
	if err != nil {
		return err
	}
	for _, e := range entities {
		if !r.Entity(&e) {
			continue
		}
		if err := changeEntity(ctx, c, e); err != nil {
			return err
		}
	}
	for _, rel := range relations {
		note, named := r.Rename(rel.Note)
		if !named {
			continue
		}
		rel.Note = note
		if err := putRelation(ctx, c, rel); err != nil {
			return err
		}
	}
	changes, err := rows(ctx, c, `SELECT `+worldChangeColumns+` FROM world_changes`, nil, worldChangeRow)
	if err != nil {
		return err
	}
	for _, w := range changes {
		cause, inCause := r.Rename(w.Cause)
		if _, inData := r.Rename(string(w.Data)); !inCause && !inData {
			continue
		}
		if _, err := exec(ctx, c, `UPDATE world_changes SET cause = $1, data = NULL WHERE seq = $2`, keepable(cause), int64(w.Seq)); err != nil {
			return err
		}
	}
	return nil
}

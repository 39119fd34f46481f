package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/internal/pack"
)

// ToldFacts returns at most limit facts that campaign files may have told, by id from
// the first after one; an id of 0 is before all. Facts made of lines and notes are none.
func (s *Index) ToldFacts(ctx context.Context, after int64, limit int) (out []memory.Fact, err error) {
	err = s.read(ctx, "reading facts", func(c conn) error {
		out, err = rows(ctx, c, `SELECT f.id, f.source, f.text, f.at, `+audienceIn("f")+` FROM facts f WHERE f.id > $1
			AND (starts_with(f.source, 'entity:') OR starts_with(f.source, 'campaign:')) ORDER BY f.id LIMIT $2`, []any{after, max(0, limit)},
			func(r pgx.Rows) (f memory.Fact, err error) {
				var at int64
				var visible string
				err = r.Scan(&f.ID, &f.Source, &f.Text, &at, &visible)
				f.Source, f.Text, f.At, f.Visible = restored(f.Source), restored(f.Text), pack.FromStamp(at), listed(visible)
				return f, err
			})
		return err
	})
	return out, err
}

// Unsettled tells what [Graph.Settle] would do, and changes nothing.
func (s *Graph) Unsettled(ctx context.Context, entities []memory.Entity, relations []memory.Relation, facts []memory.Fact) (out memory.Settlement, err error) {
	err = s.read(ctx, "comparing the campaign", func(c conn) error {
		out = memory.Settlement{}
		f := filing{c: c, back: map[string]bool{}}
		if err := f.loadFiled(ctx); err != nil {
			return err
		}
		there, err := rows(ctx, c, `SELECT id FROM entities`, nil, scanText)
		if err != nil {
			return err
		}
		known := make(map[string]bool, len(there))
		for _, id := range there {
			known[id] = true
		}
		return f.count(&out, known, entities, relations, facts)
	})
	return out, err
}

// count counts what settling would do where some entities are known.
func (f *filing) count(out *memory.Settlement, known map[string]bool, entities []memory.Entity, relations []memory.Relation, facts []memory.Fact) error {
	for _, e := range entities {
		news, err := f.news(entityEntry(e))
		if err == nil && news {
			err = checkEntity(e)
		}
		switch {
		case err != nil:
			return fmt.Errorf("entity %q: %w", e.ID, err)
		case !news:
			out.Kept++
		case known[e.ID]:
			out.Changed++
		default:
			out.Added++
			f.back[e.ID] = true
		}
	}
	for _, r := range relations {
		news, err := f.news(relationEntry(r))
		if err == nil && news && r.Type == "" {
			err = errNoType
		}
		if err != nil {
			return fmt.Errorf("relation %q of %q to %q: %w", r.Type, r.From, r.To, err)
		}
		if news || f.back[r.From] || f.back[r.To] {
			out.Relations++
		}
	}
	for _, fact := range facts {
		news, err := f.news(factEntry(fact))
		if err == nil && news {
			_, err = noted(fact.Visible)
		}
		if err != nil {
			return fmt.Errorf("fact of %q: %w", fact.Source, err)
		}
		if news {
			out.Facts++
		}
	}
	return nil
}

// Withdraw takes out of the world what campaign files said: entities by id, with
// their relations, whatever has become of them since; relations; and facts by source
// and text, all of it in one transaction. What is not there is passed over, and a file that
// says it again is heard. What else was told of an entity stays.
func (s *Graph) Withdraw(ctx context.Context, entities []string, relations []memory.Relation, facts []memory.Fact) error {
	return s.write(ctx, "withdrawing a campaign", func(ctx context.Context, c conn) error {
		for _, f := range facts {
			filed, err := factEntry(f)
			if err := unfile(ctx, c, filed, err); err != nil {
				return err
			}
			if err := deleteFacts(ctx, c, f.Source, f.Text); err != nil {
				return fmt.Errorf("fact of %q: %w", f.Source, err)
			}
		}
		for _, r := range relations {
			filed, err := relationEntry(r)
			if err := unfile(ctx, c, filed, err); err != nil {
				return err
			}
			if _, err := exec(ctx, c, `DELETE FROM relations WHERE src = $1 AND type = $2 AND dst = $3`, keepable(r.From), keepable(r.Type), keepable(r.To)); err != nil {
				return fmt.Errorf("relation %q of %q to %q: %w", r.Type, r.From, r.To, err)
			}
		}
		for _, id := range entities {
			filed, err := entityEntry(memory.Entity{ID: id})
			if err := unfile(ctx, c, filed, err); err != nil {
				return err
			}
			if err := removeEntity(ctx, c, id); err != nil {
				return fmt.Errorf("entity %q: %w", id, err)
			}
		}
		return nil
	})
}

// removedLines is how many lines of a session are deleted in one transaction.
const removedLines = 200

// RemoveSession deletes a session with its lines and the facts made of them, in steps
// that let other writers in between, and returns how many lines those were. An unknown id is
// [memory.ErrNotFound].
func (s *SessionLog) RemoveSession(ctx context.Context, id string) (lines int, err error) {
	defer s.mind.Forget()
	for {
		n := 0
		err := s.write(ctx, "removing a session", func(ctx context.Context, c conn) (err error) {
			n, err = deleteLines(ctx, c, `l.id IN (SELECT id FROM lines WHERE session = (SELECT n FROM sessions WHERE id = $1) ORDER BY id LIMIT $2)`, keepable(id), removedLines)
			if err != nil || n > 0 {
				return err
			}
			gone, err := exec(ctx, c, `DELETE FROM sessions WHERE id = $1`, keepable(id))
			if err == nil && gone == 0 {
				err = fmt.Errorf("session %q: %w", id, memory.ErrNotFound)
			}
			return err
		})
		if lines += n; err != nil || n == 0 {
			return lines, err
		}
	}
}

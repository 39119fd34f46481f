package play

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// forgottenUser stands for a user in what has to stay.
const forgottenUser = "forgotten"

// Restored is what Restore did.
type Restored struct {
	Tally memory.Tally
	// Forgotten are users in the backup who were forgotten after it was made. None of their
	// lines is found.
	Forgotten []string
}

// Restore takes a backup into a store in which nothing is kept, or in place of what is with
// replace: all of it or nothing. Who is withheld is forgotten: from the moment the rest is
// there in a file, and soon after in PostgreSQL.
func Restore(ctx context.Context, to memory.Store, b *BackupFile, replace bool, withheld Withheld, say func(string)) (Restored, error) {
	w := &withholding{backup: b, withheld: withheld, users: map[string]bool{}}
	tally, err := to.Load(ctx, replace, counting(w.records(), say))
	if err != nil {
		return Restored{}, err
	}
	_, err = to.GoOnForgetting(ctx)
	return Restored{tally, w.forgotten()}, err
}

// withholding has those forgotten who were so after a backup was made.
type withholding struct {
	backup   *BackupFile
	withheld Withheld
	users    map[string]bool // who spoke and is withheld
	line     int64           // the last
}

// records are those of the backup, with one for each user who is withheld.
func (w *withholding) records() iter.Seq2[memory.Record, error] {
	return func(yield func(memory.Record, error) bool) {
		for r, err := range w.backup.records() {
			if err == nil && w.passes(&r) {
				continue
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
		for _, user := range w.forgotten() {
			if !yield(memory.ForgettingRecord(user, w.line), nil) {
				return
			}
		}
	}
}

// passes looks at a record and reports whether it is passed over.
func (w *withholding) passes(r *memory.Record) bool {
	kind, err := memory.KindNamed(r.Kind)
	if err != nil {
		return false
	}
	text := func(column string) string {
		s, _ := r.Values[kind.Column(column)].(string)
		return s
	}
	switch r.Kind {
	case "line":
		w.line = r.Values[0].(int64)
		if user := text("user"); w.withheld.After(user, w.backup.Made) {
			w.users[user] = true
		}
	case "world_change":
		if w.withheld.After(text("who"), w.backup.Made) {
			r.Values[kind.Column("who")] = forgottenUser
		}
	case "forgetting":
		if w.users[text("user")] {
			return true
		}
		*r = memory.ForgettingRecord(text("user"), r.Values[kind.Column("line")].(int64))
	}
	return false
}

// forgotten are those who are withheld.
func (w *withholding) forgotten() []string { return slices.Sorted(maps.Keys(w.users)) }

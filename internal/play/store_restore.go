package play

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// forgottenUser replaces the id of a forgotten user in records that stay.
const forgottenUser = "forgotten"

// Restored is the result of Restore.
type Restored struct {
	Tally memory.Tally
	// Forgotten are the users in the backup who were forgotten after it was made. None of their lines can be
	// found.
	Forgotten []string
}

// Restore copies a backup into a store that is empty, or whose content it replaces if replace is true: all of
// it or nothing. Users in withheld are forgotten: in a SQLite file at the same moment, in PostgreSQL soon
// after.
func Restore(ctx context.Context, to memory.Store, b *BackupFile, replace bool, withheld ForgottenUsers, say func(string)) (Restored, error) {
	w := &forgettingBackup{backup: b, forgottenUsers: withheld, users: map[string]bool{}}
	tally, err := to.Load(ctx, replace, counting(w.records(), say))
	if err != nil {
		return Restored{}, err
	}
	_, err = to.ResumeForgetting(ctx)
	return Restored{tally, w.forgotten()}, err
}

// forgettingBackup makes a store forget the users who were forgotten after a backup was made.
type forgettingBackup struct {
	backup         *BackupFile
	forgottenUsers ForgottenUsers
	users          map[string]bool // withheld users who have lines
	line           int64           // number of the last line
}

// records returns the records of the backup, followed by one for each withheld user.
func (w *forgettingBackup) records() iter.Seq2[memory.Record, error] {
	return func(yield func(memory.Record, error) bool) {
		for r, err := range w.backup.records() {
			if err == nil && w.skipRecord(&r) {
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

// skipRecord changes a record as necessary, and reports whether it is left out.
func (w *forgettingBackup) skipRecord(r *memory.Record) bool {
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
		if user := text("user"); w.forgottenUsers.After(user, w.backup.Made) {
			w.users[user] = true
		}
	case "world_change":
		if w.forgottenUsers.After(text("who"), w.backup.Made) {
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

// forgotten returns the withheld users.
func (w *forgettingBackup) forgotten() []string { return slices.Sorted(maps.Keys(w.users)) }

package store

import (
	"context"
	"encoding/json"
	"fmt"
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
	// Forgotten are people in the backup who were forgotten after it was made, with the
	// names they had. Nothing of theirs is found.
	Forgotten []memory.Person
}

// Restore takes a backup into a store in which nothing is kept, or in place of what is with
// replace: all of it or nothing. Who is withheld is forgotten: from the moment the rest is
// there in a file, and soon after in PostgreSQL.
func Restore(ctx context.Context, to memory.Store, b *BackupFile, replace bool, withheld Withheld, say func(string)) (Restored, error) {
	w := &withholding{backup: b, withheld: withheld, names: map[string]map[string]bool{}, others: map[string]bool{}, npcs: map[string]bool{}}
	tally, err := to.Load(ctx, replace, counting(w.records(), say))
	if err != nil {
		return Restored{}, err
	}
	_, err = to.GoOnForgetting(ctx)
	return Restored{tally, w.people()}, err
}

// withholding has those forgotten who were so after a backup was made.
type withholding struct {
	backup     *BackupFile
	withheld   Withheld
	names      map[string]map[string]bool // under which who is withheld spoke
	others     map[string]bool            // under which others did
	npcs       map[string]bool
	line, fact int64 // the last
	size       int   // of the names, in bytes
}

// records are those of the backup, with the names of who is withheld.
func (w *withholding) records() iter.Seq2[memory.Record, error] {
	return func(yield func(memory.Record, error) bool) {
		for r, err := range w.backup.records() {
			if err == nil {
				var over bool
				if over, err = w.passes(&r); over {
					continue
				}
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
		for _, p := range w.people() {
			names, err := json.Marshal(append([]string{}, p.Names...))
			if err == nil {
				var keep []byte
				keep, err = json.Marshal(append([]string{}, p.Keep...))
				r := memory.Record{Kind: "forgetting", Values: []any{p.User, string(names), string(keep), memory.Someone, w.line, w.fact}}
				if !yield(r, err) {
					return
				}
			}
		}
	}
}

// passes looks at a record and reports whether it is passed over.
func (w *withholding) passes(r *memory.Record) (bool, error) {
	kind, err := memory.KindNamed(r.Kind)
	if err != nil {
		return false, nil
	}
	text := func(column string) string {
		s, _ := r.Values[kind.Column(column)].(string)
		return s
	}
	switch r.Kind {
	case "line":
		w.line = r.Values[0].(int64)
		return false, w.hear(text("user"), text("speaker"), text("npc"))
	case "fact":
		w.fact = r.Values[0].(int64)
	case "world_change":
		if w.withheld.After(text("who"), w.backup.Made) {
			r.Values[kind.Column("who")] = forgottenUser
		}
	case "forgetting":
		return w.names[text("user")] != nil, nil
	}
	return false, nil
}

// maxNames bounds the names of speakers that are compared, in bytes.
const maxNames = 32 << 20

// hear takes in who spoke under which name. Where nobody was forgotten there is nothing to
// compare.
func (w *withholding) hear(user, speaker, npc string) error {
	if len(w.withheld.since) == 0 {
		return nil
	}
	if !w.others[speaker] && !w.npcs[speaker] {
		if w.size += len(speaker) + 64; w.size > maxNames {
			return fmt.Errorf("%w: its lines have the names of more speakers than can be compared with those who were forgotten", ErrNoBackup)
		}
	}
	switch {
	case npc != "":
		w.npcs[speaker] = true
	case w.names[user] != nil:
		w.names[user][speaker] = true
	case w.withheld.After(user, w.backup.Made):
		w.names[user] = map[string]bool{speaker: true}
	default:
		w.others[speaker] = true
	}
	return nil
}

// people are those who are withheld, with the names that are theirs alone.
func (w *withholding) people() (all []memory.Person) {
	for _, user := range slices.Sorted(maps.Keys(w.names)) {
		p := memory.Person{User: user, Keep: slices.Sorted(maps.Keys(w.npcs))}
		for _, name := range slices.Sorted(maps.Keys(w.names[user])) {
			if !w.others[name] {
				p.Names = append(p.Names, name)
			}
		}
		all = append(all, p)
	}
	return all
}

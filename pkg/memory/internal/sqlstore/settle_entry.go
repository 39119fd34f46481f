package sqlstore

import (
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Entry is one entry of a campaign file: its unique key and the hash of its content.
type Entry struct {
	Key  string
	Hash []byte
}

func newEntry(kind string, key []string, says ...any) (Entry, error) {
	what, hash, err := Filed(kind, key, says...)
	return Entry{what, hash[:]}, err
}

// EntityEntry returns the entry of an entity.
func EntityEntry(e memory.Entity) (Entry, error) {
	return newEntry("entity", []string{e.ID}, e, nilIfEmpty(e.Visible)) // the JSON does not include Visible
}

// RelationEntry returns the entry of a relation.
func RelationEntry(r memory.Relation) (Entry, error) {
	return newEntry("relation", []string{r.From, r.Type, r.To}, r, nilIfEmpty(r.Visible))
}

// FactEntry returns the entry of a fact.
func FactEntry(f memory.Fact) (Entry, error) {
	return newEntry("fact", []string{f.Source, f.Text}, nilIfEmpty(f.Visible))
}

// nilIfEmpty makes nil and empty lists equal.
func nilIfEmpty(s []string) []string { return append([]string(nil), s...) }

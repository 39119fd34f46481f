package sqlstore

import (
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Entry is what a file says of one thing: a key that tells it from all others, and the hash of
// what is said.
type Entry struct {
	Key  string
	Hash []byte
}

func newEntry(kind string, key []string, says ...any) (Entry, error) {
	what, hash, err := Filed(kind, key, says...)
	return Entry{what, hash[:]}, err
}

// EntityEntry is the entry of an entity.
func EntityEntry(e memory.Entity) (Entry, error) {
	return newEntry("entity", []string{e.ID}, e, nilIfEmpty(e.Visible)) // Visible is no part of the JSON
}

// RelationEntry is the entry of a relation.
func RelationEntry(r memory.Relation) (Entry, error) {
	return newEntry("relation", []string{r.From, r.Type, r.To}, r, nilIfEmpty(r.Visible))
}

// FactEntry is the entry of a fact.
func FactEntry(f memory.Fact) (Entry, error) {
	return newEntry("fact", []string{f.Source, f.Text}, nilIfEmpty(f.Visible))
}

// nilIfEmpty makes lists equal that mean the same.
func nilIfEmpty(s []string) []string { return append([]string(nil), s...) }

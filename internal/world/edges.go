package world

import (
	"cmp"
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

func sortByID(all []memory.Entity) {
	slices.SortFunc(all, func(a, b memory.Entity) int { return cmp.Compare(a.ID, b.ID) })
}

type edgeKey struct{ from, kind, to string }

func keyOf(r memory.Relation) edgeKey { return edgeKey{r.From, r.Type, r.To} }

// edges holds relations by both of their ends.
type edges map[string]map[edgeKey]memory.Relation

func (es edges) put(r memory.Relation) {
	for _, end := range [...]string{r.From, r.To} {
		if es[end] == nil {
			es[end] = map[edgeKey]memory.Relation{}
		}
		es[end][keyOf(r)] = r
	}
}

func (es edges) get(k edgeKey) (memory.Relation, bool) {
	r, ok := es[k.from][k]
	return r, ok
}

func (es edges) remove(k edgeKey) {
	for _, end := range [...]string{k.from, k.to} {
		delete(es[end], k)
		if len(es[end]) == 0 {
			delete(es, end)
		}
	}
}

// from returns the relations that begin at an entity, by type and end.
func (es edges) from(id string) []memory.Relation {
	var out []memory.Relation
	for k, r := range es[id] {
		if k.from == id {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b memory.Relation) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.To, b.To))
	})
	return out
}

// all calls yield with every relation once, in no order.
func (es edges) all(yield func(edgeKey, memory.Relation) bool) {
	for id, at := range es {
		for k, r := range at {
			if k.from == id && !yield(k, r) {
				return
			}
		}
	}
}

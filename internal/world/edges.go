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

// edges holds relations by both of their ends, and the locations of entities.
type edges struct {
	at map[string]map[edgeKey]memory.Relation
	// within lists the places of an entity, and inside the entities in a place, both sorted by id, so that
	// the first ones are found without searching thousands.
	within, inside map[string][]string
}

func newEdges() edges {
	return edges{map[string]map[edgeKey]memory.Relation{}, map[string][]string{}, map[string][]string{}}
}

func (es edges) putRelation(r memory.Relation) {
	k := keyOf(r)
	for _, end := range [...]string{k.from, k.to} {
		if es.at[end] == nil {
			es.at[end] = map[edgeKey]memory.Relation{}
		}
		es.at[end][k] = r
	}
	if k.kind == memory.LocatedIn {
		insert(es.within, k.from, k.to)
		insert(es.inside, k.to, k.from)
	}
}

func (es edges) get(k edgeKey) (memory.Relation, bool) {
	r, ok := es.at[k.from][k]
	return r, ok
}

func (es edges) removeRelation(k edgeKey) {
	for _, end := range [...]string{k.from, k.to} {
		delete(es.at[end], k)
		if len(es.at[end]) == 0 {
			delete(es.at, end)
		}
	}
	if k.kind == memory.LocatedIn {
		discard(es.within, k.from, k.to)
		discard(es.inside, k.to, k.from)
	}
}

// insert adds an id to the sorted ids under key, unless it is present.
func insert(m map[string][]string, key, id string) {
	if i, there := slices.BinarySearch(m[key], id); !there {
		m[key] = slices.Insert(m[key], i, id)
	}
}

// discard removes an id from the sorted ids under key.
func discard(m map[string][]string, key, id string) {
	if i, there := slices.BinarySearch(m[key], id); there {
		if m[key] = slices.Delete(m[key], i, i+1); len(m[key]) == 0 {
			delete(m, key)
		}
	}
}

// from returns the relations that begin at an entity, sorted by type and end.
func (es edges) from(id string) []memory.Relation {
	var out []memory.Relation
	for k, r := range es.at[id] {
		if k.from == id {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b memory.Relation) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.To, b.To))
	})
	return out
}

// all yields every relation once, in no particular order.
func (es edges) all(yield func(edgeKey, memory.Relation) bool) {
	for id, at := range es.at {
		for k, r := range at {
			if k.from == id && !yield(k, r) {
				return
			}
		}
	}
}

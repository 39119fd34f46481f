package world

import (
	"maps"
	"slices"
	"strings"
)

// maxStale bounds the changes that an order keeps in mind; beyond that it begins anew.
const maxStale = 8192

// order lists all entities by id. What has changed since it was last asked is put in its
// place when it is asked again, so that a change costs next to nothing, and what was in
// order is not sorted again. The zero value is about to begin.
type order struct {
	list  []*version          // as it was last asked for; immutable
	stale map[string]struct{} // what has changed since; nil: everything
}

// noteChange notes that an entity is new, another version or gone.
func (o *order) noteChange(id string) {
	if o.stale == nil {
		return
	}
	if o.stale[id] = struct{}{}; len(o.stale) > maxStale {
		*o = order{}
	}
}

// byID returns what is in all, by id. The caller does not modify it.
func (o *order) byID(all map[string]*version) []*version {
	switch {
	case o.stale == nil:
		o.list = slices.SortedFunc(maps.Values(all), compareIDs)
	case len(o.stale) == 0:
		return o.list
	default:
		o.list = o.patched(all)
	}
	o.stale = map[string]struct{}{}
	return o.list
}

// patched is the list with what has changed in its place.
func (o *order) patched(all map[string]*version) []*version {
	list, rest := make([]*version, 0, len(all)), o.list
	for _, id := range slices.Sorted(maps.Keys(o.stale)) {
		i, there := slices.BinarySearchFunc(rest, id, func(v *version, id string) int { return strings.Compare(v.entity.ID, id) })
		list = append(list, rest[:i]...)
		if there {
			i++
		}
		rest = rest[i:]
		if v := all[id]; v != nil {
			list = append(list, v)
		}
	}
	return append(list, rest...)
}

func compareIDs(a, b *version) int { return strings.Compare(a.entity.ID, b.entity.ID) }

package world

import (
	"maps"
	"slices"
	"strings"
)

// maxStale bounds the recorded changes; beyond it, the order is built anew.
const maxStale = 8192

// order lists all entities sorted by id. Changed entities are moved to their place at the next call of byID,
// so that a change costs almost nothing and sorted entities are not sorted again. The zero value is empty and
// unsorted.
type order struct {
	list    []*version          // result of the last call; immutable
	changed map[string]struct{} // changed since then; nil means everything
}

// markChanged records that an entity was added, changed or removed.
func (o *order) markChanged(id string) {
	if o.changed == nil {
		return
	}
	if o.changed[id] = struct{}{}; len(o.changed) > maxStale {
		*o = order{}
	}
}

// byID returns the entities in all, sorted by id. The caller must not modify the result.
func (o *order) byID(all map[string]*version) []*version {
	switch {
	case o.changed == nil:
		o.list = slices.SortedFunc(maps.Values(all), compareIDs)
	case len(o.changed) == 0:
		return o.list
	default:
		o.list = o.patched(all)
	}
	o.changed = map[string]struct{}{}
	return o.list
}

// patched returns the list with the changes applied.
func (o *order) patched(all map[string]*version) []*version {
	list, rest := make([]*version, 0, len(all)), o.list
	for _, id := range slices.Sorted(maps.Keys(o.changed)) {
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

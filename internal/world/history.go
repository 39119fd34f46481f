package world

import (
	"iter"
	"sort"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// entry records what changed: an entity with its earlier version or, without an id, the scene.
type entry struct {
	seq    uint64
	id     string
	before *version // nil if it did not exist
	// relation is set if only a relation of the entity changed.
	relation *relation
}

// relation determines who may know a relation of an entity, in addition to the entity's viewers: the viewers
// of the relation, and those of its other end.
type relation struct{ known, other []string }

func (r *relation) visible(groups *memory.Groups, viewer string) bool {
	return groups.Knows(r.known, viewer) && groups.Knows(r.other, viewer)
}

// history holds the latest changes, at most logLength.
type history struct {
	start uint64 // all later changes are in ring
	ring  []entry
	next  int // index of the oldest once the ring is full
}

func (h *history) addEntry(e entry) {
	if len(h.ring) < logLength {
		h.ring = append(h.ring, e)
		return
	}
	h.start = h.ring[h.next].seq
	h.ring[h.next] = e
	h.next = (h.next + 1) % logLength
}

// since yields the changes after seq, oldest first.
func (h *history) since(seq uint64) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		at := func(i int) entry { return h.ring[(h.next+i)%len(h.ring)] }
		first := sort.Search(len(h.ring), func(i int) bool { return at(i).seq > seq })
		for i := first; i < len(h.ring); i++ {
			if !yield(at(i)) {
				return
			}
		}
	}
}

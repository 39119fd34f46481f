package world

import (
	"cmp"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// named is an entity's names with their viewers. It is immutable.
type named struct {
	id string
	// keys are the words.Key of the name, followed by those of the aliases.
	keys  []string
	known []string
}

func newNamed(e memory.Entity) *named {
	n := &named{id: e.ID, keys: make([]string, 0, 1+len(e.Aliases)), known: e.Visible}
	n.keys = append(n.keys, words.Key(e.Name))
	for _, alias := range e.Aliases {
		n.keys = append(n.keys, words.Key(alias))
	}
	return n
}

// words returns the distinct words of all names.
func (n *named) words() []string {
	var all []string
	for _, k := range n.keys {
		all = append(all, strings.Fields(k)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// compare orders by name and then by id.
func (n *named) compare(o *named) int {
	return cmp.Or(strings.Compare(n.keys[0], o.keys[0]), strings.Compare(n.id, o.id))
}

// sameNames reports whether both versions have the same names and viewers; nil means absent.
func sameNames(a, b *version) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.entity.Name == b.entity.Name && slices.Equal(a.entity.Aliases, b.entity.Aliases) &&
		slices.Equal(a.entity.Visible, b.entity.Visible)
}

// shards is the number of parts of names. A change copies the parts that it affects, a few out of a thousand.
const shards = 1024

// names finds entities by the words of their names. It is immutable: a change creates a new value that shares
// nearly all parts. It needs a pointer per word of each entity, and a copy of the names.
type names struct {
	seed maphash.Seed
	// counts pools maps for counting, because the map for a line with words in thousands of names takes
	// nearly a megabyte.
	counts *sync.Pool
	// parts hold the entities with a word in their names, sorted.
	parts [shards]map[string][]*named
}

// newNames returns empty names.
func newNames() *names { return &names{seed: maphash.MakeSeed(), counts: &sync.Pool{}} }

func (n *names) shard(word string) int { return int(maphash.String(n.seed, word) % shards) }

func (n *names) with(word string) []*named { return n.parts[n.shard(word)][word] }

// edit adds an entity to or removes it from those with a word.
type edit struct {
	*named
	removed bool
}

// change returns the names after versions in before were replaced by those in after; nil means absent.
func (n *names) change(before, after map[string]*version) *names {
	edits := map[string][]edit{} // by word
	note := func(v *version, gone bool) {
		if v == nil {
			return
		}
		e := edit{newNamed(v.entity), gone}
		for _, w := range e.words() {
			edits[w] = append(edits[w], e)
		}
	}
	for id, v := range after {
		if old := before[id]; !sameNames(old, v) {
			note(old, true)
			note(v, false)
		}
	}
	if len(edits) == 0 {
		return n
	}
	out, own := *n, map[int]bool{}
	for w, es := range edits {
		i := out.shard(w)
		if !own[i] {
			own[i] = true
			if out.parts[i] = maps.Clone(n.parts[i]); out.parts[i] == nil {
				out.parts[i] = map[string][]*named{}
			}
		}
		if list := edited(n.parts[i][w], es); len(list) > 0 {
			out.parts[i][w] = list
		} else {
			delete(out.parts[i], w)
		}
	}
	return &out
}

// edited returns a sorted list after edits.
func edited(list []*named, edits []edit) []*named {
	slices.SortFunc(edits, func(a, b edit) int { return a.compare(b.named) })
	out := make([]*named, 0, len(list)+len(edits))
	for _, e := range edits {
		i, found := slices.BinarySearchFunc(list, e.named, (*named).compare)
		out, list = append(out, list[:i]...), list[i:]
		if !e.removed {
			out = append(out, e.named)
		} else if found {
			list = list[1:]
		}
	}
	return append(out, list...)
}

// Ranks of matches, best first, as in the store.
const (
	byName = iota
	byAlias
	byWords
)

// match is a found entity, with the number of query words in its names.
type match struct {
	*named
	rank, shared int
}

// better orders the better match first.
func better(m, o match) int {
	return cmp.Or(cmp.Compare(m.rank, o.rank), cmp.Compare(o.shared, m.shared))
}

// findNamed returns at most limit entities that viewer may know and whose names share a significant word with
// text: first those whose name is text, then those with such an alias, then those that share more words;
// equal ones by name and id.
func (n *names) findNamed(groups *memory.Groups, text, viewer string, limit int) []match {
	all := words.Split(text)
	asked := words.ContentWords(all, words.MaxNames)
	var lists [][]*named // the lists of each word
	for _, w := range asked {
		if list := n.with(w); len(list) > 0 {
			lists = append(lists, list)
		}
	}
	if len(lists) == 0 {
		return nil
	}
	key := strings.Join(all, " ")
	var best []match
	take := func(m match) (taken bool) {
		if !groups.Knows(m.known, viewer) {
			return false
		}
		if m.shared == len(asked) { // true for all entities with this name
			m.rank = m.rankOf(key)
		}
		best = insertMatch(best, m, limit)
		return true
	}
	shared := n.countShared(lists)
	defer n.recycle(shared)
	for one, n := range shared {
		if n > 1 {
			take(match{one, byWords, int(n)})
		}
	}
	for _, list := range lists {
		alone := 0
		for _, one := range list {
			if len(asked) > 1 && alone == limit { // equally good and earlier ones suffice
				break
			}
			if shared[one] <= 1 && take(match{one, byWords, 1}) {
				alone++
			}
		}
	}
	return best
}

// insertMatch inserts a match at its place among the best.
func insertMatch(best []match, m match, limit int) []match {
	i := len(best)
	for i > 0 && cmp.Or(better(m, best[i-1]), m.compare(best[i-1].named)) < 0 {
		i--
	}
	if i >= limit {
		return best
	}
	return slices.Insert(best[:min(len(best), limit-1)], i, m)
}

// countShared counts in how many of the lists each entity is; nil for a single list. Words such as "old" are
// in thousands of names, so comparing names instead would take ten times as long.
func (n *names) countShared(lists [][]*named) map[*named]uint8 {
	if len(lists) == 1 {
		return nil
	}
	shared, ok := n.counts.Get().(map[*named]uint8)
	if !ok {
		shared = map[*named]uint8{}
	}
	for _, list := range lists {
		for _, one := range list {
			shared[one]++
		}
	}
	return shared
}

// recycle returns a map to the pool.
func (n *names) recycle(counted map[*named]uint8) {
	if counted != nil {
		clear(counted)
		n.counts.Put(counted)
	}
}

func (n *named) rankOf(key string) int {
	switch slices.Index(n.keys, key) {
	case -1:
		return byWords
	case 0:
		return byName
	}
	return byAlias
}

package memory

import (
	"slices"
	"sync/atomic"
)

// DMOnly stands in a list of those who know of something where nobody but the DM
// does. No NPC may have it for an id.
const DMOnly = "dm"

// Heard returns what belongs into [Line.Present] and [Fact.Visible] for what exactly
// the given NPCs heard; for none of them that is the DM alone. It tells nobody from
// everybody, whose list is empty.
func Heard(npcs ...string) []string {
	if len(npcs) == 0 {
		return []string{DMOnly}
	}
	return slices.Compact(slices.Sorted(slices.Values(npcs)))
}

// Date is a day of the world.
type Date struct {
	// Day counts the days of the campaign's calendar, so that dates can be compared.
	Day int64 `json:"day"`
	// Text is the date as its calendar writes it. It is empty if the date is not
	// known; Day means nothing then.
	Text string `json:"text"`
}

// IsZero reports whether the date is not known.
func (d Date) IsZero() bool { return d.Text == "" }

// Days are the days from First to Last, both included.
type Days struct{ First, Last int64 }

// Groups are what NPCs belong to, such as a village or its watch. What a group may
// know is known to all its members. The zero value knows no group, and so does nil.
// It is safe for concurrent use.
type Groups struct{ now atomic.Pointer[membership] }

type membership struct {
	of     map[string][]string
	shares map[string]bool
}

// Set replaces what is known: the groups of each NPC by id, and the groups that
// pass on to every member what one of them heard.
func (g *Groups) Set(of map[string][]string, sharing ...string) {
	m := &membership{of: make(map[string][]string, len(of)), shares: make(map[string]bool, len(sharing))}
	for npc, groups := range of {
		m.of[npc] = slices.Clone(groups)
	}
	for _, id := range sharing {
		m.shares[id] = true
	}
	g.now.Store(m)
}

// Of returns the groups of an NPC, which must not be changed.
func (g *Groups) Of(npc string) []string {
	if g == nil {
		return nil
	}
	if m := g.now.Load(); m != nil {
		return m.of[npc]
	}
	return nil
}

// Knows reports whether viewer may know what the given NPCs and groups do. Nobody
// listed means everybody, and an empty viewer knows all.
func (g *Groups) Knows(listed []string, viewer string) bool {
	if viewer == "" || len(listed) == 0 || slices.Contains(listed, viewer) {
		return true
	}
	return slices.ContainsFunc(g.Of(viewer), func(group string) bool { return slices.Contains(listed, group) })
}

// Share returns those who know in the end what the given NPCs heard: themselves, and
// the groups among theirs whose members tell each other.
func (g *Groups) Share(heard []string) []string {
	if g == nil {
		return heard
	}
	m := g.now.Load()
	if m == nil || len(m.shares) == 0 {
		return heard
	}
	out := slices.Clone(heard)
	for _, npc := range heard {
		for _, group := range m.of[npc] {
			if m.shares[group] && !slices.Contains(out, group) {
				out = append(out, group)
			}
		}
	}
	return out
}

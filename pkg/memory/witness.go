package memory

import (
	"slices"
	"sync/atomic"
)

// DMOnly in a list of viewers means that only the DM knows. It is not a valid NPC id.
const DMOnly = "dm"

// Heard returns the value of [Line.Present] or [Fact.Visible] for something that exactly the given NPCs
// heard. Without NPCs, only the DM knows it; an empty list would mean everyone.
func Heard(npcs ...string) []string {
	if len(npcs) == 0 {
		return []string{DMOnly}
	}
	return slices.Compact(slices.Sorted(slices.Values(npcs)))
}

// Date is an in-world day.
type Date struct {
	// Day is the day's number in the campaign's calendar, used to compare dates.
	Day int64 `json:"day"`
	// Text is the date as the calendar writes it. If it is empty, the date is unknown and Day has no meaning.
	Text string `json:"text"`
}

// IsZero reports whether the date is unknown.
func (d Date) IsZero() bool { return d.Text == "" }

// Days is the range of days from First to Last, inclusive.
type Days struct{ First, Last int64 }

// Groups records which groups NPCs belong to, such as a village or its watch. All members of a group may
// know the group's knowledge. The zero value and nil have no groups. Groups is safe for concurrent use.
type Groups struct{ now atomic.Pointer[membership] }

type membership struct {
	of     map[string][]string
	shares map[string]bool
}

// Set replaces all memberships: the groups of each NPC by id, and the groups whose members share what one of
// them hears.
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

// Of returns the groups of an NPC. Callers must not modify the slice.
func (g *Groups) Of(npc string) []string {
	if g == nil {
		return nil
	}
	if m := g.now.Load(); m != nil {
		return m.of[npc]
	}
	return nil
}

// Knows reports whether viewer may know something that is visible to the listed NPCs and groups. An empty
// list means everyone, and an empty viewer knows everything.
func (g *Groups) Knows(listed []string, viewer string) bool {
	if viewer == "" || len(listed) == 0 || slices.Contains(listed, viewer) {
		return true
	}
	return slices.ContainsFunc(g.Of(viewer), func(group string) bool { return slices.Contains(listed, group) })
}

// Share returns everyone who will know the lines that the given NPCs heard: the NPCs, and those of their
// groups that share.
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

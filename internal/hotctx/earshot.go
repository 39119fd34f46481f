package hotctx

import (
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Types of relations between places that say how far a voice carries. Without either,
// nothing is heard from one place in another.
const (
	// OpensTo leads to a place in which is heard what is said in the other, and the
	// other way round.
	OpensTo = "opens_to"
	// ClosedTo is a closed door: it outweighs OpensTo.
	ClosedTo = "closed_to"
)

// Earshot is what decides who hears what is said.
type Earshot struct {
	// Scene is where the players are, as they were told.
	Scene string
	// Places are where NPCs are by the world, by their ids.
	Places map[string]memory.Entity
	// Doors returns the relations from a place. If nil, there are none.
	Doors func(place string) []memory.Relation
}

// Hearers are those of the people who hear what is said to one of them, or, if to is
// nil, to nobody. Who is somewhere by the world is nowhere else. Of the others those
// count as being in the scene who are not known to be in another place.
func (e Earshot) Hearers(to *Person, people []Person) []Person {
	scene := sceneWords(e.Scene)
	elsewhere := e.absent(scene, people)
	var out []Person
	for _, p := range people {
		if to == nil && !elsewhere(p) || to != nil && (p.ID == to.ID || e.together(p, *to, elsewhere)) {
			out = append(out, p)
		}
	}
	if to == nil { // through open doors, but not through two
		here := slices.Clone(out)
		for _, p := range people {
			through := func(q Person) bool { return e.carries(e.Places[p.ID].ID, e.Places[q.ID].ID) }
			if elsewhere(p) && slices.ContainsFunc(here, through) {
				out = append(out, p)
			}
		}
	}
	return out
}

// absent returns what tells who of the people is not in the scene.
func (e Earshot) absent(scene words, people []Person) func(Person) bool {
	in := func(p Person) bool {
		if place, ok := e.Places[p.ID]; ok {
			return scene.has(place.Name)
		}
		return scene.shows(p) || scene.has(p.Place)
	}
	if !slices.ContainsFunc(people, in) {
		return func(Person) bool { return false } // nobody knows where the scene is
	}
	return func(p Person) bool {
		_, placed := e.Places[p.ID]
		return !in(p) && (placed || p.Place != "")
	}
}

// together reports whether p hears what is said where q is.
func (e Earshot) together(p, q Person, elsewhere func(Person) bool) bool {
	a, knownA := e.Places[p.ID]
	b, knownB := e.Places[q.ID]
	switch {
	case knownA && knownB:
		return a.ID == b.ID || e.carries(a.ID, b.ID)
	case elsewhere(p) != elsewhere(q):
		return false
	case !elsewhere(p):
		return true
	}
	name := func(p Person) string {
		if place, ok := e.Places[p.ID]; ok {
			return place.Name
		}
		return p.Place
	}
	return sameWords(name(p), name(q))
}

// carries reports whether a voice is heard from one place in the other.
func (e Earshot) carries(a, b string) bool {
	if e.Doors == nil || a == "" || b == "" {
		return false
	}
	open := false
	for _, ends := range [][2]string{{a, b}, {b, a}} {
		for _, r := range e.Doors(ends[0]) {
			switch {
			case r.To != ends[1]:
			case r.Type == ClosedTo:
				return false
			case r.Type == OpensTo:
				open = true
			}
		}
	}
	return open
}

package hotctx

import (
	"slices"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Relation types between places that control how far a voice carries. Without a relation, nothing carries
// from one place to another.
const (
	// OpensTo means that a line said in either place can be heard in the other.
	OpensTo = "opens_to"
	// ClosedTo is a closed door. It overrides OpensTo.
	ClosedTo = "closed_to"
)

// Earshot determines who hears an utterance.
type Earshot struct {
	// Scene is the players' scene as it was described to them.
	Scene string
	// Places maps an NPC's ID to its place in the world.
	Places map[string]memory.Entity
	// Doors returns the relations of a place. If nil, there are none.
	Doors func(place string) []memory.Relation
}

// Hearers returns the people who hear a line said to one of them, or a line without an addressee if to is
// nil. A person with a place in the world is only there. All others count as being in the scene unless
// known to be in another place.
func (e Earshot) Hearers(to *Person, people []Person) []Person {
	scene := sceneWords(e.Scene)
	elsewhere := e.absent(scene, people)
	var out []Person
	for _, p := range people {
		if to == nil && !elsewhere(p) || to != nil && (p.ID == to.ID || e.together(p, *to, elsewhere)) {
			out = append(out, p)
		}
	}
	if to == nil { // a voice carries through open doors, but not through two
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

// absent returns a function that reports whether a person is outside the scene.
func (e Earshot) absent(scene words, people []Person) func(Person) bool {
	in := func(p Person) bool {
		if place, ok := e.Places[p.ID]; ok {
			return scene.has(place.Name)
		}
		return scene.shows(p) || scene.has(p.Place)
	}
	if !slices.ContainsFunc(people, in) {
		return func(Person) bool { return false } // the location of the scene is unknown
	}
	return func(p Person) bool {
		_, placed := e.Places[p.ID]
		return !in(p) && (placed || p.Place != "")
	}
}

// together reports whether p can hear a line said at q's location.
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

// carries reports whether a voice carries from one place to the other.
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

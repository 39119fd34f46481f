package hotctx

import (
	"slices"
	"strings"
	"unicode"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	maxSceneWords = 2000 // words of a scene that are considered
	maxPresent    = 8    // players, and NPCs, listed as being present
	maxName       = 96   // characters of a name including its mark
)

// Person is an NPC at the table.
type Person struct {
	ID, Name string
	Aliases  []string
	// Place is its usual place, empty if unknown.
	Place string
}

// Presence tells whether an NPC is in the scene.
type Presence uint8

const (
	// Unplaced means that the scene does not tell whether the NPC is in it.
	Unplaced Presence = iota
	// InScene means that the scene mentions the NPC or its place.
	InScene
	// Elsewhere means that the scene is set in another place and does not mention the NPC.
	Elsewhere
)

// Company lists those known to be with an NPC.
type Company struct {
	// Players are the people at the table, in the order in which they first spoke, and MorePlayers is the
	// number of those left out.
	Players     []string
	MorePlayers int
	// NPCs are the other NPCs in the same place, and MoreNPCs is the number of those left out.
	NPCs     []string
	MoreNPCs int
}

// placePeople sets the NPC's place and company. A place in the world overrides a person's usual place.
func (c *Context) placePeople(q *Query, places map[string]memory.Entity) {
	scene := sceneWords(q.Scene)
	placeOf := func(p Person) string {
		if e, ok := places[p.ID]; ok {
			return e.Name
		}
		return p.Place
	}
	inScene := func(p Person) bool { return scene.shows(p) || scene.has(placeOf(p)) }
	c.Place = placeOf(q.NPC)
	somebody := slices.ContainsFunc(q.Others, inScene)
	switch {
	case inScene(q.NPC):
		c.Presence = InScene
		if _, known := places[q.NPC.ID]; !known && !scene.has(c.Place) {
			c.Place = "" // it is not at its usual place
		}
	case somebody && c.Place != "":
		c.Presence = Elsewhere
	}
	here := func(p Person) bool {
		if c.Presence != InScene && c.Place != "" {
			return sameWords(placeOf(p), c.Place)
		}
		return placeOf(p) == "" || inScene(p)
	}
	for _, p := range q.Others {
		if here(p) {
			c.Company.NPCs = append(c.Company.NPCs, untrusted.Line(p.Name, maxName))
		}
	}
	for _, name := range q.Players {
		if name = untrusted.Line(name, maxName); name != "" {
			c.Company.Players = append(c.Company.Players, name)
		}
	}
	c.Company.NPCs, c.Company.MoreNPCs = bound(c.Company.NPCs)
	c.Company.Players, c.Company.MorePlayers = bound(c.Company.Players)
}

// bound returns the first maxPresent names and the number of the remaining ones.
func bound(names []string) ([]string, int) {
	more := max(len(names)-maxPresent, 0)
	return names[:len(names)-more], more
}

// words are the words of a text, folded for comparison: lower case, without endings.
type words []string

// sceneWords returns the folded words of a scene, at most maxSceneWords.
func sceneWords(text string) words {
	all := foldWords(text)
	return all[:min(len(all), maxSceneWords)]
}

// foldWords returns the folded words of a text.
func foldWords(text string) words {
	fields := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range fields {
		fields[i] = foldEnding(strings.ToLower(w))
	}
	return fields
}

// endings are those of German cases and of the English genitive, longest first, so that a scene "im Rostigen
// Krug" matches the place "Der Rostige Krug".
var endings = []string{"en", "em", "er", "es", "e", "n", "s"}

func foldEnding(w string) string {
	for _, e := range endings {
		if s, ok := strings.CutSuffix(w, e); ok && len(s) >= 4 {
			return s
		}
	}
	return w
}

// articles are dropped from the start of a place's name because scenes omit them.
var articles = foldWords("the a an der die das den dem des ein eine einer einem einen")

// nameWords returns the words of a name that a scene has to contain.
func nameWords(name string) words {
	all := foldWords(name)
	for len(all) > 1 && slices.Contains(articles, all[0]) {
		all = all[1:]
	}
	return all
}

// has reports whether a text contains all words of a name, consecutively.
func (text words) has(name string) bool {
	want := nameWords(name)
	if len(want) == 0 {
		return false
	}
	for i := 0; i+len(want) <= len(text); i++ {
		if slices.Equal(text[i:i+len(want)], want) {
			return true
		}
	}
	return false
}

// shows reports whether a scene mentions a person by name or by an alias. Aliases that begin with an article,
// such as "the captain", do not count because they could be anyone's.
func (text words) shows(p Person) bool {
	return text.has(p.Name) || slices.ContainsFunc(p.Aliases, func(alias string) bool {
		all := foldWords(alias)
		return len(all) > 0 && !slices.Contains(articles, all[0]) && text.has(alias)
	})
}

// sameWords reports whether two names match after folding.
func sameWords(a, b string) bool {
	x := nameWords(a)
	return len(x) > 0 && slices.Equal(x, nameWords(b))
}

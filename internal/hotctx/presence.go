package hotctx

import (
	"slices"
	"strings"
	"unicode"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	maxSceneWords = 2000 // of a scene that are looked at
	maxPresent    = 8    // players, and NPCs, that are named as being there
	maxName       = 96   // characters of a name with its marks
)

// Person is an NPC at the table.
type Person struct {
	ID, Name string
	Aliases  []string
	// Place is where it usually is; empty if that is not known.
	Place string
}

// Presence is where an NPC is.
type Presence uint8

const (
	// Unplaced: the scene does not tell whether the NPC is in it.
	Unplaced Presence = iota
	// InScene: the scene has the NPC in it, by name or by its place.
	InScene
	// Elsewhere: the scene is set in another place, and does not name the NPC.
	Elsewhere
)

// Company is who is with an NPC, as far as that is known.
type Company struct {
	// Players are the people at the table, in the order in which they first spoke,
	// and MorePlayers how many are not named.
	Players     []string
	MorePlayers int
	// NPCs are the other NPCs in the same place, and MoreNPCs how many are not named.
	NPCs     []string
	MoreNPCs int
}

// placePeople says where the NPC is and who is with it. The world knows better
// than what a person's usual place is.
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
			c.Place = "" // it is not where it usually is
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

// bound returns the first of the names, and how many more there are.
func bound(names []string) ([]string, int) {
	more := max(len(names)-maxPresent, 0)
	return names[:len(names)-more], more
}

// words are those of a text as they are compared: without case and endings.
type words []string

// sceneWords are the words of a scene.
func sceneWords(text string) words {
	all := foldWords(text)
	return all[:min(len(all), maxSceneWords)]
}

// foldWords are the words of a text as they are compared.
func foldWords(text string) words {
	fields := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range fields {
		fields[i] = foldEnding(strings.ToLower(w))
	}
	return fields
}

// endings are those of German cases and of the English genitive, the longest first:
// a scene is in a place "im Rostigen Krug" that is called "Der Rostige Krug".
var endings = []string{"en", "em", "er", "es", "e", "n", "s"}

func foldEnding(w string) string {
	for _, e := range endings {
		if s, ok := strings.CutSuffix(w, e); ok && len(s) >= 4 {
			return s
		}
	}
	return w
}

// articles begin names of places that scenes write without them.
var articles = foldWords("the a an der die das den dem des ein eine einer einem einen")

// nameWords are the words of a name that a scene has to have.
func nameWords(name string) words {
	all := foldWords(name)
	for len(all) > 1 && slices.Contains(articles, all[0]) {
		all = all[1:]
	}
	return all
}

// has reports whether a text has a name in it, word by word.
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

// shows reports whether a scene names a person: by its name or one of its aliases,
// but those that could be anyone's, such as "the captain".
func (text words) shows(p Person) bool {
	return text.has(p.Name) || slices.ContainsFunc(p.Aliases, func(alias string) bool {
		all := foldWords(alias)
		return len(all) > 0 && !slices.Contains(articles, all[0]) && text.has(alias)
	})
}

// sameWords reports whether two names mean the same.
func sameWords(a, b string) bool {
	x := nameWords(a)
	return len(x) > 0 && slices.Equal(x, nameWords(b))
}

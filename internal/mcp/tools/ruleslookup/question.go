package ruleslookup

import (
	"slices"
	"strings"
)

// question is a parsed query.
type question struct {
	all, ws []word // all words, and only the significant ones
	german  bool
	// meant holds the stems that the words were understood as, in order, for finding names among them.
	meant []meaning
	// other holds phrases that the vocabulary gives for some of the words.
	other [][]meaning
	// unsure holds the unknown words.
	unsure []string
	// thing means that the query names a thing, so words that ask for one of its figures are dropped.
	thing bool
	// lists holds the possible meanings of each word.
	lists [][]expansion
}

func (ix *index) newQuestion(query string) *question {
	q := &question{all: wordsIn(spellOutPlus(query))}
	q.all = q.all[:min(len(q.all), maxWords+maxWords/2)]
	q.all = withoutRequest(q.all)
	q.german = germanTongue(query, q.all, ix.germanOnly)
	if q.german {
		q.ws = germanContent(q.all)
	} else {
		q.ws = content(q.all)
	}
	q.ws = q.ws[:min(len(q.ws), maxWords)]
	return q
}

// withoutRequest drops introductions such as "pull up", unless nothing else would be left.
func withoutRequest(all []word) []word {
	kept := make([]word, 0, len(all))
	for i := 0; i < len(all); i++ {
		if i+1 < len(all) {
			switch all[i].raw + " " + all[i+1].raw {
			case "pull up", "look up", "bring up", "call up", "give me", "show me", "find me", "read me", "zeig mir", "gib mir", "such mir", "schlag nach":
				i++
				continue
			}
		}
		kept = append(kept, all[i])
	}
	if len(kept) == 0 {
		return all
	}
	return kept
}

// spellOutPlus rewrites "5+" as "5 plus", because signs are not words.
func spellOutPlus(query string) string {
	at := strings.IndexByte(query, '+')
	if at < 1 || query[at-1] < '0' || query[at-1] > '9' || at+1 < len(query) && query[at+1] != ' ' {
		return query
	}
	return query[:at] + " plus" + query[at+1:]
}

// germanOnly reports whether w is a German word of the book but not an English one.
func (ix *index) germanOnly(w word) bool {
	at, known := ix.position[w.stem]
	if known && ix.english[at] || stopWord(w.raw) || ix.vocabulary.english[w.stem] != nil {
		return false
	}
	stem := germanStem(w.raw)
	_, german := ix.position[germanMark+stem]
	return german || ix.vocabulary.german[stem] != nil
}

// asksWhether reports whether a question begins like one about how a rule works. In that case, it does
// not ask for the things that it names.
func (q *question) asksWhether() bool {
	switch q.all[0].raw {
	case "can", "could", "may", "do", "does", "did", "if", "when", "is", "are", "am", "should", "must", "how",
		"kann", "konnen", "darf", "durfen", "muss", "mussen", "soll", "sollte", "wenn", "wann", "ist", "sind", "bin", "hat", "hab", "habe", "haben", "wie", "gehen", "geht", "zahlt":
		return true
	}
	return false
}

// readWords finds the possible meanings of each word. If the query names a thing, readWords drops words that
// ask for one of its figures, so that the search does not find the rule about that figure instead.
func (ix *index) readWords(q *question) {
	q.lists = make([][]expansion, len(q.ws))
	figures := 0
	for i, w := range q.ws {
		q.lists[i] = ix.senses(q, w, i == len(q.ws)-1)
		if asksFigure(w.raw) {
			figures++
		}
	}
	if figures == 0 || figures == len(q.ws) {
		return
	}
	var thing []meaning
	for i, w := range q.ws {
		if !asksFigure(w.raw) && len(q.lists[i]) > 0 {
			at := q.lists[i][0].stem
			thing = append(thing, meaning{ix.stems[at], ix.idf[at]})
		}
	}
	if !ix.namesThing(thing) && !slices.ContainsFunc(q.ws, ix.unheard) {
		return
	}
	q.thing = true
	ws, lists := q.ws[:0:0], q.lists[:0:0]
	for i, w := range q.ws {
		if !asksFigure(w.raw) {
			ws, lists = append(ws, w), append(lists, q.lists[i])
		}
	}
	q.ws, q.lists = ws, lists
}

// unheard reports whether a word occurs in the book in neither language. It may be a misheard name.
func (ix *index) unheard(w word) bool {
	_, known := ix.position[w.stem]
	if known || len(w.raw) < 4 || ix.vocabulary.english[w.stem] != nil {
		return false
	}
	stem := germanStem(w.raw)
	_, known = ix.position[germanMark+stem]
	return !known && ix.vocabulary.german[stem] == nil
}

// namesThing reports whether a query contains the name of a monster, a spell or another thing with figures.
func (ix *index) namesThing(meant []meaning) bool {
	for from := range meant {
		for to := min(len(meant), from+longestTitle); to > from; to-- {
			key, _ := phrase(meant[from:to])
			for _, t := range ix.titles[key] {
				if len(ix.figures[t.doc]) > 4 {
					return true
				}
			}
		}
	}
	return false
}

// asksFigure reports whether a word, folded, may ask for a figure of a thing.
func asksFigure(w string) bool {
	switch w {
	case "damage", "schaden", "armor", "class", "ac", "rk", "rustungsklasse", "hit", "points", "hp", "tp", "trefferpunkte", "lebenspunkte",
		"range", "reichweite", "radius", "area", "duration", "dauer", "wirkungsdauer", "long", "lange", "cost", "costs", "kostet", "kosten", "price", "preis", "much",
		"weight", "level", "grad", "stats", "werte", "abilities", "ability", "saving", "throw", "save", "rettungswurf", "rettungswurfe", "challenge", "speed", "bonus",
		"many", "far", "weit", "ladungen", "charges", "score", "rating", "gefahrlich":
		return true
	}
	return false
}

// namedCategory returns the category that a word names, or "". A plural names no category, because a question
// about spells in general is about a general rule.
func namedCategory(w string) string {
	switch w {
	case "spell", "cantrip", "zauber", "zaubertrick", "zauberspruch":
		return "spell"
	case "condition", "status", "zustand":
		return "condition"
	case "monster", "creature", "beast", "ungeheuer", "kreatur", "wesen":
		return "monster"
	case "equipment", "gear", "ausrustung", "weapon", "waffe", "tool", "werkzeug", "armor":
		return "equipment"
	case "item", "gegenstand", "ring", "potion", "trank", "wand", "boots", "stiefel", "cloak", "umhang", "amulet", "gloves", "gauntlets", "bag", "beutel":
		return "item"
	case "combat", "kampf":
		return "combat"
	case "class", "klasse":
		return "class"
	case "race", "volk", "rasse", "playable":
		return "race"
	case "background", "hintergrund":
		return "background"
	case "skill", "fertigkeit":
		return "skill"
	case "subclass", "domain", "domane", "archetype", "unterklasse":
		return "subclass"
	case "feat", "talent":
		return "feat"
	}
	return ""
}

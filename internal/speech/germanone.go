package speech

import (
	"slices"
	"strings"
	"unicode"
)

// accusativeVerbs are German verbs that something counted is likely the object of.
var accusativeVerbs = wordSet("nimm nehmt nehme nimmt gib gebt gibt gebe brauche brauchst braucht brauchen habe hast hat haben hatte hatten kostet kosten kostete " +
	"zahl zahlt zahle zahlen kauf kauft kaufe kaufen wirf werft werfe wirft würfle würfelt trink trinkt verliere verlierst verliert bekommst bekommt erhältst erhält findet findest finde je pro")

// strictDatives are German prepositions that always, or before a measure, ask for the dative.
var strictDatives = wordSet("mit nach bei von aus seit zu ab außer gegenüber in vor samt")

// dativePlural returns the dative of a German unit's plural, by its first word.
func dativePlural(many string) string {
	first, rest, spaced := strings.Cut(many, " ")
	if strings.HasSuffix(first, "er") || strings.HasSuffix(first, "e") || strings.HasSuffix(first, "el") && first != "Grad" {
		first += "n"
	}
	if spaced {
		return first + " " + rest
	}
	return first
}

// germanUnitOne returns "ein" in front of a unit, in its case as far as it shows.
func (r *writer) germanUnitOne(u unit) string {
	if u.article == "eine" {
		return r.oneFor(feminine, true)
	}
	g, known := genderOf(u.one)
	if g == feminine {
		return u.article
	}
	return r.oneFor(g, known)
}

// oneFor returns "ein" for a noun of gender g behind the last word. The accusative shows
// only where the gender is known.
func (r *writer) oneFor(g gender, known bool) string {
	word := strings.ToLower(r.last)
	switch {
	case strictDatives[word] && g == feminine:
		return "einer"
	case strictDatives[word]:
		return "einem"
	case g == feminine:
		return "eine"
	case g == masculine && known && (slices.Contains(accusativePrepositions, word) || accusativeVerbs[word]):
		return "einen"
	}
	return "ein"
}

// beginsRange reports whether the number before here begins a range of what is counted:
// "1-2 Tage".
func (r *measureReader) beginsRange() bool {
	i := after(r.source, r.i)
	if c := r.at(i); c != '-' && c != '–' {
		return false
	}
	i = after(r.source, i+1)
	end := r.digitsEnd(i)
	if end == i || end-i > 3 {
		return false
	}
	_, _, unit := r.unitAt(end, r.lex)
	return unit || r.at(end) == ' ' && unicode.IsUpper(r.at(end+1)) && unicode.IsLower(r.at(end+2))
}

// readCompound reads "9-mm-Geschoss" and "10-Fuß-Seil", n being the number.
func (r *dateReader) readCompound(n int64) bool {
	word := r.wordFrom(r.i + 1)
	end := r.i + 1 + len([]rune(word))
	if r.at(r.i) != '-' || word == "" || r.at(end) != '-' || !unicode.IsUpper(r.at(end+1)) {
		return false
	}
	u, ok := r.lex.exact[word]
	if !ok {
		u, ok = r.lex.units[strings.ToLower(word)]
	}
	switch {
	case ok:
		word = u.one
	case !unicode.IsUpper(firstOf(word)):
		return false
	}
	r.i = end
	r.addWords(stemDE(n) + " " + word)
	return true
}

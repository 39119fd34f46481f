package speech

import (
	"slices"
	"strings"
	"unicode"
)

// readGermanShort reads German abbreviations whose reading depends on their context.
func (r *reader) readGermanShort() bool {
	return r.readCased() || r.readOthers() || r.readShortAdjective() || r.readShortNoun()
}

// readCased reads "a. D." and "Anm. d. Red.".
func (r *reader) readCased() bool {
	if !unicode.IsLower(r.at(r.i)) || r.at(r.i+1) != '.' || r.wordAt(r.skipSpace(r.i+2), "Chr") {
		return false
	}
	best := ""
	for written := range r.lex.cased {
		if len(written) > len(best) && r.startsWith(written) {
			best = written
		}
	}
	end := r.i + len(best)
	if best == "" || isWord(r.at(end)) && len(best) > 2 || len(best) == 2 && (!unicode.IsUpper(r.after(end)) || r.at(end) != ' ' || r.at(r.skipSpace(end)+1) == '.' && best != "s.") {
		return false
	}
	words := r.lex.cased[best]
	if r.endsAt(end) {
		end--
	}
	r.i = end
	r.addWords(words)
	return true
}

// readOthers reads "u. a." as "und andere" after a name or noun with others like it. Elsewhere it means
// "unter anderem".
func (r *reader) readOthers() bool {
	end := r.i + len("u.a.")
	if r.startsWith("u. a.") {
		end++
	} else if !r.startsWith("u.a.") {
		return false
	}
	next := r.wordFrom(r.skipSpace(end))
	if !unicode.IsUpper(firstOf(r.last)) || r.at(end) == '.' || unicode.IsLetter(r.at(end)) || caseWord(next) || r.at(r.skipSpace(end)+1) == '.' || r.lex.grammar[strings.ToLower(r.last)] {
		return false
	}
	if r.endsAt(end) {
		end--
	}
	r.i = end
	r.addWords("und andere")
	return true
}

func caseWord(word string) bool {
	_, ok := caseAfter(word)
	return ok
}

// readShortAdjective reads "südl. von", "der ehem. Soldat" and "sog. Helden", with the ending that the noun
// requires.
func (r *reader) readShortAdjective() bool {
	word := r.wordFrom(r.i)
	end := r.i + len([]rune(word))
	if r.at(end) != '.' || len(word) < 2 {
		return false
	}
	lower := strings.ToLower(word)
	next := r.skipSpace(end + 1)
	stem := r.lex.adjectives[lower]
	if stem == "" {
		if !isLich(lower) || !unicode.IsLower(r.at(r.i)) || r.endsAt(end+1) {
			return false
		}
		stem = lower + "ich"
	}
	noun := r.nounAt(next)
	if r.endsAt(end + 1) {
		end--
	}
	r.i = end + 1
	switch {
	case noun == "" && stem == "ehemalig":
		stem = "ehemals"
	case noun == "" && stem == "besonder":
		stem = "besonders"
	case noun != "":
		stem += r.adjectiveEnding(noun)
	}
	r.addWords(stem)
	return true
}

// isLich reports whether a word is an adjective in -lich that was abbreviated after the l.
func isLich(word string) bool {
	stem, ok := strings.CutSuffix(word, "l")
	return ok && len(stem) > 3 && strings.ContainsRune("bcdfgkmnprstz", rune(stem[len(stem)-1]))
}

// adjectiveEnding returns the ending of an adjective between the last word and a noun.
func (r *reader) adjectiveEnding(noun string) string {
	g, known := genderOf(noun)
	if strings.HasSuffix(noun, "a") { // a name
		g = feminine
	}
	word := strings.ToLower(r.last)
	plural := !known && (strings.HasSuffix(noun, "en") || strings.HasSuffix(noun, "er"))
	switch ending := r.endingByArticle(noun); {
	case word == "die" && plural, word == "alle", word == "den":
		return "en"
	case ending != "":
		return ending
	case plural:
		return "e"
	case slices.Contains(dativePrepositions, word):
		return strongEnding(g, dative)
	case slices.Contains(accusativePrepositions, word):
		return strongEnding(g, accusative)
	}
	return strongEnding(g, nominative)
}

// readShortNoun reads "3. OG" and "im 14. Jh.", and compounds such as "Hausnr.".
func (r *reader) readShortNoun() bool {
	word := r.wordFrom(r.i)
	noun := r.lex.shortNouns[word]
	end := r.i + len([]rune(word))
	if noun == "" || r.ending == "" && !slices.Contains([]string{"OG", "EG", "UG", "DG"}, word) || slices.Contains(months, noun) {
		return false
	}
	if r.at(end) == '.' && !r.endsAt(end+1) && unicode.IsLower(firstOf(word[1:])) {
		end++
	}
	if strings.HasPrefix(noun, "Jahr") {
		words := r.wordsBefore(2)
		if len(words) > 1 && (words[1] == "des" || words[1] == "eines") {
			noun += "s"
		}
	}
	r.i = end
	r.addWords(noun)
	return true
}

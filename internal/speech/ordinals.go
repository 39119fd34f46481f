package speech

import (
	"slices"
	"strings"
	"unicode"
)

// readOrdinal reads "3rd", and "3." where German grammar requires an ordinal.
func (r *reader) readOrdinal(whole string) bool {
	n, ok := r.valueOf(whole)
	if !ok {
		return false
	}
	if r.lex.german {
		return n > 0 && r.readGermanOrdinal(n)
	}
	suffix := strings.ToLower(string([]rune{r.at(r.i), r.at(r.i + 1)}))
	if slices.Contains([]string{"st", "nd", "rd", "th"}, suffix) && !isWord(r.at(r.i+2)) {
		r.i += 2
		r.addWords(ordinalEN(n))
		return true
	}
	if n < 1 || n > 31 {
		return false
	}
	if isMonth(r.last) {
		return r.readDay(n)
	}
	return r.readDayBefore(n)
}

// readGermanOrdinal reads n before a dot that is not a full stop.
func (r *reader) readGermanOrdinal(n int64) bool {
	if r.at(r.i) != '.' {
		return false
	}
	if next := r.at(r.i + 1); (next == '-' || next == '–') && isDigit(r.at(r.i+2)) && r.at(r.digitsEnd(r.i+2)) == '.' {
		ending := r.endingByArticle("")
		if ending == "" {
			ending = "er"
		}
		r.i += 2
		r.ending = ending
		r.addWords(ordinalDE(n) + ending + " bis")
		return true
	}
	gap := 2
	if r.at(r.i+1) != ' ' {
		gap = 1
	}
	if !unicode.IsLetter(r.at(r.i+gap)) || gap == 1 && r.nounAt(r.i+1) == "" {
		return r.readLastDay(n)
	}
	ending := r.ordinalEnding(r.i + gap)
	if ending == "" {
		return false
	}
	r.i++
	r.ending = ending
	r.addWords(ordinalDE(n) + ending)
	return true
}

// ordinalEnding returns the ending of an ordinal before the word at i, or "" if the number is not an ordinal.
func (r *reader) ordinalEnding(i int) string {
	noun := r.nounAt(i)
	g, known := genderOf(noun)
	month := slices.Contains(months, noun)
	joined := r.last == "und" || r.last == "oder" || r.last == "bis" || r.last == "sowie"
	ending := r.endingByArticle(noun)
	word := strings.ToLower(r.last)
	switch {
	case joined && r.ending != "":
		return r.ending
	case ending != "":
		return ending
	case month && (word == "ab" || word == "bis" || word == "seit"):
		return "en"
	case month:
		return "er"
	case noun != "" && (slices.Contains(dativePrepositions, word) || word == "bis"):
		return strongEnding(g, dative)
	case noun != "" && slices.Contains(accusativePrepositions, word):
		return strongEnding(g, accusative)
	case noun != "" && known && r.last == "":
		return strongEnding(g, nominative)
	case noun != "" && (known || strings.HasSuffix(noun, "es")) && unicode.IsUpper(firstOf(r.last)) && !r.lex.grammar[word]:
		return strongEnding(g, genitive)
	case unicode.IsLower(r.at(i)): // not the beginning of a sentence
		return "e"
	}
	return ""
}

// endingByArticle returns the ending of an ordinal between the last word, an article or similar, and a noun,
// which may be empty. It returns "" if there is no article.
func (r *reader) endingByArticle(noun string) string {
	word := strings.ToLower(r.last)
	g, known := genderOf(noun)
	switch word {
	case "der", "jeder", "dieser", "jener", "welcher":
		before := ""
		if words := r.wordsBefore(2); len(words) > 1 {
			before = strings.ToLower(words[1])
		}
		if g == feminine && known || slices.Contains(dativePrepositions, before) {
			return "en"
		}
		return "e"
	case "die", "das", "jede", "jedes", "diese", "dieses", "jene", "welche", "ins", "fürs":
		return "e"
	case "den", "dem", "des", "am", "im", "zum", "zur", "vom", "beim", "jeden", "jedem", "diesem", "diesen", "jenem", "jenen", "welchem", "welchen":
		return "en"
	}
	if _, ending, ok := possessive(word); ok && noun != "" {
		switch ending {
		case "":
			return strongEnding(g, nominative)
		case "e":
			return "e"
		}
		return "en"
	}
	return ""
}

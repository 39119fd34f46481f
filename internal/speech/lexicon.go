package speech

import "strings"

// lexicon holds the words of a language for signs, units and abbreviations.
type lexicon struct {
	german   bool
	cardinal func(int64) string

	// Words for signs.
	point, minus, plus, to, percent, and, equals, or, at, number, about, times, of, degrees, section, per, by string
	ratio, below, above, atMost, atLeast, plusMinus                                                           string
	die, keepHigh, keepLow                                                                                    string
	permille, unequal, sectionsOf, sharp, power, root, infinity                                               string
	// powers are words for ² and ³.
	powers map[rune]string
	// Words for the signs of addresses, and for an address too long to be said.
	mailAt, dot, underscore, dash, slash, link string

	months []string
	// shortMonths are months by their first letters, which a dot may follow.
	shortMonths map[string]string
	// units are said after a number, by their written form in lower case.
	units map[string]unit
	// exact are units that only these capitals make.
	exact map[string]unit
	// values are the values of a character, by their capitals on the sheet, for example AC.
	values map[string]value
	// dotted are units that are written with a dot.
	dotted map[string]bool
	// numbered are abbreviations without their dot that are only such before a
	// number.
	numbered map[string]string
	// money are signs of currencies, before or after a number.
	money map[rune]unit
	// days are the weekdays cut short, beforeDays words that one of them likely follows.
	days       map[string]string
	beforeDays map[string]bool
	// compass are the points of the compass by their letters, courses words before them.
	compass map[rune]string
	courses map[string]bool
	// The parts of an angle.
	degree, minute, second unit
	// numerals are words after which IV is a number.
	numerals map[string]bool
	// spans are words for how far something goes, once easily and once at most.
	spans map[string]bool
	// scales stand between a sum of money and its currency, for example million.
	scales map[string]string
	// abbreviations in lower case without spaces, with their dots.
	abbreviations map[string]string
	// weak are those of them that are words as well: they are read where a sentence goes on.
	weak map[string]bool
	// cased are abbreviations in just these letters, before a capital.
	cased map[string]string
	// adjectives are German ones cut short, shortNouns nouns.
	adjectives, shortNouns map[string]string
	// spelled are abbreviations said letter by letter.
	spelled map[string]bool
	// shouted are short words that are no abbreviations in capitals.
	shouted map[string]bool
	// sections are words after which a Roman numeral is a number.
	sections map[string]bool
	// noNames are words with a capital that no numeral belongs to.
	noNames map[string]bool
	// yearsAfter are words after which a number of four digits is a year, sums
	// those after which it is none.
	yearsAfter, sums map[string]bool
	// datesAfter are words after which 5/3 is a day.
	datesAfter map[string]bool
	// grammar are words that no number counts.
	grammar map[string]bool
	// rulers are titles of those whose names have numerals.
	rulers map[string]bool
	// phones are words near a telephone number, dials those right before a short one.
	phones, dials map[string]bool
	// ratios are words near which 3:10 is no time of day.
	ratios map[string]bool
	// titled are abbreviations without their dots that only stand before a name.
	titled map[string]string
}

// value names a value of a character: one point of it, and its name or many points. Stem is
// the form that German puts in front of another noun.
type value struct{ one, many, stem string }

// spokenValue reports whether word is a value or an abbreviation said by its letters.
func (l *lexicon) spokenValue(word string) bool {
	lower := strings.ToLower(word)
	_, ok := l.values[word]
	return ok || l.spelled[lower] && lower != "ad" && lower != "ce" && lower != "bce"
}

// unit names one and many of a counted thing. Article is the German number one before it.
type unit struct{ one, many, article string }

// lexiconOf returns the lexicon of a language tag, English for none, nil for
// languages without one.
func lexiconOf(language string) *lexicon {
	code, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(language)), "_", "-"), "-")
	switch code {
	case "", "en":
		return english
	case "de":
		return german
	}
	return nil
}

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// unitOfMany is a German unit of which one is "ein".
func unitOfMany(one, many string) unit { return unit{one, many, "ein"} }

// unitOf is a unit without a plural of its own.
func unitOf(name, article string) unit { return unit{name, name, article} }

// spellDigits reads digits one by one.
func (l *lexicon) spellDigits(digits string) string {
	words := make([]string, 0, len(digits))
	for _, d := range digits {
		words = append(words, l.cardinal(int64(d-'0')))
	}
	return strings.Join(words, " ")
}

// fractionWords reads n over d, with d from 2 to 100.
func (l *lexicon) fractionWords(n, d int64) string {
	if l.german {
		count := stemDE(n)
		if d == 2 {
			return count + " " + map[bool]string{true: "halb", false: "Halbe"}[n == 1]
		}
		return count + " " + titleFirst(ordinalDE(d)) + "el"
	}
	name := strings.TrimPrefix(ordinalEN(d), "one ")
	switch d {
	case 2:
		name = map[bool]string{true: "half", false: "halve"}[n == 1]
	case 4:
		name = "quarter"
	}
	if n != 1 {
		name += "s"
	}
	return l.cardinal(n) + " " + name
}

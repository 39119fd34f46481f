package speech

import "strings"

// lexicon holds the words by which a language reads signs, units and abbreviations.
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
	// Words for the signs in addresses, and for an address that is too long to read.
	mailAt, dot, underscore, dash, slash, link string

	months []string
	// shortMonths are abbreviated months, without their dot.
	shortMonths map[string]string
	// units are read after a number, by their lower-case written form.
	units map[string]unit
	// exact are units that must be written with exactly these capitals.
	exact map[string]unit
	// values are the values on a character sheet, by their capitals, for example AC.
	values map[string]value
	// dotted are units that may be written with a dot.
	dotted map[string]bool
	// numbered are abbreviations, without their dot, that count as such only before a number.
	numbered map[string]string
	// money are currency signs, before or after a number.
	money map[rune]unit
	// days are abbreviated weekdays. beforeDays are words after which one is likely.
	days       map[string]string
	beforeDays map[string]bool
	// compass are the compass points by letter. courses are words before them.
	compass map[rune]string
	courses map[string]bool
	// Parts of an angle.
	degree, minute, second unit
	// numerals are words after which IV is read as a number.
	numerals map[string]bool
	// spans are words for ranges, whose two numbers are the normal and the maximum range.
	spans map[string]bool
	// scales are words between a sum of money and its currency, for example million.
	scales map[string]string
	// abbreviations are in lower case, with dots and without spaces.
	abbreviations map[string]string
	// weak are abbreviations that are also words. They are read as abbreviations only if the sentence
	// continues.
	weak map[string]bool
	// cased are abbreviations in exactly these letters, before a capital.
	cased map[string]string
	// adjectives are abbreviated German adjectives, and shortNouns abbreviated nouns.
	adjectives, shortNouns map[string]string
	// spelled are abbreviations that are read letter by letter.
	spelled map[string]bool
	// shouted are short words that are not abbreviations when in capitals.
	shouted map[string]bool
	// sections are words after which a Roman numeral is a number.
	sections map[string]bool
	// noNames are capitalised words that no numeral belongs to.
	noNames map[string]bool
	// yearsAfter are words after which a four-digit number is a year, and sums words after which it is not.
	yearsAfter, sums map[string]bool
	// datesAfter are words after which 5/3 is a date.
	datesAfter map[string]bool
	// grammar are function words, which a number does not count.
	grammar map[string]bool
	// rulers are titles of people whose names have numerals.
	rulers map[string]bool
	// phones are words near a telephone number, and dials words directly before a short one.
	phones, dials map[string]bool
	// ratios are words near which 3:10 is not a time of day.
	ratios map[string]bool
	// titled are abbreviations, without their dots, that occur only before a name.
	titled map[string]string
}

// value is the name of a value on a character sheet: for one point, and for many points or the value itself.
// stem is the German form before another noun.
type value struct{ one, many, stem string }

// spokenValue reports whether word is such a value or an abbreviation that is read letter by letter.
func (l *lexicon) spokenValue(word string) bool {
	lower := strings.ToLower(word)
	_, ok := l.values[word]
	return ok || l.spelled[lower] && lower != "ad" && lower != "ce" && lower != "bce"
}

// unit is the name of a counted thing, singular and plural. article is the German word for one before it.
type unit struct{ one, many, article string }

// lexiconOf returns the lexicon for a language tag. It returns English for an empty tag, and nil for an
// unsupported language.
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

// unitOfMany returns a German unit whose article is "ein".
func unitOfMany(one, many string) unit { return unit{one, many, "ein"} }

// unitOf returns a unit whose plural equals its singular.
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

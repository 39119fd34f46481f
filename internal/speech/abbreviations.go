package speech

import "strings"

// ending is whether a sentence can end with an abbreviation.
type ending int

const (
	always      ending = iota // not an abbreviation: the dot is a full stop
	never                     // something always follows
	beforeDigit               // only an abbreviation if a number follows
	perhaps                   // both occur; a lower-case word after it decides
)

const (
	// maxAbbreviation is the maximum length of the words that are looked up, in runes.
	maxAbbreviation = 12
	// maxMonth is the length of the longest month, in runes.
	maxMonth = 9
)

// abbreviation looks up a lower-case word without its last dot.
func abbreviation(word string) ending {
	switch word {
	case "mr", "mrs", "ms", "dr", "prof", "st", "rev", "capt", "sgt", "lt", "col", "gen", "cpl", "cmdr",
		"messrs", "mme", "mlle", "mt", "vs", "approx", "e.g", "i.e", "cf", "viz", "gov", "sen",
		"hr", "hrn", "fr", "frl", "nr", "bzw", "z.b", "d.h", "z.t", "u.u", "v.a", "i.d.r", "o.g", "m.e", "d.i",
		"ca", "vgl", "evtl", "ggf", "inkl", "exkl", "zzgl", "sog", "bspw", "geb", "gest", "hl", "dipl":
		return never
	case "no", "nos", "fig", "vol", "pp", "ch", "lv", "lvl", "pg", "sec", "art", "abs", "kap", "bd", "abb", "tel":
		return beforeDigit
	case "etc", "usw", "u.s.w", "u.a", "u.ä", "o.ä", "u.v.m", "s.o", "s.u", "jr", "sr", "inc", "ltd", "co", "corp", "al",
		"ft", "lb", "lbs", "oz", "min", "max", "std", "sek", "hrs", "gp", "sp", "cp", "gm", "sm", "km",
		"a.m", "p.m", "a.d", "b.c", "n.chr", "v.chr", "chr", "u.s", "u.k", "jh", "jhd", "jhdt", "mio", "mrd", "str":
		return perhaps
	}
	for _, lex := range []*lexicon{english, german} {
		if lex.abbreviations[word+"."] != "" || lex.adjectives[word] != "" {
			return perhaps
		}
		if lex.numbered[word] != "" {
			return beforeDigit
		}
	}
	for _, c := range shortCompounds {
		if !c.numbered && strings.HasSuffix(word, c.short) && len(word) > len(c.short)+2 {
			return beforeDigit
		}
	}
	if isLich(word) {
		return perhaps
	}
	return always
}

// ordinalContext are German words after which a number with a dot is an ordinal.
var ordinalContext = []string{
	"am", "im", "der", "die", "das", "den", "dem", "des", "zum", "zur", "vom", "beim", "ab", "bis", "seit", "jeder", "jede", "jedes", "jeden",
}

var months = []string{
	"Januar", "Jänner", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober",
	"November", "Dezember",
}

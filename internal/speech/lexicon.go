package speech

import "strings"

// lexicon is what a language says for what is written in signs.
type lexicon struct {
	german   bool
	cardinal func(int64) string

	// Words for signs.
	point, minus, plus, to, percent, and, equals, or, at, number, about, times, of, degrees, link, section, per, by string
	die, keepHigh, keepLow                                                                                          string

	months []string
	// units are said after a number, by what is written.
	units map[string]unit
	// dotted are units that are written with a dot.
	dotted map[string]bool
	// numbered are abbreviations without their dot that are only such before a
	// number.
	numbered map[string]string
	// money are signs of currencies, before or after a number.
	money map[rune]unit
	// abbreviations in lower case without spaces, with their dots.
	abbreviations map[string]string
	// spelled are abbreviations said letter by letter.
	spelled map[string]bool
	// shouted are short words that are no abbreviations in capitals.
	shouted map[string]bool
	// sections are words after which a Roman numeral is a number.
	sections map[string]bool
	// noNames are words with a capital that no numeral belongs to.
	noNames map[string]bool
	// yearsAfter are words after which a number of four digits is a year.
	yearsAfter map[string]bool
}

// unit is what is counted: one and more of it. Article is the number one
// before it in German.
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

// unitOf is a unit without a plural of its own.
func unitOf(name, article string) unit { return unit{name, name, article} }

var english = &lexicon{
	cardinal: cardinalEN,
	point:    "point", minus: "minus", plus: "plus", to: "to", percent: "percent", and: "and", equals: "equals", or: "or", at: "at",
	number: "number", about: "about", times: "times", of: "of", degrees: "degrees", link: "link", section: "section", per: "per", by: "divided by",
	die: "d", keepHigh: "keep highest", keepLow: "keep lowest",
	months: []string{
		"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
	},
	units: map[string]unit{
		"gp": {"gold piece", "gold pieces", ""}, "sp": {"silver piece", "silver pieces", ""}, "cp": {"copper piece", "copper pieces", ""},
		"pp": {"platinum piece", "platinum pieces", ""}, "ep": {"electrum piece", "electrum pieces", ""},
		"ft": {"foot", "feet", ""}, "in": {"inch", "inches", ""}, "yd": {"yard", "yards", ""}, "mi": {"mile", "miles", ""},
		"mph": {"mile per hour", "miles per hour", ""}, "lb": {"pound", "pounds", ""}, "lbs": {"pound", "pounds", ""}, "oz": {"ounce", "ounces", ""},
		"mm": {"millimetre", "millimetres", ""}, "cm": {"centimetre", "centimetres", ""}, "m": {"metre", "metres", ""}, "km": {"kilometre", "kilometres", ""},
		"km/h": {"kilometre per hour", "kilometres per hour", ""}, "g": {"gram", "grams", ""}, "kg": {"kilogram", "kilograms", ""},
		"l": {"litre", "litres", ""}, "ml": {"millilitre", "millilitres", ""}, "s": {"second", "seconds", ""}, "sec": {"second", "seconds", ""},
		"min": {"minute", "minutes", ""}, "h": {"hour", "hours", ""}, "hr": {"hour", "hours", ""}, "hrs": {"hour", "hours", ""},
		"°c": {"degree Celsius", "degrees Celsius", ""}, "°f": {"degree Fahrenheit", "degrees Fahrenheit", ""}, "°": {"degree", "degrees", ""},
	},
	dotted: wordSet("ft in yd mi lb lbs oz sec min hr hrs"),
	numbered: map[string]string{
		"no": "number", "nos": "numbers", "pt": "part", "ch": "chapter", "p": "page", "pp": "pages", "vol": "volume", "fig": "figure",
	},
	money: map[rune]unit{'$': {"dollar", "dollars", ""}, '€': {"euro", "euros", ""}, '£': {"pound", "pounds", ""}},
	abbreviations: map[string]string{
		"mr.": "Mister", "mrs.": "Missus", "ms.": "Miz", "dr.": "Doctor", "prof.": "Professor", "capt.": "Captain", "sgt.": "Sergeant",
		"lt.": "Lieutenant", "rev.": "Reverend", "gen.": "General", "col.": "Colonel", "jr.": "Junior", "sr.": "Senior", "vs.": "versus",
		"etc.": "et cetera", "approx.": "approximately", "e.g.": "for example", "i.e.": "that is", "a.m.": "a m", "p.m.": "p m",
		"n.b.": "note", "cf.": "compare", "viz.": "namely", "lvl.": "level", "mt.": "Mount", "st.": "Saint",
	},
	spelled: wordSet("ac hp dc xp gm dm npc npcs pc pcs ttrpg rpg cr thac0 gp tv ui ai id usa uk dnd"),
	shouted: wordSet("no yes ok go run you the and not but all can now how who why out off get got put let see say did die he she it we me my us " +
		"us in on up to do so is am are was oh ah hey his her him our old new one two six ten too yet bad big day end eye far fly god hit " +
		"if or by be as at an of man men may own sea sir son war way win won try use ale bar box boy cut dog ear eat fun gun hot ice key leg lie lot"),
	sections:   wordSet("chapter part act book volume level section scene episode war phase stage room floor type mark"),
	noNames:    wordSet("the and but this that there then when what who with from for are was were not you they his her its our their yes well"),
	yearsAfter: wordSet("in since year anno until january february march april may june july august september october november december"),
}

var german = &lexicon{
	german: true, cardinal: cardinalDE,
	point: "Komma", minus: "minus", plus: "plus", to: "bis", percent: "Prozent", and: "und", equals: "gleich", or: "oder", at: "at",
	number: "Nummer", about: "etwa", times: "mal", of: "von", degrees: "Grad", link: "Link", section: "Paragraf", per: "pro", by: "durch",
	die: "W", keepHigh: "behalte die höchsten", keepLow: "behalte die niedrigsten",
	months: months, // both Januar and Jänner
	units: map[string]unit{
		"gm": {"Goldmünze", "Goldmünzen", "eine"}, "sm": {"Silbermünze", "Silbermünzen", "eine"}, "km": unitOf("Kilometer", "ein"),
		"kupfer": unitOf("Kupfer", "ein"), "gp": {"Goldmünze", "Goldmünzen", "eine"}, "sp": {"Silbermünze", "Silbermünzen", "eine"},
		"cp": {"Kupfermünze", "Kupfermünzen", "eine"}, "pm": {"Platinmünze", "Platinmünzen", "eine"}, "ft": unitOf("Fuß", "ein"),
		"mm": unitOf("Millimeter", "ein"), "cm": unitOf("Zentimeter", "ein"), "m": unitOf("Meter", "ein"), "km/h": unitOf("Kilometer pro Stunde", "ein"),
		"g": unitOf("Gramm", "ein"), "kg": unitOf("Kilogramm", "ein"), "l": unitOf("Liter", "ein"), "ml": unitOf("Milliliter", "ein"),
		"lb": unitOf("Pfund", "ein"), "lbs": unitOf("Pfund", "ein"), "s": {"Sekunde", "Sekunden", "eine"}, "sek": {"Sekunde", "Sekunden", "eine"},
		"min": {"Minute", "Minuten", "eine"}, "h": {"Stunde", "Stunden", "eine"}, "std": {"Stunde", "Stunden", "eine"},
		"°c": unitOf("Grad Celsius", "ein"), "°f": unitOf("Grad Fahrenheit", "ein"), "°": unitOf("Grad", "ein"),
		"mio": {"Million", "Millionen", "eine"}, "mrd": {"Milliarde", "Milliarden", "eine"},
	},
	dotted:   wordSet("std sek min mio mrd"),
	numbered: map[string]string{"s": "Seite", "bd": "Band", "kap": "Kapitel", "abs": "Absatz", "art": "Artikel", "abb": "Abbildung"},
	money:    map[rune]unit{'$': unitOf("Dollar", "ein"), '€': unitOf("Euro", "ein"), '£': unitOf("Pfund", "ein")},
	abbreviations: map[string]string{
		"hr.": "Herr", "hrn.": "Herrn", "fr.": "Frau", "dr.": "Doktor", "prof.": "Professor", "st.": "Sankt", "nr.": "Nummer",
		"bzw.": "beziehungsweise", "usw.": "und so weiter", "u.s.w.": "und so weiter", "etc.": "et cetera", "ca.": "circa", "evtl.": "eventuell",
		"ggf.": "gegebenenfalls", "inkl.": "inklusive", "exkl.": "exklusive", "zzgl.": "zuzüglich", "vgl.": "vergleiche", "sog.": "sogenannt",
		"bspw.": "beispielsweise", "z.b.": "zum Beispiel", "d.h.": "das heißt", "u.a.": "unter anderem", "z.t.": "zum Teil",
		"v.a.": "vor allem", "i.d.r.": "in der Regel", "o.ä.": "oder Ähnliches", "u.ä.": "und Ähnliches", "s.o.": "siehe oben",
		"s.u.": "siehe unten", "n.chr.": "nach Christus", "v.chr.": "vor Christus", "mind.": "mindestens", "gest.": "gestorben",
		"geb.": "geboren", "jh.": "Jahrhundert", "jhd.": "Jahrhundert", "hl.": "heilig", "mio.": "Millionen", "mrd.": "Milliarden", "hptm.": "Hauptmann",
	},
	spelled: wordSet("ac hp dc xp gm dm npc rk tp sg ep sl nsc nscs sc scs kp usa eu tv ki"),
	shouted: wordSet("bin bist sind habt hab ja nein ok los ihr ich du er sie es wir und der die das den dem des ein ist hat war was wer wie wo nie tot rot gut alt neu " +
		"tür tor rat mut wut not gib geh komm lauf weg her hin auf ab an aus ein zu so da nun nur mal mit vor von bei bis im am um in " +
		"oh ah he hey uns euch mir dir mich dich ihm ihn auch noch doch alle arm hof hut hand hund gott"),
	sections:   wordSet("kapitel teil akt buch band stufe abschnitt szene folge krieg phase raum typ ebene etage"),
	noNames:    wordSet("der die das und aber dies wenn was wer mit von für nicht sie ihr ein eine ja gut nun den dem"),
	yearsAfter: wordSet("jahr jahre jahres anno seit"),
}

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
		count := l.cardinal(n)
		if n == 1 {
			count = "ein"
		}
		if d == 2 {
			return count + " " + map[bool]string{true: "halb", false: "Halbe"}[n == 1]
		}
		return count + " " + titleFirst(ordinalDE(d)) + "el"
	}
	name := ordinalEN(d)
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

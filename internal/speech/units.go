package speech

import (
	"slices"
	"strings"
	"unicode"
)

// measure is a physical or monetary unit that is written with exactly these capitals.
type measure struct {
	symbol string
	// prefixes are the metric prefixes it is used with; "·" means none.
	prefixes              string
	one, many             string // in English
	germanOne, germanMany string
	germanOneArticle      string
}

// exactMeasures are units that differ from words by their capitals, for example MW.
var exactMeasures = []measure{
	{"Hz", "·kMGT", "hertz", "hertz", "Hertz", "Hertz", "ein"},
	{"W", "·mkMGT", "watt", "watts", "Watt", "Watt", "ein"},
	{"V", "·mkM", "volt", "volts", "Volt", "Volt", "ein"},
	{"A", "·mk", "amp", "amps", "Ampere", "Ampere", "ein"},
	{"Pa", "·hkMG", "pascal", "pascals", "Pascal", "Pascal", "ein"},
	{"J", "kMGT", "joule", "joules", "Joule", "Joule", "ein"},
	{"N", "kM", "newton", "newtons", "Newton", "Newton", "ein"},
	{"Sv", "·mµμ", "sievert", "sieverts", "Sievert", "Sievert", "ein"},
	{"Gy", "·mµμ", "gray", "grays", "Gray", "Gray", "ein"},
	{"Bq", "·kMGT", "becquerel", "becquerels", "Becquerel", "Becquerel", "ein"},
	{"B", "kKMGTP", "byte", "bytes", "Byte", "Byte", "ein"},
	{"bit", "·kMGT", "bit", "bits", "Bit", "Bit", "ein"},
	{"Wh", "·kMGT", "watt hour", "watt hours", "Wattstunde", "Wattstunden", "eine"},
	{"Ah", "·m", "amp hour", "amp hours", "Amperestunde", "Amperestunden", "eine"},
	{"eV", "·kMGT", "electronvolt", "electronvolts", "Elektronenvolt", "Elektronenvolt", "ein"},
	{"bar", "·m", "bar", "bar", "Bar", "Bar", "ein"},
	{"pc", "·kM", "parsec", "parsecs", "Parsec", "Parsec", "ein"},
	{"s", "mµμn", "second", "seconds", "Sekunde", "Sekunden", "eine"},
	{"g", "µμ", "gram", "grams", "Gramm", "Gramm", "ein"},
	{"m", "µμn", "metre", "metres", "Meter", "Meter", "ein"},
	{"l", "µμ", "litre", "litres", "Liter", "Liter", "ein"},
	{"t", "·kM", "ton", "tons", "Tonne", "Tonnen", "eine"},
	{"cal", "·k", "calorie", "calories", "Kalorie", "Kalorien", "eine"},
	{"dB", "·", "decibel", "decibels", "Dezibel", "Dezibel", "ein"},
	{"K", "·", "kelvin", "kelvin", "Kelvin", "Kelvin", "ein"},
	{"L", "·", "litre", "litres", "Liter", "Liter", "ein"},
	{"ly", "·", "light year", "light years", "Lichtjahr", "Lichtjahre", "ein"},
	{"Lj", "·", "light year", "light years", "Lichtjahr", "Lichtjahre", "ein"},
	{"LJ", "·", "light year", "light years", "Lichtjahr", "Lichtjahre", "ein"},
	{"AU", "·", "astronomical unit", "astronomical units", "astronomische Einheit", "astronomische Einheiten", "eine"},
	{"AE", "·", "astronomical unit", "astronomical units", "astronomische Einheit", "astronomische Einheiten", "eine"},
	{"rpm", "·", "revolution per minute", "revolutions per minute", "Umdrehung pro Minute", "Umdrehungen pro Minute", "eine"},
	{"fps", "·", "frame per second", "frames per second", "Bild pro Sekunde", "Bilder pro Sekunde", "ein"},
	{"ppm", "·", "part per million", "parts per million", "Teil pro Million", "Teile pro Million", "ein"},
	{"psi", "·", "P S I", "P S I", "P S I", "P S I", "ein"},
	{"lm", "·", "lumen", "lumens", "Lumen", "Lumen", "ein"},
	{"lx", "·", "lux", "lux", "Lux", "Lux", "ein"},
	{"px", "·", "pixel", "pixels", "Pixel", "Pixel", "ein"},
	{"kn", "·", "knot", "knots", "Knoten", "Knoten", "ein"},
	{"kts", "·", "knot", "knots", "Knoten", "Knoten", "ein"},
	{"USD", "·", "U S dollar", "U S dollars", "U S Dollar", "U S Dollar", "ein"},
	{"EUR", "·", "euro", "euros", "Euro", "Euro", "ein"},
	{"GBP", "·", "pound", "pounds", "Pfund", "Pfund", "ein"},
	{"CHF", "·", "Swiss franc", "Swiss francs", "Franken", "Franken", "ein"},
	{"JPY", "·", "yen", "yen", "Yen", "Yen", "ein"},
}

// prefixNames are the metric prefixes in English and German.
var prefixNames = map[rune][2]string{
	'·': {}, 'h': {"hecto", "hekto"}, 'k': {"kilo", "kilo"}, 'K': {"kilo", "kilo"}, 'M': {"mega", "mega"}, 'G': {"giga", "giga"},
	'T': {"tera", "tera"}, 'P': {"peta", "peta"}, 'm': {"milli", "milli"}, 'µ': {"micro", "mikro"}, 'μ': {"micro", "mikro"}, 'n': {"nano", "nano"},
}

// withMeasures adds exactMeasures to a language's own units with exact capitals.
func withMeasures(own map[string]unit, german bool) map[string]unit {
	out := map[string]unit{}
	for _, m := range exactMeasures {
		for _, p := range m.prefixes {
			symbol, name := strings.TrimPrefix(string(p)+m.symbol, "·"), prefixNames[p]
			switch {
			case !german:
				out[symbol] = unit{name[0] + m.one, name[0] + m.many, ""}
			case p == '·':
				out[symbol] = unit{m.germanOne, m.germanMany, m.germanOneArticle}
			default:
				out[symbol] = unit{titleFirst(name[1] + strings.ToLower(m.germanOne)), titleFirst(name[1] + strings.ToLower(m.germanMany)), m.germanOneArticle}
			}
		}
	}
	for symbol, u := range own {
		out[symbol] = u
	}
	return out
}

// unitAt returns the unit at i, possibly after a space or, in English, a hyphen, and the index after it and
// its dot.
func (r *reader) unitAt(i int) (u unit, end int, ok bool) {
	spaced := r.at(i) == ' '
	switch {
	case spaced:
		i++
	case r.at(i) == '-' && !r.lex.german && unicode.IsLetter(r.at(i+1)):
		spaced = true
		i++
	}
	if u, ok := r.lex.money[r.at(i)]; ok && (r.at(i-1) != ' ' || !isDigit(r.at(i+1))) {
		return u, i + 1, true
	}
	if c := r.at(i); c == '′' || c == '″' {
		return r.lex.units[map[rune]string{'′': "ft", '″': "in"}[c]], i + 1, true
	}
	if !r.lex.german && (r.wordAt(i, "sq") || r.wordAt(i, "cu")) {
		return r.squareAt(i)
	}
	end = i
	for end-i < maxUnit && (unicode.IsLetter(r.at(end)) || strings.ContainsRune("°²³", r.at(end)) || r.at(end) == '/' && unicode.IsLetter(r.at(end+1))) {
		end++
	}
	for ; end > i; end-- {
		if isWord(r.at(end)) || unicode.IsMark(r.at(end)) {
			continue
		}
		word := string(r.text[i:end])
		lower := strings.ToLower(word)
		if u, ok = r.lex.exact[word]; !ok {
			u, ok = r.lex.units[lower]
		}
		if !ok || spaced && isAmbiguous(word) && !r.isInch(end, word) || r.isLoneCapital(word, end, spaced) {
			continue
		}
		if r.at(end) == '.' && r.lex.dotted[lower] && !r.endsAt(end+1) && (r.lex.german || !unicode.IsUpper(r.after(end+1))) {
			end++
		}
		return u, end, true
	}
	return unit{}, 0, false
}

// isInch reports whether the "in" that ends at end is an inch, because its dot is not a full stop.
func (r *reader) isInch(end int, word string) bool {
	if word == "in" && r.at(end) == ' ' && measured[r.wordFrom(end+1)] {
		return true
	}
	return word == "in" && r.at(end) == '.' && !r.endsAt(end+1) && (r.at(end+1) == ',' || unicode.IsLower(r.after(end+1)))
}

// squareAt returns the unit of "sq. ft." and "cu ft" at i.
func (r *reader) squareAt(i int) (u unit, end int, ok bool) {
	power := "square "
	if r.at(i) == 'c' {
		power = "cubic "
	}
	i += 2
	if r.at(i) == '.' {
		i++
	}
	if r.at(i) != ' ' || !unicode.IsLetter(r.at(i+1)) {
		return unit{}, 0, false
	}
	end = i + 1
	for end-i <= maxUnit && unicode.IsLetter(r.at(end)) {
		end++
	}
	word := strings.ToLower(string(r.text[i+1 : end]))
	u, ok = r.lex.units[word]
	if r.at(end) == '.' && r.lex.dotted[word] && !r.endsAt(end+1) && !unicode.IsUpper(r.after(end+1)) {
		end++
	}
	return unit{power + u.one, power + u.many, ""}, end, ok
}

// maxUnit is the length of the longest unit, in runes.
const maxUnit = 6

// isAmbiguous reports whether a unit after a space is more likely a word or a name: "5 in a row", "2 S".
func isAmbiguous(word string) bool {
	return slices.Contains([]string{"in", "In", "IN", "S", "H", "G", "M", "T", "PT", "Am", "Pt"}, word)
}

// isLoneCapital reports whether word is a single capital that is probably not a unit, because it is joined to
// the number, as in 5G and 4K, or is an initial. Volts and watts are units.
func (r *reader) isLoneCapital(word string, end int, spaced bool) bool {
	if len(word) != 1 || word[0] < 'A' || word[0] > 'Z' {
		return false
	}
	return !spaced && word != "V" && word != "W" && word != "M" || r.at(end) == '.' && !r.endsAt(end+1)
}

// perWords follow a slash that means "per", for example in 3/day.
var perWords = wordSet("day days night week month year hour minute second min sec hr round turn level person head rest short long session use encounter attack hit wave " +
	"tag nacht woche monat jahr stunde minute sekunde runde zug stufe person kopf rast kurze lange sitzung angriff treffer std sek kampf tick")

// isPer reports whether the slash at r.i means "per", as in "3/day" or "1d6/round".
func (r *reader) isPer() bool {
	return perWords[strings.ToLower(r.wordFrom(r.i+1))] && r.at(r.i-1) != ' ' && !perWords[strings.ToLower(r.last)]
}

// readPer reads the slash of "5 gp/day" and "9 m/s²" and the unit after it.
func (r *reader) readPer() {
	r.addWords(r.lex.per)
	word := r.wordFrom(r.i + 1)
	u, ok := r.lex.exact[word]
	if !ok {
		u, ok = r.lex.units[strings.ToLower(word)]
	}
	if !ok || len(word) == 1 && word != "s" && word != "h" && word != "l" && word != "m" && word != "g" {
		return
	}
	end := r.i + 1 + len([]rune(word))
	name := u.one
	if power := r.lex.powers[r.at(end)]; power != "" {
		end++
		name += " " + power
	}
	if r.at(end) == '.' && r.lex.dotted[strings.ToLower(word)] && !r.endsAt(end+1) {
		end++
	}
	r.addWords(name)
	r.i, r.units = end-1, true // the caller skips the slash
}

// isSize reports whether an English unit that ends at end is the first of two, as in "a 10' x 20' room". Then
// only the second is read.
func (r *reader) isSize(end int) bool {
	i := end
	if r.at(i) == ' ' {
		i++
	}
	return (r.at(i) == 'x' || r.at(i) == '×') && isDigit(r.after(i+1))
}

// beforeMeasured reports whether an adjective and a noun follow the English unit that ends at end: "8-inch
// thick doors".
func (r *reader) beforeMeasured(end int) bool {
	word := r.wordFrom(end + 1)
	return !r.lex.german && r.at(end) == ' ' && measured[word] && r.countsNext(end+1+len(word))
}

// measured are adjectives that follow a size, for example "8-inch thick".
var measured = wordSet("high tall wide deep long thick broad")

// addOf adds n of a unit.
func (r *reader) addOf(n int64, u unit) {
	switch {
	case n != 1:
		r.addWords(r.lex.cardinal(n) + " " + u.many)
	case r.lex.german:
		r.addWords(u.article + " " + u.one)
	default:
		r.addWords(r.lex.cardinal(n) + " " + u.one)
	}
}

// germanUnitOne returns "ein" before a unit, inflected as far as its case can be told.
func (r *reader) germanUnitOne(u unit) string {
	if u.article == "eine" {
		return r.oneFor(feminine, true)
	}
	g, known := genderOf(u.one)
	if g == feminine {
		return u.article
	}
	return r.oneFor(g, known)
}

// dativePlural returns the dative plural of a German unit, which inflects its first word.
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

// readTimes reads the x of "10 ft x 10 ft" and "x2".
func (r *reader) readTimes() bool {
	if c := r.at(r.i); c != 'x' && c != 'X' || unicode.IsLetter(r.at(r.i+1)) || !isDigit(r.after(r.i+1)) {
		return false
	}
	switch {
	case r.units && !r.lex.german:
		r.addWords("by")
	case r.units, isDigit(r.at(r.i + 1)):
		r.addWords(r.lex.times)
	default:
		return false
	}
	r.i++
	return true
}

// readCompound reads the rest of "9-mm-Geschoss" and "10-Fuß-Seil". n is the number.
func (r *reader) readCompound(n int64) bool {
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

package speech

import "strings"

// measure is a unit of physics or money that is written with just these capitals.
type measure struct {
	symbol string
	// prefixes of thousands it is seen with, "·" for none.
	prefixes              string
	one, many             string // in English
	germanOne, germanMany string
	germanOneArticle      string
}

// exactMeasures are told apart from words by their capitals.
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

// prefixNames are the prefixes of thousands in English and German.
var prefixNames = map[rune][2]string{
	'·': {}, 'h': {"hecto", "hekto"}, 'k': {"kilo", "kilo"}, 'K': {"kilo", "kilo"}, 'M': {"mega", "mega"}, 'G': {"giga", "giga"},
	'T': {"tera", "tera"}, 'P': {"peta", "peta"}, 'm': {"milli", "milli"}, 'µ': {"micro", "mikro"}, 'μ': {"micro", "mikro"}, 'n': {"nano", "nano"},
}

// withMeasures adds the measures to what a language writes in certain capitals itself.
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

// A lone capital is a unit only where nothing else is likely: not joined to the number,
// as in 5G and 4K, but for volts and watts, and not behind what has numbers with letters.
func (s source) isLoneCapital(word string, end int, spaced bool) bool {
	if len(word) != 1 || word[0] < 'A' || word[0] > 'Z' {
		return false
	}
	return !spaced && word != "V" && word != "W" && word != "M" || s.at(end) == '.' && !s.endsAt(end+1)
}

// perWords are what something happens in or is had by, behind a stroke.
var perWords = wordSet("day days night week month year hour minute second min sec hr round turn level person head rest short long session use encounter attack hit wave " +
	"tag nacht woche monat jahr stunde minute sekunde runde zug stufe person kopf rast kurze lange sitzung angriff treffer std sek kampf tick")

// isPer reports whether the stroke here is that of "3/day" or "1d6/round".
func (r *reader) isPer() bool {
	return perWords[strings.ToLower(r.wordFrom(r.i+1))] && r.at(r.i-1) != ' ' && !perWords[strings.ToLower(r.last)]
}

// readPer reads the stroke of "5 gp/day" and "9 m/s²" and the unit behind it.
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
	r.i, r.units = end-1, true // the caller goes over the stroke
}

package ruleslookup

import (
	"slices"
	"strconv"
	"strings"
)

// readFigure reads a number with its unit and comparison, as in "third level", "challenge one half or
// less", "unter 15 Gold" or "zwischen HG 2 und 4".
func (r *figureReader) readFigure() {
	n, length := readNumber(r.words[r.at:])
	if length == 0 {
		return
	}
	end := r.at + length
	upper, more := r.readUpper(n, end)
	end += more
	key, factor := figureKey(r.word(end))
	first := r.at
	if key != "" {
		end++
		if r.word(end) == "points" {
			end++
		}
	} else if key, factor, first = r.keyBefore(); key == "" {
		return
	}
	if key == "level" && r.word(first-1) == "rating" {
		return
	}
	op := r.comparedAfter(end)
	if op == "" {
		op = r.comparedBefore(first)
	}
	switch {
	case more > 0:
		r.add(key, ">=", decimal(n*factor))
		r.add(key, "<=", decimal(upper*factor))
	case op == "":
		r.add(key, "=", decimal(n*factor))
	default:
		r.add(key, op, decimal(n*factor))
	}
	r.at = end
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// readUpper reads the upper bound of a range that begins with n. It also returns how many words it read.
func (r *figureReader) readUpper(n float64, at int) (upper float64, length int) {
	from := at
	switch r.word(at) {
	case "to", "bis", "through":
		at++
	case "and", "und":
		if !r.wordBefore("between", "zwischen") {
			return 0, 0
		}
		at++
		if key, _ := figureKey(r.word(at)); key != "" {
			at++
		}
	}
	if at >= len(r.words) {
		return 0, 0
	}
	upper, length = readNumber(r.words[at:])
	if length == 0 || upper <= n {
		return 0, 0
	}
	return upper, at + length - from
}

func (r *figureReader) wordBefore(words ...string) bool {
	for i := r.at - 4; i < r.at; i++ {
		if slices.Contains(words, r.word(i)) {
			return true
		}
	}
	return false
}

// keyBefore returns the unit that the preceding words give the number, and where those words begin.
func (r *figureReader) keyBefore() (key string, factor float64, first int) {
	for i := r.at - 1; i >= r.at-4; i-- {
		if key, factor := figureKey(r.word(i)); key != "" {
			if before, _ := figureKey(r.word(i - 1)); before == key {
				i--
			}
			return key, factor, i
		}
		if before := r.word(i - 1); r.word(i) == "class" && (before == "armor" || before == "armour") {
			return "armor_class", 1, i - 1
		}
		if w := r.word(i); !filler(w) && comparison(w) == "" {
			break
		}
	}
	return "", 0, r.at
}

// filler reports whether a word may occur between a comparison, the thing compared and the number.
func filler(w string) bool {
	switch w {
	case "of", "than", "als", "a", "an", "the", "von", "zu", "to", "at", "is", "ist", "rating", "exactly", "genau", "only", "nur", "no", "not", "nicht", "with",
		"mit", "einem", "einer", "dem", "der", "den", "hat", "has", "es", "from", "between", "zwischen", "about", "etwa", "und", "and", "or", "oder":
		return true
	}
	return false
}

// comparedBefore returns the comparison expressed by the words before a figure.
func (r *figureReader) comparedBefore(first int) string {
	for i := r.at - 1; i >= min(first, r.at)-3; i-- {
		w := r.word(i)
		op := comparison(w)
		if op == "" {
			if key, _ := figureKey(w); key == "" && !filler(w) {
				return ""
			}
			continue
		}
		if not := r.word(i - 1); not == "no" || not == "not" || not == "nicht" {
			switch op {
			case ">":
				op = "<="
			case "<":
				op = ">="
			}
		}
		return op
	}
	return ""
}

// comparedAfter returns the comparison expressed by the words after a figure: "or less", "and up", "oder
// höher", "aufwärts". These comparisons include the figure itself.
func (r *figureReader) comparedAfter(end int) string {
	joined := false
	for i := end; i < end+2; i++ {
		w := r.word(i)
		switch w {
		case "or", "oder", "and", "und":
			joined = true
			continue
		case "up", "upwards", "upward", "plus", "aufwarts":
			return ">="
		case "abwarts", "downwards", "downward", "down", "tops":
			return "<="
		}
		switch op := comparison(w); {
		case op == "<=" || op == ">=":
			return op
		case op == "":
			return ""
		case joined:
			return op + "="
		case w == "under" || w == "over" || w == "unter" || w == "uber": // begins the next comparison
			return ""
		default:
			return op
		}
	}
	return ""
}

// figureKey returns the figure that a word counts, and its unit as a factor. Prices are in gold.
func figureKey(w string) (key string, factor float64) {
	switch w {
	case "level", "levels", "grad", "grades", "grads", "grade", "leveled", "lvl", "zaubergrad":
		return "level", 1
	case "stufe", "stufen":
		return "stage", 1
	case "challenge", "cr", "hg", "herausforderungsgrad", "rating", "herausforderung", "crs":
		return "challenge", 1
	case "gp", "gold", "gm", "goldstucke", "goldstucken", "goldstuck", "goldmunzen", "goldpieces", "gulden":
		return "cost", 1
	case "sp", "silver", "silvers", "silber", "sm", "silberstucke", "silberstucken", "silbermunzen", "silberlinge":
		return "cost", 0.1
	case "coppers", "kupfer", "kupferstucke", "kupferstucken", "kupfermunzen", "copper":
		return "cost", 0.01
	case "hp", "tp", "hit", "hitpoints", "trefferpunkte", "trefferpunkten", "lebenspunkte", "lebenspunkten":
		return "hit_points", 1
	case "ac", "rk", "rustungsklasse":
		return "armor_class", 1
	case "pound", "pounds", "lb", "lbs", "pfund":
		return "weight", 1
	case "feet", "foot", "ft", "fuss":
		return "feet", 1
	}
	return "", 0
}

// comparison returns the comparison that a word expresses.
func comparison(w string) string {
	switch w {
	case "below", "under", "less", "lower", "fewer", "cheaper", "beneath", "smaller", "lighter", "weaker", "unter", "weniger", "kleiner", "billiger", "gunstiger",
		"niedriger", "leichter", "unterhalb", "darunter", "drunter", "tiefer", "schwacher":
		return "<"
	case "most", "max", "maximum", "up", "within", "hochstens", "maximal", "bis":
		return "<="
	case "over", "above", "higher", "more", "greater", "bigger", "exceeding", "beyond", "better", "stronger", "pricier", "heavier", "uber", "mehr", "hoher", "grosser",
		"teurer", "schwerer", "oberhalb", "daruber", "druber", "starker":
		return ">"
	case "least", "minimum", "min", "mindestens", "ab", "wenigstens":
		return ">="
	}
	return ""
}

// readNumber reads a number at the beginning of ws and returns how many words it read.
func readNumber(ws []word) (n float64, length int) {
	w := ws[0].raw
	next := ""
	if len(ws) > 1 {
		next = ws[1].raw
	}
	switch w {
	case "one", "a", "ein", "eine", "einem", "einen":
		switch next {
		case "half", "halb", "halbes", "halben":
			return 0.5, 2
		case "quarter", "fourth", "viertel":
			return 0.25, 2
		case "eighth", "achtel":
			return 0.125, 2
		case "hundred":
			return 100, 2
		case "thousand":
			return 1000, 2
		}
		if key, _ := figureKey(next); key == "cost" {
			return 1, 1
		}
		if w != "one" && w != "einen" {
			return 0, 0
		}
	}
	if n, length, ok := readDigits(w, next); ok {
		return n, length
	}
	if n, ok := germanNumber(w); ok {
		return n, 1
	}
	return readEnglishNumber(ws)
}

// readDigits reads numbers such as "3", "3rd", "5k", "1/4" (two words) and "5,000".
func readDigits(w, next string) (n float64, length int, ok bool) {
	if v, err := strconv.Atoi(w); err == nil {
		switch {
		case v == 1 && (next == "2" || next == "4" || next == "8"):
			d, _ := strconv.Atoi(next)
			return 1 / float64(d), 2, true
		case len(next) == 3 && v > 0 && v < 1000 && strings.Trim(next, "0123456789") == "":
			more, _ := strconv.Atoi(next)
			return float64(1000*v + more), 2, true
		}
		return float64(v), 1, true
	}
	for _, end := range [...]string{"st", "nd", "rd", "th", "ter", "te", "ten", "er", "k"} {
		cut, is := strings.CutSuffix(w, end)
		if !is {
			continue
		}
		if v, err := strconv.Atoi(cut); err == nil {
			if end == "k" {
				v *= 1000
			}
			return float64(v), 1, true
		}
	}
	return 0, 0, false
}

// readEnglishNumber reads numbers such as "twenty-five", "two hundred and fifty" and "five thousand".
func readEnglishNumber(ws []word) (n float64, length int) {
	part := 0.0
	for i, w := range ws[:min(len(ws), 6)] {
		v, known := numberWords()[w.raw]
		switch {
		case known && (part == 0 || part >= 20 && part < 100 && v < 10 || part >= 100 && v < 100):
			part += v
		case w.raw == "hundred" && part > 0 && part < 100:
			part *= 100
		case w.raw == "thousand" && part > 0:
			n, part = n+1000*part, 0
		default:
			return n + part, length
		}
		length = i + 1
	}
	return n + part, length
}

// germanNumber reads a German number written as one word, such as "fünfundzwanzig" or "zweihundert".
func germanNumber(w string) (float64, bool) {
	if v, ok := numberWords()[w]; ok {
		// An English number may continue, as in "twenty five".
		return v, v != float64(int(v)) || v < 20 && v > 12 || strings.HasSuffix(w, "zig") || strings.HasSuffix(w, "ssig")
	}
	for _, unit := range [...]struct {
		word  string
		times float64
	}{{"tausend", 1000}, {"hundert", 100}} {
		head, tail, cut := strings.Cut(w, unit.word)
		if !cut {
			continue
		}
		h, hok := germanPart(head, 1)
		t, tok := germanPart(strings.TrimPrefix(tail, "und"), 0)
		return h*unit.times + t, hok && tok
	}
	ones, tens, cut := strings.Cut(w, "und")
	if !cut {
		return 0, false
	}
	if ones == "ein" {
		ones = "eins"
	}
	a, aok := numberWords()[ones]
	b, bok := numberWords()[tens]
	return a + b, aok && bok && a < 10 && b >= 20
}

func germanPart(w string, otherwise float64) (float64, bool) {
	switch w {
	case "":
		return otherwise, true
	case "ein":
		return 1, true
	}
	if v, ok := numberWords()[w]; ok {
		return v, true
	}
	return germanNumber(w)
}

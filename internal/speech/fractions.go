package speech

import "strings"

// readFraction reads 1/2, 3/4 and 2 1/2, but not 12/15 hit points.
func (r *reader) readFraction() bool {
	if r.last == "points" || r.last == "point" || strings.HasSuffix(r.last, "punkte") {
		return false
	}
	end := r.digitsEnd(r.i)
	if strings.ContainsRune(" -", r.at(end)) && isDigit(r.at(end+1)) && end-r.i <= 4 {
		n, d, last, ok := r.fractionAt(end + 1)
		whole, okWhole := r.valueOf(string(r.text[r.i:end]))
		if !ok || !okWhole || whole == 0 || r.at(r.i-1) == '/' {
			return false
		}
		r.i = last
		r.addWords(r.mixedWords(whole, n, d))
		r.addFractionUnit(true)
		return true
	}
	n, d, last, ok := r.fractionAt(r.i)
	if !ok || r.at(r.i-1) == '/' {
		return false
	}
	r.i = last
	r.addFraction(n, d)
	return true
}

// fractionAt parses a fraction below one at i.
func (r *reader) fractionAt(i int) (n, d int64, last int, ok bool) {
	end := r.digitsEnd(i)
	if r.at(end) != '/' || end-i > 2 {
		return 0, 0, 0, false
	}
	last = r.digitsEnd(end + 1)
	if last == end+1 || last-end > 4 || r.at(last) == '/' || isWord(r.at(last)) || r.at(last) == '.' && isDigit(r.at(last+1)) {
		return 0, 0, 0, false
	}
	n, okN := r.valueOf(string(r.text[i:end]))
	d, okD := r.valueOf(string(r.text[end+1 : last]))
	small := d <= 12 || n == 1 && (d == 16 || d == 20 || d == 32 || d == 50 || d == 100)
	return n, d, last, okN && okD && n >= 1 && n < d && small && !r.isScore(last)
}

// addFraction adds n over d in the form that the next word requires.
func (r *reader) addFraction(n, d int64) {
	if r.lex.german {
		if r.readQuarterHour(n, d) {
			return
		}
		if noun := r.nounAt(r.i + 1); n == 1 && d == 2 && r.at(r.i) == ' ' && noun != "" {
			r.addWords(r.germanHalf(noun))
		} else {
			words := r.lex.fractionWords(n, d)
			if n == 1 && d > 2 && (r.last == "ein" || r.last == "einem" || r.last == "das") {
				words = strings.TrimPrefix(words, "ein ")
			}
			r.addWords(words)
			r.addFractionUnit(false)
		}
		return
	}
	next := r.wordFrom(r.i + 1)
	lower := strings.ToLower(next)
	u, end, unit := r.unitAt(r.i)
	described := determiners[strings.ToLower(r.last)]
	switch {
	case unit:
		r.i = end
		words := r.lex.fractionWords(n, d)
		switch {
		case n == 1 && d == 2 && described:
			words = "half " + u.one
		case n == 1 && d == 2:
			words = "half " + anEN(u.one)
		case described:
			words += " " + u.one
		default:
			words += " of " + anEN(u.one)
		}
		r.addWords(words)
		r.units = true
	case n == 1 && d == 2 && (determiners[lower] || lower == "of" || described):
		r.addWords("half")
	case n == 1 && d == 2 && r.at(r.i) == ' ' && measures[lower]:
		r.addWords("half a" + map[bool]string{true: "n"}[lower == "hour" || lower == "inch" || lower == "ounce" || lower == "acre"])
	case n > 1 && !described && r.at(r.i) == ' ' && measures[lower]:
		r.addWords(r.lex.fractionWords(n, d) + " of a" + map[bool]string{true: "n"}[lower == "hour" || lower == "inch" || lower == "ounce" || lower == "acre"])
	default:
		r.addWords(r.lex.fractionWords(n, d))
	}
}

// readQuarterHour reads ¼ and ¾ before a German hour, and ½ before an abbreviated one.
func (r *reader) readQuarterHour(n, d int64) bool {
	word := r.wordFrom(r.skipSpace(r.i))
	article := r.oneFor(feminine, true)
	name := ""
	switch {
	case word != "Std" && word != "Stunde":
	case n == 1 && d == 4:
		name = "Viertelstunde"
	case n == 3 && d == 4:
		name = "Dreiviertelstunde"
	case n == 1 && d == 2 && word == "Std":
		name = map[bool]string{true: "halben", false: "halbe"}[article == "einer"] + " Stunde"
	}
	if name == "" {
		return false
	}
	r.i = r.skipSpace(r.i) + len(word)
	if r.at(r.i) == '.' && !r.endsAt(r.i+1) {
		r.i++
	}
	if r.last != "eine" && r.last != "einer" && r.last != "die" {
		name = article + " " + name
	}
	r.addWords(name)
	return true
}

// anEN returns a unit with its indefinite article.
func anEN(unit string) string {
	if strings.HasPrefix(unit, "ounce") || strings.HasPrefix(unit, "inch") || strings.HasPrefix(unit, "hour") {
		return "an " + unit
	}
	return "a " + unit
}

// addFractionUnit reads the unit after a fraction.
func (r *reader) addFractionUnit(many bool) {
	u, end, ok := r.unitAt(r.i)
	if !ok {
		return
	}
	r.i = end
	name := u.one
	if many {
		name = u.many
	}
	r.addWords(name)
	r.units = true
}

// measures are nouns that a fraction measures, for example "half a mile".
var measures = wordSet("mile pint cup pound ounce inch foot yard hour day week month year century mug barrel gallon league loaf bottle ton stone dozen acre keg minute second metre meter kilometre litre liter turn bushel crown teaspoon tablespoon")

// mixedWords reads "two and a half", "zweieinhalb".
func (r *reader) mixedWords(whole, n, d int64) string {
	part := r.lex.fractionWords(n, d)
	switch {
	case !r.lex.german && n == 1:
		return r.lex.cardinal(whole) + " and a" + map[bool]string{true: "n"}[d == 8 || d == 11] + " " + strings.TrimPrefix(part, "one ")
	case !r.lex.german:
		return r.lex.cardinal(whole) + " and " + part
	case n == 1:
		return stemDE(whole) + strings.ToLower(strings.ReplaceAll(part, " ", ""))
	}
	return r.lex.cardinal(whole) + " " + strings.ToLower(part)
}

// germanHalf reads ½ before a noun: "eine halbe", "einem halben".
func (r *reader) germanHalf(noun string) string {
	g, _ := genderOf(noun)
	if noun == "Stunde" || noun == "Minute" || noun == "Sekunde" {
		g = feminine
	}
	word := strings.ToLower(r.last)
	if _, ending, owned := possessive(word); owned && ending == "" {
		return "halb" + strongEnding(g, nominative)
	} else if owned || word == "der" || word == "die" || word == "das" || word == "den" || word == "dem" {
		return "halbe" + map[bool]string{true: "n"}[word == "den" || word == "dem" || strings.HasSuffix(word, "n") && word != "ein" || strings.HasSuffix(word, "m")]
	}
	k, ok := caseAfter(word)
	if !ok {
		k = accusative
		if r.last == "" && r.mark != ',' || word == "ist" || word == "war" || word == "bleibt" || word == "nur" {
			k = nominative
		}
	}
	article := [3][4]string{{"ein", "eines", "einem", "einen"}, {"eine", "einer", "einer", "eine"}, {"ein", "eines", "einem", "ein"}}[g][k]
	ending := strongEnding(g, k)
	if k == dative || k == genitive {
		ending = "en"
	}
	return article + " halb" + ending
}

// readFractionSign reads a fraction that is a single character.
func (r *reader) readFractionSign(c rune) {
	n, d, _ := signFraction(c)
	r.i++
	r.addFraction(n, d)
}

// fractionSigns are the fractions that are a single character.
var fractionSigns = map[rune][2]int64{
	'½': {1, 2}, '⅓': {1, 3}, '⅔': {2, 3}, '¼': {1, 4}, '¾': {3, 4}, '⅕': {1, 5}, '⅖': {2, 5}, '⅗': {3, 5}, '⅘': {4, 5}, '⅙': {1, 6}, '⅚': {5, 6}, '⅐': {1, 7},
	'⅛': {1, 8}, '⅜': {3, 8}, '⅝': {5, 8}, '⅞': {7, 8}, '⅑': {1, 9}, '⅒': {1, 10},
}

// signFraction returns the fraction that a character stands for.
func signFraction(c rune) (n, d int64, ok bool) {
	p, ok := fractionSigns[c]
	return p[0], p[1], ok
}

// readMixedSign reads 2½ and 2 ½.
func (r *reader) readMixedSign() bool {
	end := r.digitsEnd(r.i)
	i := end
	if r.at(i) == ' ' {
		i++
	}
	n, d, ok := signFraction(r.at(i))
	whole, okWhole := r.valueOf(string(r.text[r.i:end]))
	if !ok || !okWhole || whole == 0 || end-r.i > 4 {
		return false
	}
	r.i = i + 1
	r.addWords(r.mixedWords(whole, n, d))
	r.addFractionUnit(true)
	return true
}

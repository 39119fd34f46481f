package speech

import (
	"strconv"
	"strings"
	"unicode"
)

// readNumber reads what begins with a digit.
func (r *reader) readNumber() {
	if r.readMilitary() || r.readDuration() || r.readShortYears() || r.readAngle() || r.readISODate() || r.readPhone() || r.readClock() || r.readSlashDate() || r.readDottedDate() || r.readMonthDay() || r.readFraction() || r.readMixedSign() {
		return
	}
	whole, rest, end := r.numeralAt(r.i, r.lex.german)
	start := r.i
	r.i = end
	if rest == "" && (r.readOrdinal(whole) || r.readDecade(whole) || r.readYear(whole, start)) {
		return
	}
	if c := r.at(r.i); c == 'k' && rest == "" && !isWord(r.at(r.i+1)) && len(whole) < 7 {
		whole += "000"
		r.i++
	}
	r.readCount(whole, rest, start)
}

// valueOf returns a number of few digits; ok is false if it has to be read digit
// by digit.
func (r *writer) valueOf(digits string) (n int64, ok bool) {
	if len(digits) > 12 || len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil && n <= maxCardinal && (r.effort != byDigit || n < 10)
}

// readCount reads a number and what it counts.
func (r *reader) readCount(whole, rest string, start int) {
	n, ok := r.valueOf(whole)
	u, end, counted := r.unitAt(r.i, r.lex)
	described := !r.lex.german && (r.at(r.i) == '-' || determiners[strings.ToLower(r.last)] || r.described && (r.last == "by" || r.last == "to"))
	r.described = described
	point := r.lex.point
	if last := strings.ToLower(r.last); r.lex.german && (versions[last] || !counted && unicode.IsUpper(firstOf(r.last)) && !r.lex.grammar[last] && r.at(start+len(whole)) == '.') {
		point = r.lex.dot
	}
	if _, coin := r.lex.money[r.at(end-1)]; counted && coin {
		r.i = end
		r.addPrice(whole, rest, u, r.at(end-1))
		return
	}
	one := ok && n == 1 && rest == ""
	if r.lex.german && !one && strictDatives[strings.ToLower(r.last)] {
		u.many = dativePlural(u.many)
	}
	switch {
	case !ok:
		r.addWords(r.lex.spellDigits(whole))
	case one && r.lex.german && counted:
		r.addWords(r.germanUnitOne(u))
	case one && r.lex.german && r.beginsRange():
		r.addWords("ein")
	case one && r.lex.german && r.beforeNoun():
		r.addWords(r.germanOne())
	default:
		r.addWords(r.lex.cardinal(n))
	}
	for _, part := range strings.Split(rest, ".")[1:] {
		r.addWords(point + " " + r.lex.spellDigits(part))
	}
	switch {
	case counted && described && r.isSize(end):
	case counted && (one || r.beforeMeasured(end) || described && (r.at(r.i) == '-' || r.countsNext(end))):
		r.addWords(u.one)
	case counted:
		r.addWords(u.many)
	default:
		r.readSuffix(start)
		return
	}
	r.i, r.units = end, true
}

// isSize reports whether an English unit that ends at end is the first of two, as in
// "a 10' x 20' room", and left to the second.
func (r *reader) isSize(end int) bool {
	i := end
	if r.at(i) == ' ' {
		i++
	}
	return (r.at(i) == 'x' || r.at(i) == '×') && isDigit(r.after(i+1))
}

// beforeMeasured reports whether an adjective and a noun follow the English unit that
// ends at end: "8-inch thick doors".
func (r *reader) beforeMeasured(end int) bool {
	word := r.wordFrom(end + 1)
	return !r.lex.german && r.at(end) == ' ' && measured[word] && r.countsNext(end+1+len(word))
}

// measured are what sizes tell.
var measured = wordSet("high tall wide deep long thick broad")

// versions are German words whose numbers have points instead of commas.
var versions = wordSet("patch update firmware software version edition regelwerk ausgabe v")

// beforeNoun reports whether a die or a word follows, which a German "eins"
// becomes "ein" before.
func (r *reader) beforeNoun() bool {
	c, next := r.at(r.i), r.at(r.i+1)
	if c == ' ' {
		return unicode.IsUpper(next) && unicode.IsLower(r.at(r.i+2))
	}
	return strings.ContainsRune("dDwW", c) && isDigit(next)
}

// germanOne returns "ein" in front of a noun, in its case as far as it shows.
func (r *reader) germanOne() string {
	if noun := r.nounAt(r.i + 1); r.at(r.i) == ' ' && noun != "Uhr" {
		g, known := genderOf(noun)
		return r.oneFor(g, known)
	}
	return "ein"
}

// readSuffix reads the signs right behind the number that began at start: %, x and a
// range.
func (r *reader) readSuffix(start int) {
	c, next := r.at(r.i), r.at(r.i+1)
	switch {
	case c == '%', c == ' ' && next == '%':
		r.addWords(r.lex.percent)
		r.i += 1 + map[bool]int{true: 1}[c == ' ']
	case c == '‰', c == ' ' && next == '‰':
		r.addWords(r.lex.permille)
		r.i += 1 + map[bool]int{true: 1}[c == ' ']
	case c == '²', c == '³':
		r.addWords(r.lex.powers[c])
		r.i++
	case r.isDivision():
		r.addWords(r.lex.by)
		r.i += strings.IndexRune(string(r.source[r.i:r.i+2]), ':') + 1
	case (c == 'x' || c == 'X' || c == '×') && !unicode.IsLetter(next):
		r.addWords(r.byOrTimes(r.i))
		r.i++
	case c == ' ' && (next == 'x' || next == 'X' || next == '×') && isDigit(r.after(r.i+2)) && !unicode.IsLetter(r.at(r.i+2)):
		r.addWords(r.byOrTimes(r.i + 1))
		r.i += 2
	case c == '-' && isDigit(next) && (r.isDie(start-1) || r.after(r.digitsEnd(r.i+1)) == '='):
		r.addWords(r.lex.minus)
		r.i++
	case (c == '-' || c == '–') && isDigit(next):
		r.addWords(r.lex.to)
		r.i++
	case c == ' ' && (next == '-' || next == '–') && r.rises(start):
		r.addWords(r.lex.to)
		r.i += 2
	case c == ':' && isDigit(next):
		r.addWords(r.lex.ratio)
		r.i++
	case c == '/' && isDigit(next):
		r.addWords(r.strokeBetween(start))
		r.i++
	}
}

// strokeBetween returns the word for the stroke between two numbers, of which the first
// began at start: what is left of something, or none.
func (r *reader) strokeBetween(start int) string {
	end := r.digitsEnd(r.i + 1)
	text := string(r.source[start:min(len(r.source), end)])
	switch {
	case fixedPairs[text]:
		return ""
	case r.isDie(end), r.isDie(start - 1), strings.Count(string(r.source[start:min(len(r.source), end+1)]), "/") > 1, r.at(start-1) == '/',
		r.lex.spans[strings.ToLower(r.wordBefore(start))], isStreet(r.wordBefore(start)):
		return r.lex.slash
	case r.digitsEnd(start) == r.i && r.i-start < 8 && end-r.i < 9 && r.smallNumber(start, r.i) > r.smallNumber(r.i+1, end):
		return r.lex.slash
	}
	return r.lex.of
}

// fixedPairs are said without a word between their numbers.
var fixedPairs = wordSet("24/7 50/50 20/20 60/40 9/11 70/30 80/20 4/4")

// rises reports whether the number that began at start is the lower end of a range
// written with spaces, and not what something is taken from.
func (r *reader) rises(start int) bool {
	if r.at(r.i+2) != ' ' || start < 0 || r.i-start > 4 || r.i <= start || r.isDie(start-1) {
		return false
	}
	end := r.digitsEnd(r.i + 3)
	if end == r.i+3 || end-r.i-3 > 4 || r.after(end) == '=' {
		return false
	}
	return r.digitsEnd(start) == r.i && r.smallNumber(start, r.i) < r.smallNumber(r.i+3, end)
}

// byOrTimes returns the word for the x at i behind a number: what measures a place in
// two directions is "by" in English.
func (r *reader) byOrTimes(i int) string {
	if d := strings.TrimRight(string(r.source[max(0, i-4):i]), " 0123456789"); d != "" && strings.ContainsRune("dDwW", rune(d[len(d)-1])) {
		return r.lex.times // 3d4x10
	}
	for range maxGroups {
		i++
		if r.at(i) == ' ' {
			i++
		}
		end := r.digitsEnd(i)
		if r.lex.german || end == i {
			break
		}
		if _, _, ok := r.unitAt(end, r.lex); ok || r.countsNext(end) {
			return "by"
		}
		i = end
		if r.at(i) == ' ' {
			i++
		}
		if c := r.at(i); c != 'x' && c != 'X' && c != '×' {
			break
		}
	}
	return r.lex.times
}

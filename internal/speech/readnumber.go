package speech

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// readNumber reads what begins with a digit.
func (r *reader) readNumber() {
	if r.readClock() || r.readISODate() || r.readSlashDate() || r.readDottedDate() || r.readFraction() {
		return
	}
	whole, rest, end := r.numeralAt(r.i, r.lex.german)
	start := r.i
	r.i = end
	if rest == "" && (r.readOrdinal(whole) || r.readDecade(whole) || r.readYear(whole)) {
		return
	}
	r.readCount(whole, rest, start)
}

// valueOf returns a number of few digits; ok is false if it has to be read digit
// by digit.
func (r *reader) valueOf(digits string) (n int64, ok bool) {
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
	if _, coin := r.lex.money[r.at(end-1)]; counted && coin {
		r.i = end
		r.addPrice(whole, rest, u)
		return
	}
	one := ok && n == 1 && rest == ""
	switch {
	case !ok:
		r.addWords(r.lex.spellDigits(whole))
	case one && r.lex.german && counted:
		r.addWords(u.article)
	case one && r.lex.german && r.beforeNoun():
		r.addWords(r.germanOne())
	default:
		r.addWords(r.lex.cardinal(n))
	}
	for _, part := range strings.Split(rest, ".")[1:] {
		r.addWords(r.lex.point + " " + r.lex.spellDigits(part))
	}
	switch {
	case counted && one:
		r.addWords(u.one)
	case counted:
		r.addWords(u.many)
	default:
		r.readSuffix(start)
		return
	}
	r.i, r.units = end, true
}

// beforeNoun reports whether a die or a word follows, which a German "eins"
// becomes "ein" before.
func (r *reader) beforeNoun() bool {
	c, next := r.at(r.i), r.at(r.i+1)
	if c == ' ' {
		return unicode.IsUpper(next) && unicode.IsLower(r.at(r.i+2))
	}
	return strings.ContainsRune("dDwW", c) && isDigit(next)
}

// germanOne returns "ein" or, before most feminine nouns, "eine".
func (r *reader) germanOne() string {
	i := r.i + 1
	for i-r.i < 40 && unicode.IsLetter(r.at(i)) {
		i++
	}
	noun := string(r.source[min(r.i+1, len(r.source)):min(i, len(r.source))])
	for _, ending := range []string{"e", "ung", "heit", "keit", "schaft", "ion", "tät"} {
		if r.at(r.i) == ' ' && strings.HasSuffix(noun, ending) && noun != "Riese" && noun != "Name" {
			return "eine"
		}
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
	case (c == 'x' || c == 'X' || c == '×') && !unicode.IsLetter(next):
		r.addWords(r.lex.times)
		r.i++
	case c == '-' && isDigit(next) && r.isDie(start-1):
		r.addWords(r.lex.minus)
		r.i++
	case (c == '-' || c == '–') && isDigit(next):
		r.addWords(r.lex.to)
		r.i++
	case c == ':' && isDigit(next):
		r.addWords(r.lex.to)
		r.i++
	case c == '/' && isDigit(next):
		r.addWords(r.lex.of)
		r.i++
	}
}

// readAmount reads a number behind the sign of a currency.
func (r *reader) readAmount(sign rune) {
	whole, rest, end := r.numeralAt(r.i, r.lex.german)
	r.i = end
	r.addPrice(whole, rest, r.lex.money[sign])
}

// addPrice reads a sum of money: "three euros fifty".
func (r *reader) addPrice(whole, rest string, u unit) {
	n, ok := r.valueOf(whole)
	name := u.many
	switch {
	case !ok:
		r.addWords(r.lex.spellDigits(whole))
	case n == 1 && r.lex.german:
		r.addWords(u.article)
	default:
		r.addWords(r.lex.cardinal(n))
	}
	if n == 1 {
		name = u.one
	}
	cents, ok := r.valueOf(strings.TrimPrefix(strings.TrimPrefix(rest, "."), "0"))
	if ok && len(rest) == len(".00") {
		r.addWords(name)
		r.addWords(r.lex.cardinal(cents))
		return
	}
	for _, part := range strings.Split(rest, ".")[1:] {
		r.addWords(r.lex.point + " " + r.lex.spellDigits(part))
		name = u.many
	}
	r.addWords(name)
}

// readFraction reads 1/2 and 3/4, but not 12/15 hit points.
func (r *reader) readFraction() bool {
	end := r.digitsEnd(r.i)
	if r.at(end) != '/' || end-r.i > 2 {
		return false
	}
	last := r.digitsEnd(end + 1)
	if last == end+1 || last-end > 3 || r.at(last) == '/' || isWord(r.at(last)) || r.at(last) == '.' && isDigit(r.at(last+1)) {
		return false
	}
	n, okN := r.valueOf(string(r.source[r.i:end]))
	d, okD := r.valueOf(string(r.source[end+1 : last]))
	if !okN || !okD || n < 1 || n >= d || d > 12 || r.isScore(last) {
		return false
	}
	r.i = last
	r.addWords(r.lex.fractionWords(n, d))
	return true
}

// readOrdinal reads "3rd", and "3." where German grammar asks for it.
func (r *reader) readOrdinal(whole string) bool {
	n, ok := r.valueOf(whole)
	if !ok {
		return false
	}
	if !r.lex.german {
		suffix := strings.ToLower(string([]rune{r.at(r.i), r.at(r.i + 1)}))
		if slices.Contains([]string{"st", "nd", "rd", "th"}, suffix) && !isWord(r.at(r.i+2)) {
			r.i += 2
			r.addWords(ordinalEN(n))
			return true
		}
		return n >= 1 && n <= 31 && isMonth(r.last) && r.readDay(n)
	}
	if r.at(r.i) != '.' || r.at(r.i+1) != ' ' || !unicode.IsLetter(r.at(r.i+2)) {
		return false
	}
	ending := germanEnding(strings.ToLower(r.last))
	if ending == "" && slices.ContainsFunc(months, func(m string) bool { return r.wordAt(r.i+2, m) }) {
		ending = "er"
	}
	joined := r.last == "und" || r.last == "oder" || r.last == "bis"
	switch {
	case ending == "" && joined && r.ending != "":
		ending = r.ending
	case ending == "" && unicode.IsLower(r.at(r.i+2)): // no sentence begins here
		ending = "e"
	}
	if ending == "" || n == 0 {
		return false
	}
	r.i++
	r.ending = ending
	r.addWords(ordinalDE(n) + ending)
	return true
}

// germanEnding returns the ending of an ordinal behind an article, "" if word
// is none.
func germanEnding(word string) string {
	switch word {
	case "der", "die", "das", "jeder", "jede", "jedes":
		return "e"
	}
	if slices.Contains(ordinalContext, word) {
		return "en"
	}
	return ""
}

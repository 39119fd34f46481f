package speech

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// number reads what begins with a digit.
func (r *reader) number() {
	if r.clock() || r.isoDate() || r.slashDate() || r.dottedDate() || r.fraction() {
		return
	}
	whole, rest, end := r.numeral(r.i)
	start := r.i
	r.i = end
	if rest == "" && (r.ordinal(whole) || r.decade(whole) || r.year(whole)) {
		return
	}
	r.count(whole, rest, start)
}

// numeral returns the digits before and behind the decimal sign of the number
// at i, and where it ends. Points after the first stay in rest.
func (r *reader) numeral(i int) (whole, rest string, end int) {
	group, decimal := ',', '.'
	if r.lex.german {
		group, decimal = '.', ','
	}
	end = r.digits(i)
	digits := r.text[i:end:end]
	if end-i <= 3 && r.at(i) != '0' {
		for r.at(end) == group && r.digits(end+1) == end+4 {
			digits = append(digits, r.text[end+1:end+4]...)
			end += 4
		}
	}
	whole = string(digits)
	var parts strings.Builder
	for (r.at(end) == decimal || r.at(end) == '.') && isDigit(r.at(end+1)) {
		next := r.digits(end + 1)
		parts.WriteString("." + string(r.text[end+1:next]))
		end = next
	}
	return whole, parts.String(), end
}

// digits returns the end of the run of digits at i.
func (r *reader) digits(i int) int {
	for isDigit(r.at(i)) {
		i++
	}
	return i
}

// value returns a number of few digits; ok is false if it has to be read digit
// by digit.
func (r *reader) value(digits string) (n int64, ok bool) {
	if len(digits) > 12 || len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil && n <= maxCardinal && (r.effort != byDigit || n < 10)
}

// spell reads digits one by one.
func (r *reader) spell(digits string) string {
	words := make([]string, 0, len(digits))
	for _, d := range digits {
		words = append(words, r.lex.cardinal(int64(d-'0')))
	}
	return strings.Join(words, " ")
}

// count reads a number and what it counts.
func (r *reader) count(whole, rest string, start int) {
	n, ok := r.value(whole)
	u, end, counted := r.unitAt(r.i)
	if _, coin := r.lex.money[r.at(end-1)]; counted && coin {
		r.i = end
		r.price(whole, rest, u)
		return
	}
	one := ok && n == 1 && rest == ""
	switch {
	case !ok:
		r.say(r.spell(whole))
	case one && r.lex.german && counted:
		r.say(u.article)
	case one && r.lex.german && r.beforeNoun():
		r.say(r.germanOne())
	default:
		r.say(r.lex.cardinal(n))
	}
	for _, part := range strings.Split(rest, ".")[1:] {
		r.say(r.lex.point + " " + r.spell(part))
	}
	switch {
	case counted && one:
		r.say(u.one)
	case counted:
		r.say(u.many)
	default:
		r.tail(start)
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
	noun := string(r.text[min(r.i+1, len(r.text)):min(i, len(r.text))])
	for _, ending := range []string{"e", "ung", "heit", "keit", "schaft", "ion", "tät"} {
		if r.at(r.i) == ' ' && strings.HasSuffix(noun, ending) && noun != "Riese" && noun != "Name" {
			return "eine"
		}
	}
	return "ein"
}

// isDie reports whether the letter of a die stands at i.
func (r *reader) isDie(i int) bool {
	return strings.ContainsRune("dDwW", r.at(i)) && !unicode.IsLetter(r.at(i-1))
}

// tail reads the signs right behind the number that began at start: %, x and a
// range.
func (r *reader) tail(start int) {
	c, next := r.at(r.i), r.at(r.i+1)
	switch {
	case c == '%', c == ' ' && next == '%':
		r.say(r.lex.percent)
		r.i += 1 + map[bool]int{true: 1}[c == ' ']
	case (c == 'x' || c == 'X' || c == '×') && !unicode.IsLetter(next):
		r.say(r.lex.times)
		r.i++
	case c == '-' && isDigit(next) && r.isDie(start-1):
		r.say(r.lex.minus)
		r.i++
	case (c == '-' || c == '–') && isDigit(next):
		r.say(r.lex.to)
		r.i++
	case c == ':' && isDigit(next):
		r.say(r.lex.to)
		r.i++
	case c == '/' && isDigit(next):
		r.say(r.lex.of)
		r.i++
	}
}

// maxUnit is the length of the longest unit, in runes.
const maxUnit = 6

// unitAt returns the unit at i, perhaps behind a space, and where it ends with
// the dot that belongs to it.
func (r *reader) unitAt(i int) (u unit, end int, ok bool) {
	spaced := r.at(i) == ' '
	if spaced {
		i++
	}
	if u, ok := r.lex.money[r.at(i)]; ok && (r.at(i-1) != ' ' || !isDigit(r.at(i+1))) {
		return u, i + 1, true
	}
	end = i
	for end-i < maxUnit && (unicode.IsLetter(r.at(end)) || r.at(end) == '°' || r.at(end) == '/' && unicode.IsLetter(r.at(end+1))) {
		end++
	}
	for ; end > i; end-- {
		if isWord(r.at(end)) || unicode.IsMark(r.at(end)) {
			continue
		}
		word := string(r.text[i:end])
		if u, ok = r.lex.units[strings.ToLower(word)]; !ok || spaced && isAmbiguous(word) {
			continue
		}
		if r.at(end) == '.' && r.lex.dotted[strings.ToLower(word)] && !r.ends(end+1) && (r.lex.german || !unicode.IsUpper(r.after(end+1))) {
			end++
		}
		return u, end, true
	}
	return unit{}, 0, false
}

// isAmbiguous reports whether a unit behind a space is more likely a word or a
// name: "5 in a row", "2 S".
func isAmbiguous(word string) bool {
	return slices.Contains([]string{"in", "In", "IN", "S", "H", "L", "G", "M"}, word)
}

// amount reads a number behind the sign of a currency.
func (r *reader) amount(sign rune) {
	whole, rest, end := r.numeral(r.i)
	r.i = end
	r.price(whole, rest, r.lex.money[sign])
}

// price reads a sum of money: "three euros fifty".
func (r *reader) price(whole, rest string, u unit) {
	n, ok := r.value(whole)
	name := u.many
	switch {
	case !ok:
		r.say(r.spell(whole))
	case n == 1 && r.lex.german:
		r.say(u.article)
	default:
		r.say(r.lex.cardinal(n))
	}
	if n == 1 {
		name = u.one
	}
	cents, ok := r.value(strings.TrimPrefix(strings.TrimPrefix(rest, "."), "0"))
	if ok && len(rest) == len(".00") {
		r.say(name)
		r.say(r.lex.cardinal(cents))
		return
	}
	for _, part := range strings.Split(rest, ".")[1:] {
		r.say(r.lex.point + " " + r.spell(part))
		name = u.many
	}
	r.say(name)
}

// fraction reads 1/2 and 3/4, but not 12/15 hit points.
func (r *reader) fraction() bool {
	end := r.digits(r.i)
	if r.at(end) != '/' || end-r.i > 2 {
		return false
	}
	last := r.digits(end + 1)
	if last == end+1 || last-end > 3 || r.at(last) == '/' || isWord(r.at(last)) || r.at(last) == '.' && isDigit(r.at(last+1)) {
		return false
	}
	n, okN := r.value(string(r.text[r.i:end]))
	d, okD := r.value(string(r.text[end+1 : last]))
	if !okN || !okD || n < 1 || n >= d || d > 12 || r.isScore(last) {
		return false
	}
	r.i = last
	r.say(r.fractionWords(n, d))
	return true
}

// isScore reports whether an abbreviation in capitals follows: "3/8 HP".
func (r *reader) isScore(i int) bool {
	return r.at(i) == ' ' && unicode.IsUpper(r.at(i+1)) && unicode.IsUpper(r.at(i+2))
}

// ordinal reads "3rd", and "3." where German grammar asks for it.
func (r *reader) ordinal(whole string) bool {
	n, ok := r.value(whole)
	if !ok {
		return false
	}
	if !r.lex.german {
		suffix := strings.ToLower(string([]rune{r.at(r.i), r.at(r.i + 1)}))
		if slices.Contains([]string{"st", "nd", "rd", "th"}, suffix) && !isWord(r.at(r.i+2)) {
			r.i += 2
			r.say(ordinalEN(n))
			return true
		}
		return n >= 1 && n <= 31 && isMonth(r.last) && r.day(n)
	}
	if r.at(r.i) != '.' || r.at(r.i+1) != ' ' || !unicode.IsLetter(r.at(r.i+2)) {
		return false
	}
	ending := germanEnding(strings.ToLower(r.last))
	if ending == "" && slices.ContainsFunc(months, func(m string) bool { return r.word(r.i+2, m) }) {
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
	r.say(ordinalDE(n) + ending)
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

// word reports whether w stands at i as a whole word.
func (r *reader) word(i int, w string) bool {
	for _, c := range w {
		if r.at(i) != c {
			return false
		}
		i++
	}
	return !isWord(r.at(i))
}

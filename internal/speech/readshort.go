package speech

import (
	"strings"
	"unicode"
)

// maxParts is how many dots an abbreviation may have.
const maxParts = 3

// readAbbreviation reads one from the lexicon, the longest that fits.
func (r *shortReader) readAbbreviation() bool {
	if unicode.IsLetter(r.at(r.i - 1)) {
		return false
	}
	if r.lex.german && r.readGermanShort() || r.readNumero() {
		return true
	}
	var key strings.Builder
	best, written, end := "", "", 0
	i := r.i
	for part := 0; part < maxParts; part++ {
		start := i
		for i-start <= maxAbbreviation && unicode.IsLetter(r.at(i)) {
			key.WriteRune(unicode.ToLower(r.at(i)))
			i++
		}
		if i == start || r.at(i) != '.' {
			break
		}
		key.WriteByte('.')
		i++
		if words, ok := r.lex.abbreviations[key.String()]; ok {
			best, written, end = words, strings.TrimSuffix(key.String(), "."), i
		}
		if r.at(i) == ' ' {
			i++
		}
	}
	if best == "" || r.lex.weak[written] && (r.endsAt(end) || unicode.IsUpper(r.after(end))) {
		return false
	}
	if best == "Saint" && !unicode.IsUpper(r.after(end)) { // "Mill St."
		best = "Street"
	}
	stop := r.endsAt(end)
	r.i = end
	r.addWords(best)
	if stop {
		r.mark = '.'
		r.last = ""
	}
	return true
}

// maxNumbered is the length of the longest abbreviation numero knows.
const maxNumbered = 7

// readNumero reads "No. 5" and "vol. 2".
func (r *shortReader) readNumero() bool {
	end := r.i
	for end-r.i <= maxNumbered && unicode.IsLetter(r.at(end)) {
		end++
	}
	if r.at(end) != '.' {
		return false
	}
	words, ok := r.lex.numbered[strings.ToLower(string(r.source[r.i:end]))]
	if words == "number" && r.wordAt(after(r.source, end+1), "of") {
		r.i = end + 1
		r.addWords(words)
		return true
	}
	if ok && !r.lex.german && end-r.i == 1 {
		i := after(r.source, end+1)
		ok = r.at(r.i) == 'p' || r.at(r.i) == 'P' || unicode.IsLower(r.at(r.i)) && (words != "born" && words != "died" || r.digitsEnd(i)-i > 2)
	}
	if !ok || !isDigit(r.after(end+1)) && (end-r.i < 2 || words == r.lex.number || !r.lex.sections[strings.ToLower(words)] || !r.numbersSection(after(r.source, end+1))) {
		return false
	}
	r.i = end + 1
	r.addWords(words)
	return true
}

// numbersSection reports whether a Roman numeral or a capital by itself stands at i, other
// than a word of one letter.
func (r *shortReader) numbersSection(i int) bool {
	alone := !isWord(r.at(i + 1))
	if alone && (r.at(i) == 'I' || r.at(i) == 'A') {
		return false
	}
	_, _, numeral := r.numeralFrom(i)
	return numeral || alone && unicode.IsUpper(r.at(i)) && r.at(i+1) != '.'
}

// readDie reads the d of 2d6 and the kh of 4d6kh3.
func (r *shortReader) readDie() bool {
	c, next := unicode.ToLower(r.at(r.i)), r.at(r.i+1)
	if unicode.IsLetter(r.at(r.i - 1)) {
		return false
	}
	if (c == 'd' || c == 'w' && r.lex.german) && (isDigit(next) || next == '%') {
		r.addWords(r.lex.die)
		r.i++
		if next == '%' {
			r.addWords(r.lex.percent)
			r.i++
		}
		return true
	}
	if c != 'k' || !isDigit(r.at(r.i-1)) || !isDigit(r.at(r.i+2)) {
		return false
	}
	switch unicode.ToLower(next) {
	case 'h':
		r.addWords(r.lex.keepHigh)
	case 'l':
		r.addWords(r.lex.keepLow)
	default:
		return false
	}
	r.i += 2
	return true
}

// readSign reads a sign, or leaves it out where it means nothing.
func (r *reader) readSign(c rune) {
	next := r.at(r.i + 1)
	switch {
	case c == '+' && isDigit(next) && r.readPhone():
		return
	case c == '-', c == '−', c == '–':
		r.readDash(c)
		return
	case strings.ContainsRune("^²³√∞", c):
		r.readPower(c)
		return
	case isCurrency(c) && isDigit(next) && !isDigit(r.at(r.i-1)):
		r.i++
		r.readAmount(c)
		return
	case fractionSigns[c][1] > 0:
		r.readFractionSign(c)
		return
	}
	word := r.wordOfSign(c)
	r.i++
	r.addWords(word)
}

// wordOfSign returns the word for a sign between what stands around it, "" for none.
func (r *reader) wordOfSign(c rune) string {
	next, soon, earlier := r.at(r.i+1), r.after(r.i+1), r.before(r.i-1)
	between := isWord(earlier) && isWord(soon) && r.mark == 0 && len(r.out) > 0
	counts := isDigit(soon)
	reckons := between || isOperand(earlier) && isOperand(soon)
	switch {
	case c == '+' && (counts || reckons):
		return r.lex.plus
	case c == '=' && reckons:
		return r.lex.equals
	case c == '≠' && reckons:
		return r.lex.unequal
	case c == '&' && r.mark == 0 && len(r.out) > 0 && (isWord(soon) || soon == '#'):
		return r.lex.and
	case c == '/':
		return r.readSlash(between)
	case c == '×' && r.units && !r.lex.german && counts:
		return "by"
	case c == '×' && (counts || reckons):
		return r.lex.times
	case c == '÷' && reckons:
		return r.lex.by
	case c == '#' && counts:
		return r.lex.number
	case c == '#' && (r.last == "C" || r.last == "F") && !isWord(next):
		return r.lex.sharp
	case c == '§' && counts:
		return r.lex.section
	case c == '§' && next == '§' && isDigit(r.after(r.i+2)):
		r.i++
		return r.lex.sectionsOf
	case c == '~' && counts:
		return r.lex.about
	case c == '@' && (isWord(next) || between):
		return r.lex.at
	case c == '±' && counts:
		return r.lex.plusMinus
	case isCurrency(c) && r.scaled():
		return r.lex.money[c].many
	}
	if counts && len(r.out) > 0 {
		return map[rune]string{'<': r.lex.below, '>': r.lex.above, '≤': r.lex.atMost, '≥': r.lex.atLeast}[c]
	}
	return ""
}

// readDash reads a minus, a range or a pause.
func (r *reader) readDash(c rune) {
	prev, next := r.at(r.i-1), r.at(r.i+1)
	switch {
	case (c == '–' || c == '-') && r.last == "m" && (isDigit(next) || prev == ' ' && isDigit(r.after(r.i+1))): // 8 am-10 pm
		r.addWords(r.lex.to)
	case c == '–' && isDigit(r.before(r.i-1)) && isDigit(r.after(r.i+1)):
		r.addWords(r.lex.to)
	case r.units && prev != ' ' && (isDigit(next) || isCurrency(next) && isDigit(r.at(r.i+2))): // 5°-10°
		r.addWords(r.lex.to)
	case c == '−' && isDigit(r.after(r.i+1)),
		isDigit(next) && !isWord(prev) && prev != '%',
		isDigit(r.before(r.i-1)) && prev == ' ' && isDigit(r.after(r.i+1)):
		r.addWords(r.lex.minus)
	case (isDigit(prev) || prev == '%') && isDigit(next):
		r.addWords(r.lex.to)
	case c == '–', prev == ' ' && next == ' ', next == '-':
		r.addPause(',')
	}
	r.i++
}

// readSlash reads "he/she" and "5 gp/day".
func (r *reader) readSlash(between bool) string {
	if !between {
		return ""
	}
	if r.units || r.isPer() {
		r.readPer()
		return ""
	}
	if isDigit(r.before(r.i-1)) && isDigit(r.after(r.i+1)) {
		return r.lex.by
	}
	end := r.i + 1
	for end-r.i <= 5 && unicode.IsLetter(r.at(end)) {
		end++
	}
	if before := r.wordBefore(r.i); len(before) == 1 && end == r.i+2 { // N/A
		return ""
	} else if len(before) > 1 && isDigit(r.at(r.i+1)) { // HTTP/2
		return map[bool]string{true: r.lex.slash, false: r.lex.by}[strings.ToUpper(before) == before]
	}
	if next := strings.ToLower(string(r.source[min(r.i+1, len(r.source)):min(end, len(r.source))])); next == r.lex.or || next == r.lex.and {
		return "" // "and/or" is read as it stands
	}
	return r.lex.or
}

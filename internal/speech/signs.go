package speech

import (
	"strconv"
	"strings"
	"unicode"
)

// readSign reads a sign, or skips it if it has no meaning.
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

// wordOfSign returns the word for a sign in its context, or "".
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

// readDash reads a dash as a minus, a range or a pause.
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
	if next := strings.ToLower(string(r.text[min(r.i+1, len(r.text)):min(end, len(r.text))])); next == r.lex.or || next == r.lex.and {
		return "" // "and/or" is read as written
	}
	return r.lex.or
}

// isOperand reports whether c may end or begin an operand of a calculation.
func isOperand(c rune) bool {
	return isWord(c) || strings.ContainsRune("()²³°%′″√", c) || fractionSigns[c][1] > 0
}

// isSuper reports whether r is a superscript digit.
func isSuper(r rune) bool { return strings.ContainsRune("⁰¹²³⁴⁵⁶⁷⁸⁹", r) }

// superDigit returns the normal digit for a superscript digit.
func superDigit(r rune) rune {
	switch r {
	case '¹':
		return '1'
	case '²', '³':
		return '2' + r - '²'
	}
	return '0' + r - '⁰'
}

// readPower reads powers, roots and the infinity sign.
func (r *reader) readPower(c rune) {
	next := r.at(r.i + 1)
	r.i++
	switch {
	case c == '∞':
		r.addWords(r.lex.infinity)
	case c == '√' && isDigit(next):
		r.addWords(r.lex.root)
	case c == '^' && isDigit(next) && len(r.out) > 0:
		end := r.digitsEnd(r.i)
		digits := string(r.text[r.i:end])
		n, err := strconv.ParseInt(digits, 10, 16)
		switch {
		case err == nil && n == 2:
			r.addWords(r.lex.powers['²'])
		case err == nil && n == 3:
			r.addWords(r.lex.powers['³'])
		case err == nil && r.effort != byDigit:
			r.addWords(r.lex.power + " " + r.lex.cardinal(n))
		default:
			r.addWords(r.lex.power + " " + r.lex.spellDigits(digits))
		}
		r.i = end
	case (c == '²' || c == '³') && r.last != "":
		r.addWords(r.lex.powers[c])
	}
}

// isDivision reports whether the colon at r.i is a division sign: "10 : 2 = 5".
func (r *reader) isDivision() bool {
	i := r.skipSpace(r.i)
	if r.at(i) != ':' {
		return false
	}
	i = r.skipSpace(i + 1)
	end := r.digitsEnd(i)
	return end > i && r.after(end) == '='
}

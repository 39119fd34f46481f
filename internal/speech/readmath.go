package speech

import (
	"strconv"
	"strings"
)

// isOperand reports whether c ends or begins what is reckoned with.
func isOperand(c rune) bool {
	return isWord(c) || strings.ContainsRune("()²³°%′″√", c) || fractionSigns[c][1] > 0
}

// isSuper reports whether r is a raised digit.
func isSuper(r rune) bool { return strings.ContainsRune("⁰¹²³⁴⁵⁶⁷⁸⁹", r) }

// superDigit returns the digit that is raised in r.
func superDigit(r rune) rune {
	switch r {
	case '¹':
		return '1'
	case '²', '³':
		return '2' + r - '²'
	}
	return '0' + r - '⁰'
}

// readPower reads raised numbers, roots and the sign of infinity.
func (r *measureReader) readPower(c rune) {
	next := r.at(r.i + 1)
	r.i++
	switch {
	case c == '∞':
		r.addWords(r.lex.infinity)
	case c == '√' && isDigit(next):
		r.addWords(r.lex.root)
	case c == '^' && isDigit(next) && len(r.out) > 0:
		end := r.digitsEnd(r.i)
		digits := string(r.source[r.i:end])
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

// isDivision reports whether the colon here divides: "10 : 2 = 5".
func (r *measureReader) isDivision() bool {
	i := after(r.source, r.i)
	if r.at(i) != ':' {
		return false
	}
	i = after(r.source, i+1)
	end := r.digitsEnd(i)
	return end > i && r.after(end) == '='
}

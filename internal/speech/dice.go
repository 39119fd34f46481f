package speech

import (
	"strings"
	"unicode"
)

// isDie reports whether the letter of a die is at i.
func (r *reader) isDie(i int) bool {
	return strings.ContainsRune("dDwW", r.at(i)) && !unicode.IsLetter(r.at(i-1))
}

// readDie reads the d of 2d6 and the kh of 4d6kh3.
func (r *reader) readDie() bool {
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

func isDieWord(word string) bool { return word == "w" || word == "d" || word == "bis" }

package speech

import (
	"strings"
	"unicode"
)

// readNotation copies the text and puts only game notation into words.
func (r *reader) readNotation() string {
	for r.i < len(r.text) {
		if end := r.notationEnd(); end > r.i {
			r.readUntil(end)
		} else {
			r.copyWord()
		}
	}
	return string(r.out)
}

// readUntil puts the text up to end, and a unit after it, into words. It uses a separate reader, because r
// copies white space and punctuation while that one writes its own.
func (r *reader) readUntil(end int) {
	part := &reader{text: r.text, lex: r.lex, effort: r.effort, i: r.i, last: r.last}
	for part.i < end || part.units && part.at(part.i) == '/' && unicode.IsLetter(part.at(part.i+1)) {
		part.readNext()
	}
	if unicode.IsLetter(part.at(part.i)) && part.at(part.i-1) == '/' { // the "day" of "5 gp/day"
		part.readNext()
	}
	if r.joined(r.i) {
		r.out = append(r.out, ' ')
	}
	r.out = append(r.out, part.out...)
	r.i, r.last = part.i, part.last
}

// copyWord copies a word, or one rune that is not part of a word.
func (r *reader) copyWord() {
	start := r.i
	for isWord(r.at(r.i)) || unicode.IsMark(r.at(r.i)) {
		r.i++
	}
	switch {
	case r.i > start:
		r.last = string(r.text[start:r.i])
	case r.at(r.i) != ' ':
		r.last = ""
		fallthrough
	default:
		r.i++
	}
	r.out = append(r.out, string(r.text[start:r.i])...)
}

// notationEnd returns the index after the dice, quantity or value at the next rune, or r.i if there is none.
// It may be before the unit of a quantity.
func (r *reader) notationEnd() int {
	i := r.i
	if isWord(r.at(i-1)) || isDigit(r.at(i-2)) && strings.ContainsRune(".,:/", r.at(i-1)) {
		return r.i
	}
	if r.isSign(i) && !r.joined(i) {
		i++
	}
	if end := r.diceEnd(i); end > i {
		return end
	}
	if end := r.quantityEnd(i); end > i {
		return end
	}
	return r.valueEnd(i)
}

// joined reports whether a word, a number or a unit sign is directly before i.
func (r *reader) joined(i int) bool {
	return isWord(r.at(i-1)) || strings.ContainsRune("′″°", r.at(i-1))
}

// isSign reports whether a plus or minus sign is at i.
func (r *reader) isSign(i int) bool { return strings.ContainsRune("+-−–±", r.at(i)) }

// diceEnd returns the index after dice such as "2d6+3", "W20" and "4d6kh3", or i if there are none.
func (r *reader) diceEnd(i int) int {
	end := r.dieEnd(i)
	for end > i {
		next := r.skipSpace(end)
		if !r.isSign(next) && !strings.ContainsRune("×x*", r.at(next)) {
			break
		}
		next = r.skipSpace(next + 1)
		last := max(r.dieEnd(next), r.digitsEnd(next))
		if last == next || unicode.IsLetter(r.at(last)) {
			break
		}
		end = last
	}
	return end
}

// dieEnd returns the index after one kind of dice, or i if there is none.
func (r *reader) dieEnd(i int) int {
	die := r.digitsEnd(i)
	c := unicode.ToLower(r.at(die))
	if c != 'd' && (c != 'w' || !r.lex.german) {
		return i
	}
	end := r.digitsEnd(die + 1)
	if r.at(die+1) == '%' {
		end = die + 2
	}
	if end == die+1 {
		return i
	}
	if keep := unicode.ToLower(r.at(end + 1)); unicode.ToLower(r.at(end)) == 'k' && (keep == 'h' || keep == 'l') && isDigit(r.at(end+2)) {
		end = r.digitsEnd(end + 2)
	}
	if unicode.IsLetter(r.at(end)) {
		return i
	}
	return end
}

// quantityEnd returns the index after the number of "5 gp", "10 x 12 ft", "3-5 km" and "24/31 HP", or i if no
// unit and no character value follows. Money with a sign, times of day and decades are not quantities, for
// example $5, 3 pm and the 90s.
func (r *reader) quantityEnd(i int) int {
	if !isDigit(r.at(i)) {
		return i
	}
	_, _, end := r.numeralAt(i)
	for range 2 { // the numbers of a range, of a fraction and of a size
		next := r.skipSpace(end)
		if u, _, ok := r.unitAt(end); ok {
			decade := !r.lex.german && r.at(end) == 's'
			if r.lex.money[r.at(next)] == u || strings.HasSuffix(u.one, " m") || decade {
				return i
			}
			return end
		}
		if r.at(end) == '°' && isDigit(r.at(r.skipSpace(end+1))) { // 47°9′
			return end
		}
		if r.lex.values[r.wordFrom(next)].many != "" && next > end {
			return end
		}
		if fraction := r.digitsEnd(end + 1); r.at(end) == '/' && fraction > end+1 && r.afterPoints() {
			return fraction
		}
		if !strings.ContainsRune("-–/x×", r.at(next)) {
			break
		}
		next = r.skipSpace(next + 1)
		if !isDigit(r.at(next)) {
			break
		}
		_, _, end = r.numeralAt(next)
	}
	return i
}

// afterPoints reports whether the last word names points, so that 3/8 after it is a score.
func (r *reader) afterPoints() bool {
	return r.last == "points" || r.last == "point" || strings.HasSuffix(strings.ToLower(r.last), "punkte")
}

// valueEnd returns the index after the name of a character value, for example AC, or r.i if there is none.
func (r *reader) valueEnd(i int) int {
	word := r.wordFrom(i)
	end := i + len([]rune(word))
	if i > r.i || isWord(r.at(end)) || r.lex.values[word].many == "" || r.isShouted(i, end) {
		return r.i
	}
	return end
}

package speech

import (
	"strings"
	"unicode"
)

// readYear reads a four-digit number as a year if the words around it allow no other reading.
func (r *reader) readYear(whole string, start int) bool {
	if len(whole) != 4 || r.i-start != 4 || r.effort == byDigit || r.at(start-1) == '-' && isDigit(r.at(start-2)) {
		return false
	}
	n, ok := r.valueOf(whole)
	if !ok || n < 1001 || n > 2099 {
		return false
	}
	if _, _, unit := r.unitAt(r.i); unit || r.at(r.i) == '%' || r.at(r.i) == ' ' && r.at(r.i+1) == '%' {
		return false
	}
	if second, end, ok := r.yearBehind(); ok && !r.isPrice() && !r.countsYears(end) {
		r.i = end
		r.addWords(r.yearWords(whole))
		r.addWords(r.lex.to)
		r.addWords(r.yearWords(second))
		return true
	}
	if strings.ContainsRune("-–/", r.at(r.i)) || !r.isYear(n) {
		return false
	}
	r.addWords(r.yearWords(whole))
	return true
}

// yearBehind returns the second year of a range.
func (r *reader) yearBehind() (year string, end int, ok bool) {
	i := r.i
	if r.at(i) == ' ' && (r.at(i+1) == '–' || r.at(i+1) == '-') && r.at(i+2) == ' ' {
		i++
	}
	if r.at(i) != '-' && r.at(i) != '–' {
		return "", 0, false
	}
	i++
	if r.at(i) == ' ' {
		i++
	}
	end = r.digitsEnd(i)
	if end-i != 4 {
		return "", 0, false
	}
	return string(r.text[i:end]), end, (r.at(i) == '1' || r.at(i) == '2') && !isWord(r.at(end)) && !(r.at(end) == '-' && isDigit(r.at(end+1)))
}

// countsYears reports whether a number before i counts the noun after i.
func (r *reader) countsYears(i int) bool {
	if r.eraAt(i) {
		return false
	}
	return r.countsNext(i)
}

// eraAt reports whether an era's abbreviation follows: AD, BCE, n. Chr.
func (r *reader) eraAt(i int) bool {
	word := r.wordFrom(i + 1)
	if r.at(i) != ' ' {
		return false
	}
	if r.lex.german && (word == "n" || word == "v") && r.at(i+2) == '.' {
		return true
	}
	return len(word) >= 1 && len(word) <= 3 && strings.ToUpper(word) == word && isASCII(word) && (len(word) > 1 || word == "A" || word == "B") && !r.lex.spokenValue(word)
}

// isYear reports whether the four-digit number n is a year, judging by the last word and the next.
func (r *reader) isYear(n int64) bool {
	last := strings.ToLower(r.last)
	switch {
	case r.eraAt(r.i):
		return true
	case r.isPrice():
		return false
	case r.lex.german:
		return !r.countsNext(r.i) && (r.lex.yearsAfter[last] || n >= 1100)
	case !r.countsNext(r.i):
		return n >= 1100 || r.lex.yearsAfter[last]
	}
	next := r.wordFrom(r.i + 1)
	plural := strings.HasSuffix(next, "s") && !strings.HasSuffix(next, "ss") || next == "men" || next == "people" || next == "gold" || next == "silver"
	if r.lex.yearsAfter[last] {
		return !plural
	}
	return last == "the" && !plural && unicode.IsLetter(firstOf(next))
}

// readDecade reads "1920s", "the 80s" and "1350er", "90er".
func (r *reader) readDecade(whole string) bool {
	if n, ok := r.valueOf(whole); ok && r.readPluralNumber(n) {
		return true
	}
	if _, ok := r.valueOf(whole); !ok || len(whole) != 4 && len(whole) != 2 {
		return r.lex.german && r.readGermanSuffix(whole)
	}
	if r.lex.german {
		return r.readGermanSuffix(whole)
	}
	if whole[len(whole)-1] != '0' || r.at(r.i) != 's' || isWord(r.at(r.i+1)) {
		return false
	}
	if len(whole) == 2 && (whole[0] == '1' || !decadesAfter[strings.ToLower(r.last)]) {
		return false
	}
	r.i++
	words := r.yearWords(whole)
	if stem, ok := strings.CutSuffix(words, "y"); ok {
		words = stem + "ie"
	}
	r.addWords(words + "s")
	return true
}

// decadesAfter are words after which "80s" does not mean seconds.
var decadesAfter = wordSet("the his her their my your our its early late mid mid- in")

// yearWords reads a year: "fourteen ninety-two", "zweitausendsechsundzwanzig".
func (r *reader) yearWords(year string) string {
	n, ok := r.valueOf(year)
	if !ok {
		return r.lex.spellDigits(year)
	}
	high, low := n/100, n%100
	switch {
	case !r.lex.german && high == 10 && low >= 10:
		return "ten " + r.lex.cardinal(low)
	case n < 1100, n >= 2100, n >= 2000 && (r.lex.german || low < 10):
		return r.lex.cardinal(n)
	case r.lex.german:
		return stemDE(high) + "hundert" + germanRemainder(low)
	case low == 0:
		return r.lex.cardinal(high) + " hundred"
	case low < 10:
		return r.lex.cardinal(high) + " oh " + r.lex.cardinal(low)
	}
	return r.lex.cardinal(high) + " " + r.lex.cardinal(low)
}

// readShortYears reads "1914-18" as two years.
func (r *reader) readShortYears() bool {
	end := r.digitsEnd(r.i)
	last := r.digitsEnd(end + 1)
	c := r.at(end)
	if end-r.i != 4 || last != end+3 || c != '-' && c != '–' || isWord(r.at(last)) || strings.ContainsRune("-–/.,:%", r.at(last)) && isDigit(r.at(last+1)) || isWord(r.at(r.i-1)) || r.at(r.i-1) == '-' {
		return false
	}
	first, second := r.smallNumber(r.i, end), r.smallNumber(end+1, last)
	_, _, unit := r.unitAt(last)
	if first < 1100 || first > 2099 || second <= first%100 || unit || r.countsYears(last) && r.lex.german || r.effort == byDigit {
		return false
	}
	years := string(r.text[r.i:end])
	r.i = last
	r.addWords(r.yearWords(years) + " " + r.lex.to + " " + r.lex.cardinal(second))
	return true
}

// readCentury reads the c. of "the 18th c.".
func (r *reader) readCentury() bool {
	if r.at(r.i) != 'c' {
		return false
	}
	word := r.wordFrom(r.i)
	end := r.i + len(word)
	if word != "c" && word != "cent" || r.at(end) != '.' || !strings.HasSuffix(r.last, "th") && !strings.HasSuffix(r.last, "st") && !strings.HasSuffix(r.last, "nd") && !strings.HasSuffix(r.last, "rd") {
		return false
	}
	if !r.endsAt(end+1) && !unicode.IsUpper(r.after(end+1)) {
		end++
	}
	r.i = end
	r.addWords("century")
	return true
}

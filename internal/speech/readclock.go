package speech

import "strings"

// readMilitary reads "0600 hours" and "1400 hrs".
func (r *shortReader) readMilitary() bool {
	end := r.digitsEnd(r.i)
	word := r.wordFrom(after(r.source, end))
	if r.lex.german || end-r.i != 4 || word != "hours" && word != "hrs" || !isDigit(r.at(r.i)) {
		return false
	}
	h, m := r.smallNumber(r.i, r.i+2), r.smallNumber(r.i+2, end)
	if h > 24 || m > 59 || r.at(r.i) != '0' && m%5 != 0 {
		return false
	}
	words := r.lex.cardinal(h)
	if r.at(r.i) == '0' {
		words = "oh " + words
	}
	switch {
	case m == 0:
		words += " hundred"
	case m < 10:
		words += " oh " + r.lex.cardinal(m)
	default:
		words += " " + r.lex.cardinal(m)
	}
	r.i = after(r.source, end) + len(word)
	if r.at(r.i) == '.' && !r.endsAt(r.i+1) {
		r.i++
	}
	r.addWords(words + " hours")
	return true
}

// readDuration reads "1:30:00" as hours, minutes and seconds, in German before "Uhr" as a
// time of day.
func (r *shortReader) readDuration() bool {
	a := r.digitsEnd(r.i)
	b := r.digitsEnd(a + 1)
	end := r.digitsEnd(b + 1)
	if a-r.i > 2 || b != a+3 || end != b+3 || r.at(a) != ':' || r.at(b) != ':' || r.at(end) == ':' {
		return false
	}
	h, m, s := r.smallNumber(r.i, a), r.smallNumber(a+1, b), r.smallNumber(b+1, end)
	if m > 59 || s > 59 {
		return false
	}
	if r.lex.german && r.wordAt(after(r.source, end), "Uhr") {
		r.i = after(r.source, end) + len("Uhr")
		r.addWords(stemDE(h) + " Uhr")
		if m > 0 {
			r.addWords(r.lex.cardinal(m))
		}
		if s > 0 {
			r.addWords(r.lex.and)
			r.addOf(s, r.lex.second)
		}
		return true
	}
	r.i = end
	hour := unit{"hour", "hours", ""}
	if r.lex.german {
		hour = unit{"Stunde", "Stunden", "eine"}
	}
	said := false
	for _, part := range []struct {
		n int64
		u unit
	}{{h, hour}, {m, r.lex.minute}, {s, r.lex.second}} {
		if part.n > 0 {
			r.addOf(part.n, part.u)
			said = true
		}
	}
	if !said {
		r.addOf(0, r.lex.second)
	}
	return true
}

// readShortYears reads "1914-18" as two years.
func (r *shortReader) readShortYears() bool {
	end := r.digitsEnd(r.i)
	last := r.digitsEnd(end + 1)
	c := r.at(end)
	if end-r.i != 4 || last != end+3 || c != '-' && c != '–' || isWord(r.at(last)) || strings.ContainsRune("-–/.,:%", r.at(last)) && isDigit(r.at(last+1)) || isWord(r.at(r.i-1)) || r.at(r.i-1) == '-' {
		return false
	}
	first, second := r.smallNumber(r.i, end), r.smallNumber(end+1, last)
	_, _, unit := r.unitAt(last, r.lex)
	if first < 1100 || first > 2099 || second <= first%100 || unit || r.countsYears(last) && r.lex.german || r.effort == byDigit {
		return false
	}
	years := string(r.source[r.i:end])
	r.i = last
	r.addWords(r.yearWords(years) + " " + r.lex.to + " " + r.lex.cardinal(second))
	return true
}

// readPluralNumber reads "100s of men", "6s and 7s" and "the roaring 20s", of which n is the
// number before the s.
func (r *dateReader) readPluralNumber(n int64) bool {
	if r.lex.german || r.at(r.i) != 's' || isWord(r.at(r.i+1)) || timeBefore[strings.ToLower(r.last)] {
		return false
	}
	before := r.wordsBefore(2)
	article := len(before) > 1 && determiners[strings.ToLower(before[1])] && !isDigit(firstOf(before[0]))
	switch {
	case (n == 100 || n == 1000) && r.wordAt(r.i+2, "of"):
		r.addWords(map[int64]string{100: "hundreds", 1000: "thousands"}[n])
	case n >= 20 && n < 100 && n%10 == 0 && article, n > 0 && n <= 20 && (r.last == "and" || r.last == "the" || r.last == "or" || r.last == "size" || r.wordAt(r.i+2, "and") || r.last == "all"):
		words := r.lex.cardinal(n)
		if stem, ok := strings.CutSuffix(words, "y"); ok {
			words = stem + "ie"
		} else if strings.HasSuffix(words, "x") {
			words += "e"
		}
		r.addWords(words + "s")
	default:
		return false
	}
	r.i++
	return true
}

// timeBefore are words after which 30s are seconds.
var timeBefore = wordSet("for within after wait waits waited every takes took lasts lasted about another last")

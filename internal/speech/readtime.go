package speech

import (
	"slices"
	"strings"
)

// clock reads a time of day: 18:30, and 18.30 before "Uhr".
func (r *reader) clock() bool {
	h, m, end, ok := r.hourAndMinute()
	if !ok {
		return false
	}
	after := end
	if r.at(after) == ' ' {
		after++
	}
	if !r.lex.german {
		r.i = end
		r.say(r.englishTime(h, m, after))
		return true
	}
	if r.word(after, "Uhr") {
		end = after + len("Uhr")
	}
	r.i = end
	hour := r.lex.cardinal(h)
	if h == 1 {
		hour = "ein"
	}
	r.say(hour + " Uhr")
	if m > 0 {
		r.say(r.lex.cardinal(m))
	}
	return true
}

// hourAndMinute parses a time of day at the current place.
func (r *reader) hourAndMinute() (h, m int64, end int, ok bool) {
	colon := r.digits(r.i)
	end = r.digits(colon + 1)
	if colon-r.i > 2 || end != colon+3 {
		return 0, 0, 0, false
	}
	switch r.at(colon) {
	case ':':
		if r.at(end) == ':' && isDigit(r.at(end+1)) {
			return 0, 0, 0, false // a duration
		}
	case '.':
		if !r.lex.german || !r.word(end+1, "Uhr") {
			return 0, 0, 0, false
		}
	default:
		return 0, 0, 0, false
	}
	h, m = r.small(r.i, colon), r.small(colon+1, end)
	return h, m, end, h < 25 && m < 60 && isDigit(r.at(colon+1))
}

// small returns the value of the one or two digits from i to end.
func (r *reader) small(i, end int) int64 {
	n := int64(0)
	for ; i < end; i++ {
		n = 10*n + int64(r.at(i)-'0')
	}
	return n
}

// englishTime reads h and m; a.m. or p.m. may stand at after.
func (r *reader) englishTime(h, m int64, after int) string {
	half := strings.ContainsRune("aApP", r.at(after)) && (strings.ContainsRune("mM", r.at(after+1)) || r.at(after+1) == '.')
	hour := r.lex.cardinal(h)
	switch {
	case m == 0 && half:
		return hour
	case m == 0 && h > 12:
		return hour + " hundred"
	case m == 0:
		return hour + " o'clock"
	case m < 10:
		return hour + " oh " + r.lex.cardinal(m)
	}
	return hour + " " + r.lex.cardinal(m)
}

// isoDate reads 2026-11-21.
func (r *reader) isoDate() bool {
	y := r.digits(r.i)
	m := r.digits(y + 1)
	d := r.digits(m + 1)
	if y-r.i != 4 || m-y != 3 || d-m != 3 || r.at(y) != '-' || r.at(m) != '-' {
		return false
	}
	month, day := r.small(y+1, m), r.small(m+1, d)
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return false
	}
	year := string(r.text[r.i:y])
	r.i = d
	r.sayDate(day, month, year)
	return true
}

// slashDate reads 11/21/2026, the month first in English.
func (r *reader) slashDate() bool {
	a := r.digits(r.i)
	b := r.digits(a + 1)
	end := r.digits(b + 1)
	if a-r.i > 2 || b-a < 2 || b-a > 3 || end-b != 5 || r.at(a) != '/' || r.at(b) != '/' {
		return false
	}
	day, month := r.small(r.i, a), r.small(a+1, b)
	if !r.lex.german && day <= 12 {
		day, month = month, day
	}
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return false
	}
	year := string(r.text[b+1 : end])
	r.i = end
	r.sayDate(day, month, year)
	return true
}

// dottedDate reads 21.11.2026, and 21.11. in German.
func (r *reader) dottedDate() bool {
	d := r.digits(r.i)
	m := r.digits(d + 1)
	if d-r.i > 2 || m-d < 2 || m-d > 3 || r.at(d) != '.' || r.at(m) != '.' {
		return false
	}
	end := r.digits(m + 1)
	if n := end - m - 1; n != 4 && (!r.lex.german || n != 0 && n != 2) || r.at(end) == '.' && isDigit(r.at(end+1)) {
		return false
	}
	day, month := r.small(r.i, d), r.small(d+1, m)
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return false
	}
	year := string(r.text[m+1 : end])
	r.i = end
	r.sayDate(day, month, year)
	return true
}

// sayDate says a date; year may be empty.
func (r *reader) sayDate(day, month int64, year string) {
	if r.lex.german {
		ending := germanEnding(strings.ToLower(r.last))
		if ending == "" {
			ending = "er"
		}
		name := []string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"}[month-1]
		r.say(ordinalDE(day) + ending + " " + name)
	} else {
		r.say(r.lex.months[month-1] + " " + ordinalEN(day))
	}
	if year != "" {
		r.say(r.yearWords(year))
	}
}

// day reads the number behind an English month, and the year behind it.
func (r *reader) day(n int64) bool {
	r.say(ordinalEN(n))
	i := r.i
	if r.at(i) == ',' && r.at(i+1) == ' ' {
		i += 2
	} else if r.at(i) == ' ' {
		i++
	}
	if end := r.digits(i); end-i == 4 && r.at(i) != '0' && !isWord(r.at(end)) {
		r.i = end
		r.say(r.yearWords(string(r.text[i:end])))
	}
	return true
}

// year reads a number of four digits as one if the word before says so.
func (r *reader) year(whole string) bool {
	if len(whole) != 4 || whole[0] != '1' && whole[:2] != "20" || !r.lex.yearsAfter[strings.ToLower(r.last)] || r.effort == byDigit {
		return false
	}
	if _, _, unit := r.unitAt(r.i); unit || strings.ContainsRune("%-–", r.at(r.i)) {
		return false
	}
	r.say(r.yearWords(whole))
	return true
}

// decade reads "1920s" in English.
func (r *reader) decade(whole string) bool {
	if r.lex.german || len(whole) != 4 || whole[3] != '0' || r.at(r.i) != 's' || isWord(r.at(r.i+1)) {
		return false
	}
	r.i++
	words := r.yearWords(whole)
	if stem, ok := strings.CutSuffix(words, "y"); ok {
		words = stem + "ie"
	}
	r.say(words + "s")
	return true
}

// yearWords reads a year: "fourteen ninety-two", "zweitausendsechsundzwanzig".
func (r *reader) yearWords(year string) string {
	n, ok := r.value(year)
	if !ok {
		return r.spell(year)
	}
	high, low := n/100, n%100
	switch {
	case n < 1100, n >= 2100, n >= 2000 && (r.lex.german || low < 10):
		return r.lex.cardinal(n)
	case r.lex.german:
		return stemDE(high) + "hundert" + tailDE(low)
	case low == 0:
		return r.lex.cardinal(high) + " hundred"
	case low < 10:
		return r.lex.cardinal(high) + " oh " + r.lex.cardinal(low)
	}
	return r.lex.cardinal(high) + " " + r.lex.cardinal(low)
}

// isMonth reports whether word is an English month.
func isMonth(word string) bool { return slices.Contains(english.months, word) }

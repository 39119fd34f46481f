package speech

import (
	"slices"
	"strings"
)

// readClock reads a time of day: 18:30, and 18.30 before "Uhr".
func (r *reader) readClock() bool {
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
		r.addWords(r.englishTime(h, m, after))
		return true
	}
	if r.wordAt(after, "Uhr") {
		end = after + len("Uhr")
	}
	r.i = end
	hour := r.lex.cardinal(h)
	if h == 1 {
		hour = "ein"
	}
	r.addWords(hour + " Uhr")
	if m > 0 {
		r.addWords(r.lex.cardinal(m))
	}
	return true
}

// hourAndMinute parses a time of day at the current place.
func (r *reader) hourAndMinute() (h, m int64, end int, ok bool) {
	colon := r.digitsEnd(r.i)
	end = r.digitsEnd(colon + 1)
	if colon-r.i > 2 || end != colon+3 {
		return 0, 0, 0, false
	}
	switch r.at(colon) {
	case ':':
		if r.at(end) == ':' && isDigit(r.at(end+1)) {
			return 0, 0, 0, false // a duration
		}
	case '.':
		if !r.lex.german || !r.wordAt(end+1, "Uhr") {
			return 0, 0, 0, false
		}
	default:
		return 0, 0, 0, false
	}
	h, m = r.smallNumber(r.i, colon), r.smallNumber(colon+1, end)
	return h, m, end, h < 25 && m < 60 && isDigit(r.at(colon+1))
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

// readISODate reads 2026-11-21.
func (r *reader) readISODate() bool {
	y := r.digitsEnd(r.i)
	m := r.digitsEnd(y + 1)
	d := r.digitsEnd(m + 1)
	if y-r.i != 4 || m-y != 3 || d-m != 3 || r.at(y) != '-' || r.at(m) != '-' {
		return false
	}
	month, day := r.smallNumber(y+1, m), r.smallNumber(m+1, d)
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return false
	}
	year := string(r.source[r.i:y])
	r.i = d
	r.addDate(day, month, year)
	return true
}

// readSlashDate reads 11/21/2026, the month first in English.
func (r *reader) readSlashDate() bool {
	a := r.digitsEnd(r.i)
	b := r.digitsEnd(a + 1)
	end := r.digitsEnd(b + 1)
	if a-r.i > 2 || b-a < 2 || b-a > 3 || end-b != 5 || r.at(a) != '/' || r.at(b) != '/' {
		return false
	}
	day, month := r.smallNumber(r.i, a), r.smallNumber(a+1, b)
	if !r.lex.german && day <= 12 {
		day, month = month, day
	}
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return false
	}
	year := string(r.source[b+1 : end])
	r.i = end
	r.addDate(day, month, year)
	return true
}

// readDottedDate reads 21.11.2026, and 21.11. in German.
func (r *reader) readDottedDate() bool {
	d := r.digitsEnd(r.i)
	m := r.digitsEnd(d + 1)
	if d-r.i > 2 || m-d < 2 || m-d > 3 || r.at(d) != '.' || r.at(m) != '.' {
		return false
	}
	end := r.digitsEnd(m + 1)
	if n := end - m - 1; n != 4 && (!r.lex.german || n != 0 && n != 2) || r.at(end) == '.' && isDigit(r.at(end+1)) {
		return false
	}
	day, month := r.smallNumber(r.i, d), r.smallNumber(d+1, m)
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return false
	}
	year := string(r.source[m+1 : end])
	r.i = end
	r.addDate(day, month, year)
	return true
}

// addDate says a date; year may be empty.
func (r *reader) addDate(day, month int64, year string) {
	if r.lex.german {
		ending := germanEnding(strings.ToLower(r.last))
		if ending == "" {
			ending = "er"
		}
		name := []string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"}[month-1]
		r.addWords(ordinalDE(day) + ending + " " + name)
	} else {
		r.addWords(r.lex.months[month-1] + " " + ordinalEN(day))
	}
	if year != "" {
		r.addWords(r.yearWords(year))
	}
}

// readDay reads the number behind an English month, and the year behind it.
func (r *reader) readDay(n int64) bool {
	r.addWords(ordinalEN(n))
	i := r.i
	if r.at(i) == ',' && r.at(i+1) == ' ' {
		i += 2
	} else if r.at(i) == ' ' {
		i++
	}
	if end := r.digitsEnd(i); end-i == 4 && r.at(i) != '0' && !isWord(r.at(end)) {
		r.i = end
		r.addWords(r.yearWords(string(r.source[i:end])))
	}
	return true
}

// readYear reads a number of four digits as one if the word before says so.
func (r *reader) readYear(whole string) bool {
	if len(whole) != 4 || whole[0] != '1' && whole[:2] != "20" || !r.lex.yearsAfter[strings.ToLower(r.last)] || r.effort == byDigit {
		return false
	}
	if _, _, unit := r.unitAt(r.i, r.lex); unit || strings.ContainsRune("%-–", r.at(r.i)) {
		return false
	}
	r.addWords(r.yearWords(whole))
	return true
}

// readDecade reads "1920s" in English.
func (r *reader) readDecade(whole string) bool {
	if r.lex.german || len(whole) != 4 || whole[3] != '0' || r.at(r.i) != 's' || isWord(r.at(r.i+1)) {
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

// yearWords reads a year: "fourteen ninety-two", "zweitausendsechsundzwanzig".
func (r *reader) yearWords(year string) string {
	n, ok := r.valueOf(year)
	if !ok {
		return r.lex.spellDigits(year)
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

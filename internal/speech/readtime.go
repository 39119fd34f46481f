package speech

import (
	"slices"
	"strings"
)

// readClock reads a time of day: 18:30, and 18.30 before "Uhr".
func (r *dateReader) readClock() bool {
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
		if u, end, ok := r.unitAt(r.i, r.lex); ok && strings.HasSuffix(u.one, " m") {
			r.i = end
			r.addWords(u.one)
		}
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
func (r *dateReader) hourAndMinute() (h, m int64, end int, ok bool) {
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
	if r.at(colon) == ':' && !r.wordAt(after(r.source, end), "Uhr") && (r.ratioBefore() || r.lex.ratios[strings.ToLower(r.wordFrom(end+1))]) {
		return 0, 0, 0, false
	}
	return h, m, end, h < 25 && m < 60 && isDigit(r.at(colon+1))
}

// ratioBefore reports whether a word of ratios stands shortly before.
func (r *writer) ratioBefore() bool {
	return slices.ContainsFunc(r.wordsBefore(3), func(w string) bool { return r.lex.ratios[strings.ToLower(w)] })
}

// after returns i, or the place behind it if there is a space.
func after(s source, i int) int {
	if s.at(i) == ' ' {
		return i + 1
	}
	return i
}

// englishTime reads h and m; a.m. or p.m. may stand at after.
func (r *dateReader) englishTime(h, m int64, after int) string {
	half := strings.ContainsRune("aApP", r.at(after)) && (strings.ContainsRune("mM", r.at(after+1)) || r.at(after+1) == '.')
	hour := r.lex.cardinal(h)
	switch {
	case m == 0 && (half || r.wordAt(after, "noon") || r.wordAt(after, "midnight")):
		return hour
	case m == 0 && h == 0:
		return "midnight"
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
func (r *dateReader) readISODate() bool {
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
func (r *dateReader) readSlashDate() bool {
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
func (r *dateReader) readDottedDate() bool {
	d := r.digitsEnd(r.i)
	m := r.digitsEnd(d + 1)
	if d-r.i > 2 || m-d < 2 || m-d > 3 || r.at(d) != '.' || r.at(m) != '.' {
		return false
	}
	end := r.digitsEnd(m + 1)
	if n := end - m - 1; n != 4 && (!r.lex.german || n != 0 && n != 2) || r.at(end) == '.' && isDigit(r.at(end+1)) {
		return false
	}
	if end == m+1 && r.endsAt(end) && germanEnding(strings.ToLower(r.last)) == "" && !r.lex.datesAfter[strings.ToLower(r.last)] && !r.followsDay() {
		return false // 3.5 and a stop
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

// readMonthDay reads 24/12 and, where a date is due, 12/24 and 5/3.
func (r *dateReader) readMonthDay() bool {
	a := r.digitsEnd(r.i)
	b := r.digitsEnd(a + 1)
	if r.at(a) != '/' || a-r.i > 2 || b-a < 2 || b-a > 3 || isWord(r.at(b)) || strings.ContainsRune("/%", r.at(b)) || r.isScore(b) || strings.ContainsRune("/-", r.at(r.i-1)) {
		return false
	}
	if isStreet(r.wordBefore(r.i)) {
		return false
	}
	day, month := r.smallNumber(r.i, a), r.smallNumber(a+1, b)
	due := r.lex.datesAfter[strings.ToLower(r.last)]
	if _, _, unit := r.unitAt(b, r.lex); unit || r.countsNext(b) && !due || day == 24 && month == 7 && !due || strings.HasSuffix(r.last, "oints") || strings.HasSuffix(r.last, "punkte") {
		return false
	}
	if !r.lex.german && due && day <= 12 {
		day, month = month, day
	}
	if day < 1 || day > 31 || month < 1 || month > 12 || !due && day <= 12 {
		return false
	}
	r.i = b
	r.addDate(day, month, "")
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

// addDate says a date; year may be empty.
func (r *dateReader) addDate(day, month int64, year string) {
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
func (r *dateReader) readDay(n int64) bool {
	r.addWords(ordinalEN(n))
	if end := r.digitsEnd(r.i + 1); (r.at(r.i) == '-' || r.at(r.i) == '–') && end > r.i+1 && end-r.i < 4 && !isWord(r.at(end)) && r.at(end) != '-' { // May 3-9
		if last := r.smallNumber(r.i+1, end); last > n && last <= 31 {
			r.i = end
			r.addWords("to " + ordinalEN(last))
		}
	}
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

// isMonth reports whether word is an English month.
func isMonth(word string) bool { return slices.Contains(english.months, word) }

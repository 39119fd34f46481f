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
		if u, end, ok := r.unitAt(r.i); ok && strings.HasSuffix(u.one, " m") {
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

// hourAndMinute parses a time of day at the current position.
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
	if r.at(colon) == ':' && !r.wordAt(r.skipSpace(end), "Uhr") && (r.ratioBefore() || r.lex.ratios[strings.ToLower(r.wordFrom(end+1))]) {
		return 0, 0, 0, false
	}
	return h, m, end, h < 25 && m < 60 && isDigit(r.at(colon+1))
}

// ratioBefore reports whether one of the last three words suggests a ratio.
func (r *reader) ratioBefore() bool {
	return slices.ContainsFunc(r.wordsBefore(3), func(w string) bool { return r.lex.ratios[strings.ToLower(w)] })
}

// englishTime reads h and m. after is where "a.m." or "p.m." may be.
func (r *reader) englishTime(h, m int64, after int) string {
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

// readMilitary reads "0600 hours" and "1400 hrs".
func (r *reader) readMilitary() bool {
	end := r.digitsEnd(r.i)
	word := r.wordFrom(r.skipSpace(end))
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
	r.i = r.skipSpace(end) + len(word)
	if r.at(r.i) == '.' && !r.endsAt(r.i+1) {
		r.i++
	}
	r.addWords(words + " hours")
	return true
}

// readDuration reads "1:30:00" as hours, minutes and seconds. In German, before "Uhr", it is a time of day.
func (r *reader) readDuration() bool {
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
	if r.lex.german && r.wordAt(r.skipSpace(end), "Uhr") {
		r.i = r.skipSpace(end) + len("Uhr")
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

package speech

import (
	"slices"
	"strings"
	"unicode"
)

// readDayBefore reads the number in front of an English month.
func (r *reader) readDayBefore(n int64) bool {
	month := r.wordFrom(r.i + 1)
	if r.at(r.i) != ' ' || !isMonth(month) && r.lex.shortMonths[strings.ToLower(month)] == "" {
		return false
	}
	if r.last != "the" {
		r.addWords("the")
	}
	r.addWords(ordinalEN(n) + " of")
	return true
}

// readLastDay reads the "5." of "am 5." if nothing or a comma follows.
func (r *reader) readLastDay(n int64) bool {
	if ending := r.endingByArticle(""); r.at(r.i+1) == ',' && ending != "" {
		r.i++
		r.ending = ending
		r.addWords(ordinalDE(n) + ending)
		return true
	}
	if n > 31 || !slices.Contains([]string{"am", "vom", "zum"}, r.last) || !r.endsAt(r.i+1) && r.at(r.i+1) != ',' {
		return false
	}
	if !r.endsAt(r.i + 1) {
		r.i++
	}
	r.addWords(ordinalDE(n) + "en")
	return true
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
	year := string(r.text[r.i:y])
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
	year := string(r.text[b+1 : end])
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
	if end == m+1 && r.endsAt(end) && germanEnding(strings.ToLower(r.last)) == "" && !r.lex.datesAfter[strings.ToLower(r.last)] && !r.followsDay() {
		return false // the number 3.5 and a full stop
	}
	day, month := r.smallNumber(r.i, d), r.smallNumber(d+1, m)
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return false
	}
	year := string(r.text[m+1 : end])
	r.i = end
	r.addDate(day, month, year)
	return true
}

// readMonthDay reads "24/12". Where a date is expected, it also reads "12/24" and "5/3".
func (r *reader) readMonthDay() bool {
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
	if _, _, unit := r.unitAt(b); unit || r.countsNext(b) && !due || day == 24 && month == 7 && !due || strings.HasSuffix(r.last, "oints") || strings.HasSuffix(r.last, "punkte") {
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

// germanEnding returns the ending of an ordinal after an article, or "" if word is not an article.
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

// addDate adds a date. year may be empty.
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

// readDay reads the number after an English month, and a year after it.
func (r *reader) readDay(n int64) bool {
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
		r.addWords(r.yearWords(string(r.text[i:end])))
	}
	return true
}

// isMonth reports whether word is an English month.
func isMonth(word string) bool { return slices.Contains(english.months, word) }

// readWeekday reads "Mon.", "Mo.–Fr." and "am Di." where they cannot be anything else.
func (r *reader) readWeekday() bool {
	if !unicode.IsUpper(r.at(r.i)) {
		return false
	}
	word := r.wordFrom(r.i)
	name := r.lex.days[word]
	if name == "" {
		return false
	}
	end := r.i + len([]rune(word))
	dot := r.at(end) == '.'
	if dot {
		end++
	}
	next, ranged := r.rangeOfDays(end)
	if !ranged && !r.followsDay() && !r.isWeekday(word, end, dot) {
		return false
	}
	if dot && r.endsAt(end) {
		end--
	}
	r.i = end
	r.addWords(name)
	if ranged {
		r.addWords(r.lex.to)
		r.i = next
	}
	return true
}

// rangeOfDays returns where the second day of a range begins. The first ends at i.
func (r *reader) rangeOfDays(i int) (next int, ok bool) {
	i = r.skipSpace(i)
	if c := r.at(i); c != '-' && c != '–' && c != '—' {
		return 0, false
	}
	i = r.skipSpace(i + 1)
	return i, r.lex.days[r.wordFrom(i)] != ""
}

// followsDay reports whether the last word was a weekday, ignoring a pause or a conjunction such as "and".
func (r *reader) followsDay() bool {
	words := strings.Fields(string(r.out[max(0, len(r.out)-maxLookBack):]))
	if n := len(words); n > 1 && (words[n-1] == r.lex.to || words[n-1] == r.lex.and || words[n-1] == r.lex.or) {
		words = words[:n-1]
	}
	return len(words) > 0 && r.mark != '.' && r.lex.isDay(strings.TrimRight(words[len(words)-1], ","))
}

// isDay reports whether word is the name of a weekday.
func (l *lexicon) isDay(word string) bool {
	if word == "" || !unicode.IsUpper(firstOf(word)) {
		return false
	}
	for _, name := range l.days {
		if name == word {
			return true
		}
	}
	return false
}

// isWeekday reports whether a word that ends at end, including its dot, is an abbreviated weekday rather than
// "Frau" or "so".
func (r *reader) isWeekday(word string, end int, dot bool) bool {
	last, next := strings.ToLower(r.last), r.after(end)
	if next == ',' {
		next = r.after(end + 1 + map[bool]int{true: 1}[r.at(end) == ' '])
	}
	due := r.lex.beforeDays[last]
	sure := !slices.Contains([]string{"Fr", "So", "Do", "Sun", "Sat"}, word)
	switch {
	case isDigit(next) && (dot || sure || !r.lex.german):
		return true
	case dot && r.lex.days[r.wordFrom(r.skipSpace(end+1))] != "" && r.at(end) == ',':
		return true
	case !dot:
		return due && sure && r.lex.german
	}
	return due || sure && !r.endsAt(end) || !r.lex.german && last != "the" && last != "a" && !r.endsAt(end)
}

// readShortMonth reads "Dec. 24" and "24 Dec".
func (r *reader) readShortMonth() bool {
	if !unicode.IsUpper(r.at(r.i)) {
		return false
	}
	word := r.wordFrom(r.i)
	month, ok := r.lex.shortMonths[strings.ToLower(word)]
	if !ok {
		return false
	}
	end := r.i + len([]rune(word))
	dot := r.at(end) == '.'
	if dot {
		end++
	}
	if day := r.last == "of" || r.ending != "" && r.lex.german; !day && !isDigit(r.after(end)) || r.lex.german && !dot {
		return false
	}
	if dot && r.endsAt(end) {
		end--
	}
	r.i = end
	r.addWords(month)
	return true
}

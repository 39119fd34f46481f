package speech

import (
	"slices"
	"strings"
	"unicode"
)

// readWeekday reads "Mon.", "Mo.–Fr." and "am Di." where nothing else can be meant.
func (r *shortReader) readWeekday() bool {
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

// rangeOfDays returns where the second day of a range begins whose first ends at i.
func (r *shortReader) rangeOfDays(i int) (next int, ok bool) {
	i = after(r.source, i)
	if c := r.at(i); c != '-' && c != '–' && c != '—' {
		return 0, false
	}
	i = after(r.source, i+1)
	return i, r.lex.days[r.wordFrom(i)] != ""
}

// followsDay reports whether a weekday was the last that was said, but for a pause or a
// word that joins.
func (r *writer) followsDay() bool {
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

// isWeekday reports whether a word that ends at end, with its dot, is a weekday's name cut
// short rather than "Frau" or "so".
func (r *shortReader) isWeekday(word string, end int, dot bool) bool {
	last, next := strings.ToLower(r.last), r.after(end)
	if next == ',' {
		next = r.after(end + 1 + map[bool]int{true: 1}[r.at(end) == ' '])
	}
	due := r.lex.beforeDays[last]
	sure := !slices.Contains([]string{"Fr", "So", "Do", "Sun", "Sat"}, word)
	switch {
	case isDigit(next) && (dot || sure || !r.lex.german):
		return true
	case dot && r.lex.days[r.wordFrom(after(r.source, end+1))] != "" && r.at(end) == ',':
		return true
	case !dot:
		return due && sure && r.lex.german
	}
	return due || sure && !r.endsAt(end) || !r.lex.german && last != "the" && last != "a" && !r.endsAt(end)
}

package speech

import (
	"slices"
	"strings"
	"unicode"
)

// source is the text a reader puts into words. What looks at it, from any place,
// is here.
type source []rune

// at returns the rune at i, a space beyond the ends.
func (s source) at(i int) rune {
	if i < 0 || i >= len(s) {
		return ' '
	}
	return s[i]
}

// after returns the next rune that is no space from i on, at most two further.
func (s source) after(i int) rune {
	for range 2 {
		if s.at(i) != ' ' {
			break
		}
		i++
	}
	return s.at(i)
}

// wordBefore returns the word that ends before i, over a pause, of at most 40 letters.
func (s source) wordBefore(i int) string {
	i--
	for n := 0; n < 3 && i >= 0 && !unicode.IsLetter(s.at(i)); n++ {
		if !strings.ContainsRune(" .,:;(-", s.at(i)) {
			return ""
		}
		i--
	}
	end := i + 1
	for end-i <= 40 && unicode.IsLetter(s.at(i)) {
		i--
	}
	if end <= i+1 {
		return ""
	}
	return string(s[i+1 : end])
}

// before is after, towards the beginning.
func (s source) before(i int) rune {
	for range 2 {
		if s.at(i) != ' ' {
			break
		}
		i--
	}
	return s.at(i)
}

// endsAt reports whether the dot before i is a full stop as well: nothing
// follows, or a quotation's end.
func (s source) endsAt(i int) bool {
	for s.at(i) == ' ' && i < len(s) {
		i++
	}
	return i >= len(s)
}

// wordAt reports whether w stands at i as a whole word.
func (s source) wordAt(i int, w string) bool {
	for _, c := range w {
		if s.at(i) != c {
			return false
		}
		i++
	}
	return !isWord(s.at(i))
}

// digitsEnd returns the end of the run of digits at i.
func (s source) digitsEnd(i int) int {
	for isDigit(s.at(i)) {
		i++
	}
	return i
}

// isDie reports whether the letter of a die stands at i.
func (s source) isDie(i int) bool {
	return strings.ContainsRune("dDwW", s.at(i)) && !unicode.IsLetter(s.at(i-1))
}

// isScore reports whether an abbreviation in capitals follows: "3/8 HP".
func (s source) isScore(i int) bool {
	return s.at(i) == ' ' && unicode.IsUpper(s.at(i+1)) && unicode.IsUpper(s.at(i+2))
}

// smallNumber returns the value of the one or two digits from i to end.
func (s source) smallNumber(i, end int) int64 {
	n := int64(0)
	for ; i < end; i++ {
		n = 10*n + int64(s.at(i)-'0')
	}
	return n
}

// numeralAt returns the digits before and behind the decimal sign of the number
// at i, and where it ends. Points after the first stay in rest.
func (s source) numeralAt(i int, german bool) (whole, rest string, end int) {
	group, decimal := ',', '.'
	if german {
		group, decimal = '.', ','
	}
	end = s.digitsEnd(i)
	digits := s[i:end:end]
	if end-i <= 3 && s.at(i) != '0' {
		apart := group
		if s.at(end) == '′' || s.at(end) == ' ' && s.hasSpacedGroups(end) { // 12'000 and 10 000
			apart = s.at(end)
		}
		for s.at(end) == apart && s.digitsEnd(end+1) == end+4 {
			digits = append(digits, s[end+1:end+4]...)
			end += 4
		}
	}
	whole = string(digits)
	var parts strings.Builder
	for (s.at(end) == decimal || s.at(end) == '.') && isDigit(s.at(end+1)) {
		next := s.digitsEnd(end + 1)
		parts.WriteString("." + string(s[end+1:next]))
		end = next
	}
	return whole, parts.String(), end
}

// hasSpacedGroups reports whether blanks set groups of thousands apart from i on: they
// are several, or the last is round.
func (s source) hasSpacedGroups(i int) bool {
	groups := 0
	for s.at(i) == ' ' && s.digitsEnd(i+1) == i+4 && groups < 3 {
		groups++
		i += 4
	}
	next := s.at(i)
	return groups > 0 && (groups > 1 || s.at(i-1) == '0' && s.at(i-2) == '0') && !isWord(next) && !strings.ContainsRune("-/", next)
}

// unitAt returns the unit at i, perhaps behind a space or in English a hyphen, and
// where it ends with the dot that belongs to it.
func (s source) unitAt(i int, lex *lexicon) (u unit, end int, ok bool) {
	spaced := s.at(i) == ' '
	switch {
	case spaced:
		i++
	case s.at(i) == '-' && !lex.german && unicode.IsLetter(s.at(i+1)):
		spaced = true
		i++
	}
	if u, ok := lex.money[s.at(i)]; ok && (s.at(i-1) != ' ' || !isDigit(s.at(i+1))) {
		return u, i + 1, true
	}
	if c := s.at(i); c == '′' || c == '″' {
		return lex.units[map[rune]string{'′': "ft", '″': "in"}[c]], i + 1, true
	}
	if !lex.german && (s.wordAt(i, "sq") || s.wordAt(i, "cu")) {
		return s.squareAt(i, lex)
	}
	end = i
	for end-i < maxUnit && (unicode.IsLetter(s.at(end)) || strings.ContainsRune("°²³", s.at(end)) || s.at(end) == '/' && unicode.IsLetter(s.at(end+1))) {
		end++
	}
	for ; end > i; end-- {
		if isWord(s.at(end)) || unicode.IsMark(s.at(end)) {
			continue
		}
		word := string(s[i:end])
		lower := strings.ToLower(word)
		if u, ok = lex.exact[word]; !ok {
			u, ok = lex.units[lower]
		}
		if !ok || spaced && isAmbiguous(word) && !s.isInch(end, word) || s.isLoneCapital(word, end, spaced) {
			continue
		}
		if s.at(end) == '.' && lex.dotted[lower] && !s.endsAt(end+1) && (lex.german || !unicode.IsUpper(s.after(end+1))) {
			end++
		}
		return u, end, true
	}
	return unit{}, 0, false
}

// isInch reports whether "in" with the end at end is an inch: its dot is no stop.
func (s source) isInch(end int, word string) bool {
	if word == "in" && s.at(end) == ' ' && measured[s.wordFrom(end+1)] {
		return true
	}
	return word == "in" && s.at(end) == '.' && !s.endsAt(end+1) && (s.at(end+1) == ',' || unicode.IsLower(s.after(end+1)))
}

// squareAt returns the unit of "sq. ft." and "cu ft" at i.
func (s source) squareAt(i int, lex *lexicon) (u unit, end int, ok bool) {
	power := "square "
	if s.at(i) == 'c' {
		power = "cubic "
	}
	i += 2
	if s.at(i) == '.' {
		i++
	}
	if s.at(i) != ' ' || !unicode.IsLetter(s.at(i+1)) {
		return unit{}, 0, false
	}
	end = i + 1
	for end-i <= maxUnit && unicode.IsLetter(s.at(end)) {
		end++
	}
	word := strings.ToLower(string(s[i+1 : end]))
	u, ok = lex.units[word]
	if s.at(end) == '.' && lex.dotted[word] && !s.endsAt(end+1) && !unicode.IsUpper(s.after(end+1)) {
		end++
	}
	return unit{power + u.one, power + u.many, ""}, end, ok
}

// maxUnit is the length of the longest unit, in runes.
const maxUnit = 6

// isAmbiguous reports whether a unit behind a space is more likely a word or a
// name: "5 in a row", "2 S".
func isAmbiguous(word string) bool {
	return slices.Contains([]string{"in", "In", "IN", "S", "H", "G", "M", "T", "PT", "Am", "Pt"}, word)
}

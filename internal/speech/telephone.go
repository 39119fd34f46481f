package speech

import (
	"slices"
	"strings"
	"unicode"
)

// readPhone reads a telephone number digit by digit, with a pause between its groups.
func (r *reader) readPhone() bool {
	if prev := r.at(r.i - 1); isWord(prev) || strings.ContainsRune("$€£.,:/-", prev) {
		return false
	}
	groups, signs, end := r.digitGroups()
	if len(groups) == 0 || isWord(r.at(end)) || r.at(end) == '%' || !r.isPhone(groups, signs, end) {
		return false
	}
	plus := r.at(r.i) == '+' || r.at(r.i) == '(' && r.at(r.i+1) == '+'
	r.i = end
	for i, g := range groups {
		words := r.lex.spellDigits(g)
		if i == 0 && plus {
			words = r.lex.plus + " " + words
		}
		if i > 0 {
			r.mark = ','
		}
		r.addWords(words)
	}
	return true
}

// digitGroups returns the groups of digits from r.i on, the separators between them, one rune each, and the
// index after them.
func (r *reader) digitGroups() (groups []string, signs string, end int) {
	i := r.i
	for len(groups) < maxGroups {
		opened := r.at(i) == '('
		if opened {
			i++
		}
		if r.at(i) == '+' && len(groups) == 0 {
			i++
		}
		stop := r.digitsEnd(i)
		if stop == i || stop-i > 12 {
			break
		}
		groups = append(groups, string(r.text[i:stop]))
		i = stop
		if opened {
			if r.at(i) != ')' {
				return nil, "", 0
			}
			i++
			signs += ")"
			if strings.ContainsRune(" -/", r.at(i)) && isDigit(r.at(i+1)) {
				i++
			}
			end = i
			continue
		}
		end = i
		sign := r.at(i)
		if !strings.ContainsRune(" -/.‐–", sign) || !isDigit(r.at(i+1)) && !(r.at(i+1) == '(' && isDigit(r.at(i+2))) {
			break
		}
		signs += string(sign)
		i++
	}
	return groups, signs, end
}

// isPhone reports whether groups of digits look like a telephone number.
func (r *reader) isPhone(groups []string, signs string, end int) bool {
	total, shape := 0, make([]byte, 0, maxGroups)
	for _, g := range groups {
		total += len(g)
		shape = append(shape, byte('0'+min(len(g), 9)))
	}
	first := r.at(r.i)
	noun := r.at(end) == ' ' && unicode.IsLetter(r.at(end+1)) && r.countsNext(end)
	form := string(shape)
	american := form == "334" || form == "1334" || form == "34"
	cue := r.phoneBefore()
	dashes, spaces := strings.Trim(signs, "-") == "", strings.Trim(signs, "- ") == ""
	switch {
	case first == '+':
		return total >= 8
	case first == '(':
		return len(groups) > 1 && total >= 7 && (len(groups[0]) >= 2)
	case cue && spaces && len(groups) > 1:
		return total >= 5
	case cue && len(groups) == 1:
		return total >= 6 || total == 3 && !noun && !strings.ContainsRune(".,'", r.at(end)) || total >= 3 && total <= 5 && r.lex.dials[strings.ToLower(r.last)]
	case first == '0' && len(groups) > 1 && len(groups[0]) >= 3 && total >= 6:
		return spaces || strings.Trim(signs[1:], "- ") == "" && (signs[0] == '/' || signs[0] == '-')
	case american && len(groups) > 2 && (dashes || strings.Trim(signs, ".") == ""):
		return true
	case form == "34" && dashes:
		round := strings.HasSuffix(groups[0], "00") && strings.HasSuffix(groups[1], "00")
		return !round && !noun
	}
	return false
}

// phoneBefore reports whether one of the last four words is about telephoning.
func (r *reader) phoneBefore() bool {
	return slices.ContainsFunc(r.wordsBefore(4), func(w string) bool { return r.lex.phones[strings.ToLower(strings.Trim(w, ".,:"))] })
}

// maxGroups is the maximum number of digit groups in a telephone number.
const maxGroups = 6

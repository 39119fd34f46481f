package speech

import (
	"slices"
	"strings"
	"unicode"
)

const (
	// maxHost bounds the addresses that are said rather than named, in runes.
	maxHost = 48
	// maxGroups is how many groups of digits a telephone number may have.
	maxGroups = 6
)

// readAddress reads "anna@inn.example", "inn.example" and "www.inn.example/map" as
// people dictate them, and what has a scheme or is long as the word for a link.
func (r *measureReader) readAddress() bool {
	if isWord(r.at(r.i-1)) || r.at(r.i-1) == '.' {
		return false
	}
	end, ats, dots := r.i, 0, 0
	for end-r.i <= maxHost && r.isAddressRune(r.at(end)) {
		switch r.at(end) {
		case '@':
			ats++
		case '.':
			dots++
		}
		end++
	}
	if ats == 0 && dots == 0 {
		return false
	}
	for end > r.i && !isWord(r.at(end-1)) {
		end--
	}
	token := strings.ToLower(string(r.source[r.i:end]))
	host, path, _ := strings.Cut(token, "/")
	host = host[strings.LastIndexByte(host, '@')+1:]
	top := host[strings.LastIndexByte(host, '.')+1:]
	user, _, mailed := strings.Cut(token, "@")
	switch {
	case ats > 1, !strings.Contains(host, "."), strings.Contains(host, ".."), host[0] == '.':
		return false
	case mailed && (user == "" || path != "" || len(top) < 2 || unicode.IsDigit(rune(top[0]))):
		return false
	case !mailed && !strings.HasPrefix(host, "www.") && (!topLevels[top] || len(host) < len(top)+3 || isDigit(rune(host[0]))):
		return false
	}
	r.i = end
	r.addWords(r.dictate(token))
	return true
}

// topLevels end a name that is one of the net or of a file.
var topLevels = wordSet("com org net example test de at ch eu uk io gg app dev info pdf txt png jpg json yaml zip mp3 wav html")

// isAddressRune reports whether c may be part of an address.
func (r *measureReader) isAddressRune(c rune) bool {
	return isWord(c) && !unicode.IsMark(c) || r.signOfAddress(c) != ""
}

// signOfAddress returns how a sign of addresses is dictated, "" for any other rune.
func (r *measureReader) signOfAddress(c rune) string {
	switch c {
	case '@':
		return r.lex.mailAt
	case '.':
		return r.lex.dot
	case '_':
		return r.lex.underscore
	case '-':
		return r.lex.dash
	case '/':
		return r.lex.slash
	case '+':
		return r.lex.plus
	case '%':
		return r.lex.percent
	}
	return ""
}

// dictate puts the signs of an address into words.
func (r *measureReader) dictate(token string) string {
	var words []string
	start := 0
	flush := func(end int) {
		if end > start {
			words = append(words, r.dictateLabel(token[start:end]))
		}
		start = end + 1
	}
	for i, c := range token {
		name := r.signOfAddress(c)
		if name == "" {
			continue
		}
		flush(i)
		words = append(words, name)
	}
	flush(len(token))
	return strings.Join(words, " ")
}

// dictateLabel reads what stands between the signs of an address.
func (r *measureReader) dictateLabel(label string) string {
	switch {
	case label == "www", isASCII(label) && len(label) <= 3 && !strings.ContainsAny(label, "aeiouy0123456789"):
		return strings.Join(strings.Split(label, ""), " ")
	case strings.ContainsFunc(label, isDigit):
		i := strings.IndexFunc(label, isDigit)
		end := i
		for end < len(label) && isDigit(rune(label[end])) {
			end++
		}
		digits := label[i:end]
		if n, ok := r.valueOf(digits); ok && n < 100 {
			digits = r.lex.cardinal(n)
		} else {
			digits = r.lex.spellDigits(digits)
		}
		if end < len(label) {
			digits += " " + r.dictateLabel(label[end:])
		}
		return strings.TrimSpace(label[:i] + " " + digits)
	}
	return label
}

// readPhone reads a telephone number digit by digit, with a pause between its groups.
func (r *measureReader) readPhone() bool {
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

// digitGroups returns the groups of digits from here on, what stands between them,
// a rune each, and where they end.
func (r *measureReader) digitGroups() (groups []string, signs string, end int) {
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
		groups = append(groups, string(r.source[i:stop]))
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
func (r *measureReader) isPhone(groups []string, signs string, end int) bool {
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

// phoneBefore reports whether a word for telephoning stands shortly before.
func (r *writer) phoneBefore() bool {
	return slices.ContainsFunc(r.wordsBefore(4), func(w string) bool { return r.lex.phones[strings.ToLower(strings.Trim(w, ".,:"))] })
}

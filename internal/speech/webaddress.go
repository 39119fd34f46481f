package speech

import (
	"strings"
	"unicode"
)

// readLink reads a complete web address with its scheme as the word "link".
func (r *reader) readLink() bool {
	www := r.startsWithFold("www.")
	if !www && !r.startsWithFold("http://") && !r.startsWithFold("https://") {
		return false
	}
	end := r.i
	for r.at(end) != ' ' {
		end++
	}
	for strings.ContainsRune(".,!?;:…)]", r.at(end-1)) {
		end--
	}
	if www && end-r.i <= maxHost && r.readAddress() {
		return true
	}
	r.i = end
	r.addWords(r.lex.link)
	return true
}

// readAddress reads "anna@inn.example", "inn.example" and "www.inn.example/map" as people dictate them.
func (r *reader) readAddress() bool {
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
	token := strings.ToLower(string(r.text[r.i:end]))
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

// topLevels are the endings of host names and file names.
var topLevels = wordSet("com org net example test de at ch eu uk io gg app dev info pdf txt png jpg json yaml zip mp3 wav html")

// isAddressRune reports whether c may be part of an address.
func (r *reader) isAddressRune(c rune) bool {
	return isWord(c) && !unicode.IsMark(c) || r.signOfAddress(c) != ""
}

// signOfAddress returns the word for a sign in an address, or "" for any other rune.
func (r *reader) signOfAddress(c rune) string {
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

// dictate returns an address with its signs in words.
func (r *reader) dictate(token string) string {
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

// dictateLabel reads the part between two signs of an address.
func (r *reader) dictateLabel(label string) string {
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

// maxHost is the maximum length, in runes, of an address that is dictated rather than called a link.
const maxHost = 48

package ruleslookup

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxWord is the maximum length of a word, in bytes. The rest of a longer word is dropped.
const maxWord = 40

// word is one word of a text.
type word struct {
	// raw is the word in lower case, without accents and apostrophes.
	raw string
	// stem is shared by all inflections of a word, such as "grapple", "grappling" and "grappled".
	stem string
}

// wordsIn splits s into words, including stop words.
func wordsIn(s string) []word {
	var out []word
	for raw := range strings.FieldsFuncSeq(plain(s), isBreak) {
		if len(raw) > maxWord {
			raw = strings.ToValidUTF8(raw[:maxWord], "")
		}
		out = append(out, word{raw: raw, stem: stem(raw)})
	}
	return out
}

func isBreak(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// plain folds case and removes accents and apostrophes, so that "Hunter’s" and "hunters" become the same
// word.
func plain(s string) string {
	if b, ascii := plainASCII(s); ascii {
		return b
	}
	s = strings.ReplaceAll(norm.NFKD.String(strings.ToValidUTF8(s, " ")), "ß", "ss")
	return strings.Map(func(r rune) rune {
		if r == '\'' || r == '’' || r == '‘' || unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// plainASCII is like [plain], but handles only ASCII text, which is the common case. ok reports whether s is
// ASCII.
func plainASCII(s string) (folded string, ok bool) {
	fold := false
	for i := range len(s) {
		c := s[i]
		if c >= 0x80 {
			return "", false
		}
		fold = fold || c == '\'' || 'A' <= c && c <= 'Z'
	}
	if !fold {
		return s, true
	}
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\'':
		case 'A' <= c && c <= 'Z':
			b = append(b, c+'a'-'A')
		default:
			b = append(b, c)
		}
	}
	return string(b), true
}

// content removes the stop words, unless nothing else would be left. The exception is needed because some
// rules are called "Help" or "Will".
func content(ws []word) []word { return without(ws, stopWord) }

// germanContent is like [content], for German text.
func germanContent(ws []word) []word {
	return without(ws, func(w string) bool { return germanStop(w) || stopWord(w) && w != "i" && w != "has" })
}

func without(ws []word, stop func(string) bool) []word {
	kept := make([]word, 0, len(ws))
	for _, w := range ws {
		if !stop(w.raw) {
			kept = append(kept, w)
		}
	}
	if len(kept) == 0 {
		return ws
	}
	return kept
}

// stopWord reports whether w is a stop word: it says nothing about which rule is meant.
func stopWord(w string) bool {
	switch w {
	case "a", "an", "the", "this", "that", "these", "those", "some", "any",
		"and", "or", "if", "then", "so", "but", "as", "than",
		"of", "in", "on", "at", "to", "for", "from", "by", "with", "about", "into", "during",
		"is", "are", "was", "were", "be", "been", "am", "isnt", "arent",
		"do", "does", "did", "doing", "done", "dont", "doesnt",
		"has", "have", "had", "can", "cant", "could", "would", "should", "will", "may", "must",
		"i", "im", "me", "my", "you", "your", "youre", "he", "she", "his", "her", "him",
		"we", "us", "our", "it", "its", "they", "them", "their", "theres", "there",
		"what", "whats", "when", "where", "which", "who", "whos", "why", "how", "hows",
		"tell", "explain", "describe", "please", "know", "need", "want", "mean", "means", "meaning",
		"work", "works", "working", "happen", "happens", "exactly", "again", "s", "t",
		"rule", "rules", "dnd", "5e", "srd":
		return true
	}
	return false
}

// stem removes the endings of plurals and participles. It is deliberately light, because merging unrelated
// words hides a rule, whereas prefix search makes up for a missed ending.
func stem(w string) string {
	w = singular(w)
	w = participle(w)
	if len(w) > 3 && strings.HasSuffix(w, "e") {
		w = w[:len(w)-1]
	}
	return w
}

func singular(w string) string {
	n := len(w)
	switch {
	case n < 4 || !strings.HasSuffix(w, "s"):
		return w
	case n > 4 && strings.HasSuffix(w, "ies"):
		return w[:n-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "xes"):
		return w[:n-2]
	case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"):
		return w
	}
	return w[:n-1]
}

func participle(w string) string {
	n := len(w)
	switch {
	case n > 4 && strings.HasSuffix(w, "ied"):
		return w[:n-3] + "y"
	case strings.HasSuffix(w, "eed"):
		return w
	case n > 5 && strings.HasSuffix(w, "ing") && hasVowel(w[:n-3]):
		return undouble(w[:n-3])
	case n > 4 && strings.HasSuffix(w, "ed") && hasVowel(w[:n-2]):
		return undouble(w[:n-2])
	}
	return w
}

func hasVowel(w string) bool { return strings.ContainsAny(w, "aeiouy") }

// undouble changes "stunn" to "stun", but keeps "spell", "pass" and "buzz".
func undouble(w string) string {
	n := len(w)
	if n < 3 || w[n-1] != w[n-2] || strings.IndexByte("lszaeiou", w[n-1]) >= 0 {
		return w
	}
	return w[:n-1]
}

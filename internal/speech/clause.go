package speech

import (
	"strings"
	"unicode"
)

// clauseWords is the minimum number of words in a clause that is spoken on its own. A shorter one sounds like
// a sentence that was cut off.
const clauseWords = 5

// Clause returns the beginning of the sentence that is being written, up to the first place where a speaker
// may pause for breath, including its punctuation mark. It returns "" if there is none yet. The clause has at
// least five words and is the beginning of the next sentence that s yields. It never ends within a number, a
// quotation, brackets or an enumeration, or before a person's name.
func (s *Splitter) Clause() string {
	words, inside := 0, false
	for i, r := range s.text[:s.seen] {
		switch {
		case isWord(r):
			if !inside {
				words++
			}
			inside = true
			continue
		case (r == '\'' || r == '’') && inside: // it's
			continue
		case r == '\n', isStop(r), isQuote(r), isCloser(r), isOpener(r) && r != '-' && r != '–' && r != '—':
			return ""
		}
		inside = false
		if words >= clauseWords && s.canPauseAt(i) {
			return sentence(s.text[:i+1])
		}
	}
	return ""
}

// canPauseAt reports whether a speaker may pause at the punctuation mark at i.
func (s *Splitter) canPauseAt(i int) bool {
	next := lookahead{text: s.text[min(i+1, len(s.text)):]}.firstWord()
	if next == "" || i+1 >= len(s.text) || s.text[i+1] != ' ' {
		return false
	}
	switch s.text[i] {
	case ',':
		return beginsClause[strings.ToLower(next)]
	case ';', ':':
		return true
	case '-', '–', '—':
		return s.text[i-1] == ' '
	}
	return false
}

// firstWord returns the word after a single space, or "" if the word is not complete yet.
func (l lookahead) firstWord() string {
	if len(l.text) == 0 || l.text[0] != ' ' {
		return ""
	}
	n := 1
	for n < len(l.text) && unicode.IsLetter(l.text[n]) {
		n++
	}
	if n == len(l.text) || l.text[n] != ' ' {
		return ""
	}
	return string(l.text[1:n])
}

// beginsClause are words that begin a clause after a comma, in English and German. Any other word there may
// be part of an enumeration, or a name.
var beginsClause = wordsIn(`
	but and so because since though although while when where which who if unless until for yet or nor then
	i you he she it we they there that this these those
	aber und oder denn weil dass da wenn als ob obwohl während wo wohin woher der die das dem welche welcher
	welches ich du er sie es wir ihr man sondern doch damit bevor nachdem bis falls sodass sobald solange wie was`)

func wordsIn(list string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(list) {
		all[w] = true
	}
	return all
}

package speech

import (
	"slices"
	"strings"
	"unicode"
)

// isStop reports whether r may end a sentence.
func isStop(r rune) bool {
	switch r {
	case '.', '!', '?', '…', '‼', '⁇', '⁈', '⁉', '؟', '۔', '।':
		return true
	}
	return isWide(r)
}

// isWide reports whether r is a stop of a script that uses no space after it.
func isWide(r rune) bool {
	switch r {
	case '。', '．', '！', '？', '｡':
		return true
	}
	return false
}

// isPause reports whether a speaker may breathe at r within a sentence.
func isPause(r rune) bool {
	switch r {
	case ',', ';', ':', '–', '—', ')', '、', '，', '；', '：', '،':
		return true
	}
	return false
}

// isWidePause reports whether r is a pause that needs no space after it.
func isWidePause(r rune) bool { return r == '、' || r == '，' || r == '；' || r == '：' }

// isCloser reports whether r may be between a stop and the space after it.
func isCloser(r rune) bool {
	switch r {
	case ')', ']', '}', '*', '_', '`', '）', '］', '】', '》':
		return true
	case '「', '『':
		return false
	}
	return isQuote(r)
}

// isWideCloser is isCloser for a stop that needs no space after it. After that, “ opens the next sentence.
func isWideCloser(r rune) bool {
	return isCloser(r) && r != '“' && r != '‘' && r != '„' && r != '«'
}

// isOpener reports whether r may be between a space and a word.
func isOpener(r rune) bool {
	switch r {
	case '(', '[', '{', '*', '_', '`', '#', '+', '-', '–', '—', '~', '>', '¿', '¡', '（', '【', '《':
		return true
	}
	return isQuote(r)
}

// isEllipsis reports whether a run of stops consists of dots.
func isEllipsis(run []rune) bool {
	for _, r := range run {
		if r != '.' && r != '…' {
			return false
		}
	}
	return true
}

// lookahead is the text after a stop and a space.
type lookahead struct {
	text  []rune
	final bool
}

// maxOpeners is the maximum number of opening marks before a word.
const maxOpeners = 4

// word returns the text from the next word on. wait means that there is none yet, and no that the line ends
// first.
func (l lookahead) word() ([]rune, verdict) {
	text := l.text
	for n := 0; n < maxOpeners && len(text) > 0 && isOpener(text[0]); n++ {
		text = text[1:]
	}
	switch {
	case len(text) == 0 && !l.final:
		return nil, wait
	case len(text) == 0, text[0] == '\n':
		return nil, no
	}
	return text, yes
}

// notLower ends the sentence unless it continues in lower case.
func (l lookahead) notLower() verdict {
	word, v := l.word()
	switch {
	case v == wait:
		return wait
	case v == yes && unicode.IsLower(word[0]):
		return no
	}
	return yes
}

// notDigit ends the sentence unless a number follows.
func (l lookahead) notDigit() verdict {
	word, v := l.word()
	switch {
	case v == wait:
		return wait
	case v == yes && unicode.IsDigit(word[0]):
		return no
	}
	return yes
}

// afterWord decides about a single dot after text, followed by a space.
func afterWord(text []rune, next lookahead) verdict {
	start := len(text)
	for start > 0 && text[start-1] != ' ' && text[start-1] != '\n' {
		start--
	}
	for start < len(text) && isOpener(text[start]) {
		start++
	}
	word := text[start:]
	if len(word) == 0 || len(word) > maxAbbreviation {
		return yes
	}
	if isNumber(word) {
		return afterNumber(text[:start], word, next)
	}
	if len(word) == 1 && unicode.IsLetter(word[0]) {
		return afterLetter(text[:start], word[0], next)
	}
	switch abbreviation(strings.ToLower(string(word))) {
	case never:
		return no
	case beforeDigit:
		return next.notDigit()
	case perhaps:
		return next.notLower()
	}
	switch {
	case isInitials(word):
		return no
	case isRoman(word): // Ludwig XIV. war
		return next.notLower()
	}
	return yes
}

// afterLetter decides about a single letter: an initial, or half of "z. B.". "I" may end a sentence in
// English unless another initial precedes it.
func afterLetter(before []rune, letter rune, next lookahead) verdict {
	n := len(before)
	afterInitial := n >= 3 && before[n-2] == '.' && unicode.IsUpper(before[n-3]) && (n == 3 || !isWord(before[n-4]))
	if letter != 'I' || afterInitial {
		return no
	}
	return next.notLower()
}

// isInitials reports whether word consists of letters separated by dots, as in J.R.R.
func isInitials(word []rune) bool {
	for i, r := range word {
		if dot := i%2 == 1; dot != (r == '.') || !dot && !unicode.IsLetter(r) {
			return false
		}
	}
	return len(word)%2 == 1
}

func isRoman(word []rune) bool {
	for _, r := range word {
		if !strings.ContainsRune("IVXLC", r) {
			return false
		}
	}
	return true
}

// isNumber reports whether word consists of digits and the marks that join them.
func isNumber(word []rune) bool {
	for _, r := range word {
		if !unicode.IsDigit(r) && !strings.ContainsRune(".,-–/", r) {
			return false
		}
	}
	return unicode.IsDigit(word[len(word)-1])
}

// maxOrdinal is the maximum number of digits of an ordinal. A longer number is a year or an amount.
const maxOrdinal = 3

// afterNumber decides about a number, because German writes ordinals with a dot, and lists may begin with
// one.
func afterNumber(before, number []rune, next lookahead) verdict {
	word, v := next.word()
	switch {
	case v == wait:
		return wait
	case v == no:
		return yes
	case unicode.IsLower(word[0]), unicode.IsDigit(word[0]), !hasWord(before):
		return no
	case len(number) > maxOrdinal:
		return yes
	}
	fields := strings.Fields(string(before[max(0, len(before)-24):]))
	if n := len(fields); n > 0 && slices.Contains(ordinalContext, strings.ToLower(fields[n-1])) {
		if n < 2 || fields[n-1] != "am" || fields[n-2] != "I" { // "I am 17."
			return no
		}
	}
	return notMonth(word, next.final)
}

// notMonth ends the sentence unless word is a German month.
func notMonth(word []rune, final bool) verdict {
	n := 0
	for n < len(word) && n <= maxMonth && unicode.IsLetter(word[n]) {
		n++
	}
	have := string(word[:n])
	if n < len(word) || final {
		if slices.Contains(months, have) {
			return no
		}
		return yes
	}
	for _, month := range months {
		if strings.HasPrefix(month, have) {
			return wait
		}
	}
	return yes
}

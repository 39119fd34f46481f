package speech

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reader puts tidied text into words, from left to right. It looks back at the words it added, and ahead by a
// bounded number of runes.
//
// Its methods are grouped by notation: numbers.go, dice.go, units.go, money.go, fractions.go, ordinals.go,
// dates.go, years.go, clock.go, roman.go, telephone.go, webaddress.go, places.go, signs.go, shortforms.go,
// germanshort.go and words.go. A method named read… that returns false has read nothing, because the text is
// something else. lookaround.go examines the surrounding text. notation.go reads only dice and quantities,
// for [Game].
type reader struct {
	text   []rune
	lex    *lexicon // nil keeps signs as they are
	effort effort

	i     int // the next rune of text
	out   []byte
	mark  rune   // the punctuation since the last word, 0 for none
	last  string // the last word; "" after punctuation
	units bool   // the last word was a unit
	// ending is the ending of the last German ordinal, used for "3. und 4. Tag".
	ending string
	// numeralEnd is the index after the last Roman numeral that counts something.
	numeralEnd int
	// described reports whether an English determiner precedes the last number.
	described bool
}

func newReader(text []rune, lex *lexicon, e effort) *reader {
	return &reader{text: text, lex: lex, effort: e}
}

func (r *reader) readAll() string {
	for r.i < len(r.text) {
		r.readNext()
	}
	if isStop(r.mark) {
		r.out = utf8.AppendRune(r.out, r.mark)
	}
	return string(r.out)
}

// readNext reads the next word, number or sign.
func (r *reader) readNext() {
	c := r.at(r.i)
	switch {
	case c == ' ':
		r.i++
	case c == '.' && r.readBareDecimal(), c == '(' && r.lex != nil && r.effort != noSigns && (r.readPhone() || r.readOptional()):
	case strings.ContainsRune(".,!?;:…—()[]", c):
		r.addPause(c)
		r.i++
	case unicode.IsLetter(c):
		r.readWord()
	case r.lex == nil && r.effort != noSigns:
		r.copySigns()
	case r.effort == noSigns:
		r.i++
	case isDigit(c):
		r.readNumber()
	default:
		r.readSign(c)
	}
}

// addWords adds one or more words.
func (r *reader) addWords(words string) {
	if words == "" {
		return
	}
	if len(r.out) > 0 {
		if r.mark != 0 {
			r.out = utf8.AppendRune(r.out, r.mark)
		}
		r.out = append(r.out, ' ')
	}
	r.mark, r.units = 0, false
	r.out = append(r.out, words...)
	r.last = words[strings.LastIndexByte(words, ' ')+1:]
}

// addPause adds a punctuation mark. Of several in a row, the strongest is kept. There is none before the
// first word.
func (r *reader) addPause(c rune) {
	switch c {
	case '(', ')', '[', ']', '—':
		c = ','
	case '.':
		if r.at(r.i-1) == '.' && r.at(r.i+1) == '.' || r.mark == '…' {
			c = '…'
		}
	}
	if len(r.out) > 0 && rank(c) > rank(r.mark) {
		r.mark = c
	}
	r.last = ""
}

func rank(mark rune) int { return strings.IndexRune(",;:.…!?", mark) }

// copySigns copies numbers and signs for a language without a lexicon.
func (r *reader) copySigns() {
	start := r.i
	for r.i < len(r.text) {
		c := r.at(r.i)
		inner := isDigit(r.at(r.i-1)) && isDigit(r.at(r.i+1))
		if c == ' ' || unicode.IsLetter(c) || strings.ContainsRune("!?;…—()[]", c) || strings.ContainsRune(".,:", c) && !inner {
			break
		}
		r.i++
	}
	word := strings.Trim(string(r.text[start:r.i]), "_~#*")
	if strings.ContainsFunc(word, isDigit) {
		r.addWords(word)
	}
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// valueOf returns the value of a number. ok is false if the number has to be read digit by digit.
func (r *reader) valueOf(digits string) (n int64, ok bool) {
	if len(digits) > 12 || len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil && n <= maxCardinal && (r.effort != byDigit || n < 10)
}

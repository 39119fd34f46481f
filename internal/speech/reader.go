package speech

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// reader puts tidy text into words, from left to right. It looks back at what
// it said and a bounded way ahead.
type reader struct{ shortReader }

// shortReader reads what is cut short: abbreviations, titles, weekdays.
type shortReader struct{ measureReader }

// measureReader reads fractions, sums of money, angles, telephone numbers and addresses.
type measureReader struct{ dateReader }

// dateReader reads what is ordered: times, days, years, ordinals and rulers.
type dateReader struct{ writer }

// writer is what is read, what was said of it, and how words are added to that.
type writer struct {
	source
	lex    *lexicon // nil leaves signs as they are
	effort effort

	i     int // next rune
	out   []byte
	mark  rune   // the pause since the last word, 0 for none
	last  string // the last word, "" after a pause
	units bool   // the last word was a unit
	// ending is that of the last German ordinal, for "3. und 4. Tag".
	ending string
	// numeralEnd is where the last Roman numeral that counts ended.
	numeralEnd int
	// described is whether an English article stands before the last number.
	described bool
}

func newReader(text source, lex *lexicon, e effort) *reader {
	return &reader{shortReader{measureReader{dateReader{writer{source: text, lex: lex, effort: e}}}}}
}

func (r *reader) readAll() string {
	for r.i < len(r.source) {
		r.readNext()
	}
	if isStop(r.mark) {
		r.out = utf8.AppendRune(r.out, r.mark)
	}
	return string(r.out)
}

// readNext reads what comes next.
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

// addWords adds a word, or several.
func (r *writer) addWords(words string) {
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

// addPause adds a mark; of several in a row the strongest stays. There is none
// before the first word.
func (r *writer) addPause(c rune) {
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

// copySigns takes over what has no words in this language.
func (r *reader) copySigns() {
	start := r.i
	for r.i < len(r.source) {
		c := r.at(r.i)
		inner := isDigit(r.at(r.i-1)) && isDigit(r.at(r.i+1))
		if c == ' ' || unicode.IsLetter(c) || strings.ContainsRune("!?;…—()[]", c) || strings.ContainsRune(".,:", c) && !inner {
			break
		}
		r.i++
	}
	word := strings.Trim(string(r.source[start:r.i]), "_~#*")
	if strings.ContainsFunc(word, isDigit) {
		r.addWords(word)
	}
}

// readWord reads a word.
func (r *reader) readWord() {
	if r.lex != nil && r.effort != noSigns && (r.skipAddress() || r.readAddress() || r.readShortWord() || r.readAbbreviation() || r.readDie()) {
		return
	}
	start := r.i
	for r.i < len(r.source) {
		c := r.at(r.i)
		joint := (c == '\'' || c == '-') && unicode.IsLetter(r.at(r.i+1))
		if !unicode.IsLetter(c) && !unicode.IsMark(c) && !joint {
			break
		}
		r.i++
	}
	word := r.source[start:r.i]
	if r.readRoman(word) {
		return
	}
	r.addWords(r.lowerCapitals(word, start))
}

// skipAddress reads a web address with its scheme, whole, as the word for one.
func (r *reader) skipAddress() bool {
	www := r.startsWith("www.")
	if !www && !r.startsWith("http://") && !r.startsWith("https://") {
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

// startsWith reports whether the rest begins with an ASCII text in any case.
func (r *writer) startsWith(text string) bool {
	for i, c := range text {
		if unicode.ToLower(r.at(r.i+i)) != c {
			return false
		}
	}
	return true
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

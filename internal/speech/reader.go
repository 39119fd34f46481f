package speech

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// reader puts tidy text into words, from left to right. It looks back at what
// it said and a bounded way ahead.
type reader struct {
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

// addPause adds a mark; of several in a row the strongest stays. There is none
// before the first word.
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
	if r.lex != nil && r.effort != noSigns && (r.skipAddress() || r.readAbbreviation() || r.readDie()) {
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
	r.addWords(r.lowerCapitals(word))
}

// skipAddress reads a web address, whole, as the word for one.
func (r *reader) skipAddress() bool {
	if !r.startsWith("http://") && !r.startsWith("https://") && !r.startsWith("www.") {
		return false
	}
	end := r.i
	for r.at(end) != ' ' {
		end++
	}
	for strings.ContainsRune(".,!?;:…)]", r.at(end-1)) {
		end--
	}
	r.i = end
	r.addWords(r.lex.link)
	return true
}

// startsWith reports whether the rest begins with an ASCII text in any case.
func (r *reader) startsWith(text string) bool {
	for i, c := range text {
		if unicode.ToLower(r.at(r.i+i)) != c {
			return false
		}
	}
	return true
}

// readRoman reads a numeral behind a name or after a word such as "chapter".
func (r *reader) readRoman(word []rune) bool {
	if r.lex == nil || r.effort == noSigns || r.last == "" {
		return false
	}
	own := ""
	if n := len(word) - 2; n > 0 && word[n] == '\'' && word[n+1] == 's' {
		word, own = word[:n], "'s"
	}
	n, ok := romanNumeral(word)
	if !ok {
		return false
	}
	first, _ := utf8.DecodeRuneInString(r.last)
	lower := strings.ToLower(r.last)
	switch {
	case r.lex.sections[lower]:
		r.addWords(r.lex.cardinal(n) + own)
	case !unicode.IsUpper(first) || utf8.RuneCountInString(r.last) < 3 || r.lex.noNames[lower]:
		return false
	case r.lex.german:
		r.addWords("der " + titleFirst(ordinalDE(n)) + "e")
		if r.at(r.i) == '.' && unicode.IsLower(r.after(r.i+1)) { // the dot makes the ordinal
			r.i++
		}
	default:
		r.addWords("the " + ordinalEN(n) + own)
	}
	return true
}

func titleFirst(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// lowerCapitals returns a word, part by part, spelled if it is an abbreviation and
// without capitals if it only shouts.
func (r *reader) lowerCapitals(word []rune) string {
	text := string(word)
	if r.effort == noSigns {
		return text
	}
	parts := strings.Split(text, "-")
	for i, p := range parts {
		parts[i] = r.lowerPart(p)
	}
	return strings.Join(parts, "-")
}

// maxSpelled is how many consonants are still spelled, and maxShort how long a
// word in capitals may be that is left alone unless it is known.
const (
	maxSpelled = 5
	maxShort   = 3
)

func (r *reader) lowerPart(part string) string {
	n := utf8.RuneCountInString(part)
	if n < 2 || strings.ContainsFunc(part, func(c rune) bool { return !unicode.IsUpper(c) && c != '\'' && !unicode.IsMark(c) }) {
		return part
	}
	lower := strings.ToLower(part)
	if len(lower) > len(part) { // in some scripts a small letter takes more bytes
		return part
	}
	vowels := strings.ContainsAny(lower, "aeiouyäöüáéíóú")
	switch {
	case r.lex != nil && r.lex.spelled[lower], r.lex != nil && !vowels && n <= maxSpelled && isASCII(part):
		return strings.Join(strings.Split(part, ""), " ")
	case n > maxShort, r.lex != nil && r.lex.shouted[lower]:
		return lower
	}
	return part
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is a word of a sentence: letters and digits, possibly with apostrophes inside.
type word struct {
	text       string // lower case, without umlauts, ß as ss
	stem       string // text without inflection, in either language
	start, end int    // its position in the sentence
	number     int    // its value, -1 if it is not a number
	capital    bool   // it begins with a capital
}

// sentence is a text with its words.
type sentence struct {
	raw   string
	words []word
}

// foldRune returns a rune without case and umlaut. second is 's' for ß.
func foldRune(r rune) (first, second rune) {
	switch r {
	case 'ä', 'Ä', 'à', 'á', 'â':
		return 'a', 0
	case 'ö', 'Ö', 'ó', 'ò', 'ô':
		return 'o', 0
	case 'ü', 'Ü', 'ú', 'ù', 'û':
		return 'u', 0
	case 'é', 'è', 'ê', 'É':
		return 'e', 0
	case 'ß', 'ẞ':
		return 's', 's'
	case '’', '‘', '`', '´':
		return '\'', 0
	}
	return unicode.ToLower(r), 0
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }

func isWordRune(r rune) bool { return isLetter(r) || unicode.IsDigit(r) }

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == '‘' || r == '`' || r == '´' }

// readWords splits a text into words, reusing buf.
func readWords(raw string, buf []word) sentence {
	var b strings.Builder
	b.Grow(len(raw) + 8)
	words := buf[:0]
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRuneInString(raw[i:])
		if !isWordRune(r) {
			i += size
			continue
		}
		w := word{start: i, number: -1, capital: unicode.IsUpper(r)}
		from := b.Len()
		for i < len(raw) {
			r, size = utf8.DecodeRuneInString(raw[i:])
			if !isWordRune(r) {
				next, _ := utf8.DecodeRuneInString(raw[i+size:])
				if !isApostrophe(r) || !isLetter(next) {
					break
				}
			}
			first, second := foldRune(r)
			b.WriteRune(first)
			if second != 0 {
				b.WriteRune(second)
			}
			i += size
		}
		w.end = i
		w.text = b.String()[from:]
		words = append(words, w)
	}
	for i := range words {
		w := &words[i]
		w.stem = stem(w.text)
		w.number = numberOf(w.text)
	}
	return sentence{raw: raw, words: words}
}

// endings are inflections of English and German words, longest first.
var endings = []string{"ies", "ied", "ern", "est", "ing", "ten", "tet", "ete", "te", "ed", "em", "en", "er", "es", "et", "e", "n", "s", "t", "y"}

// stem returns a folded word without its endings. A word of up to four letters loses only its genitive.
// Endings are kept if too little would be left.
func stem(w string) string {
	w = strings.TrimSuffix(w, "'s")
	if len(w) <= 4 {
		return w
	}
	for least := 3; least <= 5; least += 2 {
		for _, e := range endings {
			if len(w)-len(e) >= least && strings.HasSuffix(w, e) && (e != "n" || strings.IndexByte("elr", w[len(w)-2]) >= 0) {
				w = w[:len(w)-len(e)]
				break
			}
		}
	}
	if n := len(w); n > 3 && w[n-1] == w[n-2] {
		w = w[:n-1]
	}
	return w
}

// at returns the text of a word, or "" if there is none.
func (s *sentence) at(i int) string {
	if i < 0 || i >= len(s.words) {
		return ""
	}
	return s.words[i].text
}

// gap returns the text between a word and the one before it. For the index after the last word, it is the end
// of the sentence.
func (s *sentence) gap(i int) string {
	from, to := 0, len(s.raw)
	if i > 0 {
		from = s.words[i-1].end
	}
	if i < len(s.words) {
		to = s.words[i].start
	}
	return s.raw[from:to]
}

// has reports whether a word of the sentence is in the set.
func (s *sentence) has(set wordSet) bool {
	for i := range s.words {
		if set[s.words[i].text] {
			return true
		}
	}
	return false
}

// wordSet is a set of folded words.
type wordSet map[string]bool

// newWordSet reads words separated by white space.
func newWordSet(lists ...string) wordSet {
	set := wordSet{}
	for _, list := range lists {
		for w := range strings.FieldsSeq(list) {
			set[fold(w)] = true
		}
	}
	return set
}

// fold returns a text in lower case, without umlauts.
func fold(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		first, second := foldRune(r)
		b.WriteRune(first)
		if second != 0 {
			b.WriteRune(second)
		}
	}
	return b.String()
}

// functionWords have no meaning of their own.
var functionWords = newWordSet(`
	a an the this that these those he she it they we i you me him her us them his hers its their our my your mine yours
	is are was were be been being am has have had having of to in on at by for from with without and or but nor so as if
	than then there here who whom whose which what when where why how whatever whoever not no yes all any some every each
	either neither both only just also too very much more most many few less least into onto upon over out up down off
	about after before during while until till since because though although again ever never always now still yet even
	will would shall should can could may might must do does did done 's 't because against between among through
	der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner er sie es ihr ihm ihn ihnen
	wir uns euch du dich dir ich mich mir mein meine meinen meinem meiner meines dein deine deinen deinem deiner sein
	seine seinen seinem seiner seines ihre ihren ihrem ihrer ihres unser unsere euer eure ist sind war waren bin bist seid
	wird werden wurde wurden worden hat habe haben hast habt hatte hatten hätte hätten wäre wären und oder aber sondern
	denn weil dass ob wenn als wie wo wer wen wem was wann warum welche welcher welches von vom zu zum zur in im ins an am
	ans auf aufs aus bei beim mit nach vor vorm über durch für gegen ohne um bis seit nicht nichts nur auch noch schon
	sehr mehr viel viele wenig damit dazu davon daran darauf dafür dabei da dann hier dort so ja nein doch mal man sich
	ab weg los fort hin her heraus herein hinein hinaus herum zurück selbst alle alles allem jeder jede jedes etwas immer nie niemals jetzt nun
`)

// selfWords are first-person pronouns.
var selfWords = newWordSet(`i i'm i've i'll i'd my me mine myself ich mein meine meinen meinem meiner mir mich`)

// saysIAm reports whether a sentence describes its speaker.
func saysIAm(s *sentence) bool {
	for i := range s.words {
		switch w := s.at(i); {
		case w == "i'm", w == "i" && s.at(i+1) == "am", w == "ich" && s.at(i+1) == "bin", w == "bin" && s.at(i+1) == "ich":
			return true
		}
	}
	return false
}

func distance(a, b int) int { return max(a-b, b-a) }

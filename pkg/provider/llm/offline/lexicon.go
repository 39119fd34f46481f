package offline

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

//go:embed words
var wordFiles embed.FS

// lexicon is what people say and what it means, in all languages: a phrase is
// found by its first word.
type lexicon struct {
	byWord, byStem map[string][]*phrase
	// vocabulary are all words of phrases, spelt are those long enough to be known
	// when misspelt, by first letter.
	vocabulary map[string]bool
	spelt      map[byte][]string
	only       [len(languages)]map[string]bool // vocabulary by language
}

// phrase is a way to say something. In its source, "a|b" is either word, "a?"
// may be missing, "_" is up to three words of any kind, "a*" any word that
// begins so, "^" ties it to the clause's beginning and "$" to its end.
type phrase struct {
	intent     string
	lang       language
	parts      []wording
	start, end bool
}

type wording struct {
	words         []string
	optional, gap bool
}

// widestGap is how many words "_" may stand for.
const widestGap = 3

// knownWays reads the lexicon when it is first needed. The files are part of the
// program and held by a test, so they have no faults to report.
var knownWays = sync.OnceValue(func() *lexicon {
	l := &lexicon{byWord: map[string][]*phrase{}, byStem: map[string][]*phrase{}, vocabulary: map[string]bool{}, spelt: map[byte][]string{}}
	for _, lang := range languages {
		l.only[lang] = map[string]bool{}
		sections := readSections(fmt.Sprintf("words/ways.%s.txt", lang.tag()))
		for _, intent := range slices.Sorted(maps.Keys(sections)) { // so that every process has the same order
			for _, line := range sections[intent] {
				for source := range strings.SplitSeq(line, ";") {
					l.addPhrase(intent, lang, plainWord(strings.TrimSpace(source)))
				}
			}
		}
	}
	return l
})

// readSections reads a file of lines under [headings].
func readSections(name string) map[string][]string {
	data, _ := wordFiles.ReadFile(name) // embedded: it is there
	out, heading := map[string][]string{}, ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			heading = strings.Trim(line, "[]")
		default:
			out[heading] = append(out[heading], line)
		}
	}
	return out
}

func (l *lexicon) addPhrase(intent string, lang language, source string) {
	p := &phrase{intent: intent, lang: lang}
	source, p.start = strings.CutPrefix(source, "^")
	source, p.end = strings.CutSuffix(source, "$")
	for _, f := range strings.Fields(source) {
		f, optional := strings.CutSuffix(f, "?")
		w := wording{words: strings.Split(f, "|"), optional: optional, gap: f == "_"}
		p.parts = append(p.parts, w)
		for _, word := range w.words {
			if !w.gap && !strings.HasSuffix(word, "*") {
				l.learnWord(word)
				l.only[lang][word] = true
			}
		}
	}
	// A phrase may begin with any of its parts up to the first that must be there.
	for _, w := range p.parts {
		for _, word := range w.words {
			if stem, ok := strings.CutSuffix(word, "*"); ok {
				l.byStem[stem] = append(l.byStem[stem], p)
				continue
			}
			l.byWord[word] = append(l.byWord[word], p)
		}
		if !w.optional {
			break
		}
	}
}

// shortestSpelt is the length in bytes from which a word is known when misspelt. What
// is said must be longer: too many words of five letters are one letter apart.
const shortestSpelt = 5

func (l *lexicon) learnWord(word string) {
	if !l.vocabulary[word] && len(word) >= shortestSpelt {
		l.spelt[word[0]] = append(l.spelt[word[0]], word)
	}
	l.vocabulary[word] = true
}

// correct returns the word of the lexicon that word was meant to be, or word.
func (l *lexicon) correct(word string) string {
	if len(word) <= shortestSpelt || len(word) > 20 || l.vocabulary[word] {
		return word
	}
	for _, known := range l.spelt[word[0]] {
		if (words.Distance([]byte(word), []byte(known), 2) < 2 || isSwapped(word, known)) && !isForm(word, known) {
			return known
		}
	}
	return word
}

// plainWord is a word as phrases are compared: lower case, without apostrophes
// and umlauts, and no letter more than twice in a row.
func plainWord(word string) string {
	plain := true
	for i := 0; i < len(word); i++ {
		c := word[i]
		if c == '\'' || c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' || i > 1 && c == word[i-1] && c == word[i-2] {
			plain = false
			break
		}
	}
	if plain {
		return word
	}
	var b strings.Builder
	var last, run rune
	for _, r := range strings.ToLower(word) {
		if r == last {
			run++
		} else {
			last, run = r, 1
		}
		switch ascii := umlauts[r]; {
		case r == '\'' || r == '’':
		case ascii != "":
			b.WriteString(ascii)
		case run < 3 || '0' <= r && r <= '9':
			b.WriteRune(r)
		}
	}
	return b.String()
}

// endings are what forms of a word differ by, English and German.
var endings = wordsOf("s es n en e er ern em ns nen t st ed d 's in innen ing")

// isForm reports whether one of two words is the other with an ending.
func isForm(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	rest, ok := strings.CutPrefix(a, b)
	return ok && len(b) > 2 && (rest == "" || endings[rest])
}

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

// lexicon holds the phrases of all languages and their intents, indexed by first word.
type lexicon struct {
	byWord, byStem map[string][]*phrase
	// vocabulary holds all words of phrases. spelt holds, by first letter, those long enough to be recognised
	// when misspelt.
	vocabulary map[string]bool
	spelt      map[byte][]string
	only       [len(languages)]map[string]bool // vocabulary by language
}

// phrase is a way to say something. In its source, "a|b" matches either word, "a?" is optional, "_" matches
// up to three words, "a*" matches any word with that prefix, "^" anchors it at the start of the clause and
// "$" at the end.
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

// widestGap is the maximum number of words that "_" matches.
const widestGap = 3

// knownWays reads the lexicon on first use. The files are embedded and covered by a test, so reading them
// cannot fail.
var knownWays = sync.OnceValue(func() *lexicon {
	l := &lexicon{byWord: map[string][]*phrase{}, byStem: map[string][]*phrase{}, vocabulary: map[string]bool{}, spelt: map[byte][]string{}}
	for _, lang := range languages {
		l.only[lang] = map[string]bool{}
		sections := readSections(fmt.Sprintf("words/ways.%s.txt", lang.tag()))
		for _, intent := range slices.Sorted(maps.Keys(sections)) { // the same order in every process
			for _, line := range sections[intent] {
				for source := range strings.SplitSeq(line, ";") {
					l.addPhrase(intent, lang, plainWord(strings.TrimSpace(source)))
				}
			}
		}
	}
	return l
})

// readSections reads a file with lines under [headings].
func readSections(name string) map[string][]string {
	data, _ := wordFiles.ReadFile(name) // embedded, so it exists
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
	// A phrase may begin with any of its parts up to the first mandatory one.
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

// shortestSpelt is the minimum length in bytes of a word that is recognised when misspelt. The spoken word
// must be longer, because too many words of five letters differ by one letter.
const shortestSpelt = 5

func (l *lexicon) learnWord(word string) {
	if !l.vocabulary[word] && len(word) >= shortestSpelt {
		l.spelt[word[0]] = append(l.spelt[word[0]], word)
	}
	l.vocabulary[word] = true
}

// correct returns the word of the lexicon that word is a misspelling of, or word itself.
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

// plainWord returns a word in plain form for comparison with phrases: lower case, without apostrophes and
// umlauts, and with no letter more than twice in a row.
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

// endings are the inflectional endings of English and German words.
var endings = wordsOf("s es n en e er ern em ns nen t st ed d 's in innen ing")

// isForm reports whether one of two words is the other plus an ending.
func isForm(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	rest, ok := strings.CutPrefix(a, b)
	return ok && len(b) > 2 && (rest == "" || endings[rest])
}

package ruleslookup

import (
	"embed"
	"strings"
	"sync"
)

// The vocabulary says which of the book's words others stand for. It knows words of the
// game and of daily life in general; what a single rule is called besides is among that
// rule's aliases.
//
//go:embed vocabulary/*.txt
var vocabularyFiles embed.FS

// longestPhrase bounds the words of a phrase of the vocabulary.
const longestPhrase = 4

// sense is one meaning of a phrase: the stems it stands for, one or several together.
type sense []string

// vocabulary holds the senses of phrases by their stems, joined by spaces.
type vocabulary struct {
	english, german map[string][]sense
}

// readVocabulary returns the vocabulary, which is read once.
var readVocabulary = sync.OnceValue(func() *vocabulary {
	return &vocabulary{
		english: readSenses("vocabulary/english.txt", stem),
		german:  readSenses("vocabulary/german.txt", germanStem),
	}
})

// readSenses reads lines such as "trip, knock over = shove, prone".
func readSenses(name string, cut func(string) string) map[string][]sense {
	data, err := vocabularyFiles.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	all := make(map[string][]sense, strings.Count(string(data), "\n")*2)
	for line := range strings.Lines(string(data)) {
		keys, meant, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		var senses []sense
		for phrase := range strings.SplitSeq(meant, ",") {
			var s sense
			for _, w := range wordsIn(phrase) {
				s = append(s, w.stem)
			}
			senses = append(senses, s)
		}
		for key := range strings.SplitSeq(keys, ",") {
			var b strings.Builder
			for i, w := range wordsIn(key) {
				if i > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(cut(w.raw))
			}
			all[b.String()] = append(all[b.String()], senses...)
		}
	}
	return all
}

// compound finds the known words that a German word is put together of, and returns
// what they mean, in order.
func (v *vocabulary) compound(w string) (parts [][]sense, ok bool) {
	const shortest = 3
	for i := len(w) - shortest; i >= shortest; i-- {
		head, known := v.joint(w[:i])
		if !known {
			continue
		}
		rest := w[i:]
		if tail, known := v.german[germanStem(rest)]; known {
			return [][]sense{head, tail}, true
		}
		if len(rest) >= 2*shortest {
			if tail, known := v.compound(rest); known {
				return append([][]sense{head}, tail...), true
			}
		}
	}
	return nil, false
}

// joint returns what the front part of a compound means, with or without what joins it
// to the next.
func (v *vocabulary) joint(w string) ([]sense, bool) {
	if s, ok := v.german[germanStem(w)]; ok {
		return s, true
	}
	for _, link := range [...]string{"s", "es", "en", "n", "er", "e"} {
		if cut, ok := strings.CutSuffix(w, link); ok && len(cut) >= 3 {
			if s, ok := v.german[germanStem(cut)]; ok {
				return s, true
			}
		}
	}
	return nil, false
}

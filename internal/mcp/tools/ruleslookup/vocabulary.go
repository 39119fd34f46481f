package ruleslookup

import (
	"embed"
	"strings"
	"sync"
)

// vocabularyFiles say which words are synonyms of words in the book. They contain words of the game and of
// everyday life. Other names of a single rule belong in that rule's aliases instead.
//
//go:embed vocabulary/*.txt
var vocabularyFiles embed.FS

// longestPhrase is the maximum number of words in a phrase of the vocabulary.
const longestPhrase = 4

// sense is one meaning of a phrase: the stem, or the stems taken together, that it stands for.
type sense []string

// vocabulary maps phrases to their senses. The keys are the phrases' stems, joined by spaces.
type vocabulary struct {
	english, german map[string][]sense
}

// readVocabulary returns the vocabulary, which it reads on the first call.
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
		panic(err) // embedded, so it always exists
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

// compound finds the known words that make up a German compound and returns their meanings, in order.
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

// joint returns the meanings of the front part of a compound, with or without the letters that join it to the
// next part.
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

package worldtool

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// namesIn returns the words of a text that may be names, in order and without duplicates: those that are
// capitalised and are neither stop words nor in without. Words at the beginning of a sentence count too,
// because many sentences begin with a name.
func namesIn(text string, without []string) []string {
	var names []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' && r != '-' }) {
		w = strings.Trim(strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s"), "'’-")
		first, _ := utf8.DecodeRuneInString(w)
		key := words.Key(w)
		if !unicode.IsUpper(first) || utf8.RuneCountInString(w) < 3 || words.Stop(key) || slices.Contains(without, key) {
			continue
		}
		if !slices.Contains(names, w) {
			names = append(names, w)
		}
	}
	return names
}

// distinct returns the names in order, without duplicates.
func distinct(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.ContainsFunc(out, func(o string) bool { return words.Key(o) == words.Key(n) }) {
			out = append(out, n)
		}
	}
	return out
}

package sqlite

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// renamer puts a word in the place of a person's names.
type renamer struct {
	names   *regexp.Regexp // nil if there are none
	instead string
	match   string // the full text's expression for texts that may have one of the names
}

// Rename puts p.Instead in the place of a person's names in a text.
func Rename(text string, p memory.Person) string {
	text, _ = newRenamer(p.Names, p.Keep, cmp.Or(p.Instead, someone)).rename(text)
	return text
}

// someone is who is meant where nothing says what is to be put in the place of a name.
const someone = "someone"

// newRenamer returns a renamer for names, but for those to keep and those of which
// nothing is left but words that stand in every other sentence.
func newRenamer(names, keep []string, instead string) *renamer {
	r := &renamer{instead: instead}
	var patterns, matches []string
	for _, name := range names {
		folded := words.Split(name)
		if len(folded) == 0 || utf8.RuneCountInString(name) < 2 || !slices.ContainsFunc(folded, func(w string) bool { return !words.Stop(w) }) || words.Match(name, keep...) {
			continue
		}
		fields := strings.Fields(name)
		for i, f := range fields {
			fields[i] = regexp.QuoteMeta(f)
		}
		patterns = append(patterns, strings.Join(fields, `\s+`))
		var all []string
		for _, w := range folded {
			all = append(all, `("`+w+`" OR "`+w+`s")`)
		}
		matches = append(matches, "("+strings.Join(all, " AND ")+")")
	}
	if len(patterns) == 0 {
		return r
	}
	slices.SortFunc(patterns, func(a, b string) int { return len(b) - len(a) })
	r.names = regexp.MustCompile(`(?i)(?:` + strings.Join(patterns, "|") + `)`)
	r.match = strings.Join(matches, " OR ")
	return r
}

// rename returns a text without the names, and whether one was in it. A name is a
// word of its own; an "s" at its end is a genitive's.
func (r *renamer) rename(text string) (string, bool) {
	if r.names == nil {
		return text, false
	}
	var out strings.Builder
	from := 0
	for _, at := range r.names.FindAllStringIndex(text, -1) {
		if !r.standsAlone(text, at[0], at[1]) {
			continue
		}
		out.WriteString(text[from:at[0]])
		out.WriteString(r.instead)
		from = at[1]
	}
	if from == 0 {
		return text, false
	}
	out.WriteString(text[from:])
	return out.String(), true
}

func (r *renamer) standsAlone(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	rest := text[to:]
	after, size := utf8.DecodeRuneInString(rest)
	if after == 's' || after == 'S' {
		after, _ = utf8.DecodeRuneInString(rest[size:])
	}
	return !isLetter(before) && !isLetter(after)
}

// isLetter reports whether r belongs to a word; the rune before a beginning and after
// an end does not.
func isLetter(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r))
}

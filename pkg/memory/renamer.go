package memory

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// Someone is who is meant where nothing says what is to be put in the place of a name.
const Someone = "someone"

// Renamer puts a word in the place of a person's names.
type Renamer struct {
	names   *regexp.Regexp // nil if there are none
	instead string
	words   [][]string // of each name
}

// Rename puts p.Instead in the place of the person's names in a text.
func (p Person) Rename(text string) string {
	text, _ = NewRenamer(p.Names, p.Keep, p.Instead).Rename(text)
	return text
}

// NewRenamer returns a renamer for names, but for those to keep and those of which
// nothing is left but words that stand in every other sentence. An empty instead is
// [Someone].
func NewRenamer(names, keep []string, instead string) *Renamer {
	r := &Renamer{instead: cmp.Or(instead, Someone)}
	var patterns []string
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
		r.words = append(r.words, folded)
	}
	if len(patterns) == 0 {
		return r
	}
	slices.SortFunc(patterns, func(a, b string) int { return len(b) - len(a) })
	r.names = regexp.MustCompile(`(?i)(?:` + strings.Join(patterns, "|") + `)`)
	return r
}

// Words are the words of each name as texts are found by them, for a search of texts that
// may have it; a word may have an "s" at its end there. There are none if there is nothing
// to rename.
func (r *Renamer) Words() [][]string { return r.words }

// Rename returns a text without the names, and whether one was in it. A name is a
// word of its own; an "s" at its end is a genitive's.
func (r *Renamer) Rename(text string) (string, bool) {
	if r.names == nil {
		return text, false
	}
	var out strings.Builder
	from := 0
	for _, at := range r.names.FindAllStringIndex(text, -1) {
		if !standsAlone(text, at[0], at[1]) {
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

func standsAlone(text string, from, to int) bool {
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

// Entity takes the names out of an entity and reports whether there were some. Aliases
// with one are left out.
func (r *Renamer) Entity(e *Entity) (named bool) {
	change := func(text *string) {
		if s, found := r.Rename(*text); found {
			*text, named = s, true
		}
	}
	change(&e.Name)
	change(&e.Description)
	aliases := e.Aliases
	e.Aliases = nil
	for _, a := range aliases {
		if _, found := r.Rename(a); found {
			named = true
			continue
		}
		e.Aliases = append(e.Aliases, a)
	}
	attributes := map[string]string{}
	for key, value := range e.Attributes {
		change(&value)
		attributes[key] = value
	}
	if len(attributes) > 0 {
		e.Attributes = attributes
	}
	return named
}

const (
	// AnswerWithin is how many lines after a player's the answer of its turn is.
	AnswerWithin = 16
	// quoted is how many words in a row make a quotation.
	quoted = 3
	// telling is the length in bytes from which on a word that nobody else used tells who did.
	telling = 5
)

// Repeats reports whether an answer quotes what was said, some words in a row. If it does
// not, it returns the words of it that betray what was said if nobody said them before the
// answer, and no other player at all.
func Repeats(said, answer string) (quotes bool, betraying []string) {
	from, text := words.Split(said), words.Split(answer)
	joined := " " + strings.Join(text, " ") + " "
	for i := 0; i+quoted <= len(from); i++ {
		if strings.Contains(joined, " "+strings.Join(from[i:i+quoted], " ")+" ") {
			return true, nil
		}
	}
	for _, word := range words.Telling(from, len(from)) {
		if len(word) >= telling && !words.Stop(word) && slices.Contains(text, word) {
			betraying = append(betraying, word)
		}
	}
	return false, betraying
}

package untrusted

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mtibben/confusables"
	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"
)

const (
	// MaxName is the maximum length of a name, in characters as people count them.
	MaxName = 40
	// maxRunes limits the code points of a name, because one character may consist of many.
	maxRunes = 64
	// maxInput is how much of the input is examined, in bytes.
	maxInput = 4 << 10
	// maxAccents and maxOwnMarks limit the marks on one letter: those that go with any script, and those of
	// the letter's own script, such as vowel signs.
	maxAccents  = 2
	maxOwnMarks = 6
)

// ErrBlankName is returned for a name without any visible character.
var ErrBlankName = errors.New("a name needs at least one letter or digit that people can see")

// Name returns a name in a form that is safe to show. The result is on one line, in Unicode form NFKC, and
// has at most [MaxName] characters with few marks on each letter. It contains no invisible characters, and no
// brackets or colons, because labels such as "(player)" and "Greta:" consist of them. Name returns
// [ErrBlankName] if no letter, digit or symbol is left. Name is idempotent.
func Name(name string) (string, error) {
	if len(name) > maxInput {
		name = strings.ToValidUTF8(name[:maxInput], "")
	}
	name = Clean(name, 0)
	for range 8 { // usually once or twice, because removing a character can let its neighbours compose
		before := name
		name = shorten(spaced(thinned(norm.NFKC.String(visible(norm.NFKC.String(name))))))
		if name == before {
			break
		}
	}
	if !strings.ContainsFunc(name, isSeen) {
		return "", ErrBlankName
	}
	return name, nil
}

// isSeen reports whether a rune alone is enough to make a name visible.
func isSeen(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.So, r)
}

// visible removes invisible characters, and replaces word separators and characters that labels consist of
// with spaces.
func visible(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || unicode.IsSpace(r) || unicode.Is(unicode.Z, r):
			return ' '
		case isBlank(r):
			return -1
		case isLabelling(r):
			return ' '
		}
		return r
	}, name)
}

// isBlank reports whether a rune shows nothing of its own.
func isBlank(r rune) bool {
	switch {
	case r < 0x80:
		return r < ' ' || r == 0x7f
	case r == 0x2800, r == 0x1d159: // a braille pattern without dots; a musical note without a head
		return true
	case r == 0xfffc, r == utf8.RuneError: // placeholders for missing characters
		return true
	}
	// Category C is control, private use or unassigned; Me encloses other characters.
	return Hidden(r) || !unicode.IsGraphic(r) ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Me)
}

// isLabelling reports whether a rune is, or looks like, a bracket or a colon.
func isLabelling(r rune) bool {
	if unicode.In(r, unicode.Ps, unicode.Pe) {
		return true
	}
	if r < 0x80 {
		return strings.ContainsRune("<>:", r)
	}
	if unicode.In(r, unicode.Lo, unicode.M) {
		return false // letters of some scripts
	}
	return strings.ContainsAny(confusables.Skeleton(string(r)), "<>:()[]{}")
}

// thinned removes marks that do not belong on their letter, or are too many.
func thinned(name string) string {
	base := ' '
	accents, own := 0, 0
	return strings.Map(func(r rune) rune {
		switch {
		case !unicode.IsMark(r):
			base, accents, own = r, 0, 0
			return r
		case base == ' ':
			return -1
		case unicode.Is(unicode.Inherited, r):
			accents++
		case belongs(r, base):
			own++
		default:
			return -1
		}
		if accents > maxAccents || own > maxOwnMarks {
			return -1
		}
		return r
	}, name)
}

// belongs reports whether a mark belongs to the script of a letter, as vowel signs do. Accents go with any
// script and belong to none.
func belongs(mark, letter rune) bool {
	if letter < 0x300 || unicode.Is(unicode.Inherited, mark) {
		return false
	}
	for name, script := range unicode.Scripts {
		if unicode.Is(script, mark) {
			return name != "Common" && unicode.Is(script, letter)
		}
	}
	return false
}

// spaced returns a name without spaces at its ends and with single spaces between words.
func spaced(name string) string { return strings.Join(strings.Fields(name), " ") }

// shorten truncates a name to the maximum length.
func shorten(name string) string {
	if len(name) <= MaxName { // short enough, whatever characters it consists of
		return name
	}
	size, runes := 0, 0
	clusters := uniseg.NewGraphemes(name)
	for n := 0; n < MaxName && clusters.Next(); n++ {
		c := clusters.Runes()
		if runes += len(c); runes > maxRunes {
			break
		}
		size += len(clusters.Str())
	}
	if size == 0 { // a single character that consists of too many code points
		for i := range name {
			if size++; size > maxRunes {
				return strings.TrimSpace(name[:i])
			}
		}
		return name
	}
	return strings.TrimSpace(name[:size])
}

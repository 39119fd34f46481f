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
	// MaxName is how many characters, as people count them, Clean keeps of a name.
	MaxName = 40
	// maxRunes bounds the code points of a name, because one character may be made of many.
	maxRunes = 64
	// maxInput is how much of a name is looked at, in bytes.
	maxInput = 4 << 10
	// maxAccents and maxOwnMarks bound the marks on one letter: those that go with any script,
	// and those of the letter's own, such as vowel signs.
	maxAccents  = 2
	maxOwnMarks = 6
)

// ErrBlankName is returned for a name in which nothing can be seen.
var ErrBlankName = errors.New("a name needs at least one letter or digit that people can see")

// Name returns a name as it is shown: on one line, in Unicode's form NFKC, without
// characters that cannot be seen, without brackets and colons, because labels such as
// "(player)" and "Greta:" are made of them, with few marks on each letter, and at most
// [MaxName] characters long. It returns [ErrBlankName] if no letter, digit or picture is left.
// Clean of what Clean returned is the same.
func Name(name string) (string, error) {
	if len(name) > maxInput {
		name = strings.ToValidUTF8(name[:maxInput], "")
	}
	name = Clean(name, 0)
	for range 8 { // once or twice, as a rule: what is taken away can let neighbours compose
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

// isSeen reports whether a rune by itself makes a name of what would be blank.
func isSeen(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.So, r)
}

// visible takes out what cannot be seen, and replaces what separates words or is part of
// labels by spaces.
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
	case r == 0x2800, r == 0x1d159: // a braille pattern without dots, a musical note without a head
		return true
	case r == 0xfffc, r == utf8.RuneError: // stand for what is missing
		return true
	}
	// C is what controls, is private or is not assigned; Me encloses other characters.
	return Hidden(r) || !unicode.IsGraphic(r) ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Me)
}

// isLabelling reports whether a rune is a bracket or a colon, or looks like one.
func isLabelling(r rune) bool {
	if unicode.In(r, unicode.Ps, unicode.Pe) {
		return true
	}
	if r < 0x80 {
		return strings.ContainsRune("<>:", r)
	}
	if unicode.In(r, unicode.Lo, unicode.M) {
		return false // letters of some script
	}
	return strings.ContainsAny(confusables.Skeleton(string(r)), "<>:()[]{}")
}

// thinned takes marks away that do not belong on their letter, or are too many.
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

// belongs reports whether a mark is of the script of a letter, as vowel signs are. Accents,
// which go with any script, are of none.
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

// spaced returns a name without spaces at its ends and with one between its words.
func spaced(name string) string { return strings.Join(strings.Fields(name), " ") }

// shorten keeps what fits of a name.
func shorten(name string) string {
	if len(name) <= MaxName { // of whatever characters
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
	if size == 0 { // one character that is made of too many
		for i := range name {
			if size++; size > maxRunes {
				return strings.TrimSpace(name[:i])
			}
		}
		return name
	}
	return strings.TrimSpace(name[:size])
}

package untrusted

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mtibben/confusables"
)

// NameSkeleton returns what is left of a name for the eye of a reader to whom neither case nor
// accents, spaces and punctuation matter: names with the same skeleton look alike. It is
// empty for a name that [Name] refuses, and is never shown.
//
// A capital I looks like a small l, but a small i does not. A skeleton cannot tell that by
// itself, and [AlikeNames] can.
func NameSkeleton(name string) string {
	shown, err := Name(name)
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(skeleton(strings.ToLower(shown)), string(capitalL), "l")
}

// Alike reports whether two names look alike. A name that [Name] refuses looks like none.
func AlikeNames(a, b string) bool { return share(keys(a), keys(b)) }

// keys are the skeletons of a name as it is written, and as it would look in small and in
// capital letters; without duplicates. Those in small letters are compared with each other
// alone: there L is small, too, and would look like the I of another name.
func keys(name string) []string {
	shown, err := Name(name)
	if err != nil {
		return nil
	}
	bare := strings.TrimFunc(shown, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M) || isOrnament(r) })
	var all []string
	for _, written := range []string{shown, bare} { // "|Bartok|" as well: what surrounds it could be letters
		for _, look := range []struct{ kind, text string }{
			{"written ", written}, {"written ", strings.ToUpper(written)}, {"small ", strings.ToLower(written)},
		} {
			if k := skeleton(look.text); k != "" && !slices.Contains(all, look.kind+k) {
				all = append(all, look.kind+k)
			}
		}
	}
	return all
}

// isOrnament reports whether a letter looks like punctuation: the modifier letters of alphabets,
// such as ʼ and ˈ, and the clicks ǀ to ǃ. Those of East Asian scripts, such as the long sound of
// Japanese, are part of a name.
func isOrnament(r rune) bool {
	return unicode.Is(unicode.Lm, r) && r < 0x2e80 || r >= 0x1c0 && r <= 0x1c3
}

func share(a, b []string) bool {
	return slices.ContainsFunc(a, func(k string) bool { return slices.Contains(b, k) })
}

// capitalL stands for L where others are made small, because it does not look like the I that
// looks like a small l. No clean name has it, since it is private.
const capitalL = '\ue04c'

// skeleton returns the skeleton of a clean name as it is written.
func skeleton(shown string) string {
	text := shown
	for range 4 { // until it stays as it is, which takes two or three
		before := text
		text = strings.Map(func(r rune) rune {
			if r == 'L' {
				return capitalL
			}
			return unicode.ToLower(r)
		}, confusables.Skeleton(strings.Map(plain, text)))
		text = strings.ReplaceAll(text, "vv", "w")
		if text == before {
			break
		}
	}
	if letters := lettersOf(text); letters != "" {
		return letters
	}
	return strings.Map(func(r rune) rune { // of a name without letters, such as "🐉"
		if unicode.Is(unicode.S, r) {
			return r
		}
		return -1
	}, text)
}

// lettersOf returns the letters and digits of a text, with the marks of their own script:
// without its vowel signs, a name in Devanagari would be another.
func lettersOf(text string) string {
	letter := rune(-1)
	return strings.Map(func(r rune) rune {
		switch {
		case r == capitalL || unicode.IsNumber(r):
			letter = -1
			return r
		case unicode.IsLetter(r):
			letter = r
			return r
		case unicode.IsMark(r) && belongs(r, letter):
			return r
		}
		return -1
	}, text)
}

// smallCapitals are letters that are drawn like the capital letters beside them, or like their
// small ones, as only their names in Unicode say (LATIN LETTER SMALL CAPITAL B).
var smallCapitals = []rune("ĸꞇɾɢɪɴʀʁʏʙʜʟᴀᴃᴄᴅᴇᴊᴋᴍᴎᴏᴘᴙᴛᴜᴠᴡᴢꜰꜱꞮꞯ")

const areCapitals = "KTRGINRRYBHLABCDEJKMNOPRTUVWZFSIQ"

// capitals are ranges of letters from A to Z in a frame, which NFKC leaves as they are.
var capitals = []rune{
	0x1f150, // in a black circle
	0x1f170, // in a black square
	0x1f1e6, // regional indicators, of which flags are made
}

// plain returns the capital that a letter is a drawing of, or the letter itself.
func plain(r rune) rune {
	if r < 0x100 {
		return r
	}
	for _, a := range capitals {
		if r >= a && r < a+26 {
			return 'A' + r - a
		}
	}
	if i := slices.Index(smallCapitals, r); i >= 0 {
		return rune(areCapitals[i])
	}
	return r
}

package untrusted

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mtibben/confusables"
)

// NameSkeleton returns a key for comparing what names look like. It ignores case, accents, spaces and
// punctuation, so names with the same skeleton look alike. It is empty for a name that [Name] refuses. Never
// show a skeleton to anyone.
//
// A capital I looks like a small l, but a small i does not. A skeleton cannot express that; use [AlikeNames]
// if it matters.
func NameSkeleton(name string) string {
	shown, err := Name(name)
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(skeleton(strings.ToLower(shown)), string(capitalL), "l")
}

// AlikeNames reports whether two names look alike. A name that [Name] refuses looks like no other.
func AlikeNames(a, b string) bool { return share(keys(a), keys(b)) }

// keys returns the skeletons of a name as it is written, in small letters, and in capital letters, without
// duplicates. Skeletons in small letters are compared only with each other, because there L is small too and
// would look like the I of another name.
func keys(name string) []string {
	shown, err := Name(name)
	if err != nil {
		return nil
	}
	bare := strings.TrimFunc(shown, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M) || isOrnament(r) })
	var all []string
	for _, written := range []string{shown, bare} { // also for "|Bartok|", because the surrounding characters could be letters
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

// isOrnament reports whether a letter looks like punctuation: the modifier letters of alphabets, such as ʼ
// and ˈ, and the clicks ǀ to ǃ. Modifier letters of East Asian scripts, such as the Japanese long vowel mark,
// are part of a name.
func isOrnament(r rune) bool {
	return unicode.Is(unicode.Lm, r) && r < 0x2e80 || r >= 0x1c0 && r <= 0x1c3
}

func share(a, b []string) bool {
	return slices.ContainsFunc(a, func(k string) bool { return slices.Contains(b, k) })
}

// capitalL replaces L when other letters are converted to small ones, because L does not look like the I that
// looks like a small l. It is a private-use character, so no clean name contains it.
const capitalL = '\ue04c'

// skeleton returns the skeleton of a clean name as it is written.
func skeleton(shown string) string {
	text := shown
	for range 4 { // until it no longer changes, which takes two or three rounds
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
	return strings.Map(func(r rune) rune { // for a name without letters, such as "🐉"
		if unicode.Is(unicode.S, r) {
			return r
		}
		return -1
	}, text)
}

// lettersOf returns the letters and digits of a text, with the marks of their own script. Without its vowel
// signs, a name in Devanagari would be a different name.
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

// smallCapitals lists letters that are drawn like the capital or small letters beside them. Only their
// Unicode names say so (LATIN LETTER SMALL CAPITAL B).
var smallCapitals = []rune("ĸꞇɾɢɪɴʀʁʏʙʜʟᴀᴃᴄᴅᴇᴊᴋᴍᴎᴏᴘᴙᴛᴜᴠᴡᴢꜰꜱꞮꞯ")

const areCapitals = "KTRGINRRYBHLABCDEJKMNOPRTUVWZFSIQ"

// capitals lists ranges of framed letters from A to Z that NFKC leaves unchanged.
var capitals = []rune{
	0x1f150, // in a black circle
	0x1f170, // in a black square
	0x1f1e6, // regional indicators, which form flags
}

// plain returns the capital that a letter is a variant of, or the letter itself.
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

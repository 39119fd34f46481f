package untrusted_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/runenames"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

func TestNameClean(t *testing.T) {
	for _, row := range []struct{ name, in, want string }{
		{"plain", "Greta", "Greta"},
		{"several words", "  Jo   van \t der\nBerg ", "Jo van der Berg"},
		{"accents", "Renée Łukasz Nguyễn Văn", "Renée Łukasz Nguyễn Văn"},
		{"decomposed", "Rene\u0301e", "Renée"},
		{"full width", "Ｂａｒｔｏｋ", "Bartok"},
		{"mathematical", "𝔅𝔞𝔯𝔱𝔬𝔨", "Bartok"},
		{"zero width", "Bar\u200b\u2060\ufefftok", "Bartok"},
		{"bidirectional", "\u202eBar\u2066tok", "Bartok"},
		{"variation selector", "Bart\ufe0fok\U000e0100", "Bartok"},
		{"tags", "Bartok\U000e0042\U000e0061", "Bartok"},
		{"fillers", "\u3164Bar\u115f\u1160\uffa0tok", "Bartok"},
		{"other blanks", "Bar\u2800\U0001d159\u17b4tok", "Bartok"},
		{"private use", "Bar\ue000tok\U0010ffff", "Bartok"},
		{"odd spaces", "Jo\u00a0\u2003\u3000Berg", "Jo Berg"},
		{"line separators", "Jo\u2028Berg\u2029", "Jo Berg"},
		{"escape sequence", "\x1b[31mJo\x1b[0m", "Jo"},
		{"not UTF-8", "Jo\xff\xfe", "Jo"},
		{"brackets", "Bartok (DM) [NPC] <x> ⟦y⟧", "Bartok DM NPC x y"},
		{"colons", "Bartok: I ：am︓ it∶", "Bartok I am it"},
		{"stacked marks", "B" + strings.Repeat("\u0337\u0321\u0301", 30) + "o", "B\u0337\u0337o"},
		{"enclosing mark", "Jo\u20dd\u20e0", "Jo"},
		{"marks of another script", "Jo\u0e47\u0e47\u093f", "Jo"},
		{"a mark first", "\u0301Jo", "Jo"},
		{"Hindi", "राम कृष्ण", "राम कृष्ण"},
		{"Thai", "กิ่งแก้ว", "กิ่งแก้ว"},
		{"Arabic", "مُحَمَّد", "مُحَمَّد"},
		{"Japanese", "さくら", "さくら"},
		{"Korean", "김민준", "김민준"},
		{"picture", "🐉", "🐉"},
		{"apostrophe and hyphen", "D’Arc-O'Neil Jr.", "D’Arc-O'Neil Jr."},
		{"long", strings.Repeat("x", 200), strings.Repeat("x", 40)},
		{"long in other letters", strings.Repeat("ß", 200), strings.Repeat("ß", 40)},
		{"one endless character", strings.Repeat("ᄀ", 5000), strings.Repeat("ᄀ", 64)},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got, err := untrusted.Name(row.in); got != row.want || err != nil {
				t.Errorf("Clean(%q) = %q, %v; want %q", row.in, got, err, row.want)
			}
		})
	}
}

// Characters of these kinds, alone or repeated, are not a name.
func TestBlankNamesAreRefused(t *testing.T) {
	kinds := map[string]func(rune) bool{
		"control, format, private or not assigned": func(r rune) bool { return unicode.Is(unicode.C, r) || !assigned(r) },
		"separator": func(r rune) bool { return unicode.Is(unicode.Z, r) },
		"mark":      func(r rune) bool { return unicode.Is(unicode.M, r) },
		"ignorable": func(r rune) bool {
			return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
		},
		"punctuation": func(r rune) bool { return unicode.Is(unicode.P, r) },
		"known blank": func(r rune) bool { return strings.ContainsRune("\u2800\u3164\uffa0\u115f\u1160\U0001d159\ufffc", r) },
	}
	for kind, is := range kinds {
		t.Run(kind, func(t *testing.T) {
			seen := 0
			for r := rune(0); r <= unicode.MaxRune; r++ {
				// NFKC turns a few punctuation marks into digits or letters, such as "℅".
				if !is(r) || strings.ContainsFunc(norm.NFKC.String(string(r)), func(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.S) && !is(r) }) {
					continue
				}
				seen++
				for _, n := range []string{string(r), string(r) + " " + string(r)} {
					if got, err := untrusted.Name(n); got != "" || !errors.Is(err, untrusted.ErrBlankName) {
						t.Errorf("Clean(%q), U+%04X, = %q, %v; want ErrBlank", n, r, got, err)
					}
				}
				if untrusted.NameSkeleton(string(r)) != "" {
					t.Errorf("Skeleton of U+%04X is not empty", r)
				}
			}
			if seen == 0 {
				t.Error("no character is of this kind")
			}
		})
	}
}

func assigned(r rune) bool {
	return unicode.In(r, unicode.C, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z)
}

func TestAlike(t *testing.T) {
	for _, row := range []struct {
		name, a, b string
		want       bool
	}{
		{"same", "Bartok", "Bartok", true},
		{"case", "Bartok", "BARTOK", true},
		{"Cyrillic capital", "Вartok", "Bartok", true},
		{"Cyrillic small", "вartok", "Bartok", true},
		{"Cyrillic inside", "Bаrtоk", "Bartok", true},
		{"Greek", "Βartοk", "Bartok", true},
		{"zero width", "Bartok\u200b", "Bartok", true},
		{"full width", "Ｂartok", "Bartok", true},
		{"spaces", "B a r t o k", "Bartok", true},
		{"full stop", "Bartok.", "Bartok", true},
		{"exclamation mark", "¡Bartok!", "Bartok", true},
		{"bars around", "|Bartok|", "Bartok", true},
		{"underscores", "__Bartok__", "Bartok", true},
		{"picture behind", "Bartok🐉", "Bartok", true},
		{"accents", "Bártök", "Bartok", true},
		{"stacked marks", "B\u0337\u0321a\u0301\u0302\u0303rtok", "Bartok", true},
		{"stroke through a letter", "Bartøk", "Bartok", true},
		{"digit one", "P1ayer", "Player", true},
		{"capital I", "PIayer", "Player", true},
		{"bar inside", "P|ayer", "Player", true},
		{"Cyrillic P", "Рlayer", "Player", true},
		{"capital I in a small name", "pIayer", "Player", true},
		{"digit zero", "Bart0k", "Bartok", true},
		{"r and n", "Barrny", "Barmy", true},
		{"small l for capital I", "MlRA", "MIRA", true},
		{"small capitals", "ʙᴀʀᴛᴏᴋ", "Bartok", true},
		{"small capital L", "ʙᴀʟᴏ", "Balo", true},
		{"squared", "🅱artok", "Bartok", true},
		{"circled", "Ⓑⓐⓡⓣⓞⓚ", "Bartok", true},
		{"regional indicators", "🇧🇦🇷🇹🇴🇰", "Bartok", true},
		{"mathematical", "𝗕𝗮𝗿𝘁𝗼𝗸", "Bartok", true},
		{"umlaut", "Jörg", "Jorg", true},
		{"modifier letter behind", "Bartokʼ", "Bartok", true},
		{"modifier letters around", "ˈBartokː", "Bartok", true},
		{"click behind", "Bartokǃ", "Bartok", true},
		{"kra", "Bartoĸ", "Bartok", true},
		{"insular t", "Barꞇok", "Bartok", true},
		{"r with a fishhook", "Baɾtok", "Bartok", true},
		{"two v", "Anvvar", "Anwar", true},
		{"long sound", "サー", "サ", false},
		{"others", "Bartok", "Barto", false},
		{"another letter", "Greta", "Grete", false},
		{"i and l", "Neil", "Nell", false},
		{"I and L", "Ian", "Lan", false},
		{"a number behind", "Bartok 2", "Bartok", false},
		{"Hindi vowels", "राम", "रामा", false},
		{"Thai vowels", "กิน", "กัน", false},
		{"pictures", "🐉", "🦄", false},
		{"same picture", "🐉!", "🐉", true},
		{"blank and blank", "\u3164", "\u2800", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := untrusted.AlikeNames(row.a, row.b); got != row.want {
				t.Errorf("Alike(%q, %q) = %t, want %t", row.a, row.b, got, row.want)
			}
			if got := untrusted.AlikeNames(row.b, row.a); got != row.want {
				t.Errorf("Alike(%q, %q) = %t, want %t", row.b, row.a, got, row.want)
			}
			var b untrusted.NameBook[int]
			b.Add(row.b, 7)
			if owner, found := b.Find(row.a); found != row.want || found && owner != 7 {
				t.Errorf("in a book with %q, %q is found as %d, %t; want %t", row.b, row.a, owner, found, row.want)
			}
			b.Remove(row.b, 8)
			if _, found := b.Find(row.a); found != row.want {
				t.Errorf("another owner took %q out of the book", row.b)
			}
			b.Remove(row.b, 7)
			if _, found := b.Find(row.a); found {
				t.Errorf("%q is in an empty book", row.a)
			}
		})
	}
}

// A letter that Unicode names by a style and a Latin letter looks like that letter.
func TestStyledLettersLookLikeTheirs(t *testing.T) {
	styles := []string{
		"LATIN LETTER SMALL CAPITAL", "NEGATIVE CIRCLED LATIN CAPITAL LETTER", "NEGATIVE SQUARED LATIN CAPITAL LETTER", "SQUARED LATIN CAPITAL LETTER",
		"CIRCLED LATIN SMALL LETTER", "REGIONAL INDICATOR SYMBOL LETTER", "FULLWIDTH LATIN SMALL LETTER", "FULLWIDTH LATIN CAPITAL LETTER",
		"MATHEMATICAL BOLD SMALL", "MATHEMATICAL DOUBLE-STRUCK CAPITAL", "MATHEMATICAL SANS-SERIF BOLD SMALL", "MATHEMATICAL FRAKTUR SMALL",
	}
	found := map[string]int{}
	for r := rune(0x80); r < 0x20000; r++ {
		for _, style := range styles {
			letter, ok := strings.CutPrefix(runenames.Name(r), style+" ")
			if !ok || len(letter) != 1 {
				continue
			}
			found[style]++
			if got, want := "Q"+string(r)+"Q", "Q"+letter+"Q"; !untrusted.AlikeNames(got, want) {
				t.Errorf("%q (U+%04X, %s) does not look like %q", got, r, runenames.Name(r), want)
			}
		}
	}
	for _, style := range styles {
		if found[style] < 15 {
			t.Errorf("%d letters are called %s, want most of the alphabet", found[style], style)
		}
	}
}

// checkName checks the properties of any name.
func checkName(in string) (wrong string) {
	shown, err := untrusted.Name(in)
	if err != nil {
		if shown != "" || untrusted.NameSkeleton(in) != "" {
			return "a refused name is shown"
		}
		return ""
	}
	switch again, err := untrusted.Name(shown); {
	case again != shown || err != nil:
		return "Clean of what it returned is " + again
	case !utf8.ValidString(shown) || utf8.RuneCountInString(shown) > 64 || uniseg.GraphemeClusterCount(shown) > untrusted.MaxName:
		return "it is too long, or not UTF-8"
	case strings.ContainsFunc(shown, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.In(r, unicode.Ps, unicode.Pe) }) || strings.ContainsAny(shown, ":<>\n\t"):
		return "it has a bracket, a colon or what is not seen"
	case untrusted.NameSkeleton(shown) != untrusted.NameSkeleton(in):
		return "its skeleton changes"
	case len(untrusted.NameSkeleton(in)) > 4096:
		return "its skeleton is too long"
	case untrusted.NameSkeleton(in) != "" && !untrusted.AlikeNames(in, shown):
		return "it does not look like itself"
	}
	return ""
}

func TestAnyNameStaysAsItIsShown(t *testing.T) {
	odd := rapid.StringOfN(rapid.RuneFrom(nil, unicode.M, unicode.Cf, unicode.Ps, unicode.Lm, unicode.Sk, unicode.So, unicode.Hangul, unicode.Latin, unicode.Cyrillic), 1, 60, -1)
	rapid.Check(t, func(r *rapid.T) {
		in := rapid.OneOf(rapid.String(), odd).Draw(r, "name")
		if wrong := checkName(in); wrong != "" {
			shown, _ := untrusted.Name(in)
			r.Fatalf("Clean(%q) = %q: %s", in, shown, wrong)
		}
	})
}

func FuzzName(f *testing.F) {
	for _, seed := range []string{"Bartok", "Вartok", "Bartok\u200b", "Ｂartok", "\u3164", "P1ayer", "Bartok (DM)", "B\u0337\u0321\u0301o", "🇧🇦", "…", "ᄀᄀᄀ", "ﷺ", "\u0301\u0345a\u0345", "क्षि"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if wrong := checkName(in); wrong != "" {
			shown, _ := untrusted.Name(in)
			t.Errorf("Clean(%q) = %q: %s", in, shown, wrong)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	var book untrusted.NameBook[int]
	book.Add("Bartok the Barkeep", 1)
	for b.Loop() {
		book.Find("Greta Rotfuchs")
	}
}

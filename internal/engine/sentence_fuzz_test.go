package engine

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/speech"
)

// FuzzOpener checks that an opener is the same however its text is cut into pieces, and
// contains no mark.
func FuzzOpener(f *testing.F) {
	for _, s := range []string{
		"[MORE] Ah, the bridge. It is", "[DONE] Well met.", "**DONE**: Aye.", "(more) So.", "More ale?", "[DONE]", "", "…", "DONE DONE DONE.", "\t[MORE]\n„Tja …“", "[MORE] 古い橋ですね。",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || len(text) > 2*maxOpener {
			return
		}
		whole, found := readPieces(text)
		letters, foundLetters := readPieces(strings.Split(text, "")...)
		if found != foundLetters || whole != letters {
			t.Fatalf("%q is %+v (%v) in one piece and %+v (%v) letter by letter", text, whole, found, letters, foundLetters)
		}
		if found && len(wordsOf(whole.text)) == 0 {
			t.Fatalf("%q opens with %q, which has no word", text, whole.text)
		}
	})
}

func readPieces(pieces ...string) (opener, bool) {
	r := openerReader{scrub: speech.NewScrubber(&speech.Options{})}
	for _, p := range pieces {
		if r.push(p) {
			return r.opener, true
		}
	}
	found := r.flush()
	return r.opener, found
}

// FuzzRepetition checks that a sentence without its opener is the end of the sentence, and
// that an opener without itself is empty.
func FuzzRepetition(f *testing.F) {
	f.Add("Ah, the old bridge, it fell.", "Ah, the old bridge.")
	f.Add("I see three ships.", "I see.")
	f.Add("", "…")
	f.Add("Ǆ, ǆ ẞ", "ǆ")
	f.Fuzz(func(t *testing.T, s, begun string) {
		if len(s) > 1000 || len(begun) > maxOpener {
			return
		}
		rest := withoutOpener(s, begun)
		if rest != s && !strings.HasSuffix(wordsAs(s), wordsAs(rest)) {
			t.Fatalf("%q without %q is %q", s, begun, rest)
		}
		if len(wordsOf(begun)) > 0 && withoutOpener(begun, begun) != "" {
			t.Fatalf("%q is left of itself", withoutOpener(begun, begun))
		}
	})
}

func wordsAs(s string) string {
	var b strings.Builder
	for _, w := range wordsOf(s) {
		b.WriteString(strings.ToLower(strings.ToUpper(w.text)))
	}
	return b.String()
}

package speech_test

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/speech"
)

func TestClause(t *testing.T) {
	for _, tt := range []struct{ name, begun, want string }{
		{"comma_and", "The old mill by the river burned, and nobody", "The old mill by the river burned,"},
		{"german", "Die alte Mühle am Fluss brannte ab, und keiner", "Die alte Mühle am Fluss brannte ab,"},
		{"relative", "I know the man with the lantern, who comes", "I know the man with the lantern,"},
		{"semicolon", "The bridge is down since yesterday; take the", "The bridge is down since yesterday;"},
		{"colon", "There is only one thing left: run as", "There is only one thing left:"},
		{"dash", "I will not go back there — not for", "I will not go back there —"},
		{"spaced_hyphen", "I will not go back there - not for", "I will not go back there -"},
		{"apostrophes", "I don't think it's the miller's fault, but who", "I don't think it's the miller's fault,"},
		{"the_first_that_is_long_enough", "Well, you see the ferry is gone, and I", "Well, you see the ferry is gone,"},
		{"too_short", "Well then, my friend, but you", ""},
		{"four_words", "The mill burned down, and nobody", ""},
		{"word_not_complete", "The old mill by the river burned, an", ""},
		{"nothing_behind", "The old mill by the river burned,", ""},
		{"name_ahead", "Come in and sit with us, Bartok is", ""},
		{"name_passed_over", "Come in and sit with us, Bartok, and drink", "Come in and sit with us, Bartok,"},
		{"address", "That is all I know of it, my friend", ""},
		{"enumeration", "I can sell you bread, cheese, wine or", ""},
		{"german_enumeration", "Ich habe noch ein wenig Brot, Käse, Wein oder", ""},
		{"number", "It was in the month of May 5, 1492 when", ""},
		{"decimal", "The sack weighs about three or 3,5 pounds and", ""},
		{"time", "You will find me there at 10:30 and then", ""},
		{"quotation", "He looked at me and said “run, and never", ""},
		{"said", `He looked at me and said: "run and`, ""},
		{"bracket", "The old mill (by the river, and the", ""},
		{"markup", "The *old mill by the river* burned, and the", ""},
		{"tight_dash", "I will not go back there—not for", ""},
		{"compound", "The well-known half-orc of the north-western hills is", ""},
		{"another_sentence", "Aye. No.", ""},
		{"stops_inside", "He came here at about 5 p.m. today, and then", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s speech.Splitter
			s.Push(tt.begun)
			if got := s.Clause(); got != tt.want {
				t.Errorf("Clause() = %q, want %q", got, tt.want)
			}
		})
	}
}

// TestClauseBeginsTheSentence checks for any text in any pieces that a clause is the
// beginning of its sentence.
func TestClauseBeginsTheSentence(t *testing.T) {
	word := rapid.SampledFrom([]string{"The", "old", "mill", "and", "but", "burned", "it", "5", "p.m.", "Dr.", "Bartok", "z.", "B.", "“no”", "(so)", "*", "it's", "you", "sie"})
	sign := rapid.SampledFrom([]string{" ", " ", " ", " ", ", ", ", ", "; ", ": ", " — ", " - ", ". ", "? ", "… ", "\n", "  ", ",", "."})
	rapid.Check(t, func(t *rapid.T) {
		var s speech.Splitter
		clause := ""
		check := func(sentences []string) {
			for _, sentence := range sentences {
				if !strings.HasPrefix(sentence, clause) || clause != "" && clause != sentence && sentence[len(clause)] != ' ' {
					t.Fatalf("%q was said, the sentence is %q", clause, sentence)
				}
				if clause != "" && words(clause) < 5 {
					t.Fatalf("%q is too short", clause)
				}
				clause = ""
			}
		}
		for range rapid.IntRange(1, 40).Draw(t, "pieces") {
			check(s.Push(word.Draw(t, "word") + sign.Draw(t, "sign")))
			if c := s.Clause(); clause == "" {
				clause = c
			} else if c != clause {
				t.Fatalf("%q was said, and now %q", clause, c)
			}
		}
		check(s.Flush())
	})
}

// words counts the words of s.
func words(s string) int {
	return len(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }))
}

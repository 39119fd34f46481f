package words_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

var splitRows = []struct {
	name, in string
	want     []string
}{
	{name: "empty", in: "", want: nil},
	{name: "blank", in: " \t\r\n", want: nil},
	{name: "punctuation", in: "?!\"'*()--::", want: nil},
	{name: "plain", in: "The Rusty Flagon", want: []string{"the", "rusty", "flagon"}},
	{name: "umlauts", in: "Mühle, Größe, ÄPFEL", want: []string{"muhle", "grosse", "apfel"}},
	{name: "accents", in: "Éowyn d'Après", want: []string{"eowyn", "d", "apres"}},
	{name: "decomposed", in: "Mu\u0308hle", want: []string{"muhle"}},
	{name: "ligatures", in: "Ærdyn ﬁre Øster Łódź", want: []string{"aerdyn", "fire", "oster", "lodz"}},
	{name: "possessive", in: "Bartok's inn", want: []string{"bartok", "s", "inn"}},
	{name: "digits", in: "2d6+3", want: []string{"2d6", "3"}},
	{name: "dotted_capital_i", in: "İstanbul", want: []string{"istanbul"}},
	{name: "greek_final_sigma", in: "ΛΟΓΟΣ λόγος", want: []string{"λογοσ", "λογοσ"}},
	{name: "invalid_utf8", in: "a\xffb", want: []string{"a", "b"}},
	{name: "nul", in: "a\x00b", want: []string{"a", "b"}},
	{name: "zero_width", in: "dra\u200bgon", want: []string{"dra", "gon"}},
	{name: "too_long", in: strings.Repeat("ü", 100), want: []string{strings.Repeat("u", words.MaxLen)}},
}

func TestSplit(t *testing.T) {
	for _, row := range splitRows {
		t.Run(row.name, func(t *testing.T) {
			if got := words.Split(row.in); !slices.Equal(got, row.want) {
				t.Errorf("Split(%q) = %q, want %q", row.in, got, row.want)
			}
		})
	}
}

func TestStop(t *testing.T) {
	for _, w := range words.Split("The und für what's über können") {
		if !words.Stop(w) {
			t.Errorf("Stop(%q) = false, want true", w)
		}
	}
	for _, w := range words.Split("dragon Drache inn Schwert") {
		if words.Stop(w) {
			t.Errorf("Stop(%q) = true, want false", w)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, row := range splitRows {
		f.Add(row.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key := words.Key(s)
		if again := words.Key(key); again != key {
			t.Errorf("Key(%q) = %q, and its own key is %q", s, key, again)
		}
		for _, w := range words.Split(s) {
			if w == "" || utf8.RuneCountInString(w) > words.MaxLen || strings.ContainsAny(w, " \"'*^:()-+\x00") {
				t.Errorf("Split(%q) yields %q", s, w)
			}
		}
	})
}

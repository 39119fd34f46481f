package ear_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/ear"
)

func TestJudge(t *testing.T) {
	for _, row := range []struct {
		text string
		want ear.Outlook
	}{
		{"Mira, what do you drink?", ear.Complete},
		{"mira what do you drink", ear.Complete},
		{"Wie alt ist Greta", ear.Complete},
		{"Kannst du lesen", ear.Complete},
		{"Bartok, tell us a story.", ear.Complete},
		{"gib mir ein Bier", ear.Complete},
		{"Yes.", ear.Complete},
		{"nein danke", ear.Complete},
		{"Come in", ear.Open},
		{"What is it for", ear.Complete},
		{"I open the door and", ear.Unfinished},
		{"Can you show me the", ear.Unfinished},
		{"Ich wollte fragen, weil", ear.Unfinished},
		{"Well, um", ear.Unfinished},
		{"Three ropes,", ear.Unfinished},
		{"Mira", ear.Unfinished},
		{"We come from the north", ear.Open},
		{"Wir kommen aus dem Norden", ear.Open},
		{"", ear.Unknown},
		{"…", ear.Unknown},
	} {
		if got := ear.TurnJudge(row.text); got != row.want {
			t.Errorf("Judge(%q) = %v, want %v", row.text, got, row.want)
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("Mira, what do you drink?")
	f.Add("…\xff ähm")
	f.Fuzz(func(t *testing.T, text string) {
		if o := ear.TurnJudge(text); o < ear.Unknown || o > ear.Unfinished {
			t.Errorf("Judge(%q) = %v", text, o)
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		ear.TurnJudge("Mira, could you tell us what became of the miller and his three sons")
	}
}

// TestReader uses recognisers with and without full stops.
func TestReader(t *testing.T) {
	const statement, question, more = "I open the door", "what do you drink", "I open the door and"
	var bare ear.TurnReader
	for text, want := range map[string]ear.Outlook{statement: ear.Open, question: ear.Complete, more: ear.Unfinished} {
		if got := bare.Judge(text); got != want {
			t.Errorf("without full stops %q is %v, want %v", text, got, want)
		}
	}
	var r ear.TurnReader
	for _, row := range []struct {
		text string
		want ear.Outlook
	}{
		{"I open the door...", ear.Unfinished},
		{statement, ear.Open},
		{"I open the door.", ear.Complete},
		{statement, ear.Unfinished},
		{question, ear.Open},
		{"What do you drink?", ear.Complete},
		{"Captain Harrow.", ear.Unfinished},
		{"", ear.Unknown},
	} {
		if got := r.Judge(row.text); got != row.want {
			t.Errorf("%q is %v, want %v", row.text, got, row.want)
		}
	}
}

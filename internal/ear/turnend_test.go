package ear_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lane"
)

func TestJudge(t *testing.T) {
	for _, row := range []struct {
		text string
		want lane.Outlook
	}{
		{"Mira, what do you drink?", lane.Complete},
		{"mira what do you drink", lane.Complete},
		{"Wie alt ist Greta", lane.Complete},
		{"Kannst du lesen", lane.Complete},
		{"Bartok, tell us a story.", lane.Complete},
		{"gib mir ein Bier", lane.Complete},
		{"Yes.", lane.Complete},
		{"nein danke", lane.Complete},
		{"Come in", lane.Open},
		{"What is it for", lane.Complete},
		{"I open the door and", lane.Unfinished},
		{"Can you show me the", lane.Unfinished},
		{"Ich wollte fragen, weil", lane.Unfinished},
		{"Well, um", lane.Unfinished},
		{"Three ropes,", lane.Unfinished},
		{"Mira", lane.Unfinished},
		{"We come from the north", lane.Open},
		{"Wir kommen aus dem Norden", lane.Open},
		{"", lane.Unknown},
		{"…", lane.Unknown},
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
		if o := ear.TurnJudge(text); o < lane.Unknown || o > lane.Unfinished {
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

// TestReader has recognisers that set full stops, and that set none.
func TestReader(t *testing.T) {
	const statement, question, more = "I open the door", "what do you drink", "I open the door and"
	var bare ear.TurnReader
	for text, want := range map[string]lane.Outlook{statement: lane.Open, question: lane.Complete, more: lane.Unfinished} {
		if got := bare.Judge(text); got != want {
			t.Errorf("without full stops %q is %v, want %v", text, got, want)
		}
	}
	var r ear.TurnReader
	for _, row := range []struct {
		text string
		want lane.Outlook
	}{
		{"I open the door...", lane.Unfinished},
		{statement, lane.Open},
		{"I open the door.", lane.Complete},
		{statement, lane.Unfinished},
		{question, lane.Open},
		{"What do you drink?", lane.Complete},
		{"Captain Harrow.", lane.Unfinished},
		{"", lane.Unknown},
	} {
		if got := r.Judge(row.text); got != row.want {
			t.Errorf("%q is %v, want %v", row.text, got, row.want)
		}
	}
}

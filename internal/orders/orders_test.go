package orders_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/orders"
)

// tavern has two NPCs; one is silenced.
func tavern() orders.Room {
	return orders.Room{
		Named: func(name string) (int, bool) {
			npc, ok := map[string]int{"bartok": 0, "mother of pearl": 1, "pearl": 1}[name]
			return npc, ok
		},
		Silenced: func(npc int) bool { return npc != 0 },
		Partner:  -1, Players: []string{"Mira"},
	}
}

func TestParse(t *testing.T) {
	tests := []struct {
		name, text string
		want       orders.Order // no kind: not an order
	}{
		{name: "longest_name", text: "Mother of Pearl, be quiet!", want: orders.Order{Kind: orders.Quiet, NPC: 1}},
		{name: "all", text: "alle aufhören", want: orders.Order{Kind: orders.Quiet, NPC: orders.Everyone}},
		{name: "resume_who_is_silenced", text: "Pearl, go on", want: orders.Order{Kind: orders.Resume, NPC: 1}},
		{name: "go_on_to_who_speaks", text: "Bartok, go on"},
		{name: "unmute_anybody", text: "unmute Bartok", want: orders.Order{Kind: orders.Resume}},
		{name: "two_names", text: "Bartok and Pearl, be quiet"},
		{name: "question", text: "Bartok, be quiet?"},
		{name: "more_than_the_order", text: "Bartok, be quiet, the guard will hear us"},
		{name: "say_keeps_the_words", text: "Bartok, say: “Who goes There?”", want: orders.Order{Kind: orders.Say, Text: "Who goes There?"}},
		{name: "say_nothing", text: "Bartok, say:"},
		{name: "say_to_a_player", text: "Bartok, sag Mira guten Tag"},
		{name: "tier_by_word", text: "set Bartok to thoughtful", want: orders.Order{Kind: orders.Raise, Tier: mcp.BudgetDeep}},
		{name: "tier_below", text: "Pearl auf schnell", want: orders.Order{Kind: orders.Lower, NPC: 1, Tier: mcp.BudgetFast}},
		{name: "end", text: "Sitzung beenden, bitte.", want: orders.Order{Kind: orders.EndSession}},
		{name: "far_too_long", text: "Bartok, say: " + strings.Repeat("ha ", 4000)},
		{name: "somebody_has_him_stop", text: "can you get Bartok to stop talking", want: orders.Order{Kind: orders.Quiet}},
		{name: "wished_for", text: "Ich möchte, dass Bartok still ist.", want: orders.Order{Kind: orders.Quiet}},
		{name: "corrected_name", text: "Mute Bartok, no, sorry, Pearl.", want: orders.Order{Kind: orders.Quiet, NPC: 1}},
		{name: "corrected_order", text: "mute bartok nein ich meine sitzung beenden", want: orders.Order{Kind: orders.EndSession}},
		{name: "taken_back", text: "Mute Bartok. No, never mind."},
		{name: "quoted", text: "“Mute Bartok.” That is what he wanted."},
		{name: "told_of", text: "Bartok schweigt."},
		{name: "told_of_all", text: "alle schweigen"},
		{name: "lifted_in_a_story", text: "raise bartok up on your shoulders"},
		{name: "microphones", text: "everybody mute your mics please"},
		{name: "parting_in_a_story", text: "The innkeeper yawns. That's it for tonight. He turns."},
		{name: "nothing", text: " … "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, ok := orders.Parse(test.text, tavern())
			if want := test.want.Kind != 0; ok != want || ok && got != test.want {
				t.Errorf("Parse(%.60q) = %+v, %t, want %+v, %t", test.text, got, ok, test.want, want)
			}
		})
	}
}

// FuzzParse checks that the words to say come from the text, and that nothing panics.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"Bartok, say: halt!", "alle still", "bartok sag “", "lass bartok sagen:’", "go on"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if o, ok := orders.Parse(text, tavern()); ok && (o.Kind == 0 || o.Kind == orders.Say && (o.Text == "" || !strings.Contains(text, o.Text))) {
			t.Errorf("Parse(%q) = %+v", text, o)
		}
	})
}

// TestLines parses lines.tsv against the shipped cast.
func TestLines(t *testing.T) {
	ids := []string{"bartok", "harrow", "greymantle", "juniper", "corvane", "wilhelmina", "ysolde"}
	at := address.NewSnapshot(address.Roster{Players: []string{"Ana", "Ben", "Mira"}, NPCs: []address.NPC{
		{Name: "Bartok the Barkeep", Aliases: []string{"Bartok", "Bart"}}, {Name: "Captain Harrow", Aliases: []string{"Harrow", "the captain"}},
		{Name: "Greymantle the Sage", Aliases: []string{"Greymantle", "the sage"}}, {Name: "Juniper", Aliases: []string{"Junie", "the stable girl"}},
		{Name: "Lady Corvane", Aliases: []string{"Corvane", "her ladyship"}}, {Name: "Wilhelmina Drossel", Aliases: []string{"Wilhelmina", "Frau Drossel"}},
		{Name: "Ysolde Quill", Aliases: []string{"Ysolde", "the archivist"}},
	}})
	page, err := os.ReadFile("testdata/lines.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(page)) {
		c := strings.Split(strings.TrimSpace(line), "\t")
		if c[0] == "id" {
			continue
		}
		silenced := c[3] == "silenced"
		room := orders.Room{Named: at.HeardAs, Silenced: func(int) bool { return silenced }, Partner: -1, Players: []string{"Ana", "Ben", "Mira"}}
		if name, ok := strings.CutPrefix(c[3], "talking "); ok {
			room.Partner = slices.Index(ids, name)
		}
		if got := read(c[4], room, ids); !strings.EqualFold(got, c[5]) {
			t.Errorf("%s %q is %q, want %q", c[0], c[4], got, c[5])
		}
	}
}

// read formats the order in a line as lines.tsv does.
func read(text string, room orders.Room, ids []string) string {
	o, ok := orders.Parse(text, room)
	switch {
	case !ok:
		return "none"
	case o.Kind == orders.EndSession:
		return "end"
	}
	words := []string{o.Kind.String(), "all"}
	if o.NPC != orders.Everyone {
		words[1] = ids[o.NPC]
	}
	switch o.Kind {
	case orders.Say:
		words = append(words, o.Text)
	case orders.Raise, orders.Lower:
		words = append(words, o.Tier.String())
	}
	return strings.Join(words, " ")
}

// BenchmarkParse parses a line without any word of an order, one that is an order, and
// one of maximum length with an order inside.
func BenchmarkParse(b *testing.B) {
	room := tavern()
	for name, text := range map[string]string{
		"talk":   "I draw my sword, step over the threshold, and ask the old woman about the tower.",
		"order":  "Could you please mute Bartok for a moment, thank you.",
		"inside": "okay you lose him in the crowd and then you see the cathedral put bartok back down to fast and lena it's your turn",
		"long":   strings.Repeat("we go on to the next room and bartok is quiet there ", 78),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				orders.Parse(text, room)
			}
		})
	}
}

package orders_test

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/orders"
)

// tavern has two NPCs, of whom one is silenced.
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
		want       orders.Order // no kind: it is none
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

// FuzzParse takes any text: what is to be said is in it, and nothing panics.
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

package address_test

import (
	"slices"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
)

// TestDoubt checks which lines are passed to a judge.
func TestDoubt(t *testing.T) {
	s := address.NewSnapshot(address.Roster{
		NPCs:    []address.NPC{{ID: "bart", Name: "Bartok", Role: "innkeeper"}, {ID: "rose", Name: "Rose"}, {ID: "odo", Name: "Odo"}},
		Players: []string{"Ana", "Ben", "Cleo", "Hanna"}, Leads: "Hanna",
	})
	for _, row := range []struct {
		name, text string
		doubt      string // the reason; empty for no doubt
		npcs       []int
		who        []int // the decision without a judge
	}{
		{"a call", "Odo, what news?", "", nil, []int{2}},
		{"a greeting", "Hey Odo, what news?", "", nil, []int{2}},
		{"a name that was not heard right", "Bardock, what news?", "the name was not heard right", []int{0}, []int{0}},
		{"a role", "Innkeeper, what news?", "the name is an ordinary word", []int{0}, []int{0}},
		{"an everyday word", "Rose, what news?", "the name is an ordinary word", []int{1}, []int{1}},
		{"a greeting with an everyday word", "Hey Rose, what news?", "", nil, []int{1}},
		{"narrated", "I lean over the bar and ask Odo if the room is free", "the speaker tells that they turn to it", []int{2}, []int{2}},
		{"narrated, of nobody's name", "I sit down next to the kid and ask him where his parents are", "the speaker tells that they speak to somebody", nil, nil},
		{"said aloud", "I lean over the counter and say something cold please", "the speaker tells that they speak to somebody", nil, nil},
		{"what somebody might say", "I wonder what Odo would say", "the speaker tells that they turn to it", []int{2}, []int{2}},
		{"a mention", "I think that is the sword Odo had", "it names an NPC", []int{2}, nil},
		{"talk", "I wonder what the others would say", "", nil, nil},
		{"a player", "Ben, what would you do?", "", nil, nil},
		{"a command", "!r 1d20", "", nil, nil},
		{"a sound", "mhm", "", nil, nil},
	} {
		d := address.Detect(s, address.State{Speaker: "Ana", Talkers: 4}, row.text)
		why, npcs := "", []int(nil)
		if d.Doubt != nil {
			why, npcs = d.Doubt.Why, d.Doubt.NPCs
		}
		if why != row.doubt || !slices.Equal(npcs, row.npcs) || !slices.Equal(d.NPCs, row.who) {
			t.Errorf("%s: %q is for %v, in doubt since %q of %v; want %v, %q, %v", row.name, row.text, d.NPCs, why, npcs, row.who, row.doubt, row.npcs)
		}
		if d := address.Detect(s, address.State{Speaker: "Hanna", Talkers: 4}, row.text); d.Doubt != nil {
			t.Errorf("%s: %q of who leads the game is in doubt: %+v", row.name, row.text, d.Doubt)
		}
	}
}

// TestDoubtFollowsTheProbability checks that a line which continues a conversation is in
// doubt if its probability lies between the two thresholds.
func TestDoubtFollowsTheProbability(t *testing.T) {
	for _, listen := range []address.Listening{address.Attentive, address.Eager, address.CalledOnly} {
		s := address.NewSnapshot(address.Roster{NPCs: []address.NPC{{ID: "bart", Name: "Bartok"}, {ID: "odo", Name: "Odo"}}, Players: []string{"Ana", "Ben"}, Listening: listen})
		low := 0.2
		if listen == address.Eager {
			low = 0.05
		}
		var talk address.Talk
		now := time.Unix(1000, 0)
		here := func(npc int) int { return npc }
		talk.RecordDecision(now, 1, "Ana", address.Detect(s, talk.State(now, 1, "Ana", here), "Bartok, have you a room?"))
		talk.RecordDecision(now, 2, "Ben", address.Detect(s, talk.State(now, 2, "Ben", here), "I roll a die"))
		talk.RecordWords(now, 0, "Ana", "Aye, two of them. For how many nights?")
		seen := map[bool]int{}
		for _, text := range []string{"Three nights", "What does it cost?", "And what do we eat?", "I check my sheet", "We should hurry", "Is that the same one?", "No idea", "Did you see that?", "How much is it?", "Pass me the chips", "I think we have twelve left", "Who is that?"} {
			for _, who := range []string{"Ana", "Ben"} {
				d := address.Detect(s, talk.State(now.Add(3*time.Second), 3, who, here), text)
				odds := d.Confidence
				if len(d.NPCs) == 0 {
					odds = 1 - odds
				}
				want := odds >= low && odds < 0.95 && listen != address.CalledOnly
				if (d.Doubt != nil) != want {
					t.Errorf("%v: %q by %s has the probability %.3f and the doubt %+v", listen, text, who, odds, d.Doubt)
				}
				seen[want]++
			}
		}
		if listen != address.CalledOnly && (seen[true] == 0 || seen[false] == 0) {
			t.Errorf("%v: in doubt or not: %v, want some of each", listen, seen)
		}
	}
}

// TestVerdicts checks that the judge's verdict becomes the decision.
func TestVerdicts(t *testing.T) {
	s := address.NewSnapshot(address.Roster{NPCs: []address.NPC{{ID: "bart", Name: "Bartok"}, {ID: "odo", Name: "Odo"}}})
	d := address.Detect(s, address.State{Speaker: "Ana", Talkers: 4}, "Bardock, what news?")
	if same := d.For(0); !slices.Equal(same.NPCs, []int{0}) || same.Route != address.RouteName || !same.Called {
		t.Errorf("for the one that was called: %+v", same)
	}
	if other := d.For(1); !slices.Equal(other.NPCs, []int{1}) || other.Route != address.RouteJudged {
		t.Errorf("for another: %+v", other)
	}
	if none := d.ForNoNPC(); len(none.NPCs) != 0 || none.Route != address.RouteNone {
		t.Errorf("for nobody: %+v", none)
	}
	if all := d.ForAll([]int{1, 0}); !slices.Equal(all.NPCs, []int{1, 0}) || all.Route != address.RouteGroup || !all.All {
		t.Errorf("for all: %+v", all)
	}
}

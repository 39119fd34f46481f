package table

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
)

func inn() []config.NPC {
	return []config.NPC{
		{Name: "Greymantle the Sage", Aliases: []string{"the sage"}},
		{Name: "Bartok the Barkeep", Aliases: []string{"Bart"}},
		{Name: "Captain Harrow", Aliases: []string{"the captain"}},
		{Name: "Wilhelmina Drossel", Aliases: []string{"Frau Drossel"}},
	}
}

// conversationOf returns the table of some NPCs, where NPC last has just spoken to everyone.
func conversationOf(npcs []config.NPC, last int) *conversation {
	c := &cast{}
	for _, n := range npcs {
		c.agents = append(c.agents, agent.New(n, agent.Options{}))
	}
	h := newConversation(c, Options{Latency: config.Default().Latency})
	if last >= 0 {
		h.recordWords(last, "", "What do you say?")
	}
	return h
}

func TestDecide(t *testing.T) {
	const grey, bart, harrow, mina = 0, 1, 2, 3
	for _, row := range []struct {
		name, text string
		last       int
		route      string
		npc        int // -1 for none
	}{
		{"name and comma", "Greymantle, roll 2d6+3", -1, "name", grey},
		{"full name", "Bartok the Barkeep, an ale!", -1, "name", bart},
		{"alias", "Bart, an ale!", grey, "name", bart},
		{"no comma", "Bartok give me an ale", grey, "name", bart},
		{"greeting", "hey there Bart", grey, "name", bart},
		{"greeting and name", "Hey Bart what is new", grey, "name", bart},
		{"at the end", "An ale, Bartok!", grey, "name", bart},
		{"in the middle", "I say, Bartok, an ale", grey, "name", bart},
		{"lower case", "bartok, an ale", grey, "name", bart},
		{"misheard", "Bardok, an ale", grey, "name", bart},
		{"possessive is a mention", "Bartok's ale is good", grey, "continuation", grey},
		{"about someone", "Bartok is a thief", grey, "continuation", grey},
		{"about the one spoken with", "Greymantle is a thief", grey, "none", -1},
		{"asked about", "Who is Bartok?", grey, "continuation", grey},
		{"mention without conversation", "Who is Bartok?", -1, "none", -1},
		{"first name set off wins", "Bartok, where is Greymantle?", -1, "name", bart},
		{"two names", "Bartok, hide! Greymantle, run!", -1, "group", bart},
		{"title when spoken to", "Captain, come here", grey, "name", harrow},
		{"title in a story", "we met a captain of the watch", -1, "none", -1},
		{"german", "Frau Drossel, was gibt es Neues?", -1, "name", mina},
		{"surname", "Guten Abend Drossel", -1, "name", mina},
		{"part of a word", "bartender, an ale", -1, "none", -1},
		{"continuation", "and another one", bart, "continuation", bart},
		{"group", "both of you, stop", bart, "group", bart},
		{"mere sound", "mhm", bart, "none", -1},
		{"nobody", "let us leave", -1, "none", -1},
		{"empty", " …?! ", bart, "none", -1},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := conversationOf(inn(), row.last).decideAddressee(0, Utterance{Speaker: "Alice", Text: row.text})
			npc := -1
			if len(got.NPCs) > 0 {
				npc = got.NPCs[0]
			}
			if got.Route != row.route || npc != row.npc {
				t.Errorf("%q after %d is for %d by %s (%s), want %d by %s", row.text, row.last, npc, got.Route, got.Why, row.npc, row.route)
			}
		})
	}
}

func TestOnlyNPCHearsEverything(t *testing.T) {
	h := conversationOf(inn()[:1], -1)
	for text, want := range map[string]string{"an ale": "only_npc", "Greymantle, an ale": "name"} {
		if got := h.decideAddressee(0, Utterance{Text: text}); got.Route != want || !slices.Equal(got.NPCs, []int{0}) {
			t.Errorf("%q: %+v, want NPC 0 by %s", text, got, want)
		}
	}
}

func TestPlayersKeepTheirConversations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := conversationOf(inn(), -1)
		say := func(speaker, text string, want ...int) {
			t.Helper()
			if got := h.decideAddressee(0, Utterance{Speaker: speaker, Text: text}); !slices.Equal(got.NPCs, want) {
				t.Errorf("%s: %q is for %v (%s), want %v", speaker, text, got.NPCs, got.Why, want)
			} else if len(got.NPCs) > 0 {
				h.recordDecision(0, speaker, got)
			}
			time.Sleep(time.Second)
		}
		say("Alice", "Bart, an ale!", 1)
		say("Ben", "Greymantle, a word?", 0)
		say("Alice", "Can you bring me another one?", 1)
		say("Ben", "What would you know of the tower?", 0)
		say("Cleo", "Really?")
		say("Ben", "Can you tell us more about it?", 0)
		say("Alice", "Ben, your turn.")
		h.recordWords(2, "", "Quiet now.") // the captain speaks to everyone
		say("Alice", "Who are you?", 2)
		time.Sleep(90 * time.Second)
		say("Alice", "Hello?")
	})
}

func TestPlayersAreBounded(t *testing.T) {
	h := conversationOf(inn(), -1)
	for i := range 10 * maxPlayers {
		u := Utterance{Speaker: fmt.Sprint("player ", i), Text: "Bart!"}
		h.recordDecision(0, u.Speaker, h.decideAddressee(0, u))
	}
	if len(h.players) != maxPlayers {
		t.Errorf("%d players are kept, want %d", len(h.players), maxPlayers)
	}
}

func TestNoContinuation(t *testing.T) {
	h := conversationOf(inn(), -1)
	h = newConversation(h.cast, Options{})
	h.recordWords(1, "", "Aye.")
	if got := h.decideAddressee(0, Utterance{Text: "and another one"}); got.Route != "none" {
		t.Errorf("with a continuation of 0: %+v, want nobody", got)
	}
}

func TestLookup(t *testing.T) {
	for name, want := range map[string]int{
		"Greymantle the Sage": 0, "greymantle": 0, " The Sage ": 0, "bart": 1, "Barkeep": 1, "captain": 2, "drossel": 3,
	} {
		if got, err := Lookup(inn(), name); err != nil || got != want {
			t.Errorf("Lookup(%q) = %d, %v, want %d", name, got, err, want)
		}
	}
	for name, want := range map[string]string{"Greymantel": "did you mean", "Zorro": "here are Greymantle the Sage, ", "": "the NPCs here are", "the": "no NPC"} {
		if _, err := Lookup(inn(), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Lookup(%q) = %v, want %q in it", name, err, want)
		}
	}
}

// TestWhoLeadsByRole: if others play, a DM's line is for an NPC only if it names the NPC.
func TestWhoLeadsByRole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, row := range []struct {
			name, text string
			others     bool
			npc        int // -1 for none
		}{
			{"goes on alone", "An ale, please. What does it cost?", false, 1},
			{"goes on among others", "An ale, please. What does it cost?", true, -1},
			{"calls among others", "Bartok, what does it cost?", true, 1},
			{"narrates among others", "I ask him what the ale costs.", true, -1},
		} {
			h := conversationOf(inn()[1:2], -1)
			if row.others {
				h = conversationOf(inn(), 1)
				h.recordDecision(1, "Ana", h.decideAddressee(1, Utterance{Speaker: "Ana", Text: "Bartok, good evening!"}))
				h.recordWords(1, "", "Good evening to you all. What will it be?")
			}
			want := row.npc
			if !row.others {
				want = 0
			}
			d := h.decideAddressee(2, Utterance{Speaker: "Dora", Text: row.text, Leads: true})
			switch {
			case row.npc < 0 && len(d.NPCs) > 0:
				t.Errorf("%s: it is for %v (%s), want nobody", row.name, d.NPCs, d.Why)
			case row.npc >= 0 && !slices.Equal(d.NPCs, []int{want}):
				t.Errorf("%s: it is for %v (%s), want %d", row.name, d.NPCs, d.Why, want)
			}
		}
	})
}

// TestCharactersAreSomebodyElse: a line that names a player's character is for no NPC.
func TestCharactersAreSomebodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, known := range []bool{false, true} {
			h := conversationOf(inn()[1:2], 0)
			if known {
				h.characters = func() []string { return []string{"Thokk"} }
			}
			d := h.decideAddressee(1, Utterance{Speaker: "Ana", Text: "Thokk, put the axe down!"})
			if known && (len(d.NPCs) > 0 || !d.Elsewhere) {
				t.Errorf("it is for %v (%s), want Thokk alone", d.NPCs, d.Why)
			}
		}
	})
}

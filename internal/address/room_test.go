package address_test

import (
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
)

// TestRoomIsCalledWhileOneIsTalkedWith addresses everyone in the scene, and the players
// at the table, in the middle of a conversation with one NPC.
func TestRoomIsCalledWhileOneIsTalkedWith(t *testing.T) {
	s := address.NewSnapshot(address.Roster{
		NPCs:    []address.NPC{{Name: "Bartok"}, {Name: "Greta"}, {Name: "Zedekia"}},
		Players: []string{"Ann", "Ben"}, Languages: []string{"en", "de"},
	})
	st := address.State{
		Speaker: "Ann", Last: address.Partner{Known: true, NPC: 1, Ago: 8 * time.Second}, Own: address.Partner{Known: true, NPC: 1, Ago: 8 * time.Second},
		LastTo: "Ann", Fresh: true, Said: "The mill burnt down last week.",
	}
	for _, line := range []string{
		"Which of you locked the gate?",
		"who among you saw the fire",
		"Is there anyone here who can mend a boot?",
		"does somebody around here own a cart?",
		"Wer unter euch hat den Wagen gefahren?",
		"Kennt sich hier jemand mit Pferden aus?",
		"ist irgendwer hier ein Heiler?",
	} {
		if d := address.Detect(s, st, line); d.Route != address.RouteGroup || !d.All {
			t.Errorf("%q goes to %v (%s, %s), want everybody", line, d.NPCs, d.Route, d.Why)
		}
	}
	for _, line := range []string{
		"which of you two has the map, Ben?",
	} {
		if d := address.Detect(s, st, line); len(d.NPCs) > 0 {
			t.Errorf("%q goes to %v (%s, %s), want nobody", line, d.NPCs, d.Route, d.Why)
		}
	}
}

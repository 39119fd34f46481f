package discord

import "testing"

// TestOutOfCharacter lists lines that the NPCs do not hear.
func TestOutOfCharacter(t *testing.T) {
	for text, want := range map[string]bool{
		"(brb, pizza)":                true,
		" ((gleich wieder da)) ":      true,
		"// who has the map?":         true,
		"ooc: next week?":             true,
		"OOC wer hat die Karte?":      true,
		"(one) and (two)":             false,
		"(whispers) Bartok, come":     false,
		"Bartok, what is on tap?":     false,
		"Oocroft is where I am from.": false,
		"":                            false,
	} {
		if got := outOfCharacter(text); got != want {
			t.Errorf("outOfCharacter(%q) = %t, want %t", text, got, want)
		}
	}
}

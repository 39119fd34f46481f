package srd_test

import "testing"

// Every spell and condition can be asked for by what it does, in both languages.
func TestSpellsAndConditionsSayHowTheyAreAskedFor(t *testing.T) {
	for id, e := range byID(t) {
		given := e.Asked.English != "" && e.Asked.German != ""
		switch {
		case (e.Category == "spell" || e.Category == "condition") && !given,
			(e.Asked.English == "") != (e.Asked.German == ""):
			t.Errorf("%s is asked for as %q and %q, want both languages", id, e.Asked.English, e.Asked.German)
		}
	}
}

package address

import (
	"testing"
	"time"
)

func TestTake(t *testing.T) {
	s := NewSnapshot(Roster{NPCs: []NPC{{Name: "Bartok"}}, Players: []string{"Tom"}})
	const saying = "We have lost eleven, and the well is dry."
	for text, want := range map[string]Uptake{
		"Yeah.":                     Assent,
		"Mhm, okay.":                Assent,
		"Oh wow.":                   Assent,
		"Yeaaah right, I see.":      Assent,
		"oh god, eleven":            Assent,
		"hahaha, the well is dry":   Assent,
		"Ja, genau.":                Assent,
		"ach so, alles klar":        Assent,
		"das ist ja krass":          Assent,
		"unreal":                    Assent, // not a listed phrase
		"Hold on.":                  Order,
		"Okay, wait, which well?":   Order,
		"stop stop stop":            Order,
		"Moment mal!":               Order,
		"halt, welcher Brunnen?":    Order,
		"wait for me":               Words,
		"we wait here":              Words,
		"yeah, but which well?":     Words,
		"okay, you lead":            Words,
		"oh no, I forgot the rope":  Words,
		"the well?":                 Words,
		"two silver for the bucket": Words,
		"ja, und wo ist der Eimer":  Words,
		"":                          Words,
	} {
		if got := ClassifyUptake(s, text, saying); got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
}

func TestIsAnswer(t *testing.T) {
	for text, want := range map[string]bool{
		"Yes, three of us.": true, "oh no thanks": true, "Jawohl!": true, "nee, lieber nicht": true,
		"three of us": false, "oh": false, "who says yes": false, "": false,
	} {
		if got := IsAnswer(text); got != want {
			t.Errorf("IsAnswer(%q) = %v", text, got)
		}
	}
}

// TestUptakeWeights checks that every weight in the file is read.
func TestUptakeWeights(t *testing.T) {
	e := GatherReaction("oh wow")
	if len(uptakeWeights.Meaning) != len(e.Meaning) || uptakeWeights.Facts["bias"] == 0 || uptakeWeights.Bar <= 0 || uptakeWeights.Bar >= 1 {
		t.Errorf("%d directions for %d, bias %v, bar %v", len(uptakeWeights.Meaning), len(e.Meaning), uptakeWeights.Facts["bias"], uptakeWeights.Bar)
	}
}

// TestWhileChangesNothing decides lines that are said while an NPC speaks.
func TestWhileChangesNothing(t *testing.T) {
	var k Talk
	at := time.Unix(100, 0)
	k.RecordDecision(at, 1, "Tom", Decision{NPCs: []int{0, 1}, Route: RouteGroup, Called: true})
	during := k.While(at.Add(time.Second), 0, "Ann", "The well is dry.").State(at.Add(time.Second), 0, "Ann", here)
	if during.Said != "The well is dry." || !during.Fresh || !during.Own.Known || during.GroupSaid != 1 {
		t.Errorf("while it speaks: %+v", during)
	}
	if after := k.State(at.Add(time.Second), 0, "Ann", here); after.Said != "" || after.Fresh || after.Own.Known || after.GroupSaid != 0 {
		t.Errorf("afterwards: %+v, want it as before", after)
	}
}

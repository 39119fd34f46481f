package address

import (
	"strings"
	"testing"
	"time"
)

// TestWeights checks that every weight in the file is read.
func TestWeights(t *testing.T) {
	if got, want := len(weights.Facts), strings.Count(weightsFile, "\nfact\t"); got != want || want < 20 {
		t.Errorf("%d facts were read of %d", got, want)
	}
	if len(weights.Words) != Buckets || len(weights.Meaning) == 0 || weights.Bar <= 0 || weights.Bar >= 1 {
		t.Errorf("%d words, %d directions, bar %v", len(weights.Words), len(weights.Meaning), weights.Bar)
	}
}

// TestAllFactsAreWeighed checks that every feature in the program has a learned weight.
func TestAllFactsAreWeighed(t *testing.T) {
	s := NewSnapshot(Roster{NPCs: []NPC{{Name: "Bartok"}, {Name: "Greta"}}, Players: []string{"Tom", "Ann"}, Leads: "Ann"})
	var k Talk
	at := time.Unix(100, 0)
	say := func(line int64, who, text string) {
		at = at.Add(2 * time.Second)
		d := Detect(s, k.State(at, line, who, here), text)
		k.RecordDecision(at, line, who, d)
	}
	say(1, "Tom", "Bartok, what did you see?")
	k.RecordWords(at.Add(time.Second), 0, "Tom", "A man with a lantern. Why?")
	say(2, "Ann", "Roll for insight.")
	e, ok := Gather(s, k.State(at.Add(3*time.Second), 3, "Tom", here), "Which way did he go with the lantern?")
	if !ok || e.NPC != 0 {
		t.Fatalf("got %+v, %v", e, ok)
	}
	for _, f := range e.Facts {
		if _, known := weights.Facts[f.Name]; !known {
			t.Errorf("nothing was learned about %q", f.Name)
		}
	}
}

// TestNarratedCalls checks which NPC is called when a player narrates their character's
// action.
func TestNarratedCalls(t *testing.T) {
	s := NewSnapshot(Roster{NPCs: []NPC{{Name: "Odo", Role: "innkeeper"}, {Name: "Greta"}}, Players: []string{"Tom", "Ann"}})
	for text, want := range map[string]int{
		"I walk up to the bar and ask Odo if the room is free.":         0,
		"Brindle asks Odo for the key":                                  0,
		"Ich gehe zur Theke und frage Odo, ob das Zimmer frei ist.":     0,
		"I sit down beside the innkeeper and ask him about the cellar.": 0,
		"Then I tell Greta that we found the ring.":                     1,
		"We should ask Odo about the key.":                              -1,
		"I asked Odo yesterday and he said no.":                         -1,
		"If I ask Odo he will only lie.":                                -1,
		"Odo asks too many questions.":                                  -1,
		"Ann told Odo about it.":                                        -1,
		"I ask Ann whether Odo was here.":                               -1,
	} {
		got := -1
		if d := Detect(s, State{Speaker: "Tom", Talkers: 3}, text); len(d.NPCs) == 1 {
			got = d.NPCs[0]
		}
		if got != want {
			t.Errorf("%q is for %d, want %d", text, got, want)
		}
	}
}

// TestCommandsOfOtherPrograms checks that a command for another bot is for no NPC, even
// with one player and one NPC.
func TestCommandsOfOtherPrograms(t *testing.T) {
	s := NewSnapshot(Roster{NPCs: []NPC{{Name: "Odo"}}})
	for _, text := range []string{"!r 1d20+5", "$help", "/roll 2d6", "[1d20+5]", "https://example.org/map.png"} {
		if d := Detect(s, State{Speaker: "Tom", Talkers: 1}, text); len(d.NPCs) > 0 || !d.Elsewhere {
			t.Errorf("%q is for %v", text, d.NPCs)
		}
	}
	for _, text := range []string{"!", "?", "What's in the cellar?", "Look at https://example.org, Odo!"} {
		if d := Detect(s, State{Speaker: "Tom", Talkers: 1}, text); d.Elsewhere {
			t.Errorf("%q is for another program", text)
		}
	}
}

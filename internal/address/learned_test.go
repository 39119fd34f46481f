package address

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestAllEvidenceIsWeighed checks that what is looked at and what was learned are the
// same, and that nothing in the file is lost.
func TestAllEvidenceIsWeighed(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range allEvidence {
		if seen[e.name] {
			t.Errorf("%q is weighed twice", e.name)
		}
		seen[e.name] = true
		if _, ok := learned.evidence[e.name]; !ok {
			t.Errorf("nothing was learned about %q", e.name)
		}
	}
	for name := range learned.evidence {
		if !seen[name] {
			t.Errorf("%q was learned and is not looked at", name)
		}
	}
	if got, want := len(learned.evidence)+len(learned.words), strings.Count(learnedFile, "\n"); got != want || len(learned.words) == 0 {
		t.Errorf("%d weights were read of %d", got, want)
	}
}

// TestQuestionsWithoutMarks checks what is taken for a question where a recogniser
// writes no marks.
func TestQuestionsWithoutMarks(t *testing.T) {
	s := NewSnapshot(Roster{NPCs: []NPC{{Name: "Bartok"}}})
	for text, want := range map[string]bool{
		"auf wen warten wir": true, "hört der auf irgendwas": true, "trägt er einen hut": true, "schmeckt's wenigstens": true, "und seit wann": true,
		"das ist doch seiner oder": true, "schulden sie ihr denn was": true, "haben sie so jemanden": true,
		"would our wagon fit through there": true, "for how long roughly": true, "he limps on the left doesn't he": true, "can't we open it first": true,
		"we need a hammer who's got a hammer": true, "anyone seen my hat": true, "you reckon she'll sink": true,
		"holt das bier": false, "damit ihr es wisst": false, "it's ninety steps": false, "that's not water": false, "do it": false, "have a drink": false,
		"ich weiß nicht wer das war": false, "kommt drauf an": false, "let's say ninety": false, "i know what you mean": false, "du bist dran": false,
	} {
		if got := read(s.parseUtterance(text, "")).asks; got != want {
			t.Errorf("%q asks: %v, want %v", text, got, want)
		}
	}
}

// TestNamesAmongWords checks who is called where a title or an everyday word could be a
// name, too.
func TestNamesAmongWords(t *testing.T) {
	s := NewSnapshot(Roster{NPCs: []NPC{
		{Name: "Lord Sterling", Role: "lord"}, {Name: "May"}, {Name: "Frau Drossel"}, {Name: "Ysolde", Role: "archivist"}, {Name: "Old Hook"},
		{Name: "König Alarich", Aliases: []string{"Majestät"}}, {Name: "Möwe"}, {Name: "Fenn"},
	}})
	for text, want := range map[string][]int{
		"lord sterling may we trouble you": {0}, "frau archivarin ich flüster auch": {3}, "old hook we need you to take us out": {4},
		"das liegt im schlafgemach majestät": {5}, "möwe das fass da gehört doch dir": {6}, "hey van you've got small hands": {7},
		"the letter says may come home": nil, "wir wohnen im schloss der majestät": nil,
	} {
		if d := Detect(s, State{Speaker: "Tom"}, text); !slices.Equal(d.NPCs, want) {
			t.Errorf("%q is for %v (%s), want %v", text, d.NPCs, d.Why, want)
		}
	}
}

// TestWhoSpeaksAsALord checks that the table learns who is spoken to as "Ihr".
func TestWhoSpeaksAsALord(t *testing.T) {
	var k Talk
	at := time.Unix(100, 0)
	k.Said(at, 1, "Ann", "Was sucht Ihr hier?")
	if st := k.State(at, 1, "Ann", here); !st.Lordly || st.Answered != 0 {
		t.Errorf("after “Ihr”: %+v", st)
	}
	k.Said(at, 2, "Ann", "Ihr sucht mich? Du da!")
	if st := k.State(at, 2, "Ann", here); st.Lordly || st.SaidBefore != "Was sucht Ihr hier?" {
		t.Errorf("after “du”: %+v", st)
	}
	k.Decided(at, 3, "Ben", Decision{NPCs: []int{2}, Route: RouteContinuation, Gist: Gist{Lordly: true, You: true}})
	if st := k.State(at, 4, "Ann", here); !st.Lordly || st.Answered != 1 || !st.Before.Gist.You {
		t.Errorf("after a line that says “Ihr”: %+v", st)
	}
}

// TestARoomIsCalledInALull checks that a question to anybody, asked in the middle of a
// conversation, calls nobody else.
func TestARoomIsCalledInALull(t *testing.T) {
	s := NewSnapshot(Roster{NPCs: []NPC{{Name: "Bartok"}, {Name: "Greta"}}})
	st := State{Speaker: "Tom", Last: Partner{Known: true, Ago: 3 * time.Second}, LastTo: "Tom", Said: "I saw him.", Fresh: true}
	if d := Detect(s, st, "Did anybody else see him?"); d.All {
		t.Errorf("while Bartok is talked with: %+v", d)
	}
	if d := Detect(s, State{Speaker: "Tom"}, "Did anybody here see him?"); !d.All || len(d.NPCs) != 2 {
		t.Errorf("while nobody is: %+v", d)
	}
}

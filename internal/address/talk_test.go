package address

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func here(npc int) int { return npc }

func TestTalkIsBounded(t *testing.T) {
	var k Talk
	at := time.Unix(0, 0)
	for i := range 10 * maxSpeakers {
		speaker := fmt.Sprint("player ", i)
		k.RecordDecision(at, 0, speaker, Decision{NPCs: []int{1}, Route: RouteName})
		k.RecordWords(at, 1, speaker, strings.Repeat("ä", 10_000))
	}
	if len(k.own) != maxSpeakers || len(k.mine) != maxSpeakers || len(k.said.words()) > maxSaid {
		t.Errorf("%d conversations, %d lines and %d bytes are kept, want %d, %d and %d", len(k.own), len(k.mine), len(k.said.words()), maxSpeakers, maxSpeakers, maxSaid)
	}
}

func TestTalkKnowsWhoSpokeWithWhom(t *testing.T) {
	var k Talk
	at := time.Unix(100, 0)
	k.RecordDecision(at, 1, "Ann", Decision{NPCs: []int{2}, Route: RouteName, Gist: Gist{Asks: true}})
	k.RecordWords(at.Add(2*time.Second), 2, "Ann", "Why do you ask?")
	st := k.State(at.Add(3*time.Second), 2, "Ann", here)
	if !st.Fresh || st.Said != "Why do you ask?" || st.LastTo != "Ann" || st.Last != (Partner{true, 2, time.Second}) || st.Own != st.Last || !st.Mine.Gist.Asks {
		t.Errorf("after an answer: %+v", st)
	}
	k.RecordDecision(at.Add(4*time.Second), 2, "Ben", Decision{Route: RouteNone, Gist: Gist{You: true}})
	st = k.State(at.Add(5*time.Second), 3, "Ann", here)
	if st.Fresh || st.Asides != 1 || st.Before != (Remark{true, "Ben", -1, time.Second, Gist{You: true}}) || st.Mine.NPC != 2 {
		t.Errorf("after an aside: %+v", st)
	}
	if st = k.State(at.Add(5*time.Second), 2, "Ben", here); st.Before.Speaker != "Ann" || st.Mine.Known {
		t.Errorf("a line that is decided anew comes after itself: %+v", st)
	}
	if st = k.State(at.Add(5*time.Second), 3, "Ann", func(int) int { return -1 }); st.Last.Known || st.Own.Known {
		t.Errorf("an NPC that left is talked with: %+v", st)
	}
}

func TestTalkKnowsWhichGroupHasAnswered(t *testing.T) {
	var k Talk
	at := time.Unix(100, 0)
	k.RecordDecision(at, 1, "Ann", Decision{NPCs: []int{0, 1}, Route: RouteGroup})
	k.RecordWords(at, 0, "Ann", "Aye.")
	k.RecordReaction(1)
	k.RecordReaction(1)
	if st := k.State(at, 2, "Ann", here); len(st.Group) != 2 || st.GroupSaid != 2 || st.GroupBy != "Ann" || st.GroupAll {
		t.Errorf("after both answered: %+v", st)
	}
	k.RecordDecision(at, 2, "Ann", Decision{NPCs: []int{1}, Route: RouteContinuation})
	if st := k.State(at, 3, "Ann", here); len(st.Group) != 2 || st.GroupSaid != 0 {
		t.Errorf("after a line to one of them: %+v", st)
	}
	k.RecordDecision(at, 3, "Ann", Decision{NPCs: []int{1}, Route: RouteName})
	if st := k.State(at, 4, "Ann", here); st.Group != nil {
		t.Errorf("after one of them was called: %+v", st)
	}
}

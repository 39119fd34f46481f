package table_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
)

func TestGroupsAndMereSounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: says("Aye.")})
		check := func(line string, outcome table.Outcome, npc string, route table.Route) {
			t.Helper()
			starts := len(of[*table.TurnStarted](r.events))
			ended := r.hear(line)
			time.Sleep(time.Second) // a reaction may follow
			got := table.RouteNone
			if s := of[*table.TurnStarted](r.events); len(s) > starts {
				got = s[starts].Route
			}
			if ended.Outcome != outcome || ended.NPC != npc || got != route {
				t.Errorf("%q: %v by %q over %v, want %v by %q over %v", line, ended.Outcome, ended.NPC, got, outcome, npc, route)
			}
		}
		check("Good evening, everyone!", table.OutcomeDelivered, "Mira", table.RouteGroup)
		check("mhm", table.OutcomeNoTarget, "", table.RouteNone)
		check("Bart and Mira, come here!", table.OutcomeDelivered, "Bartok the Barkeep", table.RouteGroup)
		check("hmm...", table.OutcomeNoTarget, "", table.RouteNone)
		check("no", table.OutcomeDelivered, "Bartok the Barkeep", table.RouteContinuation)
		check("Ihr beide, hört zu!", table.OutcomeDelivered, "Bartok the Barkeep", table.RouteGroup)
		if _, err := r.Mute(t.Context(), "Bart", true); err != nil {
			t.Fatal(err)
		}
		check("Ihr beide, hört zu!", table.OutcomeDelivered, "Mira", table.RouteGroup)
		check("Bardok, hört zu!", table.OutcomeMuted, "Bartok the Barkeep", table.RouteNone)
		check("And why?", table.OutcomeMuted, "Bartok the Barkeep", table.RouteNone)
		r.close()
		ends := map[int64]int{}
		for _, e := range of[*table.TurnEnded](r.events) {
			ends[table.HeaderOf(e).Turn]++
		}
		for _, u := range of[*table.Heard](r.events) {
			if n := ends[table.HeaderOf(u).Turn]; n != 1 {
				t.Errorf("%q ended %d times, want once", u.Text, n)
			}
		}
	})
}

// TestReactionIsKeptAfterWhatItReactsTo: a reaction is stored after the answer and the line it
// refers to, however slow the log is, so that a reader never sees a reaction without its cause.
func TestReactionIsKeptAfterWhatItReactsTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: says("Aye."), journal: &journal{takes: 500 * ms, first: 3 * time.Second}})
		r.speak("Alice", "Bart and Mira, come here!")
		time.Sleep(30 * time.Second)
		r.kept("Alice: Bart and Mira, come here!", "Bartok the Barkeep: Aye.", "Mira: Aye.")
		r.close()
		var order []string
		for _, e := range of[*table.TurnEnded](r.events) {
			order = append(order, e.NPC)
		}
		if !slices.Equal(order, []string{"Bartok the Barkeep", "Mira"}) {
			t.Errorf("turns ended of %q, want the reaction's last", order)
		}
	})
}

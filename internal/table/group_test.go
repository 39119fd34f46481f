package table_test

import (
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

package table_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// TestSpokenOrders: a spoken order of the game master is executed and reported, but is neither
// a turn nor in a prompt. From anyone else it is speech.
func TestSpokenOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		r := heard(t, setting{voice: sound{lasts: 300 * ms}, model: func(req llm.Request) []step {
			asked = append(asked, prompt(req))
			return []step{{after: 50 * ms, text: "Aye."}}
		}})
		leads := true
		dm := r.joinWith("Dora", table.JoinOptions{User: "discord:7", Leads: func() bool { return leads }})
		ana := r.join("Ana")
		say := func(p *player, words string) *table.Ordered {
			before := len(of[*table.Ordered](r.events))
			p.say(words, 600*ms)
			time.Sleep(8 * time.Second)
			if all := of[*table.Ordered](r.events); len(all) > before {
				return all[len(all)-1]
			}
			return nil
		}
		for _, row := range []struct{ words, order, npc string }{
			{"Mira, be quiet.", "quiet", "Mira"},
			{"go on everybody", "resume", ""},
			{"Mira, say: Last orders!", "say", "Mira"},
			{"Bart, think carefully.", "think", "Bartok the Barkeep"},
			{"lower everyone", "lower", ""},
			{"End the session, please.", "end", ""},
		} {
			e := say(dm, row.words)
			if e == nil || e.Order != row.order || e.NPC != row.npc || e.Speaker != "Dora" || e.Text != row.words || e.Done == "" || e.Problem != "" {
				t.Errorf("%q is ordered as %+v, want %+v", row.words, e, row)
			}
		}
		if got := of[*table.TurnEnded](r.events); len(got) != 1 || got[0].NPC != "Mira" || got[0].Text != "Last orders!" {
			t.Errorf("turns %+v, want the line that Mira was made to say", got)
		}
		if len(asked) != 0 {
			t.Errorf("a model was given %q", asked)
		}
		if e := say(dm, "The cellar is dark. Mute Bart."); e == nil || e.NPC != "Bartok the Barkeep" {
			t.Errorf("an order among other words is %+v", e)
		}
		if e := say(ana, "Mira, be quiet."); e != nil {
			t.Errorf("a player orders %+v", e)
		}
		leads = false
		if e := say(dm, "Mira, be quiet."); e != nil {
			t.Errorf("who leads no more orders %+v", e)
		}
		if kept := strings.Join(r.journal.said(), "|"); !strings.Contains(kept, "Dora: The cellar is dark.") || strings.Contains(kept, "Mute") || !strings.Contains(kept, "Ana: Mira, be quiet.") {
			t.Errorf("kept %q", kept)
		}
		if i := slices.IndexFunc(r.journal.kept(), func(l memory.Line) bool { return l.Speaker == "Dora" }); i < 0 || r.journal.kept()[i].User != "discord:7" {
			t.Errorf("the line has no user")
		}
	})
}

// TestOrderGoesOnWithAnUtterance: if a DM continues a line with an order, the order is executed
// and the line before it answered.
func TestOrderGoesOnWithAnUtterance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{voice: sound{lasts: 300 * ms}, model: func(llm.Request) []step { return []step{{after: 4 * time.Second, text: "Aye."}} }})
		dm := r.joinWith("Dora", table.JoinOptions{Leads: func() bool { return true }})
		dm.say("Mira, what is on tap?", 900*ms)
		time.Sleep(1500 * ms)
		dm.say("Mute Bart.", 600*ms)
		time.Sleep(20 * time.Second)
		if all := of[*table.Ordered](r.events); len(all) != 1 || all[0].NPC != "Bartok the Barkeep" {
			t.Errorf("ordered %+v", all)
		}
		if all := of[*table.TurnEnded](r.events); len(all) != 1 || all[0].NPC != "Mira" || all[0].Outcome != table.OutcomeDelivered {
			t.Errorf("turns %+v", all)
		}
		if kept := r.journal.said(); !slices.Contains(kept, "Dora: Mira, what is on tap?") {
			t.Errorf("kept %q", kept)
		}
	})
}

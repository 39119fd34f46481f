package table_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// mayDecline reports whether the prompt says how to decline.
func mayDecline(req llm.Request) bool {
	return slices.ContainsFunc(req.Messages, func(m llm.Message) bool {
		return m.Role == llm.RoleSystem && strings.Contains(m.Content, speech.SilentRule)
	})
}

// modest declines if it may, and otherwise answers.
func modest(req llm.Request) []step {
	if mayDecline(req) {
		return []step{{after: 100 * ms, text: "[sil"}, {after: 10 * ms, text: "ent]"}, {after: time.Hour, text: "Never."}}
	}
	return []step{{after: 100 * ms, text: "Aye."}}
}

func TestDeclinedTurnIsNothingTheNPCKnowsOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []llm.Request
		r := open(t, setting{model: func(req llm.Request) []step {
			asked = append(asked, req)
			return modest(req)
		}})
		if e := r.hear("Mira, an ale!"); e.Outcome != table.OutcomeDelivered {
			t.Fatalf("a line to Mira ends %+v", e)
		}
		e := r.hear("And so it goes, you know.")
		if e.Outcome != table.OutcomePassed || e.NPC != "Mira" || e.Text != "" || e.Ledger.Budget != "met" || e.Ledger.BreachStage != "" {
			t.Errorf("turn.ended = %+v, want passed by Mira, and no budget to breach", e)
		}
		if l := e.Ledger; l.LLMFirstTokenMS != 100 || l.TotalMS != 110 || l.TargetMS == 0 || l.FirstSoundMS != 0 {
			t.Errorf("ledger = %+v, want all that was done", l)
		}
		kept := r.journal.kept()
		if last := kept[len(kept)-1]; last.Text != "And so it goes, you know." || last.To != "" {
			t.Errorf("kept is %+v, want the player's line, to nobody", last)
		}
		r.hear("Mira, another one!")
		last := asked[len(asked)-1].Messages
		if n := len(last); n != 5 || last[1].Content != "Mira, an ale!" || !strings.Contains(last[3].Content, "Alice (player): And so it goes, you know.") {
			t.Errorf("Mira's model is given %+v, want the line as one at the table alone", last)
		}
	})
}

func TestDeclinedLineDoesNotRenewTheConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: modest})
		r.hear("Mira, an ale!")
		for _, row := range []struct {
			after time.Duration
			want  table.Outcome
		}{{60 * time.Second, table.OutcomePassed}, {29 * time.Second, table.OutcomePassed}, {2 * time.Second, table.OutcomeNoTarget}} {
			time.Sleep(row.after)
			if e := r.hear("and so it goes"); e.Outcome != row.want {
				t.Errorf("after another %v the line ends %v, want %v", row.after, e.Outcome, row.want)
			}
		}
		r.hear("Mira, an ale!")
		if e := r.hear("Good evening, everyone!"); e.Outcome != table.OutcomePassed {
			t.Errorf("a call to the room ends %v", e.Outcome)
		}
		if e := r.hear("Bart and Mira, come here!"); e.Outcome != table.OutcomeDelivered {
			t.Errorf("a call by names ends %v", e.Outcome)
		}
	})
}

func TestCalledNPCCannotDecline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{alone: true, model: func(llm.Request) []step { return []step{{text: "[silent]"}} }})
		if e := r.hear("Mira, an ale!"); e.Outcome != table.OutcomeFailed || e.Text != "I cannot say." {
			t.Errorf("turn.ended = %+v, want an excuse", e)
		}
		if e := r.hear("an ale"); e.Outcome != table.OutcomePassed {
			t.Errorf("turn.ended = %+v, want passed", e)
		}
		if err := r.Say(t.Context(), "Mira", "[silent]"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if ends := of[*table.TurnEnded](r.events); ends[2].Outcome != table.OutcomeDelivered {
			t.Errorf("a line of the DM's ends %+v", ends[2])
		}
		for i, s := range of[*table.TurnStarted](r.events) {
			if s.MayDecline != (i == 1) {
				t.Errorf("turn.started %d = %+v, want that only the one nobody called may decline", i+1, s)
			}
		}
	})
}

func TestDeclinedTurnDoesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{alone: true, model: func(req llm.Request) []step {
			if len(results(req)) == 0 {
				return []step{calls("write", `{"x":"note"}`)}
			}
			return []step{{text: "[silent]"}}
		}})
		e := r.hear("that would be something to write down")
		f := of[*table.ToolFinished](r.events)
		if e.Outcome != table.OutcomePassed || *r.wrote != 0 || len(f) != 1 || f[0].OK || e.Ledger.ToolRounds != 1 {
			t.Errorf("turn.ended = %+v, wrote %d times, %+v; want nothing done", e, *r.wrote, f)
		}
	})
}

// TestNoPhraseBeforeItIsSureToBeAnswered: an NPC says no stock phrase while it may still
// decline, and does once it has begun to answer.
func TestNoPhraseBeforeItIsSureToBeAnswered(t *testing.T) {
	for _, row := range []struct {
		name, line string
		first      []step
		fillers    int
		outcome    table.Outcome
		sound      float64 // latest first sound, in ms; 0 for none
	}{
		{"declines", "and so on", []step{{after: 5 * time.Second, text: "[silent]"}}, 0, table.OutcomePassed, 0},
		{"answers_late", "and so on", []step{{after: 5 * time.Second, text: "Aye."}}, 0, table.OutcomeDelivered, 6000},
		{"writes_slowly", "and so on", []step{{after: 300 * ms, text: "Well, "}, {after: 5 * time.Second, text: "aye."}}, 1, table.OutcomeDelivered, 2200},
		{"begins_late_and_writes_slowly", "and so on", []step{{after: 4 * time.Second, text: "Well, "}, {after: 5 * time.Second, text: "aye."}}, 1, table.OutcomeDelivered, 5300},
		{"is_called", "Mira, and so on", []step{{after: 5 * time.Second, text: "Aye."}}, 1, table.OutcomeDelivered, 2200},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := heard(t, setting{alone: true, fillers: []string{"Let me think."}, model: func(llm.Request) []step { return row.first }})
				r.join("Ana").say(row.line, time.Second)
				ended := r.until(1)
				f, l := of[*table.Filler](r.events), ended.Ledger
				if len(f) != row.fillers || ended.Outcome != row.outcome || l.FirstSoundMS > row.sound || (l.FirstSoundMS == 0) != (row.sound == 0) {
					t.Errorf("%d phrases, turn.ended = %+v; want %d, %v, and the first sound within %v ms", len(f), ended, row.fillers, row.outcome, row.sound)
				}
			})
		})
	}
}

// TestPlayerGoesOnAfterADecline: a player who goes on after Mira declined the beginning of the
// line gets the whole line answered.
func TestPlayerGoesOnAfterADecline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{model: modest})
		r.ears.after = 20 * ms
		r.hear("Mira, an ale!")
		ana := r.join("Ana")
		ana.say("what about the price", time.Second)
		time.Sleep(700 * ms)
		ana.say("of the ale, Mira?", time.Second)
		e := r.until(2)
		if e.Outcome != table.OutcomeDelivered || e.NPC != "Mira" {
			t.Errorf("turn.ended = %+v, want the whole answered", e)
		}
		if h := of[*table.Heard](r.events); h[len(h)-1].Text != "what about the price of the ale, Mira?" {
			t.Errorf("heard was %+v", h[len(h)-1])
		}
		ana.say("and so it goes", time.Second)
		if e := r.until(3); e.Outcome != table.OutcomePassed || e.Ledger.TotalMS != e.Ledger.EndpointMS+600 {
			t.Errorf("turn.ended = %+v, want passed once the player is done", e)
		}
	})
}

package table_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

func TestTurnUsesWhatItsTierAllows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: func(req llm.Request) []step {
			if len(results(req)) == 0 && len(req.Tools) > 0 {
				return []step{{after: 200 * time.Millisecond, calls: calls(req.Tools[0].Name, `{}`).calls}}
			}
			return []step{{after: 100 * time.Millisecond, text: "It is nine. "}, {text: "Well rolled."}}
		}})
		ended := r.hear("Mira, what about the rules?")
		if s := r.lastStart(); s.NPC != "Mira" || s.Route != table.RouteName || s.Tier != "standard" || s.Ceiling != "standard" || !slices.Equal(s.Tools, []string{"roll", "rules", "write"}) {
			t.Errorf("turn.started = %+v", s)
		}
		if ended.Outcome != table.OutcomeDelivered || ended.Text != "It is nine. Well rolled." {
			t.Errorf("turn.ended = %+v", ended)
		}
		if l := ended.Ledger; l.ToolRounds != 1 || l.LLMFirstTokenMS != 200 || l.FirstSoundMS != 300 || l.TotalMS < 300 || l.Budget != "met" {
			t.Errorf("ledger = %+v", l)
		}
		if f := of[*table.ToolFinished](r.events); len(f) != 1 || f[0].Tool != "roll" || !f[0].OK {
			t.Errorf("tool.finished = %+v", f)
		}
		r.hear("Bart, what about the rules?")
		if s := r.lastStart(); s.NPC != "Bartok the Barkeep" || s.Tier != "fast" || !slices.Equal(s.Tools, []string{"roll"}) {
			t.Errorf("Bart's turn = %+v, want fast with roll alone", s)
		}
		want := []string{
			"Alice: Mira, what about the rules?", "Mira: It is nine. Well rolled.",
			"Alice: Bart, what about the rules?", "Bartok the Barkeep: It is nine. Well rolled.",
		}
		if got := r.journal.said(); !slices.Equal(got, want) {
			t.Errorf("journal = %q, want %q", got, want)
		}
	})
}

func TestTranscriptIsDurableBeforeDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: says("Aye."), journal: &journal{err: errors.New("disk full")}, alone: true})
		ended := r.hear("hello")
		if ended.Outcome != table.OutcomeFailed {
			t.Errorf("outcome = %v, want failed: the transcript was not kept", ended.Outcome)
		}
		n := of[*table.Notice](r.events)
		if len(n) != 1 || n[0].Level != "error" || !strings.Contains(n[0].Text, "disk full") {
			t.Errorf("notices = %+v, want the reason", n)
		}
	})
}

func TestRoundsAreBoundedByTheTier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		r := open(t, setting{alone: true, model: func(req llm.Request) []step {
			if len(req.Tools) > 0 {
				asked++
				return []step{calls("roll", `{}`)}
			}
			return []step{{text: "Enough."}}
		}})
		for _, row := range []struct {
			line   string
			rounds int
		}{{"the rules", 2}, {"never mind", 1}} {
			asked = 0
			ended := r.hear(row.line)
			if ended.Ledger.ToolRounds != row.rounds || asked != row.rounds || ended.Text != "Enough." {
				t.Errorf("%q: %d rounds, asked %d times, said %q; want %d rounds", row.line, ended.Ledger.ToolRounds, asked, ended.Text, row.rounds)
			}
		}
	})
}

func TestMalformedCallsAreForgivenOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rounds := 0
		r := open(t, setting{alone: true, model: func(req llm.Request) []step {
			if len(req.Tools) > 0 {
				rounds++
				return []step{calls([]string{"roll", "ghost"}[rounds%2], `{"x":`)}
			}
			return []step{{text: "So be it."}}
		}})
		if ended := r.hear("the rules"); ended.Outcome != table.OutcomeDelivered || rounds != 2 {
			t.Errorf("%d malformed rounds, outcome %v; want two, then speech", rounds, ended.Outcome)
		}
		for _, f := range of[*table.ToolFinished](r.events) {
			if f.OK || f.Error == "" {
				t.Errorf("tool.finished = %+v, want a failure with a reason", f)
			}
		}
	})
}

func TestStrippedToolIsRefusedAtTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: func(req llm.Request) []step {
			if len(results(req)) == 0 {
				return []step{calls("rules", `{}`)} // calls a tool that is not offered
			}
			return []step{{text: "Never mind."}}
		}})
		r.hear("Bart, how are you?")
		r.hear("Bart, how are you?")
		for _, f := range of[*table.ToolFinished](r.events) {
			if f.OK || !strings.Contains(f.Error, mcp.ErrNotAllowed.Error()) {
				t.Errorf("tool.finished = %+v, want it refused", f)
			}
		}
	})
}

func TestWritesActAtCommitOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := func(after step) script {
			return func(req llm.Request) []step {
				if len(results(req)) == 0 {
					return []step{calls("write", `{"x":"note"}`)}
				}
				return []step{after}
			}
		}
		r := open(t, setting{alone: true, model: model(step{text: "Noted."})})
		r.hear("write it down")
		if *r.wrote != 1 {
			t.Errorf("a delivered turn wrote %d times, want once", *r.wrote)
		}
		r = open(t, setting{alone: true, model: model(step{err: llm.ErrUnavailable})})
		if ended := r.hear("write it down"); ended.Outcome != table.OutcomeFailed || ended.Text != "I cannot say." || *r.wrote != 0 {
			t.Errorf("a failed turn ended %v with %q and wrote %d times, want nothing done", ended.Outcome, ended.Text, *r.wrote)
		}
		r = open(t, setting{alone: true, model: model(step{hang: true})})
		r.speak("Alice", "write it down")
		time.Sleep(time.Second)
		r.close()
		if ended := of[*table.TurnEnded](r.events); len(ended) != 1 || ended[0].Outcome != table.OutcomeCancelled {
			t.Errorf("turn.ended = %+v, want one cancelled", ended)
		}
		if f := of[*table.ToolFinished](r.events); *r.wrote != 0 || len(f) != 1 || f[0].OK {
			t.Errorf("a cancelled turn wrote %d times and reported %+v, want nothing done", *r.wrote, f)
		}
	})
}

func TestFailuresAreToldAndNeverSilent(t *testing.T) {
	for _, row := range []struct {
		name   string
		answer []step
		notice string
		text   string
	}{
		{"hang", []step{{hang: true}}, "the model stopped answering for 15s", "I cannot say."},
		{"error at once", []step{{err: llm.ErrRateLimited}}, "rate limited", "I cannot say."},
		{"error after a sentence", []step{{text: "First. And th"}, {err: llm.ErrUnavailable}}, "unavailable", "First."},
		{"nothing said", []step{{text: " "}}, "said nothing", "I cannot say."},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := open(t, setting{alone: true, model: func(llm.Request) []step { return row.answer }})
				ended := r.hear("hello")
				if ended.Outcome != table.OutcomeFailed || ended.Text != row.text || ended.Ledger.Budget != "breached" || ended.Ledger.BreachStage != "llm" {
					t.Errorf("turn.ended = %+v, want failed, %q, breached by the model", ended, row.text)
				}
				n := of[*table.Notice](r.events)
				if len(n) != 1 || !strings.Contains(n[0].Text, row.notice) {
					t.Errorf("notices = %+v, want %q", n, row.notice)
				}
			})
		})
	}
}

func TestEveryUtteranceEndsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: says("Aye."), voice: sound{takes: 300 * time.Millisecond}})
		var want []int64
		for i := range 40 {
			r.speak(fmt.Sprintf("P%d", i%5), []string{"Mira, hi", "Bart?", "hmm", "\u200b", "Mira, think carefully"}[i%5])
			want = append(want, int64(i+1))
			if i == 20 {
				if _, err := r.Mute(t.Context(), "all", true); err != nil {
					t.Error(err)
				}
			}
		}
		r.close()
		if err := r.Hear(t.Context(), table.Utterance{Text: "late"}); !errors.Is(err, table.ErrClosed) {
			t.Errorf("Hear after the end = %v, want ErrClosed", err)
		}
		var got []int64
		for _, e := range of[*table.TurnEnded](r.events) {
			got = append(got, table.HeaderOf(e).Turn)
			if e.Ledger.Budget == "" {
				t.Errorf("turn %d has no verdict on its budget", table.HeaderOf(e).Turn)
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("ended turns = %v, want each of 1 to 40 once", got)
		}
	})
}

func TestWhatWaitsAtTheEndIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{alone: true, model: func(llm.Request) []step { return []step{{hang: true}} }})
		for _, line := range []string{"first", "second", "third"} {
			r.speak("Alice", line)
		}
		synctest.Wait()
		r.close()
		if want := []string{"Alice: first", "Alice: second", "Alice: third"}; !slices.Equal(r.journal.said(), want) {
			t.Errorf("journal = %q, want %q", r.journal.said(), want)
		}
		for _, e := range of[*table.TurnEnded](r.events) {
			if e.Outcome != table.OutcomeCancelled || e.Ledger.BreachStage == "" {
				t.Errorf("turn.ended = %+v, want cancelled with the stage it was in", e)
			}
		}
	})
}

func TestSlowVoiceIsNotTheModelsSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := strings.Repeat("Word by word. ", 40) // more than the queue for the voice holds
		r := open(t, setting{alone: true, model: says(answer), voice: sound{takes: 9 * time.Second}})
		r.speak("Alice", "tell me")
		time.Sleep(59 * time.Second)
		if n := of[*table.Notice](r.events); len(n) != 0 {
			t.Errorf("notices = %q, want none while the voice is at work", n[0].Text)
		}
		if s := of[*table.Sentence](r.events); len(s) != 6 {
			t.Errorf("%d sentences after 59 s, want 6", len(s))
		}
	})
}

func TestPuppetsLineIsCleaned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{alone: true, model: says("Aye.")})
		if err := r.Say(t.Context(), "Mira", "\x1b[31mred\u200b"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if said := r.journal.said(); !slices.Equal(said, []string{"Mira: red"}) {
			t.Errorf("journal = %q", said)
		}
	})
}

func TestRoutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: says("Aye.")})
		check := func(line string, outcome table.Outcome, npc string, route table.Route) {
			t.Helper()
			starts := len(of[*table.TurnStarted](r.events))
			ended := r.hear(line)
			got := table.RouteNone
			if s := of[*table.TurnStarted](r.events); len(s) > starts {
				got = s[len(s)-1].Route
			}
			if ended.Outcome != outcome || ended.NPC != npc || got != route {
				t.Errorf("%q: %v by %q over %v, want %v by %q over %v", line, ended.Outcome, ended.NPC, got, outcome, npc, route)
			}
		}
		check("we go in", table.OutcomeNoTarget, "", table.RouteNone)
		check("Mira, hello", table.OutcomeDelivered, "Mira", table.RouteName)
		check("how are you", table.OutcomeDelivered, "Mira", table.RouteContinuation)
		check("who is Bartok?", table.OutcomeDelivered, "Mira", table.RouteContinuation)
		check("and you, Bart?", table.OutcomeDelivered, "Bartok the Barkeep", table.RouteName)
		time.Sleep(91 * time.Second)
		check("hello", table.OutcomeNoTarget, "", table.RouteNone)
		if _, err := r.Mute(t.Context(), "Mira", true); err != nil {
			t.Fatal(err)
		}
		check("Mira, hello", table.OutcomeMuted, "Mira", table.RouteNone)
		if err := r.Say(t.Context(), "Mira", "I am a puppet."); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if s := r.lastStart(); s.Route != table.RoutePuppet || len(s.Tools) != 0 {
			t.Errorf("turn.started = %+v, want a puppet without tools", s)
		}
		if said := r.journal.said(); said[len(said)-1] != "Mira: I am a puppet." {
			t.Errorf("journal ends in %q", said[len(said)-1])
		}
	})
}

func TestRaiseIsALeaseAndLowerIsACeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: says("Aye.")})
		tier := func(line, want string) {
			t.Helper()
			r.hear(line)
			if s := r.lastStart(); s.Tier != want {
				t.Errorf("%q at tier %s (%s), want %s", line, s.Tier, s.Reason, want)
			}
		}
		do := func(said string, err error) {
			t.Helper()
			if err != nil || said == "" {
				t.Fatalf("order = %q, %v", said, err)
			}
		}
		tier("Bart, hi", "fast")
		do(r.Raise(t.Context(), "bart", mcp.BudgetDeep, 0, 0))
		for range 10 {
			tier("Bart, hi", "deep")
		}
		tier("Bart, hi", "fast") // ten turns have passed
		do(r.Raise(t.Context(), "bart", mcp.BudgetDeep, time.Hour, 2))
		tier("Bart, hi", "deep")
		tier("Bart, hi", "deep")
		tier("Bart, hi", "fast") // two turns have passed
		do(r.Raise(t.Context(), "Bartok", mcp.BudgetDeep, time.Minute, 0))
		tier("Bart, hi", "deep")
		time.Sleep(time.Minute)
		tier("Bart, hi", "fast") // the minute has passed
		tier("Mira, the rules", "standard")
		do(r.Lower(t.Context(), "Mira", mcp.BudgetFast))
		tier("Mira, the rules", "fast")
		do(r.Raise(t.Context(), "Mira", mcp.BudgetStandard, time.Minute, 0))
		tier("Mira, hi", "standard")
		time.Sleep(time.Minute)
		tier("Mira, the rules", "fast") // the cap applies again
		do(r.Lower(t.Context(), "Mira", mcp.BudgetDeep))
		tier("Mira, the rules", "standard")
		do(r.Lower(t.Context(), "all", mcp.BudgetFast))
		tier("Mira, the rules", "fast")
		if _, err := r.Raise(t.Context(), "Bartek", mcp.BudgetDeep, 0, 0); err == nil || !strings.Contains(err.Error(), `"Bartok`) && !strings.Contains(err.Error(), `"Bart"`) {
			t.Errorf("err = %v, want the nearest name", err)
		}
	})
}

func TestWaitingPlayersMakeTurnsFast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{alone: true, model: says("Aye."), voice: sound{takes: time.Second}})
		r.hear("hello")
		for _, speaker := range []string{"A", "B", "B", "C", "D"} {
			r.speak(speaker, "Mira, what about the rules")
		}
		time.Sleep(time.Minute)
		var got []string
		for _, s := range of[*table.TurnStarted](r.events)[1:] {
			got = append(got, s.Tier)
		}
		if want := []string{"standard", "fast", "standard", "standard", "standard"}; !slices.Equal(got, want) {
			t.Errorf("tiers = %v, want %v: fast while three players wait", got, want)
		}
	})
}

func TestVoiceFailureKeepsTheText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{alone: true, model: says("One. Two. Three."), voice: sound{err: errors.New("no sound card")}})
		if ended := r.hear("hi"); ended.Outcome != table.OutcomeDelivered || ended.Text != "One. Two. Three." {
			t.Errorf("turn.ended = %+v", ended)
		}
		if n := of[*table.Notice](r.events); len(n) != 1 || !strings.Contains(n[0].Text, "no sound card") {
			t.Errorf("notices = %+v, want one", n)
		}
	})
}

func TestEventsAreFlatJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{alone: true, model: says("Aye."), voice: sound{takes: time.Millisecond}})
		r.hear("hi")
		var kinds []string
		for _, e := range of[table.Event](r.events) {
			raw, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			var m map[string]any
			if err := json.Unmarshal(raw, &m); err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, m["kind"].(string))
			if m["turn"] != 1.0 || m["time"] == nil {
				t.Errorf("%s lacks turn or time", raw)
			}
		}
		if want := []string{"utterance", "turn.started", "audio.started", "sentence", "turn.ended"}; !slices.Equal(kinds, want) {
			t.Errorf("events = %v, want %v", kinds, want)
		}
	})
}

// BenchmarkTurn measures the program's own share of a turn: model, tools, voice and disk take
// no time. The guard checks the answers in the guarded cases.
func BenchmarkTurn(b *testing.B) {
	judged := &engine.GuardedOptions{Languages: []string{"en"}, MaxSpeech: 45 * time.Second}
	said := 0
	for _, bc := range []struct {
		name    string
		model   script
		guarded *engine.GuardedOptions
	}{
		{name: "talk", model: talks(&said)},
		{name: "talk/guarded", model: talks(&said), guarded: judged},
		{name: "speech", model: func(llm.Request) []step { return []step{{text: "Aye."}} }},
		{name: "tool", model: func(req llm.Request) []step {
			if len(results(req)) == 0 {
				return []step{calls("roll", `{}`)}
			}
			return []step{{text: "Nine."}}
		}},
	} {
		b.Run(bc.name, func(b *testing.B) {
			r := open(b, setting{alone: true, model: bc.model, guarded: bc.guarded, secrets: keeps(config.KeptSecret{Text: hollow}, config.KeptSecret{Text: "Her brother steals from the harbour master."})})
			r.events.ended = make(chan *table.TurnEnded, 1)
			b.ReportAllocs()
			for b.Loop() {
				r.speak("Alice", "hello there")
				if e := <-r.events.ended; e.Outcome != table.OutcomeDelivered {
					b.Fatalf("turn.ended = %+v", e)
				}
			}
		})
	}
}

// talks returns a model with answers of three sentences that seldom repeat.
func talks(said *int) script {
	who := strings.Fields("miller smith ferryman captain priest tanner baker widow hunter fisher mason cooper")
	does := strings.Fields("left slept laughed stayed prayed danced waited worked argued whistled limped vanished shivered")
	when := strings.Fields("yesterday lately twice alone again early late upstairs outside quietly together often")
	return func(llm.Request) []step {
		*said++
		n := *said
		return []step{{text: fmt.Sprintf("The %s %s %s by the old road. I saw the %s with my own eyes. Ask the %s about it.", who[n%12], does[n%13], when[n/13%12], who[n/12%12], who[n/144%12])}}
	}
}

// TestLinesNameTheirMessage: stored lines have their user and message, whatever happens to
// them.
func TestLinesNameTheirMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: func(llm.Request) []step { return []step{{hang: true}} }})
		for i, line := range []string{"Mira, hello", "mhm", "Mira, are you there?"} {
			check(t, r.Hear(t.Context(), table.Utterance{Speaker: "Ana", Text: line, User: "discord:1", Ref: fmt.Sprint(i)}))
		}
		synctest.Wait()
		r.close() // the first runs, the last waits
		var refs []string
		for _, l := range r.journal.kept() {
			if refs = append(refs, l.Ref); l.User != "discord:1" {
				t.Errorf("%q is kept as %q's", l.Text, l.User)
			}
		}
		if want := []string{"1", "0", "2"}; !slices.Equal(refs, want) {
			t.Errorf("kept of messages %q, want %q", refs, want)
		}
	})
}

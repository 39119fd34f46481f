package main_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestOrders types a dungeon master's orders in one play and checks the answer
// to the last order of each row. Rows that query state come before those that
// change it.
func TestOrders(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name  string
		lines []string
		level string
		words []string
	}{
		{"how they listen, among the tools", []string{"/tools"}, "info", []string{"(attentive)"}},
		{"raise", []string{"/raise Bartok deep 5m"}, "info", []string{"Bartok the Barkeep may go up to deep for 5m0s or 10 turns"}},
		{"raise for the usual time", []string{"/raise captain harrow deep"}, "info", []string{"Captain Harrow", "deep"}},
		{"raise everyone", []string{"/raise all deep 1h"}, "info", []string{"everyone may go up to deep for 1h0m0s"}},
		{"raise for some turns", []string{"/raise Bartok deep 3 turns"}, "info", []string{"Bartok the Barkeep may go up to deep for 5m0s or 3 turns"}},
		{"raise for a time or a turn", []string{"/raise Bartok deep 2m 1 turn"}, "info", []string{"may go up to deep for 2m0s or 1 turn"}},
		{"raise for no turns", []string{"/raise Bartok deep 0 turns"}, "error", []string{`"0" is not a number of turns; usage: /raise NPC`}},
		{"raise nobody", []string{"/raise"}, "error", []string{"usage: /raise NPC standard|deep [DURATION]"}},
		{"raise to no tier", []string{"/raise Bartok heroic"}, "error", []string{"usage: /raise"}},
		{"raise to fast", []string{"/raise Bartok fast"}, "error", []string{"fast is already the lowest tier", "lower"}},
		{"raise backwards in time", []string{"/raise Bartok deep -5m"}, "error", []string{"longer than zero"}},
		{"raise for no time", []string{"/raise Bartok deep 0"}, "error", []string{"the duration 0 must be longer than zero"}},
		{"raise a stranger", []string{"/raise Bartuk deep"}, "error", []string{`no NPC is called "Bartuk"; did you mean "Bartok"?`}},
		{"lower", []string{"/lower Greymantle"}, "info", []string{"Greymantle the Sage will be fast at most"}},
		{"lower to a tier", []string{"/lower Ysolde Quill standard"}, "info", []string{"Ysolde Quill will be standard at most"}},
		{"lower nobody", []string{"/lower"}, "error", []string{"usage: /lower NPC"}},
		{"lower a stranger", []string{"/lower Gandalf"}, "error", []string{`no NPC is called "Gandalf"`}},
		{"mute", []string{"/mute Bartok"}, "info", []string{"Bartok the Barkeep is silent now"}},
		{"unmute", []string{"/mute all", "/unmute all"}, "info", []string{"everyone may speak again"}},
		{"mute a stranger", []string{"/mute Gandalf"}, "error", []string{`no NPC is called "Gandalf"`}},
		{"mute nobody", []string{"/mute"}, "error", []string{"usage: /mute NPC, or /mute all"}},
		{"listening", []string{"/listening called_only"}, "info", []string{"the NPCs only answer when someone calls them by name (called_only)"}},
		{"listening, as on Discord", []string{"/npc listening Eager"}, "info", []string{"the NPCs answer anything that is said while someone is talking with them (eager)"}},
		{"how they listen", []string{"/listening called-only", "/npc listening"}, "info", []string{"(called_only)"}},
		{"listening in no way", []string{"/listening always"}, "error", []string{`"always" is not a way of listening; use eager, attentive or called_only`}},
		{"quit with a word too many", []string{"/quit now"}, "error", []string{`/quit takes nothing after it; remove "now"`}},
		{"ledger with a word too many", []string{"/LEDGER x"}, "error", []string{"/LEDGER takes nothing after it"}},
		{"say nothing", []string{"/say Bartok"}, "error", []string{"usage: /say NPC text"}},
		{"say for a stranger", []string{"/say Gandalf You shall not pass"}, "error", []string{"no NPC is called"}},
		{"say for everyone", []string{"/say all Hello"}, "error", []string{"one NPC at a time"}},
		{"tools", []string{"/raise Bartok deep 5m", "/tools"}, "info", []string{"Bartok the Barkeep: fast, up to deep (raised for ", "10 turns", "roll (fast)"}},
		{"ledger of nothing", []string{"/ledger"}, "info", []string{"nobody has answered yet"}},
		{"ledger", []string{"Bartok, hello", "/ledger"}, "info", []string{"turn 1 answered: route ", "budget met"}},
		{"cost of nothing", []string{"Bartok, hello", "/cost"}, "info", []string{"this session has not cost anything"}},
		{"help", []string{"/help"}, "info", []string{"/raise", "/lower", "/mute", "/unmute", "/say", "/listening [HOW]", "/tools", "/ledger", "/cost", "/reload", "/quit"}},
		{"reload of what came with the program", []string{"/reload"}, "error", []string{"these NPCs came with the program"}},
		{"no order", []string{"/dance"}, "error", []string{"there is no command /dance", "/help"}},
		{"a lone slash", []string{"/"}, "error", []string{"there is no command /"}},
	}
	const end = "/that-was-it" // of a row
	var lines []string
	for _, row := range rows {
		lines = append(append(lines, row.lines...), end)
	}
	answered := make([][]event, 1)
	for _, e := range newProgram(t).play(lines...).events {
		switch {
		case e.Kind != "notice":
		case strings.Contains(e.Text, end):
			answered = append(answered, nil)
		default:
			answered[len(answered)-1] = append(answered[len(answered)-1], e)
		}
	}
	if len(answered) != len(rows)+1 {
		t.Fatalf("%d rows ended, want %d", len(answered)-1, len(rows))
	}
	for i, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			for _, w := range row.words {
				if !slices.ContainsFunc(answered[i], func(e event) bool { return e.Level == row.level && strings.Contains(e.Text, w) }) {
					t.Errorf("notices = %+v, want %q in one that is %s", answered[i], w, row.level)
				}
			}
		})
	}
}

// TestOrdersChangeTurns checks that an order applies from the next turn on.
func TestOrdersChangeTurns(t *testing.T) {
	t.Parallel()
	turns := newProgram(t).play(
		"Bartok, think carefully: what is the blinded condition?",
		"/raise Bartok deep 10m",
		"Bartok, think carefully: what is the blinded condition?",
		"/lower Bartok",
		"Bartok, think carefully: what is the blinded condition?",
		"/mute Bartok",
		"Bartok, are you there?",
		"/say Bartok I am a puppet. Look!",
		"/unmute Bartok",
		"Are you there?",
	).want(6)
	for i, want := range []struct{ tier, ceiling string }{{"fast", "fast"}, {"deep", "deep"}, {"fast", "fast"}} {
		if s := turns[i].started; s == nil || s.Tier != want.tier || s.Ceiling != want.ceiling {
			t.Errorf("turn %d started as %+v, want tier %s under %s", i+1, s, want.tier, want.ceiling)
		}
	}
	if tn := turns[3]; tn.started != nil || tn.ended.Outcome != "muted" || tn.ended.NPC != "Bartok the Barkeep" || tn.ended.Text != "" {
		t.Errorf("a muted NPC's turn = %+v, want it muted and silent", tn.all)
	}
	if tn := turns[4]; tn.heard != nil || tn.started.Route != "puppet" || tn.ended.Outcome != "delivered" || tn.ended.Text != "I am a puppet. Look!" {
		t.Errorf("a puppet's turn = %+v, want the words and nothing else", tn.all)
	}
	if tn := turns[5]; tn.started.NPC != "Bartok the Barkeep" || tn.ended.Outcome != "delivered" {
		t.Errorf("after /unmute: %+v, want Bartok to answer", tn.all)
	}
}

// TestTiersAreTold checks the messages about raises and caps.
func TestTiersAreTold(t *testing.T) {
	t.Parallel()
	var got []string
	for _, e := range newProgram(t).play("/raise Bartok deep 10m 1 turn", "Bartok, hello", "/lower Bartok", "/raise Bartok deep", "/quit").events {
		if e.Kind == "tier" {
			got = append(got, fmt.Sprintf("%s %s %s, up to %s, %d turns", e.NPC, e.Change, e.Tier, e.Ceiling, e.Turns))
		}
	}
	const npc = "Bartok the Barkeep "
	want := []string{
		npc + "raised deep, up to deep, 1 turns", npc + "expired deep, up to fast, 0 turns", npc + "capped fast, up to fast, 0 turns",
		npc + "raised deep, up to deep, 10 turns", npc + "expired deep, up to fast, 0 turns", // with the session
	}
	if !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

// TestQuit checks that /quit ends the play after the current answer.
func TestQuit(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"/exit", "  /quit  "} {
		tr := newProgram(t).play("Bartok, hello", word, "Bartok, are you still there?")
		tr.only("delivered")
	}
}

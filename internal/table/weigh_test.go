package table_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// unsure is a line that only Mira's model can assign to her or not.
const unsure = "we could go there tonight"

// TestTheModelDecidesWhatIsOpen lets a player say something over Mira's answer that may be for
// her.
func TestTheModelDecidesWhatIsOpen(t *testing.T) {
	const all = "I pour ale. It is dark. It is good."
	for _, row := range []struct {
		name   string
		says   []step
		typed  bool
		first  table.Outcome
		text   string
		second table.Outcome
		frames int
	}{
		{"it declines", []step{{after: 400 * ms, text: "[silent]"}}, false, table.OutcomeDelivered, all, table.OutcomePassed, 300},
		{"it answers", []step{{after: 400 * ms, text: "Tonight, then."}}, false, table.OutcomeBarged, "I pour ale.", table.OutcomeDelivered, 0},
		{"it calls a tool", []step{calls("roll", `{}`)}, false, table.OutcomeBarged, "I pour ale.", table.OutcomeDelivered, 0},
		{"it fails", []step{{after: 400 * ms, err: llm.ErrUnavailable}}, false, table.OutcomeDelivered, all, table.OutcomeFailed, 0},
		{"it is late", []step{{after: 6 * time.Second, text: "Tonight, then."}}, false, table.OutcomeDelivered, all, table.OutcomeDelivered, 0},
		{"it declines what was typed", []step{{after: 400 * ms, text: "[silent]"}}, true, table.OutcomeDelivered, all, table.OutcomePassed, 300},
		{"it answers what was typed", []step{{after: 400 * ms, text: "Tonight, then."}}, true, table.OutcomeBarged, "I pour ale.", table.OutcomeDelivered, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := heard(t, setting{model: func(req llm.Request) []step {
					if req.Messages[len(req.Messages)-1].Content == unsure || len(results(req)) > 0 {
						if len(results(req)) > 0 {
							return []step{{text: "Nine."}}
						}
						return row.says
					}
					return []step{{after: 100 * ms, text: all}}
				}})
				ana, bob := r.join("Ana"), r.join("Bob")
				bob.say("so what are we up to", time.Second)
				r.until(1)
				ana.say("Mira, what do you drink?", time.Second)
				r.awaitSentence(1)
				time.Sleep(500 * ms)
				if row.typed {
					r.speak("Ana", unsure)
				} else {
					ana.say(unsure, 1200*ms)
				}
				r.until(3)
				ends := slices.DeleteFunc(of[*table.TurnEnded](r.events), func(e *table.TurnEnded) bool { return e.NPC == "" })
				slices.SortFunc(ends, func(a, b *table.TurnEnded) int { return int(table.HeaderOf(a).Turn - table.HeaderOf(b).Turn) })
				if len(ends) != 2 || ends[0].Outcome != row.first || ends[0].Text != row.text || ends[1].Outcome != row.second {
					t.Errorf("turns ended %+v, want %s with %q, then %s; events %v", ends, row.first, row.text, row.second, r.kinds())
				}
				for i, f := range r.wire.heard() {
					if before := r.wire.heard()[max(0, i-1)].at; row.second == table.OutcomePassed && f.at.Sub(before) > 2500*ms {
						t.Errorf("silent for %v, want her to go on as soon as her model declines", f.at.Sub(before))
					}
				}
				if n := len(r.wire.heard()); row.frames > 0 && (n < row.frames || n > row.frames+2) {
					t.Errorf("%d frames of sound, want %d: no word twice", n, row.frames)
				}
			})
		})
	}
}

// TestThePlayerGoesOnWhileTheModelDecides adds a name to the line during the decision.
func TestThePlayerGoesOnWhileTheModelDecides(t *testing.T) {
	for _, row := range []struct {
		name, more string
		d          time.Duration
		want       []table.Outcome
	}{
		{"her name", "tonight, Mira?", 800 * ms, []table.Outcome{table.OutcomeBarged, table.OutcomeDelivered}},
		{"a cough", "", 800 * ms, []table.Outcome{table.OutcomeBarged, table.OutcomeDelivered}},
		{"another player's name", "tonight, Bob, you and I", time.Second, []table.Outcome{table.OutcomeDelivered}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := heard(t, setting{model: func(req llm.Request) []step {
					if strings.Contains(req.Messages[len(req.Messages)-1].Content, "we could go") {
						return []step{{after: 1500 * ms, text: "Tonight, then."}}
					}
					return []step{{after: 100 * ms, text: "I pour ale. It is dark. It is good."}}
				}})
				ana, bob := r.join("Ana"), r.join("Bob")
				bob.say("so what are we up to", time.Second)
				r.until(1)
				ana.say("Mira, what do you drink?", time.Second)
				r.awaitSentence(1)
				time.Sleep(500 * ms)
				ana.say("we could go there", time.Second)
				time.Sleep(1200 * ms)
				ana.say(row.more, row.d)
				time.Sleep(time.Minute)
				if got := r.outcomes("Mira"); !slices.Equal(got, row.want) {
					t.Errorf("Mira's turns ended %v, want %v; events %v", got, row.want, r.kinds())
				}
				if n := len(of[*table.TurnEnded](r.events)); n != 3 {
					t.Errorf("%d turns ended, want 3", n)
				}
			})
		})
	}
}

// TestTalkLeavesAPausedLineBehind lets players talk over a line until it is too old to resume.
func TestTalkLeavesAPausedLineBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{})
		ana, bob := r.join("Ana"), r.join("Bob")
		ana.say("Mira, what do you drink?", time.Second)
		r.awaitSentence(1)
		bob.say("Ana, that reminds me of something", 25*time.Second)
		if e := r.until(1); e.Outcome != table.OutcomeBarged || e.Text != "I pour ale." {
			t.Errorf("turn.ended = %+v, want it barged after 20 s", e)
		}
	})
}

// TestTypedLinesInterruptAsSpokenOnesDo types over an answer that is audible, or only read.
func TestTypedLinesInterruptAsSpokenOnesDo(t *testing.T) {
	const all = "I pour ale. It is dark. It is good."
	for _, row := range []struct {
		name, who, line string
		read            bool
		want            table.Outcome
	}{
		{"assent, heard", "Ana", "yeah, okay", false, table.OutcomeDelivered},
		{"for another NPC, heard", "Bob", "Bart, come here!", false, table.OutcomeDelivered},
		{"for a player, heard", "Bob", "Ana, is it your turn?", false, table.OutcomeDelivered},
		{"her name, heard", "Ana", "Mira, what is in it?", false, table.OutcomeBarged},
		{"her name by another player, heard", "Bob", "Mira, what is in it?", false, table.OutcomeDelivered},
		{"an order, heard", "Bob", "Hold on.", false, table.OutcomeBarged},
		{"assent, read", "Ana", "yeah, okay", true, table.OutcomeDelivered},
		{"for another NPC, read", "Ana", "Bart, come here!", true, table.OutcomeDelivered},
		{"her name, read", "Ana", "Mira, what is in it?", true, table.OutcomeBarged},
		{"an order, read", "Bob", "Hold on.", true, table.OutcomeBarged},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := setting{model: func(llm.Request) []step {
					return []step{{after: 100 * ms, text: "I pour ale. It "}, {after: 2 * time.Second, text: "is dark. "}, {after: 2 * time.Second, text: "It is good."}}
				}}
				opens := heard
				if row.read {
					opens = open
				}
				r := opens(t, s)
				r.speak("Ana", "Mira, what do you drink?")
				r.speak("Bob", "Ana, that will be a long night")
				r.awaitSentence(1)
				time.Sleep(300 * ms)
				r.speak(row.who, row.line)
				time.Sleep(time.Minute)
				if got := r.outcomes("Mira"); len(got) == 0 || got[0] != row.want {
					t.Errorf("Mira's turns ended %v, want the first %s", got, row.want)
				}
				if e := of[*table.TurnEnded](r.events)[1]; row.want == table.OutcomeDelivered && e.NPC == "Mira" && e.Text != all {
					t.Errorf("turn.ended = %+v, want all of it", e)
				}
			})
		})
	}
}

package table_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/judge"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// bench is a judge that decides after a delay and records its questions.
type bench struct {
	takes   time.Duration
	decides func(q judge.Question) (judge.Verdict, error)
	charges int // tokens of Plain per question

	mu    sync.Mutex
	asked []judge.Question
}

func (b *bench) Judge(ctx context.Context, q judge.Question) (judge.Verdict, error) {
	b.mu.Lock()
	b.asked = append(b.asked, q)
	b.mu.Unlock()
	cost.AccountOf(ctx).Charge("Plain", cost.Usage{Output: int64(b.charges)})
	select {
	case <-time.After(b.takes):
	case <-ctx.Done():
		return judge.Verdict{}, context.Cause(ctx)
	}
	return b.decides(q)
}

func (b *bench) questions() []judge.Question {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]judge.Question(nil), b.asked...)
}

// verdict returns a verdict for an NPC, or for none if id is empty.
func verdict(id string) judge.Verdict {
	if id == "" {
		return judge.Verdict{Addressee: judge.Player, Intent: judge.Speaks}
	}
	return judge.Verdict{NPC: id, Addressee: id, Intent: judge.Speaks}
}

// ruling returns the same verdict for every line.
func ruling(id string) func(judge.Question) (judge.Verdict, error) {
	return func(judge.Question) (judge.Verdict, error) { return verdict(id), nil }
}

// doubtful is a line with a misheard name of Mira, which is always in doubt.
const doubtful = "Mirra, what do you drink?"

// murmur is a line that mentions an NPC but does not address it, outside a conversation.
const murmur = "I wonder what Mira would drink"

func TestJudgeDecidesADoubtfulLine(t *testing.T) {
	for _, row := range []struct {
		name, line string
		takes      time.Duration
		decides    func(judge.Question) (judge.Verdict, error)
		outcome    table.Outcome
		npc        string
		judge      string
		sound      float64 // ms
	}{
		{"for her, while she thinks", doubtful, 60 * ms, ruling("mira"), table.OutcomeDelivered, "Mira", "npc", 100},
		{"for her, after she has found her words", doubtful, 400 * ms, ruling("mira"), table.OutcomeDelivered, "Mira", "npc", 400},
		{"for another", doubtful, 60 * ms, ruling("bart"), table.OutcomeDelivered, "Bartok the Barkeep", "npc", 160},
		{"for a player", doubtful, 60 * ms, ruling(""), table.OutcomeNoTarget, "", "player", 0},
		{"slow, of a call", doubtful, time.Minute, ruling(""), table.OutcomeDelivered, "Mira", "late", 700},
		{"failing, of a call", doubtful, 60 * ms, fails, table.OutcomeDelivered, "Mira", "failed", 100},
		{"for her, of what is for nobody else", murmur, 60 * ms, ruling("mira"), table.OutcomeDelivered, "Mira", "npc", 100},
		{"slow, of what is for nobody", murmur, time.Minute, ruling("mira"), table.OutcomeNoTarget, "", "late", 0},
		{"failing, of what is for nobody", murmur, 60 * ms, fails, table.OutcomeNoTarget, "", "failed", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bench{takes: row.takes, decides: row.decides}
				r := open(t, setting{judge: b, model: says("Stout.")})
				e := r.hear(row.line)
				if e.Outcome != row.outcome || e.NPC != row.npc || e.Ledger.Judge != row.judge || e.Ledger.JudgeCalls != 1 || e.Ledger.FirstSoundMS != row.sound {
					t.Errorf("turn.ended = %+v, want %s by %q, the judge %s, first sound after %v ms", e, row.outcome, row.npc, row.judge, row.sound)
				}
				want := min(float64(row.takes.Milliseconds()), 700)
				if e.Ledger.JudgeMS != want {
					t.Errorf("the line waits %v ms for the judge, want %v", e.Ledger.JudgeMS, want)
				}
				if kept := r.journal.kept(); len(kept) == 0 || kept[0].Text != row.line || kept[0].To == "" != (row.npc == "") {
					t.Errorf("kept is %+v", kept)
				}
			})
		})
	}
}

func fails(judge.Question) (judge.Verdict, error) {
	return judge.Verdict{}, errors.New("it has no opinion")
}

// TestNothingIsToldBeforeTheVerdict: the answer, with a tool call, is ready long before the
// verdict, but neither sound nor calls precede it.
func TestNothingIsToldBeforeTheVerdict(t *testing.T) {
	for _, id := range []string{"mira", ""} {
		t.Run("for "+id, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bench{takes: 600 * ms, decides: ruling(id)}
				v := &studio{takes: 50 * ms, lasts: time.Second}
				r := heard(t, setting{judge: b, voice: v, model: func(req llm.Request) []step {
					if len(results(req)) == 0 {
						return []step{{after: 50 * ms, text: "Stout. "}, calls("roll", `{"x":"1"}`)}
					}
					return []step{{text: "And nine."}}
				}})
				r.speak("Ana", doubtful)
				time.Sleep(599 * ms)
				r.events.mu.Lock()
				told := len(r.events.all)
				r.events.mu.Unlock()
				if told != 1 || len(of[*table.Heard](r.events)) != 1 || len(r.wire.heard()) != 0 {
					t.Errorf("%d events before the verdict, %d frames; want the utterance alone", told, len(r.wire.heard()))
				}
				if len(v.all()) != 1 {
					t.Errorf("the voice worked on %q, want the first sentence", texts(v.all()))
				}
				time.Sleep(time.Minute)
				ended, calls := of[*table.TurnEnded](r.events), of[*table.ToolCalled](r.events)
				if len(ended) != 1 {
					t.Fatalf("%d turns ended", len(ended))
				}
				if id == "" {
					if len(calls) != 0 || len(r.wire.heard()) != 0 || len(of[*table.TurnStarted](r.events)) != 0 || ended[0].Ledger.DroppedGuesses != 1 {
						t.Errorf("a line for nobody calls %+v, %d frames, ends %+v", calls, len(r.wire.heard()), ended[0])
					}
				} else if len(calls) != 1 || ended[0].Text != "Stout. And nine." || ended[0].Ledger.DroppedGuesses != 0 {
					t.Errorf("ends %+v, calls %+v", ended[0], calls)
				}
			})
		})
	}
}

// TestNineOfTenVerdicts plays a hundred doubtful lines, half of them for Mira, to a judge that
// is right nine times in ten. Mira gets the lines that the judge assigns to her, and the ledger
// counts the verdicts.
func TestNineOfTenVerdicts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		said := map[string]bool{}
		b := &bench{takes: 200 * ms, charges: 10}
		b.decides = func(q judge.Question) (judge.Verdict, error) {
			forHer := strings.HasSuffix(q.Text, "dear?") == (rng.Float64() < 0.9)
			said[q.Text] = forHer
			if forHer {
				return verdict("mira"), nil
			}
			return verdict(""), nil
		}
		m := spends(0, 0, false)
		r := open(t, setting{judge: b, model: says("Stout."), cost: m})
		right := 0
		for i := range 100 {
			line := fmt.Sprintf("Mirra, what of number %d, my dear?", i)
			if i%2 == 1 {
				line = fmt.Sprintf("Mirra, what of number %d, my friend?", i)
			}
			e := r.hear(line)
			if (e.Outcome == table.OutcomeDelivered) != said[line] || e.Ledger.JudgeCost != cost.Units(1) || e.Ledger.JudgeCalls != 1 {
				t.Fatalf("%q ends %+v; the judge says %v", line, e, said[line])
			}
			if (e.Outcome == table.OutcomeDelivered) == (i%2 == 0) {
				right++
			}
			time.Sleep(3 * time.Second)
		}
		if right < 80 || right == 100 {
			t.Errorf("%d of 100 lines are right", right)
		}
		for _, row := range m.Report().NPCs {
			if row.Name == "(judge)" && row.Amount == cost.Units(100) {
				return
			}
		}
		t.Errorf("the report has no 100 units of the judge: %+v", m.Report().NPCs)
	})
}

// TestJudgeIsBounded checks the judge's limits per minute and as a share of the cap.
func TestJudgeIsBounded(t *testing.T) {
	for _, row := range []struct {
		name    string
		hard    float64
		charges int
		pause   time.Duration
		asked   int
	}{
		{"in a minute", 0, 1, time.Second, 20},
		{"of the cap", 100, 25, 10 * time.Second, 4}, // a tenth of the cap is 100 tokens
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bench{takes: 100 * ms, decides: ruling(""), charges: row.charges}
				r := open(t, setting{judge: b, model: says("Stout."), cost: spends(0, row.hard, false)})
				spent := 0
				for range 30 {
					switch e := r.hear(doubtful); {
					case e.Ledger.Judge == "spent" && e.Ledger.JudgeCalls == 0 && e.Outcome == table.OutcomeDelivered: // as without a judge
						spent++
					case e.Ledger.Judge != "player" || e.Outcome != table.OutcomeNoTarget:
						t.Fatalf("turn.ended = %+v", e)
					}
					time.Sleep(row.pause)
				}
				if n := len(b.questions()); n != row.asked || spent != 30-row.asked {
					t.Errorf("the judge is asked %d times, and %d lines are decided without it; want %d and %d", n, spent, row.asked, 30-row.asked)
				}
			})
		})
	}
}

// TestFailingJudgeIsLeftAlone: three failures in a row cause one notice, and no line waits for
// the judge during the next minute.
func TestFailingJudgeIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{takes: time.Hour, decides: ruling("")}
		r := open(t, setting{judge: b, model: says("Stout.")})
		for i := range 5 {
			if e := r.hear(doubtful); e.Outcome != table.OutcomeDelivered || (e.Ledger.Judge == "late") != (i < 3) {
				t.Errorf("line %d ends %+v", i, e)
			}
		}
		if n := of[*table.Notice](r.events); len(n) != 1 || n[0].Level != "warning" {
			t.Errorf("notices: %+v, want one", n)
		}
		time.Sleep(time.Minute)
		if e := r.hear(doubtful); e.Ledger.Judge != "late" {
			t.Errorf("after a minute the line ends %+v, want that the judge is asked again", e)
		}
	})
}

// TestJudgeKnowsTheTable checks a question: the people present, the current conversation and
// the lines so far, without whispers.
func TestJudgeKnowsTheTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{takes: 10 * ms, decides: ruling("mira")}
		r := open(t, setting{judge: b, model: says("Stout."), leads: "Hanna"})
		r.hear("Mira, an ale!")
		if _, err := r.Whisper(t.Context(), "Bart", table.Utterance{Speaker: "Ben", Text: "I have the key"}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		r.hear(doubtful)
		all := b.questions()
		q := all[len(all)-1]
		if len(q.NPCs) != 2 || q.NPCs[0].ID != "mira" || q.Leads != "Hanna" || q.Text != doubtful || q.Speaker != "Alice" {
			t.Errorf("asked %+v", q)
		}
		if len(q.Lines) != 2 || q.Lines[0].Text != "Mira, an ale!" || !q.Lines[1].NPC || q.Lines[1].Speaker != "Mira" {
			t.Errorf("lines %+v, want the call and its answer alone", q.Lines)
		}
		why, err := table.Why(t.Context(), r.Table, "Mira")
		if err != nil || !strings.Contains(strings.Join(why.Lines(), "\n"), "the judge model decided after 10 ms: it speaks; 1 call,") {
			t.Errorf("why = %q, %v", why.Lines(), err)
		}
	})
}

// TestJudgeKnowsWhatIsBeingSaid plays a doubtful line while Mira is still writing.
func TestJudgeKnowsWhatIsBeingSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{takes: 10 * ms, decides: ruling("")}
		r := open(t, setting{judge: b, model: func(llm.Request) []step {
			return []step{{text: "Stout. "}, {text: "And"}, {after: 10 * time.Second, text: " tea."}}
		}})
		r.speak("Ana", "Mira, what is there?")
		time.Sleep(time.Second)
		r.speak("Ben", doubtful)
		time.Sleep(time.Minute)
		q := b.questions()
		if len(q) != 1 || len(q[0].Lines) != 2 || q[0].Lines[0].Text != "Mira, what is there?" || q[0].Lines[1].Text != "Stout." || !q[0].Lines[1].NPC {
			t.Errorf("asked %+v, want the line before and what Mira has said of her answer", q)
		}
	})
}

// TestSpokenLineIsJudgedAhead: the judge is asked at the end of speech and decides before the
// transcript is final, so that no time is lost.
func TestSpokenLineIsJudgedAhead(t *testing.T) {
	for _, id := range []string{"mira", ""} {
		t.Run("for "+id, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bench{takes: 300 * ms, decides: ruling(id)}
				r := heard(t, setting{judge: b, voice: &studio{takes: 200 * ms, lasts: time.Second}, model: says("Stout.")})
				r.ears.after = 700 * ms
				ana := r.join("Ana")
				ana.understood(900*ms, "Mirra what do you drink")
				ana.say(doubtful, time.Second)
				e := r.until(1)
				if len(b.questions()) != 1 || e.Ledger.JudgeMS != 0 {
					t.Errorf("asked %d times, the line waits %v ms", len(b.questions()), e.Ledger.JudgeMS)
				}
				if id == "" {
					if e.Outcome != table.OutcomeNoTarget || len(r.wire.heard()) != 0 {
						t.Errorf("turn.ended = %+v, %d frames", e, len(r.wire.heard()))
					}
				} else if wait := e.Ledger.FirstSoundMS - e.Ledger.EndpointMS - e.Ledger.STTFinalMS; e.Outcome != table.OutcomeDelivered || wait > 20 {
					t.Errorf("turn.ended = %+v, want its sound with the final words", e)
				}
			})
		})
	}
}

// TestDoubtfulLineChanges retracts or rewords a doubtful line, mutes the NPC, or closes the
// table.
func TestDoubtfulLineChanges(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*room) error
		want   table.Outcome
		asked  int
	}{
		{"taken back", func(r *room) error { return r.Retract(context.Background(), "m1") }, table.OutcomeCancelled, 1},
		{"reworded to a call", func(r *room) error { return r.Reword(context.Background(), "m1", "Mira, an ale!") }, table.OutcomeDelivered, 1},
		{"reworded to another doubt", func(r *room) error { return r.Reword(context.Background(), "m1", "Mirra, an ale?") }, table.OutcomeNoTarget, 2},
		{"another line is taken back", func(r *room) error { return r.Retract(context.Background(), "m2") }, table.OutcomeNoTarget, 1},
		{"muted", func(r *room) error { _, err := r.Mute(context.Background(), "Mira", true); return err }, table.OutcomeNoTarget, 1},
		{"closed", func(r *room) error { r.close(); return nil }, table.OutcomeCancelled, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bench{takes: 500 * ms, decides: ruling("")}
				r := open(t, setting{judge: b, model: says("Stout.")})
				if err := r.Hear(t.Context(), table.Utterance{Speaker: "Ana", Text: doubtful, User: "u1", Ref: "m1"}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(200 * ms)
				if err := row.change(r); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				ends := of[*table.TurnEnded](r.events)
				if len(ends) != 1 || ends[0].Outcome != row.want || len(b.questions()) != row.asked {
					t.Errorf("ends %+v, asked %d times; want %s and %d", ends, len(b.questions()), row.want, row.asked)
				}
			})
		})
	}
}

// TestGoingOnIsJudgedAnew lets the player continue while the judge decides.
func TestGoingOnIsJudgedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{takes: 650 * ms, decides: ruling("mira")}
		r := heard(t, setting{judge: b, preempts: config.PreemptOff, voice: &studio{takes: 100 * ms, lasts: time.Second}, model: says("Stout.")})
		ana := r.join("Ana")
		ana.say(doubtful, time.Second)
		time.Sleep(900 * ms)
		ana.say("And what does it cost?", time.Second)
		time.Sleep(time.Minute)
		if ends := of[*table.TurnEnded](r.events); len(ends) == 0 || ends[0].Outcome != table.OutcomeDelivered {
			t.Errorf("turns end %+v", ends)
		}
	})
}

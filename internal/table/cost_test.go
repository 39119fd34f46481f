package table_test

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/offline"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// paid is a model that says its name and reports a fixed number of tokens.
type paid struct {
	name   string
	tokens int
}

func (p paid) Name() string { return p.name }

func (p paid) Stream(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		yield(llm.Chunk{Text: p.name + ".", FinishReason: "stop", Usage: &llm.Usage{CompletionTokens: p.tokens}}, nil)
	}
}

// spends returns a meter on which each token of Dear and Plain costs a tenth of a unit.
func spends(soft, hard float64, cheaper bool) *cost.Meter {
	tenth := cost.Units(0.1)
	return cost.NewMeter(cost.Options{
		Currency: "EUR", Prices: []cost.Price{{Provider: "Dear", Input: new(cost.Amount), Output: &tenth}, {Provider: "Plain", Input: new(cost.Amount), Output: &tenth}},
		SoftCap: cost.Units(soft), HardCap: cost.Units(hard), HasCheaper: cheaper,
	})
}

func (p paid) engine() engine.Engine { return engine.NewCascaded(cost.MeteredModel(p), nil) }

// passedCaps returns the caps reported as passed, and the number of warnings.
func passedCaps(r *room) (levels []string, warnings int) {
	for _, e := range of[*table.Cost](r.events) {
		levels = append(levels, e.Level)
	}
	for _, n := range of[*table.Notice](r.events) {
		if n.Level == "warning" {
			warnings++
		}
	}
	return levels, warnings
}

func TestCapsDecideWhoAnswers(t *testing.T) {
	for _, tt := range []struct {
		name    string
		cheaper bool
		answers []string   // "lines" for stock phrases
		costs   []float64  // in the ledger
		levels  [][]string // reported by the end of each turn
	}{
		{
			"a_cheaper_engine_first", true,
			[]string{"Dear.", "Dear.", "Dear.", "Plain.", "lines", "lines"},
			[]float64{3.5, 3.5, 3.5, 0.5, 0, 0},
			[][]string{{"soft_cap"}, {"soft_cap"}, {"soft_cap", "cheaper"}, {"soft_cap", "cheaper", "lines"}, {"soft_cap", "cheaper", "lines"}, {"soft_cap", "cheaper", "lines"}},
		},
		{
			"nothing_cheaper", false,
			[]string{"Dear.", "Dear.", "Dear.", "lines", "lines"},
			[]float64{3.5, 3.5, 3.5, 0, 0},
			[][]string{{"soft_cap"}, {"soft_cap"}, {"soft_cap", "lines"}, {"soft_cap", "lines"}, {"soft_cap", "lines"}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := spends(3, 10, tt.cheaper)
				e := engine.NewCapped(m, paid{"Dear", 35}.engine(), paid{"Plain", 5}.engine(), engine.NewCascaded(offline.New(), nil))
				r := open(t, setting{engine: e, cost: m, alone: true})
				spent := 0.0
				for i, want := range tt.answers {
					ended := r.hear("tell me something")
					synctest.Wait()
					got := ended.Text
					if got != "Dear." && got != "Plain." && got != "" {
						got = "lines"
					}
					spent += tt.costs[i]
					if got != want || ended.Outcome != table.OutcomeDelivered || ended.Ledger.Cost != cost.Units(tt.costs[i]) {
						t.Errorf("turn %d: %s %q for %v, want %s for %v", i+1, ended.Outcome, ended.Text, ended.Ledger.Cost.Units(), want, tt.costs[i])
					}
					levels, warnings := passedCaps(r)
					if !slices.Equal(levels, tt.levels[i]) || warnings != len(tt.levels[i]) {
						t.Errorf("after turn %d: told of %q in %d notices, want %q, once each", i+1, levels, warnings, tt.levels[i])
					}
				}
				if got := m.Report().Total.Amount; got != cost.Units(spent) {
					t.Errorf("the session cost %v, want %v", got.Units(), spent)
				}
				first := of[*table.Cost](r.events)[0]
				if want := (table.Cost{Header: first.Header, Level: "soft_cap", Spent: cost.Units(3.5), Currency: "EUR", SoftCap: cost.Units(3), HardCap: cost.Units(10)}); *first != want {
					t.Errorf("told of %+v, want %+v", *first, want)
				}
				for _, n := range of[*table.Notice](r.events) {
					if strings.Contains(n.Text, "3.5") || strings.Contains(n.Text, "EUR") {
						t.Errorf("players are told what the session cost: %q", n.Text)
					}
				}
			})
		})
	}
}

// TestWhatWasGivenUpIsCharged mutes an NPC in the middle of its answer.
func TestWhatWasGivenUpIsCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := cost.NewMeter(cost.Options{})
		hangs := script(func(llm.Request) []step { return []step{{text: "Well then. I"}, {hang: true}} })
		r := open(t, setting{engine: engine.NewCascaded(cost.MeteredModel(hangs), nil), cost: m, alone: true})
		r.speak("Alice", "Mira, hello")
		time.Sleep(time.Second)
		if got := m.Report().Total.Usage; got != (cost.Usage{}) {
			t.Errorf("charged %v before the answer was over", got)
		}
		if _, err := r.Mute(t.Context(), "Mira", true); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		l := of[*table.TurnEnded](r.events)[0].Ledger
		report := m.Report()
		if l.InputTokens == 0 || l.OutputTokens != 3 || l.Cost != 0 || report.Total.Estimated != l.InputTokens+3 || report.NPCs[0].Name != "Mira" {
			t.Errorf("ledger %+v, session %+v; want 3 tokens out, all of them estimated, of Mira's", l, report)
		}
		raw, err := json.Marshal(l)
		if err != nil || strings.Contains(string(raw), `"cost"`) {
			t.Errorf("the ledger is %s, %v; want no cost where there is no price", raw, err)
		}
	})
}

// TestABargedAnswerIsCharged lets a player interrupt while the model still writes.
func TestABargedAnswerIsCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := cost.NewMeter(cost.Options{})
		writes := script(func(llm.Request) []step {
			return []step{{after: 100 * ms, text: "I pour ale. "}, {after: 100 * ms, text: "It is dark. "}, {hang: true}}
		})
		r := heard(t, setting{engine: engine.NewCascaded(cost.MeteredModel(writes), nil), cost: m})
		ana := r.join("Ana")
		ana.say("Mira, what do you drink?", time.Second)
		r.awaitSentence(1)
		ana.say("Stop!", time.Second)
		ended := r.until(1)
		time.Sleep(time.Second)
		total := m.Report().Total
		if l := ended.Ledger; ended.Outcome != table.OutcomeBarged || l.OutputTokens != 6 || l.InputTokens == 0 || total.Estimated < l.InputTokens+6 {
			t.Errorf("turn %+v, session %v; want all 24 bytes that were written charged", ended, total)
		}
	})
}

// TestWrongGuessIsCharged: a dropped guess is charged to the session but to no turn.
func TestWrongGuessIsCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := spends(0, 0, false)
		r := heard(t, setting{engine: paid{"Dear", 10}.engine(), cost: m})
		guessed(r, "Mira, what do you drink?")
		time.Sleep(300 * ms)
		if _, err := r.Mute(t.Context(), "Mira", true); err != nil {
			t.Fatal(err)
		}
		ended := r.until(1)
		if ended.Outcome != table.OutcomeMuted || ended.Ledger.Cost != 0 || m.Report().Total.Amount != cost.Units(1) {
			t.Errorf("turn %+v, session %v; want a muted turn without cost, and a session that cost 1", ended, m.Report().Total.Amount.Units())
		}
	})
}

// chargingVoice charges the account of its context.
type chargingVoice struct{ sound }

func (v chargingVoice) Synthesize(ctx context.Context, npc config.NPC, text string) iter.Seq2[[]int16, error] {
	cost.AccountOf(ctx).Charge("voice", cost.Usage{Characters: int64(len(text))})
	return v.sound.Synthesize(ctx, npc, text)
}

// chargingEar charges the account of its context.
type chargingEar struct{ stt.Recogniser }

func (e chargingEar) Listen(ctx context.Context, o stt.Options) (stt.Stream, error) {
	cost.AccountOf(ctx).Charge("ear", cost.Usage{Heard: time.Second})
	return e.Recogniser.Listen(ctx, o)
}

// late is an engine that charges usage during its answer, and again a minute later.
type late struct{}

func (late) Answer(ctx context.Context, _ engine.Request) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		a, used := cost.AccountOf(ctx), cost.Usage{AudioInput: 7, AudioOutput: 9}
		a.Charge("speech", used)
		yield(engine.Sentence{Text: "Aye."}, nil)
		time.AfterFunc(time.Minute, func() { a.Charge("speech", used) })
	}
}

func TestWhoIsCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := cost.NewMeter(cost.Options{})
		r := open(t, setting{engine: late{}, cost: m, voice: chargingVoice{sound{lasts: time.Second}}, recogniser: func(n stt.Recogniser) stt.Recogniser { return chargingEar{n} }})
		r.join("Ana")
		r.hear("Mira, hello")
		if err := r.Say(t.Context(), "Bart", "Last orders."); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute)
		got := map[string]cost.Usage{}
		for _, e := range m.Report().NPCs {
			got[e.Name] = e.Usage
		}
		want := map[string]cost.Usage{
			"":                   {Heard: time.Second},
			"Mira":               {AudioInput: 14, AudioOutput: 18, Characters: 4},
			"Bartok the Barkeep": {Characters: 12},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("charged (-want +got):\n%s", diff)
		}
		ended := of[*table.TurnEnded](r.events)
		if l := ended[0].Ledger; l.InputTokens != 7 || l.OutputTokens != 9 {
			t.Errorf("ledger %+v, want the 7 and 9 tokens that were known by its end", l)
		}
	})
}

// TestUnpricedIsToldWhereItMatters uses a provider without a price, with and without a cap.
func TestUnpricedIsToldWhereItMatters(t *testing.T) {
	for _, tt := range []struct {
		name string
		cap  float64
		want int
	}{{"with_a_cap", 1, 1}, {"without", 0, 0}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := open(t, setting{engine: paid{"Unlisted", 3}.engine(), cost: spends(tt.cap, 0, false), alone: true})
				r.hear("hello")
				r.hear("hello again")
				synctest.Wait()
				told := 0
				for _, n := range of[*table.Notice](r.events) {
					if strings.Contains(n.Text, "Unlisted") {
						told++
					}
				}
				if told != tt.want {
					t.Errorf("told %d times, want %d", told, tt.want)
				}
			})
		})
	}
}

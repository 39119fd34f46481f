package table_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// actor is a studio that accepts the first clause of a sentence separately.
type actor struct{ studio }

func (*actor) SpeaksClauses() bool { return true }

// writes returns a model that writes one word per interval.
func writes(word time.Duration, text string) script {
	return func(llm.Request) (all []step) {
		for i, w := range strings.SplitAfter(text, " ") {
			after := word
			if i == 0 {
				after = 100 * ms
			}
			all = append(all, step{after: after, text: w})
		}
		return all
	}
}

const burned = "The old mill by the river burned, and nobody knows who did it. It was long ago."

// TestTheFirstClauseIsHeardFirst: the first clause is spoken separately only if the model
// writes slowly and the voice accepts clauses.
func TestTheFirstClauseIsHeardFirst(t *testing.T) {
	parts := []string{"The old mill by the river burned,", "and nobody knows who did it.", "It was long ago."}
	whole := []string{"The old mill by the river burned, and nobody knows who did it.", "It was long ago."}
	for _, row := range []struct {
		name  string
		voice table.Voices
		word  time.Duration
		want  []string
		first float64 // ms from the first token to the first text for the voice
	}{
		{"slowly", &actor{studio{takes: 75 * ms, lasts: 2 * time.Second}}, 60 * ms, parts, 7*60 + 50},
		{"fast", &actor{studio{takes: 75 * ms, lasts: 2 * time.Second}}, 8 * ms, whole, 12 * 8},
		{"slowly, and the voice wants sentences", &studio{takes: 75 * ms, lasts: 2 * time.Second}, 60 * ms, whole, 12 * 60},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := heard(t, setting{voice: row.voice, model: writes(row.word, burned)})
				ana := r.join("Ana")
				ana.say("Mira, what of the mill?", time.Second)
				ended := r.until(1)
				if ended.Outcome != table.OutcomeDelivered || ended.Text != burned {
					t.Errorf("turn.ended = %+v", ended)
				}
				var told []string
				for _, s := range of[*table.Sentence](r.events) {
					told = append(told, s.Text)
				}
				if !slices.Equal(told, row.want) {
					t.Errorf("told %q, want %q", told, row.want)
				}
				if got := r.journal.said(); !slices.Equal(got, []string{"Ana: Mira, what of the mill?", "Mira: " + burned}) {
					t.Errorf("journal = %q", got)
				}
				l := ended.Ledger
				if l.LLMFirstSentenceMS != row.first {
					t.Errorf("first to speak %v ms after the first token, want %v", l.LLMFirstSentenceMS, row.first)
				}
				sum := l.EndpointMS + l.STTFinalMS + l.RouteUS/1000 + l.ContextMS + l.LLMFirstTokenMS + l.LLMFirstSentenceMS + l.ToolMS + l.TTSFirstAudioMS + l.FloorMS
				if off := l.FirstSoundMS - sum; off < -0.1 || off > 20 {
					t.Errorf("first sound after %v ms, the stages take %v", l.FirstSoundMS, sum)
				}
			})
		})
	}
}

// TestWhatIsKeptOfASentenceInTwoPieces interrupts an NPC in its first clause and in the rest of
// the sentence, and lets its model fail between them.
func TestWhatIsKeptOfASentenceInTwoPieces(t *testing.T) {
	for _, row := range []struct {
		name    string
		after   time.Duration // after the first sound; 0: no interruption
		style   string
		fails   bool
		outcome table.Outcome
		text    string
	}{
		{"in the clause", 300 * ms, config.StyleYields, false, table.OutcomeBarged, ""},
		{"in the rest", 2300 * ms, config.StyleYields, false, table.OutcomeBarged, "The old mill by the river burned,"},
		{"to the end of the sentence", 300 * ms, config.StyleFinishesSentence, false, table.OutcomeBarged, "The old mill by the river burned, and nobody knows who did it."},
		{"the model fails behind it", 0, config.StyleYields, true, table.OutcomeFailed, "The old mill by the river burned,"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := &actor{studio{takes: 75 * ms, lasts: 2 * time.Second}}
				model := writes(60*ms, burned)
				if row.fails {
					model = func(req llm.Request) []step {
						return append(writes(60*ms, "The old mill by the river burned, and nobody ")(req), step{after: time.Second, err: llm.ErrUnavailable})
					}
				}
				manner := config.DefaultNPC().Interruptibility
				manner.Style = row.style
				r := heard(t, setting{voice: v, manner: manner, alone: true, model: model})
				r.speak("Ana", "Mira, what of the mill?")
				ana := r.join("Ana")
				r.awaitAudio()
				if row.after > 0 {
					time.Sleep(row.after)
					ana.say("wait now, that is quite enough", 1200*ms)
				}
				ended := r.until(1)
				if ended.Outcome != row.outcome || ended.Text != row.text {
					t.Errorf("turn ended %s with %q, want %s with %q", ended.Outcome, ended.Text, row.outcome, row.text)
				}
				kept := ""
				for _, line := range r.journal.said() {
					if said, ok := strings.CutPrefix(line, "Mira: "); ok {
						kept = said
					}
				}
				if kept != row.text {
					t.Errorf("kept %q, want %q", kept, row.text)
				}
			})
		})
	}
}

// TestAGuessWaitsForItsSentence: a guess may use the time until the transcript is final, and so
// speaks whole sentences.
func TestAGuessWaitsForItsSentence(t *testing.T) {
	for _, row := range []struct {
		name  string
		final time.Duration
		want  []string
	}{
		{"there is time", 2 * time.Second, []string{"The old mill by the river burned, and nobody knows who did it.", "It was long ago."}},
		{"there is none", 100 * ms, []string{"The old mill by the river burned,", "and nobody knows who did it.", "It was long ago."}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := &actor{studio{takes: 75 * ms, lasts: time.Second}}
				r := heard(t, setting{voice: v, model: writes(60*ms, burned)})
				r.ears.after = row.final
				ana := r.join("Ana")
				ana.understood(900*ms, "Mira what of the mill")
				ana.say("Mira, what of the mill?", time.Second)
				ended := r.until(1)
				if ended.Text != burned || !slices.Equal(texts(v.all()), row.want) {
					t.Errorf("delivered %q, spoken %q", ended.Text, texts(v.all()))
				}
				if known := table.HeaderOf(of[*table.Heard](r.events)[0]).Time; len(row.want) == 2 && !v.all()[0].asked.Before(known) {
					t.Error("the guess was not spoken ahead")
				}
			})
		})
	}
}

// TestAClauseIsTakenBack lets the guard withhold the rest of a sentence after its first clause
// was heard.
func TestAClauseIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &actor{studio{takes: 75 * ms, lasts: time.Second}}
		r := heard(t, setting{voice: v, guarded: &engine.GuardedOptions{}, model: func(req llm.Request) []step {
			if req.Messages[len(req.Messages)-1].Role == llm.RoleSystem {
				return []step{{after: 100 * ms, text: "Ask somebody else."}}
			}
			return writes(150*ms, "The old mill by the river burned, but I am a language model. More.")(req)
		}})
		r.speak("Ana", "Mira, what of the mill?")
		ended := r.until(1)
		if want := "The old mill by the river burned, Ask somebody else."; ended.Text != want || strings.Join(texts(v.all()), " ") != want {
			t.Errorf("delivered %q, spoken %q, want %q", ended.Text, texts(v.all()), want)
		}
	})
}

// TestASentenceInTwoPiecesIsRememberedAsOne checks the next prompt.
func TestASentenceInTwoPiecesIsRememberedAsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var last llm.Request
		v := &actor{studio{takes: 75 * ms, lasts: time.Second}}
		r := heard(t, setting{voice: v, engine: engine.NewCascaded(script(func(req llm.Request) []step {
			last = req
			return writes(60*ms, burned)(req)
		}), nil)})
		r.hear("Mira, what of the mill?")
		r.hear("Mira, and then?")
		if !strings.Contains(prompt(last), burned) {
			t.Errorf("the prompt lacks the answer:\n%s", prompt(last))
		}
	})
}

package table_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// outcomes returns the outcomes of an NPC's turns, in order.
func (r *room) outcomes(npc string) []table.Outcome {
	var out []table.Outcome
	for _, e := range of[*table.TurnEnded](r.events) {
		if strings.HasPrefix(e.NPC, npc) {
			out = append(out, e.Outcome)
		}
	}
	return out
}

func TestLongTurnsAreNoFailures(t *testing.T) {
	for _, row := range []struct {
		name  string
		voice table.Voices
		model script
	}{
		{"a sentence of 12 s", sound{takes: 75 * ms, lasts: 12 * time.Second}, says("A very long sentence.")},
		{"read, with 12 s between two sentences", nil, func(llm.Request) []step {
			return []step{{after: 100 * ms, text: "Let me look it up. And "}, {after: 6 * time.Second, text: "so "}, {after: 6 * time.Second, text: "here it is."}}
		}},
		{"a story of three minutes", sound{lasts: 2 * time.Second}, func(llm.Request) []step {
			return slices.Repeat([]step{{after: 20 * ms, text: "And then it went on. "}}, 90)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := open(t, setting{alone: true, model: row.model, voice: row.voice})
				r.speak("Ana", "hello")
				time.Sleep(4 * time.Minute)
				if got := r.outcomes("Mira"); !slices.Equal(got, []table.Outcome{table.OutcomeDelivered}) {
					t.Errorf("outcomes = %v, notices %+v", got, of[*table.Notice](r.events))
				}
			})
		})
	}
}

func TestInterruptionEndsTheReactionInTheMaking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		r := heard(t, setting{model: func(llm.Request) []step {
			if n++; n == 2 {
				return []step{{after: 4 * time.Second, text: "I agree with her."}}
			}
			return []step{{after: 100 * ms, text: "I pour ale for you. It is good."}}
		}})
		ana := r.join("Ana")
		r.speak("Ana", "Mira and Bart, listen!")
		r.awaitAudio()
		time.Sleep(time.Second)
		ana.say("no, be quiet please", time.Second)
		time.Sleep(30 * time.Second)
		if got := r.outcomes("Bart"); !slices.Equal(got, []table.Outcome{table.OutcomeCancelled}) {
			t.Errorf("Bart's turns ended %v, want the remark on what was never said cancelled", got)
		}
		for _, f := range r.wire.heard() {
			if f.voice() == "bart" {
				t.Fatalf("Bart is heard at %v", f.at)
			}
		}
	})
}

func TestWordsInterruptHoweverLate(t *testing.T) {
	for _, after := range []time.Duration{500 * ms, 1700 * ms, 2 * time.Second, 3500 * ms} {
		t.Run(after.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := heard(t, setting{})
				r.ears.after = after
				ana, bob := r.join("Ana"), r.join("Bob")
				r.speak("Ana", "Mira, what do you drink?")
				r.awaitAudio()
				time.Sleep(300 * ms)
				go bob.say("", 300*ms) // a cough at the same time
				time.Sleep(100 * ms)
				ana.say("Stop it right now!", 800*ms)
				time.Sleep(20 * time.Second)
				// Ana's interruption is addressed to Mira too.
				if got := r.outcomes("Mira"); len(got) == 0 || got[0] != table.OutcomeBarged {
					t.Errorf("Mira's turns ended %v, want the first barged", got)
				}
			})
		})
	}
}

func TestCoughDoesNotEndThePolite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{manner: config.Interruptibility{Style: config.StyleFinishesSentence, Confirm: config.Duration(250 * ms), Resumes: true}})
		ana := r.join("Ana")
		r.speak("Ana", "Mira, what do you drink?")
		r.awaitAudio()
		time.Sleep(300 * ms)
		ana.say("", 400*ms)
		if ended := r.until(1); ended.Outcome != table.OutcomeDelivered {
			t.Errorf("turn.ended = %+v, want all of it delivered", ended)
		}
	})
}

func TestSegmentsFindTheirUtterance(t *testing.T) {
	type part struct {
		words string
		d     time.Duration
	}
	for _, row := range []struct {
		name  string
		parts []part
		want  []string
	}{
		{"a third one goes with the second", []part{{"Mira, hold the door.", 800 * ms}, {"Bart, run", 600 * ms}, {"to the cellar.", 600 * ms}},
			[]string{"Ana: Mira, hold the door.", "Ana: Bart, run to the cellar."}},
		{"a name after a pause", []part{{"What do you drink,", 800 * ms}, {"Mira?", 500 * ms}}, []string{"Ana: What do you drink, Mira?"}},
		{"nothing after a pause", []part{{"What do you drink", 800 * ms}, {"", 500 * ms}}, []string{"Ana: What do you drink"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := heard(t, setting{model: func(llm.Request) []step { return []step{{after: 3 * time.Second, text: "Aye."}} }})
				ana := r.join("Ana")
				for _, p := range row.parts {
					ana.say(p.words, p.d)
					time.Sleep(850 * ms)
				}
				time.Sleep(20 * time.Second)
				var got []string
				for _, l := range r.journal.said() {
					if strings.HasPrefix(l, "Ana: ") {
						got = append(got, l)
					}
				}
				if !slices.Equal(got, row.want) {
					t.Errorf("kept %q, want %q; events %v", got, row.want, r.kinds())
				}
				if n := len(of[*table.TurnEnded](r.events)); n != len(row.want) {
					t.Errorf("%d turns ended, want one for each of %d utterances", n, len(row.want))
				}
			})
		})
	}
}

func TestWaitForTheFloorIsAccountedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{})
		r.speak("Ana", "Mira, what do you drink?")
		r.speak("Bob", "Bart, what do you eat?")
		if l := r.until(2).Ledger; l.FloorMS < 6000 || l.BreachStage != "floor" {
			t.Errorf("ledger = %+v, want six seconds of waiting for the floor, and that to blame", l)
		}
	})
}

func TestDiceAreNotRolledTwiceForOneUtterance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{alone: true, model: func(req llm.Request) []step {
			if len(results(req)) == 0 && len(req.Tools) > 0 && !strings.Contains(prompt(req), `roll({})`) {
				return []step{calls("roll", `{}`)}
			}
			return []step{{after: 3 * time.Second, text: "The dice show nine."}}
		}})
		ana := r.join("Ana")
		ana.say("roll a die", time.Second)
		time.Sleep(800 * ms)
		ana.say("for me", time.Second)
		r.until(1)
		if n := len(of[*table.ToolFinished](r.events)); n != 1 {
			t.Errorf("rolled %d times, want once", n)
		}
	})
}

func TestOneWordIsAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{alone: true, model: says("Do you want ale or wine?")})
		ana := r.join("Ana")
		r.speak("Ana", "hello")
		r.awaitAudio()
		time.Sleep(1800 * ms)
		ana.say("Ale.", 700*ms) // over her last syllable
		time.Sleep(10 * time.Second)
		if n := len(of[*table.Heard](r.events)); n != 2 {
			t.Errorf("%d utterances, want the answer taken for one", n)
		}
	})
}

// waking is a voice that is slow for answers and fast for stock phrases.
type waking struct{}

func (waking) Synthesize(ctx context.Context, npc config.NPC, text string) iter.Seq2[[]int16, error] {
	v := sound{takes: 5 * time.Second, lasts: time.Second}
	if text == "Hm." {
		v.takes = 0
	}
	return v.Synthesize(ctx, npc, text)
}

func TestFillerOvertakesASlowVoice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{alone: true, voice: waking{}, fillers: []string{"Hm."}, model: says("Aye.")})
		r.speak("Ana", "hello")
		ended := r.until(1)
		if l := ended.Ledger; ended.Text != "Hm. Aye." || l.FirstSoundMS > 2200 || l.FirstSubstanceMS < 5000 {
			t.Errorf("turn.ended = %+v, want the filler in time and the answer after it", ended)
		}
	})
}

func TestNoFillerForTheTimeInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{alone: true, fillers: []string{"Hm."}})
		r.speak("Ana", "hello")
		r.speak("Bob", "Mira, hello too")
		if l := r.until(2).Ledger; len(of[*table.Filler](r.events)) != 0 || l.BreachStage != "queue" {
			t.Errorf("ledger = %+v, fillers %+v; want none before an answer that is there at once", l, of[*table.Filler](r.events))
		}
	})
}

func TestModelThatDoesNotStopIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{alone: true, model: func(llm.Request) []step {
			return slices.Repeat([]step{{text: "And then it went on and on. "}}, 100_000)
		}})
		ended := r.hear("tell me a story")
		if n := len(ended.Text); ended.Outcome != table.OutcomeFailed || n < 10_000 || n > 17_000 {
			t.Errorf("outcome %s with %d bytes, want it stopped at some 16 kB", ended.Outcome, n)
		}
		if n := of[*table.Notice](r.events); len(n) != 1 || !strings.Contains(n[0].Text, "did not end") {
			t.Errorf("notices = %+v, want the reason", n)
		}
	})
}

func TestDeafTableRefusesSeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{alone: true, model: says("Aye."), deaf: true})
		if _, err := r.Join(t.Context(), "Ana", nil); err == nil {
			t.Error("Join at a table without speech recognition = nil, want an error")
		}
	})
}

// starving is a voice that makes half a second of each sentence and then hangs.
type starving struct{}

func (starving) Synthesize(ctx context.Context, npc config.NPC, _ string) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		pcm := make([]int16, audio.SampleRate/2)
		for i := range pcm {
			pcm[i] = levels[npc.ID]
		}
		if yield(pcm, nil) {
			<-ctx.Done()
		}
	}
}

// ramified is a model that derives so many contexts that cancelling them takes longer than
// others need to notice the cancellation.
type ramified struct{ script }

func (m ramified) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for range 20_000 {
			_, cancel := context.WithCancel(ctx)
			defer cancel()
		}
		m.script.Stream(ctx, req)(yield)
	}
}

// TestSentenceCutWhileItsVoiceStarvesIsNotDelivered stops a sentence after all sound made so
// far was played.
func TestSentenceCutWhileItsVoiceStarvesIsNotDelivered(t *testing.T) {
	model := ramified{func(llm.Request) []step { return []step{{text: "It does not stop. And "}, {hang: true}} }}
	for _, row := range []struct {
		name string
		cut  func(*room) error
		want table.Outcome
	}{
		{"muted", func(r *room) error { _, err := r.Mute(r.t.Context(), "Mira", true); return err }, table.OutcomeMuted},
		{"the table closes", func(r *room) error { r.close(); return nil }, table.OutcomeCancelled},
	} {
		t.Run(row.name, func(t *testing.T) {
			for range 20 {
				synctest.Test(t, func(t *testing.T) {
					r := heard(t, setting{alone: true, voice: starving{}, engine: engine.NewCascaded(model, nil)})
					r.speak("Ana", "hello")
					r.awaitAudio()
					time.Sleep(time.Second)
					check(t, row.cut(r))
					if ended := r.until(1); ended.Outcome != row.want || ended.Text != "" {
						t.Errorf("turn.ended = %+v, want it %s and nothing delivered", ended, row.want)
					}
					if said := r.journal.said(); len(said) != 1 {
						t.Errorf("kept is %q, want the player's line alone", said)
					}
				})
			}
		})
	}
}

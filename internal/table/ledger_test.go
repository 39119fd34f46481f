package table_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// TestLedgerTellsWhenWorkBegan plays one line that is answered at once, and one that waits for
// its NPC.
func TestLedgerTellsWhenWorkBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: says("Aye."), alone: true}) // 100 ms per turn
		r.speak("Alice", "hello")
		r.speak("Bob", "Mira, and me?")
		time.Sleep(time.Second)
		all := of[*table.TurnEnded](r.events)
		if len(all) != 2 {
			t.Fatalf("%d turns ended, want 2", len(all))
		}
		// The first turn with an NPC is STANDARD, the next FAST.
		for i, want := range []struct{ begin, target float64 }{{0, 2200}, {100, 1200}} {
			if l := all[i].Ledger; l.BeginMS != want.begin || l.TargetMS != want.target || l.FirstSoundMS != want.begin+100 {
				t.Errorf("turn %d: ledger = %+v, want %+v", i+1, l, want)
			}
		}
	})
}

// TestLedgerTellsThatAnAnswerWasGuessed: work begins before the final transcript.
func TestLedgerTellsThatAnAnswerWasGuessed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{})
		guessed(r, "Mira, what do you drink?")
		l := r.until(1).Ledger
		if heard := l.EndpointMS + l.STTFinalMS; l.BeginMS <= 0 || l.BeginMS+l.ContextMS+l.LLMFirstTokenMS >= heard || l.FirstSoundMS < heard {
			t.Errorf("ledger = %+v, want the model's first words before the transcript, and their sound after it", l)
		}
	})
}

// TestStagesAddUp: the time from the player's last sound to the first sound of the answer is
// the sum of the stages.
func TestStagesAddUp(t *testing.T) {
	for _, row := range []struct {
		name     string
		model    script
		sentence float64 // llm_first_sentence_ms
		tool     bool
	}{
		{"a sentence at once", says("Aye, that is so."), 0, false},
		{"a sentence word by word", func(llm.Request) []step {
			return []step{{after: 100 * ms, text: "Aye, "}, {after: 90 * ms, text: "that is "}, {after: 40 * ms, text: "so. "}, {after: time.Second, text: "Or not."}}
		}, 130, false},
		{"a tool before it", func(req llm.Request) []step {
			if len(results(req)) == 0 {
				return []step{{after: 100 * ms, calls: calls("rules", "{}").calls}}
			}
			return []step{{after: 60 * ms, text: "Aye, "}, {after: 50 * ms, text: "so it is. "}}
		}, 110, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := heard(t, setting{model: row.model})
				ana := r.join("Ana")
				ana.say("Mira, do you remember?", time.Second)
				stopped := time.Now()
				l := r.until(1).Ledger
				if l.LLMFirstTokenMS != 100 || l.LLMFirstSentenceMS != row.sentence || (l.ToolRounds > 0) != row.tool {
					t.Errorf("ledger = %+v, want %v ms to the first sentence", l, row.sentence)
				}
				sum := l.EndpointMS + l.STTFinalMS + l.RouteUS/1000 + l.ContextMS + l.LLMFirstTokenMS + l.LLMFirstSentenceMS + l.ToolMS + l.TTSFirstAudioMS + l.FloorMS
				if off := l.FirstSoundMS - sum; off < -0.1 || off > 20 {
					t.Errorf("first sound after %v ms, the stages take %v: %+v", l.FirstSoundMS, sum, l)
				}
				// The last voice frame is sent 20 ms before the next, and waits in the jitter
				// buffer for at most two more.
				if heard := r.wire.heard()[0].at.Sub(stopped).Seconds() * 1000; heard < l.FirstSoundMS-25 || heard > l.FirstSoundMS+65 {
					t.Errorf("first sound %v ms after the end of the voice at the player's, %v in the ledger", heard, l.FirstSoundMS)
				}
			})
		})
	}
}

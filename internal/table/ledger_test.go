package table_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
)

// TestLedgerTellsWhenWorkBegan has a line that is answered at once, and one that
// waits for its NPC.
func TestLedgerTellsWhenWorkBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: says("Aye."), alone: true}) // 100 ms a turn
		r.speak("Alice", "hello")
		r.speak("Bob", "and me?")
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

// TestLedgerTellsThatAnAnswerWasGuessed has work begin before the final
// transcript.
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

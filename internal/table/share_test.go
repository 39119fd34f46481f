package table_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
)

// say sends a line of a player on another machine.
func (r *room) say(who, line string) error {
	return r.Hear(r.t.Context(), table.Utterance{Speaker: who, Text: line, User: "browser:" + who})
}

// TestAFloodCostsOthersNothing: while one player sends fifty lines a second, another is
// answered within the tier's budget. The table refuses the flood, spends few turns on it, and
// tells the game master once.
func TestAFloodCostsOthersNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{alone: true})
		stop, stopped := make(chan struct{}), make(chan int)
		go func() {
			refused := 0
			for n := 0; ; n++ {
				select {
				case <-stop:
					stopped <- refused
					return
				default:
				}
				switch err := r.say("Mallory", fmt.Sprintf("Mira, tell me of road %d.", n)); {
				case errors.Is(err, table.ErrTooMuch), errors.Is(err, table.ErrFlood):
					refused++
				case err != nil:
					t.Error(err)
				}
				time.Sleep(20 * ms)
			}
		}()
		time.Sleep(time.Second)
		const asked = 4
		for n := range asked {
			if err := r.say("Ben", fmt.Sprintf("Mira, where is my mug %d?", n)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(8 * time.Second)
		}
		close(stop)
		if refused := <-stopped; refused < 1500 {
			t.Errorf("%d lines of the flood were refused, want nearly all 1,650", refused)
		}
		speakers := map[int64]string{}
		for _, h := range of[*table.Heard](r.events) {
			speakers[h.Turn] = h.Speaker
		}
		of1 := map[string]int{}
		for _, e := range of[*table.TurnEnded](r.events) {
			who := speakers[table.HeaderOf(e).Turn]
			of1[who]++
			if who == "Ben" {
				t.Logf("Ben's first sound came after %v ms", e.Ledger.FirstSoundMS)
			}
			if who == "Ben" && (e.Outcome != table.OutcomeDelivered || e.Ledger.Budget != "met" || e.Ledger.FirstSoundMS > 200) {
				t.Errorf("Ben's turn ended %s, %s, first sound after %v ms", e.Outcome, e.Ledger.Budget, e.Ledger.FirstSoundMS)
			}
		}
		if of1["Ben"] != asked || of1["Mallory"] > 20 {
			t.Errorf("turns %v, want %d of Ben's and few of Mallory's", of1, asked)
		}
		notices := 0
		for _, n := range of[*table.Notice](r.events) {
			if strings.Contains(n.Text, "Mallory is saying far more") {
				notices++
			}
		}
		if notices != 1 {
			t.Errorf("%d notices, want one", notices)
		}
	})
}

// TestAShareComesBack: a player who was refused for a flood is heard again after a quiet time.
// Normal talk, or a script on this machine, is never refused.
func TestAShareComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, setting{model: says("Aye."), alone: true})
		var err error
		for n := 0; n < 100 && !errors.Is(err, table.ErrFlood); n++ {
			err = r.say("Mallory", "Mira, and now?")
		}
		if !errors.Is(err, table.ErrFlood) {
			t.Fatalf("err = %v after 100 lines at once, want a flood", err)
		}
		time.Sleep(9 * time.Second)
		if err := r.say("Mallory", "Mira, and now?"); !errors.Is(err, table.ErrFlood) {
			t.Errorf("err = %v after 9 s of quiet, want a flood still", err)
		}
		time.Sleep(11 * time.Second)
		for n := range 200 {
			if err := r.say("Mallory", fmt.Sprintf("Mira, what of road %d?", n)); err != nil {
				t.Fatalf("line %d: %v", n, err)
			}
			time.Sleep(1500 * ms)
		}
		for n := range 200 {
			r.speak("Script", fmt.Sprintf("Mira, what of road %d?", n))
		}
	})
}

// TestWhispersCountAsLines: a player over the limit may not whisper either, and other players
// still may.
func TestWhispersCountAsLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{alone: true})
		whisper := func(who string) error {
			_, err := r.Whisper(t.Context(), "Mira", table.Utterance{Speaker: who, Text: "Where is my mug?", User: "browser:" + who})
			return err
		}
		taken := 0
		var err error
		for ; err == nil && taken < 100; taken++ {
			err = whisper("Mallory")
		}
		if !errors.Is(err, table.ErrTooMuch) || taken > 20 {
			t.Errorf("%d whispers at once are taken, then %v", taken, err)
		}
		if err := r.say("Mallory", "Mira, and now?"); !errors.Is(err, table.ErrTooMuch) {
			t.Errorf("a line after them: %v", err)
		}
		if err := whisper("Ben"); err != nil {
			t.Errorf("another player's whisper: %v", err)
		}
	})
}

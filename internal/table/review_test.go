package table_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// guessed lets Ana ask Mira a question, with an interim transcript of the same words so that
// the model starts before the final one. It returns when her voice stops: the guess begins
// then, the final transcript comes 1 s later.
func guessed(r *room, words string) *player {
	r.ears.after = 500 * ms
	ana := r.join("Ana")
	go func() {
		time.Sleep(900 * ms)
		ana.hear.interim(words)
	}()
	ana.say(words, time.Second)
	return ana
}

func TestWrongGuessIsNotTaken(t *testing.T) {
	started := func(r *room, turn int64) *table.TurnStarted {
		for _, s := range of[*table.TurnStarted](r.events) {
			if table.HeaderOf(s).Turn == turn {
				return s
			}
		}
		return &table.TurnStarted{}
	}
	for _, row := range []struct {
		name  string
		words string
		do    func(r *room) // during the guess
		check func(t *testing.T, r *room)
	}{
		{"the NPC was muted meanwhile", "Mira, what do you drink?", func(r *room) { _, _ = r.Mute(context.Background(), "Mira", true) }, func(t *testing.T, r *room) {
			if e := r.until(1); e.Outcome != table.OutcomeMuted || e.Text != "" {
				t.Errorf("turn.ended = %+v, want it muted", e)
			}
		}},
		{"it answers somebody else by now", "Bart, what do you drink?", func(r *room) { r.speak("Bob", "Bart, are you there?") }, func(t *testing.T, r *room) {
			bob, ana := r.until(1), r.until(2)
			if s := started(r, table.HeaderOf(ana).Turn); s.Time.Before(bob.Time) {
				t.Errorf("Bart began a second answer at %v, before the first had ended at %v", s.Time, bob.Time)
			}
		}},
		{"its tier was raised meanwhile", "Mira, what do you drink?", func(r *room) { _, _ = r.Raise(context.Background(), "Mira", mcp.BudgetDeep, time.Minute, 0) }, func(t *testing.T, r *room) {
			ended := r.until(1)
			if s := started(r, table.HeaderOf(ended).Turn); s.Tier != mcp.BudgetDeep.String() {
				t.Errorf("the turn ran at %s, want the raise to count", s.Tier)
			}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := heard(t, setting{})
				guessed(r, row.words)
				time.Sleep(300 * ms)
				row.do(r)
				row.check(t, r)
			})
		})
	}
}

// TestGuessesAreFew changes the interim transcript repeatedly.
func TestGuessesAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var count atomic.Int64
		r := heard(t, setting{model: func(llm.Request) []step {
			count.Add(1)
			return []step{{hang: true}}
		}})
		ana := r.join("Ana")
		for i := range 6 {
			ana.voice(250 * ms)
			time.Sleep(150 * ms)
			ana.hear.interim("Mira, we would drink ale" + strings.Repeat(" now", i))
			time.Sleep(100 * ms)
		}
		if asked := count.Load(); asked == 0 || asked > 3 {
			t.Errorf("the model was asked %d times before the words were final, want 1 to 3", asked)
		}
		ana.leave()
		time.Sleep(time.Second)
		if s := of[*table.TurnStarted](r.events); len(s) != 0 {
			t.Errorf("%d turns started for words nobody confirmed", len(s))
		}
	})
}

func TestFillerForAGuessThatIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{fillers: []string{"Hm."}, model: func(llm.Request) []step {
			return []step{{after: 8 * time.Second, text: "Aye."}}
		}})
		guessed(r, "Mira, what do you drink?")
		ended := r.until(1)
		if n := len(of[*table.Filler](r.events)); n != 1 || ended.Ledger.Budget != "met" {
			t.Errorf("%d fillers, ledger %+v; want one in time", n, ended.Ledger)
		}
	})
}

// TestSlowTranscriptsOfOneUtterance lets both segments wait for their transcripts at the same
// time.
func TestSlowTranscriptsOfOneUtterance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{})
		r.ears.after = 1500 * ms
		ana := r.join("Ana")
		ana.say("Mira, give me", 800*ms)
		time.Sleep(800 * ms)
		ana.say("the key.", 400*ms)
		stopped := time.Now()
		ended := r.until(1)
		time.Sleep(5 * time.Second)
		var said []string
		for _, u := range of[*table.Heard](r.events) {
			said = append(said, u.Text)
		}
		if want := []string{"Mira, give me the key."}; !slices.Equal(said, want) || ended.Outcome != table.OutcomeDelivered {
			t.Errorf("utterances = %q, want %q; the turn ended %s", said, want, ended.Outcome)
		}
		if l := ended.Ledger; l.TotalMS > float64(ended.Time.Sub(stopped).Milliseconds())+40 {
			t.Errorf("the turn took %v ms, %v after the player's last word", l.TotalMS, ended.Time.Sub(stopped))
		}
	})
}

// TestMergedLineCountsFromItsLastWord: the answer restarts, and its times count from the last
// segment.
func TestMergedLineCountsFromItsLastWord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{model: func(llm.Request) []step { return []step{{after: 800 * ms, text: "Aye."}} }})
		ana := r.join("Ana")
		ana.say("Mira, give me", 800*ms)
		time.Sleep(800 * ms)
		ana.say("the key.", 600*ms)
		stopped := time.Now()
		l := r.until(1).Ledger
		if l.EndpointMS < 350 || l.EndpointMS > 1200 || l.STTFinalMS < 199 || l.STTFinalMS > 202 {
			t.Errorf("ledger = %+v, want the endpoint and transcript of the last segment", l)
		}
		sound := r.wire.heard()[0].at.Sub(stopped)
		if got := time.Duration(l.FirstSoundMS * float64(ms)); got < sound-100*ms || got > sound+100*ms {
			t.Errorf("first sound %v after the last word, the ledger says %v", sound, got)
		}
	})
}

// TestMutedWhileThePlayerGoesOn mutes the NPC between two segments.
func TestMutedWhileThePlayerGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{model: func(llm.Request) []step { return []step{{after: 800 * ms, text: "Aye."}} }})
		ana := r.join("Ana")
		ana.say("Mira, give me", 800*ms)
		time.Sleep(800 * ms)
		go func() {
			time.Sleep(300 * ms)
			_, _ = r.Mute(context.Background(), "Mira", true)
		}()
		ana.say("the key.", 600*ms)
		first, second := r.until(1), r.until(2)
		time.Sleep(5 * time.Second)
		if first.Outcome != table.OutcomeMuted || second.Outcome != table.OutcomeMuted || len(of[*table.TurnEnded](r.events)) != 2 {
			t.Errorf("turns ended %s and %s, want both muted; events: %v", first.Outcome, second.Outcome, r.kinds())
		}
		if got := r.journal.said(); !slices.Equal(got, []string{"Ana: Mira, give me", "Ana: the key."}) {
			t.Errorf("journal = %q", got)
		}
		j := &referee{room: r}
		j.turns()
		for _, f := range j.faults {
			t.Error(f)
		}
	})
}

// TestFailureWhileThePlayerMakesASound: an answer that fails while it is on hold must still end
// its turn.
func TestFailureWhileThePlayerMakesASound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{model: func(llm.Request) []step {
			return []step{{after: 400 * ms, err: llm.ErrUnavailable}}
		}})
		ana := r.join("Ana")
		ana.say("Bart, give me the key", 800*ms) // he has no stock phrase for a failure
		time.Sleep(800 * ms)
		ana.say("mhm", 300*ms)
		if e := r.until(1); e.Outcome != table.OutcomeFailed || e.NPC != "Bartok the Barkeep" {
			t.Errorf("turn.ended = %+v, want Bart's failure", e)
		}
	})
}

// TestLeaveInTheMiddle lets a player leave while speaking: the words known so far count.
func TestLeaveInTheMiddle(t *testing.T) {
	for _, row := range []struct {
		name  string
		after time.Duration // delay of the transcripts
		leave time.Duration // time into the second segment
	}{
		{"the answer is held", 200 * ms, 500 * ms},
		{"there is no turn yet", 1200 * ms, 1100 * ms},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := heard(t, setting{model: func(llm.Request) []step { return []step{{after: 800 * ms, text: "Aye."}} }})
				r.ears.after = row.after
				ana := r.join("Ana")
				ana.say("Mira, give me", 800*ms)
				time.Sleep(800 * ms)
				go ana.voice(row.leave + 100*ms)
				time.Sleep(row.leave)
				ana.leave()
				ended := r.until(1)
				time.Sleep(10 * time.Second)
				if ended.Outcome != table.OutcomeDelivered || len(of[*table.TurnEnded](r.events)) != 1 {
					t.Errorf("turn.ended = %+v, events %v; want one turn, delivered", ended, r.kinds())
				}
				if got := r.journal.said(); !slices.Equal(got, []string{"Ana: Mira, give me", "Mira: Aye."}) {
					t.Errorf("journal = %q", got)
				}
			})
		})
	}
}

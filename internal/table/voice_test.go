package table_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

const ms = time.Millisecond

// heard opens a table with audible players and NPCs.
func heard(t testing.TB, s setting) *room {
	if s.voice == nil {
		s.voice = sound{takes: 75 * ms, lasts: 2 * time.Second}
	}
	if s.model == nil {
		s.model = says("I pour ale. It is dark. It is good.")
	}
	return open(t, s)
}

func TestSpokenLineIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{})
		ana := r.join("Ana")
		ana.say("Mira, what do you drink?", time.Second)
		ended := r.until(1)
		if ended.Outcome != table.OutcomeDelivered || ended.Text != "I pour ale. It is dark. It is good." {
			t.Errorf("turn.ended = %+v", ended)
		}
		l := ended.Ledger
		if l.EndpointMS < 350 || l.EndpointMS > 700 || l.STTFinalMS < 199 || l.STTFinalMS > 202 || l.TTSFirstAudioMS != 75 {
			t.Errorf("ledger = %+v, want an endpoint, 200 ms of recognition and 75 ms of voice", l)
		}
		if sum := l.EndpointMS + l.STTFinalMS + 100 + 75; l.FirstSoundMS < sum-1 || l.FirstSoundMS > sum+2 {
			t.Errorf("first sound after %v ms, want the sum of its stages, %v", l.FirstSoundMS, sum)
		}
		if n := len(r.wire.heard()); n != 300 {
			t.Errorf("%d frames of sound, want 300: three sentences of 2 s", n)
		}
		if got := r.journal.said(); !slices.Equal(got, []string{"Ana: Mira, what do you drink?", "Mira: I pour ale. It is dark. It is good."}) {
			t.Errorf("journal = %q", got)
		}
	})
}

func TestPlayerInterrupts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{})
		ana, bob := r.join("Ana"), r.join("Bob")
		ana.say("Mira, what do you drink?", time.Second)
		r.awaitSentence(1)
		time.Sleep(500 * ms)
		began := time.Now()
		bob.say("Mira, come here!", 1500*ms)
		ended := r.until(1)
		if ended.Outcome != table.OutcomeBarged || ended.Text != "I pour ale." {
			t.Errorf("turn.ended = %+v, want it barged after the first sentence", ended)
		}
		var late int
		for _, f := range r.wire.heard() {
			if f.at.Sub(began) > 650*ms && f.at.Sub(began) < 1500*ms {
				late++
			}
		}
		if late != 0 {
			t.Errorf("%d frames of sound 650 ms after Bob began to speak, want none", late)
		}
		if b := of[*table.Barge](r.events); len(b) != 1 || b[0].Speaker != "Bob" || b[0].Text != "I pour ale." {
			t.Errorf("barge = %+v", b)
		}
		if next := r.until(2); next.NPC != "Mira" || next.Outcome != table.OutcomeDelivered {
			t.Errorf("the second turn ended %+v", next)
		}
	})
}

// awaitSentence waits until n sentences were delivered.
func (r *room) awaitSentence(n int) {
	for range 60_000 {
		if len(of[*table.Sentence](r.events)) >= n {
			return
		}
		time.Sleep(ms)
	}
	r.t.Fatalf("no sentence %d", n)
}

func TestCoughAndMhmDoNotInterrupt(t *testing.T) {
	for _, row := range []struct {
		name   string
		words  string
		d      time.Duration
		softly bool
		stops  bool
	}{
		{"a short cough is not even noticed", "", 120 * ms, false, false},
		{"an mhm has her speak softly for a moment", "mhm", 400 * ms, true, false},
		{"a long cough stops her for a moment", "", 900 * ms, true, true},
		{"so does a drawn-out mhm", "mhm", 800 * ms, true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := heard(t, setting{})
				ana := r.join("Ana")
				ana.say("Mira, what do you drink?", time.Second)
				r.awaitSentence(1)
				time.Sleep(500 * ms)
				ana.say(row.words, row.d)
				ended := r.until(1)
				for ended.NPC == "" { // the mhm is for no NPC
					ended = r.until(2)
				}
				if ended.Outcome != table.OutcomeDelivered || ended.Text != "I pour ale. It is dark. It is good." {
					t.Errorf("turn.ended = %+v, want all of it delivered", ended)
				}
				frames, softly, stopped := r.wire.heard(), false, false
				for i, f := range frames {
					softly = softly || f.sample == levels["mira"]/4
					stopped = stopped || i > 0 && f.at.Sub(frames[i-1].at) > 100*ms
				}
				if softly != row.softly || stopped != row.stops {
					t.Errorf("softly: %v, stopped: %v", softly, stopped)
				}
				if n := len(frames); n < 300 || n > 302 { // a fade has a frame of its own
					t.Errorf("%d frames of sound, want what she said once, 6 s", n)
				}
			})
		})
	}
}

func TestMannersOfInterruption(t *testing.T) {
	const all = "I pour ale. It is dark. It is good."
	for _, row := range []struct {
		style, words string
		text         string
		want         table.Outcome
	}{
		{config.StyleYields, "wait, no, stop it!", "I pour ale.", table.OutcomeBarged},
		{config.StyleYields, "Yeah, right, okay.", all, table.OutcomeDelivered},
		{config.StyleFinishesSentence, "Mira, wait, no, stop it!", "I pour ale. It is dark.", table.OutcomeBarged},
		{config.StyleFinishesSentence, "Yeah, right, okay.", all, table.OutcomeDelivered},
		{config.StyleInsists, "what is it that you put in there?", all, table.OutcomeDelivered},
		{config.StyleInsists, "Yeah, right, okay.", all, table.OutcomeDelivered},
		{config.StyleInsists, "Hold on.", "I pour ale. It is dark.", table.OutcomeBarged},
		{config.StyleInsists, "what is it, Mira?", "I pour ale. It is dark.", table.OutcomeBarged},
	} {
		t.Run(row.style+" "+row.words, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := heard(t, setting{manner: config.Interruptibility{Style: row.style, Confirm: config.Duration(250 * ms), Resumes: true}})
				ana := r.join("Ana")
				ana.say("Mira, what do you drink?", time.Second)
				r.awaitSentence(1)
				time.Sleep(500 * ms)
				ana.say(row.words, 1200*ms)
				ended := r.until(1)
				if ended.NPC == "" { // the assent is for no NPC
					ended = r.until(2)
				}
				if ended.Outcome != row.want || ended.Text != row.text {
					t.Errorf("turn.ended = %+v, want %s with %q", ended, row.want, row.text)
				}
			})
		})
	}
}

// TestWordsForOthersLetTheNPCGoOn: another player addresses another NPC, whose answer follows
// after the first one.
func TestWordsForOthersLetTheNPCGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{})
		ana, bob := r.join("Ana"), r.join("Bob")
		ana.say("Mira, what do you drink?", time.Second)
		r.awaitSentence(1)
		time.Sleep(500 * ms)
		bob.say("Bart, come here!", 1500*ms)
		r.until(2)
		for i, npc := range []string{"Mira", "Bartok the Barkeep"} {
			if e := r.until(i + 1); e.NPC != npc || e.Outcome != table.OutcomeDelivered || e.Text != "I pour ale. It is dark. It is good." {
				t.Errorf("turn.ended %d = %+v, want all of %s's answer", i+1, e, npc)
			}
		}
		if n := len(r.wire.heard()); n < 600 || n > 602 { // a fade has a frame of its own
			t.Errorf("%d frames of sound, want both answers once, 12 s", n)
		}
	})
}

func TestSplitUtteranceIsOneTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		r := heard(t, setting{model: func(req llm.Request) []step {
			asked = append(asked, req.Messages[len(req.Messages)-1].Content)
			return []step{{after: 800 * ms, text: "Aye."}}
		}})
		ana := r.join("Ana")
		ana.say("Mira, give me", 800*ms)
		time.Sleep(800 * ms) // longer than the endpoint, within the merge window
		ana.say("the key.", 600*ms)
		ended := r.until(1)
		if ended.Outcome != table.OutcomeDelivered || asked[len(asked)-1] != "Mira, give me the key." {
			t.Errorf("turn.ended = %+v, asked %q", ended, asked)
		}
		time.Sleep(10 * time.Second)
		if n := len(of[*table.TurnEnded](r.events)); n != 1 {
			t.Errorf("%d turns ended, want one for one utterance: %v", n, r.kinds())
		}
		if got := r.journal.said(); !slices.Equal(got, []string{"Ana: Mira, give me the key.", "Mira: Aye."}) {
			t.Errorf("journal = %q", got)
		}
	})
}

func TestAnotherNameIsAnotherUtterance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{model: func(req llm.Request) []step { return []step{{after: 800 * ms, text: "Aye."}} }})
		ana := r.join("Ana")
		ana.say("Mira, hold the door.", 800*ms)
		time.Sleep(800 * ms)
		ana.say("Bart, run!", 600*ms)
		r.until(2)
		var who []string
		for _, s := range of[*table.TurnStarted](r.events) {
			who = append(who, s.NPC)
		}
		if !slices.Equal(who, []string{"Mira", "Bartok the Barkeep"}) {
			t.Errorf("%q answer, want both", who)
		}
	})
}

func TestGuessSavesTheTimeOfTheTranscript(t *testing.T) {
	for _, row := range []struct {
		name    string
		interim string
		ask     int
		first   float64 // ms after the final transcript
	}{
		{"right", "Mira, what do you drink", 1, 275},
		{"wrong", "Mira, what do you", 2, 475},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				r := heard(t, setting{model: func(llm.Request) []step {
					asked++
					return []step{{after: 400 * ms, text: "Ale."}}
				}})
				r.ears.after = 250 * ms
				ana := r.join("Ana")
				go func() {
					time.Sleep(900 * ms)
					ana.hear.interim(row.interim)
				}()
				ana.say("Mira, what do you drink?", time.Second)
				ended := r.until(1)
				l := ended.Ledger
				if ended.Outcome != table.OutcomeDelivered || asked != row.ask {
					t.Errorf("turn.ended = %+v, the model was asked %d times, want %d", ended, asked, row.ask)
				}
				if after := l.FirstSoundMS - l.EndpointMS - l.STTFinalMS; row.ask == 1 && after > 100 || row.ask == 2 && after < 470 {
					t.Errorf("first sound %v ms after the final transcript", after)
				}
				for _, k := range r.kinds()[:2] {
					if k != table.KindUtterance && k != table.KindTurnStarted {
						t.Errorf("a guess is told of before the utterance: %v", r.kinds())
					}
				}
				if n := len(of[*table.TurnStarted](r.events)); n != 1 {
					t.Errorf("%d turns started", n)
				}
			})
		})
	}
}

func TestFillerWhenTheModelIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{alone: true, fillers: []string{"Let me think."}, model: func(llm.Request) []step {
			return []step{{after: 6 * time.Second, text: "Aye."}}
		}})
		ana := r.join("Ana")
		ana.say("Mira, hello there", time.Second)
		ended := r.until(1)
		if f := of[*table.Filler](r.events); len(f) != 1 || f[0].Text != "Let me think." {
			t.Errorf("fillers = %+v, want one", f)
		}
		l := ended.Ledger
		if l.FirstSoundMS > 2200 || l.FirstSubstanceMS < 6000 || l.Budget != "met" || ended.Text != "Let me think. Aye." {
			t.Errorf("turn.ended = %+v, want a filler in time and the answer after it", ended)
		}
		if p := of[*table.Policy](r.events); len(p) != 1 || p[0].Step != "filler" || p[0].Reason == "" {
			t.Errorf("policy = %+v", p)
		}
	})
}

func TestLineForNobodyIsAccountedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{})
		ana := r.join("Ana")
		if pending, err := ana.seat.Pending(t.Context()); pending || err != nil {
			t.Errorf("pending = %v, %v before a word", pending, err)
		}
		ana.say("is anyone here", time.Second)
		if pending, err := ana.seat.Pending(t.Context()); !pending || err != nil {
			t.Errorf("pending = %v, %v while the line is being understood", pending, err)
		}
		if l := r.until(1).Ledger; l.EndpointMS < 350 || l.STTFinalMS < 199 || l.Budget != "met" {
			t.Errorf("ledger = %+v, want the stages until it was known that it was for nobody", l)
		}
		if pending, err := ana.seat.Pending(t.Context()); pending || err != nil {
			t.Errorf("pending = %v, %v when all has been said", pending, err)
		}
	})
}

func TestTheDMsLineComesNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{alone: true})
		for _, line := range []string{"hello", "and you?", "and then?"} {
			r.speak("Ana", line)
		}
		r.awaitAudio()
		if err := r.Say(t.Context(), "Mira", "Last orders."); err != nil {
			t.Fatal(err)
		}
		r.until(4)
		var got []string
		for _, e := range of[*table.TurnEnded](r.events) {
			got = append(got, e.Text)
		}
		aye := "I pour ale. It is dark. It is good."
		if want := []string{aye, "Last orders.", aye, aye}; !slices.Equal(got, want) {
			t.Errorf("said %q, want the DM's line right after the one under way", got)
		}
	})
}

func TestUnheardOfTranscriptIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{})
		ana := r.join("Ana")
		ana.fail()
		ana.say("Mira, hello", time.Second)
		if ended := r.until(1); ended.Outcome != table.OutcomeFailed || ended.Ledger.BreachStage != "stt" || ended.Ledger.Budget != "breached" {
			t.Errorf("turn.ended = %+v, want failed in stt", ended)
		}
		ana.say("Mira, hello", time.Second)
		if ended := r.until(2); ended.Outcome != table.OutcomeDelivered {
			t.Errorf("the next line ended %+v", ended)
		}
	})
}

func TestEchoIsNotTakenForSpeech(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{alone: true, model: says("The ferry leaves at dawn from the old jetty. Be there early, friend.")})
		ana := r.join("Ana")
		ana.say("when does it leave", time.Second)
		r.awaitAudio()
		time.Sleep(700 * ms)
		ana.say("ferry leaves at dawn from the old jetty", 1200*ms)
		ended := r.until(1)
		time.Sleep(20 * time.Second)
		if ended.Outcome != table.OutcomeDelivered || len(of[*table.TurnEnded](r.events)) != 1 {
			t.Errorf("turn.ended = %+v, events %v; want one turn, to its end", ended, r.kinds())
		}
		if n := of[*table.Notice](r.events); len(n) != 1 || !strings.Contains(n[0].Text, "the NPCs' voices") {
			t.Errorf("notices = %+v", n)
		}
	})
}

// awaitAudio waits for the first sound of an NPC.
func (r *room) awaitAudio() {
	for range 60_000 {
		if len(of[*table.AudioStarted](r.events)) > 0 {
			return
		}
		time.Sleep(ms)
	}
	r.t.Fatal("no sound")
}

func TestMuteSilencesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heard(t, setting{})
		ana := r.join("Ana")
		ana.say("Mira, hello", time.Second)
		r.awaitSentence(1)
		time.Sleep(300 * ms)
		synctest.Wait() // for a frame that is due now
		before := len(r.wire.heard())
		if _, err := r.Mute(t.Context(), "all", true); err != nil {
			t.Fatal(err)
		}
		if ended := r.until(1); ended.Outcome != table.OutcomeMuted || ended.Text != "I pour ale." {
			t.Errorf("turn.ended = %+v", ended)
		}
		time.Sleep(time.Second)
		if n := len(r.wire.heard()) - before; n > 1 {
			t.Errorf("%d frames of sound after the order, want at most the fade", n)
		}
	})
}

func TestToolResultsOutliveAnInterruption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var last llm.Request
		r := heard(t, setting{alone: true, model: func(req llm.Request) []step {
			last = req
			if len(results(req)) == 0 && len(req.Tools) > 0 && !strings.Contains(prompt(req), `roll({}): {"total":9}`) {
				return []step{calls("roll", `{}`)}
			}
			return []step{{text: "The dice show nine. That is a good one. Well done."}}
		}})
		ana := r.join("Ana")
		ana.say("roll a die", time.Second)
		r.awaitAudio()
		time.Sleep(300 * ms)
		ana.say("Mira, and now?", time.Second)
		r.until(2)
		if !strings.Contains(prompt(last), `roll({}): {"total":9}`) {
			t.Errorf("the next prompt lacks what the die showed:\n%s", prompt(last))
		}
		if n := len(of[*table.ToolCalled](r.events)); n != 1 {
			t.Errorf("the die was rolled %d times, want once", n)
		}
	})
}

package table_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// studio is a voice that records its sentences and makes sound in pieces of 100 ms, as fast as
// they are consumed.
type studio struct {
	takes, lasts time.Duration

	mu   sync.Mutex
	done []take
}

// take is one sentence in a studio.
type take struct {
	text        string
	asked, left time.Time
	made        time.Duration
	cancelled   bool
}

func (s *studio) Synthesize(ctx context.Context, npc config.NPC, text string) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		s.mu.Lock()
		i := len(s.done)
		s.done = append(s.done, take{text: text, asked: time.Now()})
		s.mu.Unlock()
		var made time.Duration
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			k := &s.done[i]
			k.left, k.made, k.cancelled = time.Now(), made, ctx.Err() != nil
		}()
		select {
		case <-time.After(s.takes):
		case <-ctx.Done():
			return
		}
		pcm := slices.Repeat([]int16{levels[npc.ID]}, audio.SampleRate/10)
		for ; made < s.lasts; made += 100 * ms {
			if !yield(pcm, nil) {
				return
			}
		}
	}
}

// all returns the takes so far.
func (s *studio) all() []take {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.done)
}

// texts returns the sentences of takes.
func texts(all []take) (out []string) {
	for _, k := range all {
		out = append(out, k.text)
	}
	return out
}

// understood sends an interim transcript some time into the next utterance.
func (p *player) understood(after time.Duration, words string) {
	go func() {
		time.Sleep(after)
		p.hear.interim(words)
	}()
}

const drink = "Mira, what do you drink?"

// TestAGuessIsVoicedAndSilent: the words are known long before their final transcript. The
// voice starts on the guess, but players hear the answer only after the transcript.
func TestAGuessIsVoicedAndSilent(t *testing.T) {
	for _, row := range []struct {
		preempts config.Preemption
		asked    bool    // of the voice, before the final transcript
		wait     float64 // from the transcript to the first sound, in ms
	}{
		{config.PreemptVoice, true, 20},
		{config.PreemptModel, false, 220},
		{config.PreemptOff, false, 570},
	} {
		t.Run(string(row.preempts), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := &studio{takes: 200 * ms, lasts: time.Second}
				r := heard(t, setting{voice: v, preempts: row.preempts, model: func(llm.Request) []step {
					return []step{{after: 350 * ms, text: "Ale. And stout. "}, {after: 50 * ms, text: "And tea."}}
				}})
				r.ears.after = 700 * ms
				ana := r.join("Ana")
				ana.understood(900*ms, "Mira what do you drink")
				ana.say(drink, time.Second)
				ended := r.until(1)
				known := table.HeaderOf(of[*table.Heard](r.events)[0]).Time
				all := v.all()
				if got := all[0].asked.Before(known); got != row.asked {
					t.Errorf("the voice is asked %v after the words were final", all[0].asked.Sub(known))
				}
				for _, k := range all[1:] {
					if k.asked.Before(known) {
						t.Errorf("%q is spoken ahead, too", k.text)
					}
				}
				if first := r.wire.heard()[0].at; first.Before(known) {
					t.Errorf("sound %v before the words were final", known.Sub(first))
				}
				l := ended.Ledger
				if wait := l.FirstSoundMS - l.EndpointMS - l.STTFinalMS; wait > row.wait {
					t.Errorf("first sound %v ms after the final transcript, want %v at most", wait, row.wait)
				}
				if ended.Text != "Ale. And stout. And tea." || !slices.Equal(texts(all), []string{"Ale.", "And stout.", "And tea."}) || len(r.wire.heard()) != 150 {
					t.Errorf("delivered %q, spoken %q, %d frames heard; want each sentence once", ended.Text, texts(all), len(r.wire.heard()))
				}
			})
		})
	}
}

// TestADroppedGuessIsCancelledAndCharged lets the final transcript differ from the guess.
func TestADroppedGuessIsCancelledAndCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &studio{takes: 200 * ms, lasts: time.Minute}
		m := spends(0, 0, false)
		asked := 0
		model := script(func(req llm.Request) []step {
			if asked++; strings.Contains(prompt(req), "honey") {
				return []step{{after: 100 * ms, text: "Mead."}}
			}
			return []step{{after: 100 * ms, text: "Ale."}}
		})
		r := heard(t, setting{voice: v, cost: m, engine: engine.NewCascaded(cost.MeteredModel(named{model}), nil)})
		r.ears.after = 700 * ms
		ana := r.join("Ana")
		ana.understood(900*ms, "Mira what do you drink")
		ana.say("Mira, what do you drink with honey?", time.Second)
		known := time.Now()
		for len(of[*table.Heard](r.events)) == 0 {
			time.Sleep(ms)
			known = time.Now()
		}
		synctest.Wait()
		guessed := v.all()[0]
		if guessed.text != "Ale." || !guessed.cancelled || guessed.left.After(known) {
			t.Errorf("the voice of the guess: %+v, want it cancelled by %v", guessed, known)
		}
		if most := 5 * time.Second; guessed.made > most {
			t.Errorf("%v of a guess were made, want %v at most", guessed.made, most)
		}
		time.Sleep(10 * time.Second)
		_, err := r.Mute(t.Context(), "Mira", true)
		check(t, err)
		l := r.until(1).Ledger
		for _, s := range of[*table.Sentence](r.events) {
			if s.Text != "Mead." {
				t.Errorf("%q was delivered", s.Text)
			}
		}
		if first := r.wire.heard()[0].at; first.Before(known.Add(290 * ms)) {
			t.Errorf("sound %v after the words were final, sooner than their answer", first.Sub(known))
		}
		if total := m.Report().Total; l.DroppedGuesses != 1 || asked != 2 || l.InputTokens != total.Input || l.OutputTokens != total.Output {
			t.Errorf("ledger %+v after %d requests, want one dropped guess and all that the session took, %+v", l, asked, total)
		}
	})
}

// TestALongSentenceIsHeardToItsEnd: a guess whose first sentence exceeds the buffer waits long
// for its transcript.
func TestALongSentenceIsHeardToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &studio{takes: 100 * ms, lasts: 9 * time.Second}
		r := heard(t, setting{voice: v, model: says("Ale.")})
		r.ears.after = 13 * time.Second
		ana := r.join("Ana")
		ana.understood(900*ms, "Mira what do you drink")
		ana.say(drink, time.Second)
		ended := r.until(1)
		if frames := len(r.wire.heard()); ended.Outcome != table.OutcomeDelivered || ended.Text != "Ale." || frames != 450 {
			t.Errorf("turn.ended = %+v after %d frames of sound, want 450", ended, frames)
		}
	})
}

// TestAGuessFailsInSilence: if the voice fails on a guess, a dropped guess causes no notice,
// and an adopted one appears as text.
func TestAGuessFailsInSilence(t *testing.T) {
	for _, row := range []struct {
		name, said string
		notices    int
	}{
		{"dropped", "mhm", 0},
		{"adopted", drink, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := heard(t, setting{voice: sound{takes: 50 * ms, err: context.DeadlineExceeded}, model: says("Ale.")})
				r.ears.after = time.Second
				ana := r.join("Ana")
				ana.understood(900*ms, "Mira what do you drink")
				ana.say(row.said, time.Second)
				ended := r.until(1)
				if n := of[*table.Notice](r.events); len(n) != row.notices || row.notices == 1 && ended.Text != "Ale." {
					t.Errorf("turn.ended = %+v with notices %+v, want %d", ended, n, row.notices)
				}
			})
		})
	}
}

// named is a model with a price.
type named struct{ script }

func (named) Name() string { return "Dear" }

// TestGuessesAreBounded uses a recogniser that changes its interim transcript repeatedly.
func TestGuessesAreBounded(t *testing.T) {
	words := []string{"stout", "ale", "wine", "tea", "mead", "milk"}
	synctest.Test(t, func(t *testing.T) {
		v := &studio{takes: 20 * ms, lasts: 3 * time.Second}
		asked := 0
		r := heard(t, setting{voice: v, model: func(llm.Request) []step {
			asked++
			return []step{{after: 20 * ms, text: "Aye."}}
		}})
		r.ears.after = time.Second
		ana := r.join("Ana")
		for i, w := range words {
			ana.understood(time.Second+time.Duration(110+i*12)*ms, "Mira, have you any "+w)
		}
		ana.say("Mira, have you any water?", time.Second)
		ended := r.until(1)
		if asked != 4 || len(v.all()) != 3 || ended.Ledger.DroppedGuesses != 3 {
			t.Errorf("%d requests to the model and %d to the voice, %d guesses dropped; want three guesses, two of them voiced, and the answer", asked, len(v.all()), ended.Ledger.DroppedGuesses)
		}
	})
}

// TestNoGuessWithoutSense: there is no guess at words that clearly continue, and none after the
// hard cap.
func TestNoGuessWithoutSense(t *testing.T) {
	for _, row := range []struct {
		name, words string
		spent       int // tokens, a tenth of a unit each
		guesses     bool
	}{
		{"words that may be all", "Mira what do you drink", 0, true},
		{"words that go on", "Mira what do you drink and", 0, false},
		{"the soft cap is passed", "Mira what do you drink", 15, true},
		{"the hard cap is reached", "Mira what do you drink", 25, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := spends(1, 2, true)
				m.Account("").Charge("Dear", cost.Usage{Output: int64(row.spent)})
				var asked atomic.Int64
				r := heard(t, setting{cost: m, model: func(llm.Request) []step {
					asked.Add(1)
					return []step{{after: 100 * ms, text: "Ale."}}
				}})
				ana := r.join("Ana")
				ana.understood(900*ms, row.words)
				go func() { // before the utterance has ended
					time.Sleep(1300 * ms)
					if got := asked.Load() > 0; got != row.guesses {
						t.Errorf("guessed at %q: %v, want %v", row.words, got, row.guesses)
					}
				}()
				ana.say(drink, time.Second)
				r.until(1)
			})
		})
	}
}

// TestAVoiceIsGivenNoSecretsToGuessWith: the guard checks guesses like any other answer.
func TestAVoiceIsGivenNoSecretsToGuessWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &studio{takes: 100 * ms, lasts: time.Second}
		r := heard(t, setting{voice: v, secrets: keeps(config.KeptSecret{Text: hollow}), guarded: &engine.GuardedOptions{}, model: func(req llm.Request) []step {
			if strings.Contains(prompt(req), "withheld") || req.Messages[len(req.Messages)-1].Role == llm.RoleSystem {
				return []step{{after: 100 * ms, text: "Warm yourself first."}}
			}
			return []step{{after: 100 * ms, text: hollow + " Go and look."}}
		}})
		r.ears.after = 1500 * ms
		ana := r.join("Ana")
		ana.understood(900*ms, "Mira what is with the jetty")
		ana.say("Mira, what is with the jetty?", time.Second)
		ended := r.until(1)
		known := table.HeaderOf(of[*table.Heard](r.events)[0]).Time
		all := v.all()
		if len(all) == 0 || !all[0].asked.Before(known) {
			t.Fatalf("spoken %+v, want a guess", all)
		}
		if strings.Contains(strings.Join(texts(all), " "), "hollow") || ended.Text != strings.Join(texts(all), " ") {
			t.Errorf("spoken %q, delivered %q", texts(all), ended.Text)
		}
	})
}

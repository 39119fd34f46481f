package s2s_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	s2sengine "github.com/MrWong99/glyphoxa/internal/engine/s2s"
	"github.com/MrWong99/glyphoxa/internal/lab/s2stest"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// TestListeningDoesNotForgetAnAnswer has a player start to speak while an answer is still
// playing and so is not in the history yet. The session said that answer, so the engine
// does not send it again.
func TestListeningDoesNotForgetAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Answer: always(says("Good evening.", 2*time.Second))}, nil)
		defer b.close()
		first := b.request("Hello.")
		b.answer(t.Context(), first)
		next := b.request("And now?", exchange("Hello.", "Good evening.")...)
		next.Spoken = recorded(time.Second)
		b.engine.ListenAhead(engine.Ahead{NPC: next.NPC, Messages: first.Messages[:1], Tools: next.Tools, Sound: next.Spoken})
		time.Sleep(time.Second)
		b.answer(t.Context(), next)
		if n := b.notes(s2stest.Injected); len(n) != 0 {
			t.Errorf("injected %+v, want nothing", n)
		}
		if n := b.notes(s2stest.Opened); len(n) != 1 {
			t.Errorf("%d sessions, want one", len(n))
		}
	})
}

// TestASessionLearnsWhatWasAnsweredInItsPlace has another engine answer in place of a
// session: the session receives that answer.
func TestASessionLearnsWhatWasAnsweredInItsPlace(t *testing.T) {
	for name, does := range map[string]s2stest.Answer{
		"silent":       {Hangs: true},
		"empty":        {},
		"failed":       {Status: "failed", Err: s2s.ErrFiltered},
		"broke_off":    {Status: "failed", Err: s2s.ErrUnavailable, Steps: says("The inn is full tonight. Try the mill.", 3*time.Second).Steps},
		"went_missing": {Hangs: true, Steps: says("The inn is full tonight. Try the mill.", 3*time.Second).Steps},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var knows []string
				b := newBench(t, s2stest.Options{Answer: func(turn s2stest.Turn) s2stest.Answer {
					if turn.Response.Text == "First?" {
						return does
					}
					for _, m := range turn.Known {
						knows = append(knows, m.Content)
					}
					return says("Aye.", time.Second)
				}}, nil)
				defer b.close()
				b.answer(t.Context(), b.request("First?"))
				kept := "The cascade answers."
				if len(does.Steps) > 0 {
					kept = "The inn is full tonight. Try the mill. The cascade answers."
				}
				b.answer(t.Context(), b.request("Second?", exchange("First?", kept)...))
				if len(knows) == 0 || knows[len(knows)-1] != kept {
					t.Errorf("it knows %q, want last what was answered in its place", knows)
				}
			})
		})
	}
}

// TestATypedLineThatWasTakenBackIsForgotten takes back or rewords a line before any of
// its answer was heard.
func TestATypedLineThatWasTakenBackIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Answer: always(s2stest.Answer{Steps: s2stest.After(time.Second, says("Aye.", time.Second).Steps)})}, nil)
		defer b.close()
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		b.answer(ctx, b.request("I am Rumpelstilzchen."))
		b.answer(t.Context(), b.request("I am nobody."))
		if n := b.notes(s2stest.Committed); len(n) != 2 || n[0].Session == n[1].Session {
			t.Errorf("asked %+v, want the second line in a session that knows nothing of the first", n)
		}
	})
}

// TestAResumedSessionIsToldWhatItMissed ends a session in the middle of an answer. The
// session that resumes it receives that exchange, because the resume point lies before
// it.
func TestAResumedSessionIsToldWhatItMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Resumes: true, Answer: func(turn s2stest.Turn) s2stest.Answer {
			if turn.Response.Text == "Two?" {
				return s2stest.Answer{Steps: []s2stest.Step{{After: time.Second, Ends: s2s.ErrUnavailable}}}
			}
			return says("Aye.", time.Second)
		}}, nil)
		defer b.close()
		b.answer(t.Context(), b.request("One?"))
		time.Sleep(5 * time.Second)
		b.answer(t.Context(), b.request("Two?", exchange("One?", "Aye.")...))
		b.answer(t.Context(), b.request("Three?", append(exchange("One?", "Aye."), exchange("Two?", "The cascade answers.")...)...))
		opened, injected := b.notes(s2stest.Opened), b.notes(s2stest.Injected)
		if len(opened) != 2 {
			t.Fatalf("sessions %+v", opened)
		}
		var told []llm.Message
		if opened[1].Options.Resume == "" {
			told = opened[1].Options.History
		}
		for _, n := range injected {
			told = append(told, n.Messages...)
		}
		var said []string
		for _, m := range told {
			said = append(said, m.Content)
		}
		if len(said) < 2 || said[len(said)-2] != "Two?" || said[len(said)-1] != "The cascade answers." {
			t.Errorf("the second session was told %q, resuming %q", said, opened[1].Options.Resume)
		}
	})
}

// TestASessionKnowsWhatWasReadOfAnAnswer stops an answer after the player has read a
// sentence and no one listens: the session is interrupted at the end of that sentence.
func TestASessionKnowsWhatWasReadOfAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said := says("The inn is full tonight. Try the mill, down by the river.", 4*time.Second)
		b := newBench(t, s2stest.Options{Answer: always(s2stest.Answer{Steps: said.Steps[:len(said.Steps)-4], Hangs: true})}, nil)
		defer b.close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		req := b.request("Have you got a room?")
		req.Playback = engine.Playback{}
		got := b.answer(ctx, req)
		if got.words() != "The inn is full tonight." {
			t.Fatalf("read %q", got.words())
		}
		synctest.Wait()
		if n := b.notes(s2stest.Interrupted); len(n) != 1 || n[0].Sound != got.spoken[0].Until {
			t.Errorf("interrupted %+v, want where the sentence ends that was read, %s", n, got.spoken[0].Until)
		}
	})
}

// TestAnAnswerIsInterruptedInItsOwnSession replaces a session while its answer still
// plays: the interruption must not reach the next session, which does not know that
// answer.
func TestAnAnswerIsInterruptedInItsOwnSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Answer: always(says("The inn is full tonight. Try the mill.", 20*time.Second))}, &s2sengine.Options{Age: 5 * time.Second})
		defer b.close()
		first := b.request("Have you got a room?")
		over := make(chan struct{})
		first.Playback = engine.Playback{Heard: func() time.Duration { return 8 * time.Second }, Ended: over}
		b.answer(t.Context(), first)
		time.Sleep(6 * time.Second)
		b.engine.ListenAhead(engine.Ahead{NPC: first.NPC, Messages: first.Messages[:1], Tools: first.Tools, Sound: recorded(time.Second)})
		time.Sleep(time.Second)
		close(over)
		synctest.Wait()
		if n := b.notes(s2stest.Opened); len(n) != 2 {
			t.Fatalf("sessions %+v, want two", n)
		}
		if n := b.notes(s2stest.Interrupted); len(n) != 0 {
			t.Errorf("interrupted %+v", n)
		}
	})
}

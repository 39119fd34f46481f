package s2s_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	s2sengine "github.com/MrWong99/glyphoxa/internal/engine/s2s"
	"github.com/MrWong99/glyphoxa/internal/lab/s2stest"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// TestWhatNoRetryCuresIsNotRetried has a service refuse a session for good: a retry
// cannot help.
func TestWhatNoRetryCuresIsNotRetried(t *testing.T) {
	for name, does := range map[string]s2stest.Answer{
		"as_an_answers_end": {Status: "failed", Err: s2s.ErrRejected},
		"as_an_error":       {Hangs: true, Steps: []s2stest.Step{{Tell: s2s.Failed{Err: s2s.ErrRejected}}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, s2stest.Options{Answer: always(does)}, nil)
				defer b.close()
				first, second := b.answer(t.Context(), b.request("Well?")), b.answer(t.Context(), b.request("And now?", exchange("Well?", "The cascade answers.")...))
				if len(first.notices) != 1 || len(second.notices) != 0 || len(second.sentences) != 1 {
					t.Errorf("notices %q, then %q", first.notices, second.notices)
				}
				if n := b.notes(s2stest.Committed); len(n) != 1 {
					t.Errorf("it was asked %d times, want once", len(n))
				}
			})
		})
	}
}

// TestAServiceThatDoesNotAnswerIsLeftAlone connects to a service that does not answer:
// later turns do not wait for it again.
func TestAServiceThatDoesNotAnswerIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Open: func(int, s2s.SessionOptions) s2stest.Opening { return s2stest.Opening{Takes: time.Minute} }}, nil)
		defer b.close()
		b.answer(t.Context(), b.request("Well?"))
		start := time.Now()
		b.answer(t.Context(), b.request("Well?"))
		if took := time.Since(start); took > 100*time.Millisecond {
			t.Errorf("the second turn waited for %s", took)
		}
		// A session that was cancelled by its player says nothing about the service.
		time.Sleep(20 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		b.answer(ctx, b.request("Well?"))
		b.answer(t.Context(), b.request("Well?"))
		synctest.Wait()
		if n := b.notes(s2stest.Refused); len(n) != 3 {
			t.Errorf("it was tried %d times, want 3", len(n))
		}
	})
}

// TestToolsDoNotRunAgain has a session fail after its tools ran: the fallback engine
// receives their results instead of calling the tools a second time.
func TestToolsDoNotRunAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Answer: func(turn s2stest.Turn) s2stest.Answer {
			if turn.Round == 0 {
				return s2stest.Answer{Steps: s2stest.Calls(llm.ToolCall{ID: "1", Name: "roll", Arguments: "{}"})}
			}
			return s2stest.Answer{Steps: []s2stest.Step{{Ends: s2s.ErrUnavailable}}}
		}}, nil)
		defer b.close()
		b.answer(t.Context(), b.request("Roll."))
		asked := b.instead.asked.Load().Messages
		var told bool
		for i, m := range asked {
			if m.Role == llm.RoleTool && m.Content == `{"total":17}` && m.ToolCallID == "1" {
				told = i > 0 && len(asked[i-1].ToolCalls) == 1 && asked[i-1].ToolCalls[0].ID == "1"
			}
		}
		if !told {
			t.Errorf("who answers in its place was asked %+v, want the roll and its result", asked)
		}
	})
}

// slow is an engine that thinks for a while.
type slow time.Duration

func (s slow) Answer(ctx context.Context, _ engine.Request) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		select {
		case <-time.After(time.Duration(s)):
			yield(engine.Sentence{Text: "I have thought."}, nil)
		case <-ctx.Done():
			yield(nil, ctx.Err())
		}
	}
}

// TestWhatIsDelegatedMayTakeItsTime has a voice delegate to a model that takes longer
// than a voice may be silent.
func TestWhatIsDelegatedMayTakeItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		duplex := s2s.Capabilities{InputRate: 24_000, OutputRate: 24_000, Duplex: true, ToolChange: s2s.ToolsByNewSession}
		b := newBench(t, s2stest.Options{Capabilities: duplex, Answer: func(turn s2stest.Turn) s2stest.Answer {
			if turn.Told != nil {
				return s2stest.Answer{Steps: s2stest.Say("", turn.Told.Text, s2stest.Tone(300, time.Second, 24_000), 24_000, 1)}
			}
			return s2stest.Answer{Steps: []s2stest.Step{{Tell: s2s.Delegated{ID: "d"}}}}
		}}, nil)
		b.engine.Close()
		b.engine = s2sengine.New(b.provider, b.host, slow(7*time.Second), nil)
		defer b.close()
		req := b.request("Well?")
		req.Spoken = recorded(time.Second)
		if got := b.answer(t.Context(), req); got.words() != "I have thought." || len(got.sentences) != 0 || len(got.notices) != 0 {
			t.Errorf("said %q and %q, notices %q", got.words(), got.sentences, got.notices)
		}
	})
}

// TestTooLongAnAnswerEnds has a model speak for seven minutes: the engine stops it, and
// no fallback continues the answer.
func TestTooLongAnAnswerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Answer: always(says(strings.Repeat("So it went on and on. ", 300), 7*time.Minute))}, nil)
		defer b.close()
		req := b.request("A story!")
		over := make(chan struct{})
		defer close(over)
		req.Playback = engine.Playback{Heard: func() time.Duration { return time.Second }, Ended: over}
		var sound time.Duration
		var said int
		var failed error
		for ev, err := range b.engine.Answer(t.Context(), req) {
			failed = err
			switch ev := ev.(type) {
			case engine.Sound:
				if sound == 0 {
					time.Sleep(10 * time.Minute) // reads far more slowly than the sound arrives
				}
				sound += audio.Duration(len(ev.Samples), audio.SampleRate)
			case engine.Sentence:
				said++
			}
		}
		if said != 0 || failed == nil || sound < 4*time.Minute || sound > 6*time.Minute {
			t.Errorf("%s of sound, then %d sentences of another engine (%v)", sound, said, failed)
		}
	})
}

// TestAPlayerWhoGoesOnIsHeardAhead has a player pause and continue before any turn has
// started.
func TestAPlayerWhoGoesOnIsHeardAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Answer: always(says("Aye.", time.Second))}, nil)
		defer b.close()
		req := b.request("Have you got a room?")
		req.Spoken = recorded(time.Second)
		b.engine.ListenAhead(engine.Ahead{NPC: req.NPC, Messages: req.Messages[:1], Tools: req.Tools, Sound: req.Spoken})
		time.Sleep(time.Second)
		req.Spoken.Reopen()
		req.Spoken.Append(s2stest.Tone(200, time.Second, audio.SampleRate))
		time.Sleep(time.Second)
		b.engine.Decline(req.NPC, req.Spoken)
		synctest.Wait()
		if n := b.notes(s2stest.Cleared); len(n) != 1 || !near(n[0].Sound, 2*time.Second, 20*time.Millisecond) {
			t.Errorf("cleared %+v, want both seconds", n)
		}
	})
}

// asking is an engine that records the caller of each request.
type asking struct{ caller chan mcp.Caller }

func (a asking) Answer(ctx context.Context, _ engine.Request) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		a.caller <- mcp.CallerFrom(ctx)
		yield(engine.Sentence{Text: "Aye."}, nil)
	}
}

// TestWhatIsDelegatedIsTheNPCs has a voice delegate: the tools run with the NPC's rights,
// not the operator's, because the operator may see every secret.
func TestWhatIsDelegatedIsTheNPCs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		duplex := s2s.Capabilities{InputRate: 24_000, OutputRate: 24_000, Duplex: true, ToolChange: s2s.ToolsByNewSession}
		b := newBench(t, s2stest.Options{Capabilities: duplex, Answer: func(turn s2stest.Turn) s2stest.Answer {
			if turn.Told != nil {
				return s2stest.Answer{Steps: s2stest.Say("", turn.Told.Text, s2stest.Tone(300, time.Second, 24_000), 24_000, 1)}
			}
			return s2stest.Answer{Steps: []s2stest.Step{{Tell: s2s.Delegated{ID: "d"}}}}
		}}, nil)
		b.engine.Close()
		who := asking{make(chan mcp.Caller, 1)}
		b.engine = s2sengine.New(b.provider, b.host, who, nil)
		defer b.close()
		req := b.request("Well?")
		req.Spoken = recorded(time.Second)
		want := mcp.Caller{NPC: "mira", Session: "tonight"}
		b.answer(mcp.WithCaller(t.Context(), want), req)
		if got := <-who.caller; got != want {
			t.Errorf("its tools run for %+v, want %+v", got, want)
		}
	})
}

// TestAnUtteranceTooLongToKeepIsTyped has a player talk for longer than the recording
// keeps: the model receives the text instead, because the end with the question must not
// be lost.
func TestAnUtteranceTooLongToKeepIsTyped(t *testing.T) {
	for name, can := range map[string]bool{"typed": true, "by_another_engine": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				vendor := able
				vendor.Typed = can
				b := newBench(t, s2stest.Options{Capabilities: vendor, Answer: always(says("Aye.", time.Second))}, nil)
				defer b.close()
				req := b.request("A long tale. Have you got a room?")
				req.Spoken = engine.NewRecording()
				b.engine.ListenAhead(engine.Ahead{NPC: req.NPC, Messages: req.Messages[:1], Tools: req.Tools, Sound: req.Spoken})
				for range 70 {
					req.Spoken.Append(s2stest.Tone(200, time.Second, audio.SampleRate))
					time.Sleep(time.Second)
				}
				got := b.answer(t.Context(), req)
				asked := b.notes(s2stest.Committed)
				switch {
				case can && (got.words() != "Aye." || len(asked) != 1 || asked[0].Response.Text != "A long tale. Have you got a room?" || asked[0].Sound != 0):
					t.Errorf("said %q, asked %+v, want all the words", got.words(), asked)
				case !can && (len(got.sentences) != 1 || len(asked) != 0 || len(got.notices) != 0):
					t.Errorf("said %q, notices %q, asked %+v, want another engine's answer", got.sentences, got.notices, asked)
				}
			})
		})
	}
}

// TestANoticeNamesTheServiceOnce uses a service whose errors already contain its name.
func TestANoticeNamesTheServiceOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Name: "speech 2", Open: func(int, s2s.SessionOptions) s2stest.Opening {
			return s2stest.Opening{Err: fmt.Errorf("opening a session with speech 2: %w", s2s.ErrUnavailable)}
		}}, nil)
		defer b.close()
		got := b.answer(t.Context(), b.request("Well?"))
		if all := strings.Join(got.notices, "|"); strings.Count(all, "speech 2") != 1 {
			t.Errorf("notices %q, want the service named once", all)
		}
	})
}

// stalling is a provider whose sessions block on every response.
type stalling struct{ *s2stest.Provider }

func (p stalling) Connect(ctx context.Context, o s2s.SessionOptions) (s2s.Session, error) {
	s, err := p.Provider.Connect(ctx, o)
	return stalled{s}, err
}

type stalled struct{ s2s.Session }

func (stalled) Respond(ctx context.Context, _ s2s.Response) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestCloseWaitsForNobody closes the engine while a session is being opened and while one
// blocks: Close does not wait, and the current turn ends without an answer.
func TestCloseWaitsForNobody(t *testing.T) {
	for name, script := range map[string]s2stest.Options{
		"connecting": {Open: func(int, s2s.SessionOptions) s2stest.Opening { return s2stest.Opening{Takes: time.Minute} }},
		"stalled":    {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, script, nil)
				b.engine.Close()
				b.engine = s2sengine.New(stalling{b.provider}, b.host, b.instead, nil)
				defer b.close()
				ended := make(chan answered)
				go func() { ended <- b.answer(t.Context(), b.request("Well?")) }()
				time.Sleep(time.Second)
				start := time.Now()
				b.engine.Close()
				if took := time.Since(start); took > 10*time.Millisecond {
					t.Errorf("closing took %s", took)
				}
				if got := <-ended; got.err == nil || len(got.sentences) != 0 {
					t.Errorf("the turn ended with %q (%v)", got.sentences, got.err)
				}
			})
		})
	}
}

// TestAStalledSessionIsReplaced has sessions block: each turn is answered in time by the
// fallback engine, and the next turn gets a new session.
func TestAStalledSessionIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{}, nil)
		b.engine.Close()
		b.engine = s2sengine.New(stalling{b.provider}, b.host, b.instead, nil)
		defer b.close()
		for i := range 2 {
			start := time.Now()
			got := b.answer(t.Context(), b.request("Well?"))
			if took := time.Since(start); len(got.sentences) != 1 || took > 3*time.Second {
				t.Errorf("turn %d was answered %q after %s", i+1, got.sentences, took)
			}
			time.Sleep(20 * time.Second)
		}
		if n := b.notes(s2stest.Opened); len(n) != 2 {
			t.Errorf("%d sessions, want two", len(n))
		}
	})
}

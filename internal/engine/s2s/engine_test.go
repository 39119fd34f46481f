package s2s_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	s2sengine "github.com/MrWong99/glyphoxa/internal/engine/s2s"
	"github.com/MrWong99/glyphoxa/internal/lab/s2stest"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// able has every capability of a vendor with manual turns.
var able = s2s.Capabilities{
	InputRate: 24_000, OutputRate: 24_000, ToolChange: s2s.ToolsByUpdate,
	ManualTurns: true, Clears: true, Truncates: true, Typed: true, EndsTurns: true,
}

// bench is an engine with its provider, its tool host and the fallback engine.
type bench struct {
	t        *testing.T
	provider *s2stest.Provider
	host     *mcphost.Host
	engine   *s2sengine.Engine
	instead  *instead
	slept    chan struct{} // ends a waiting tool
}

// instead is the fallback engine.
type instead struct {
	asked    atomic.Pointer[engine.Request]
	declines bool // set before the first request
}

func (i *instead) Answer(_ context.Context, req engine.Request) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		i.asked.Store(&req)
		if i.declines {
			yield(nil, engine.ErrDeclined)
			return
		}
		yield(engine.Sentence{Text: "The cascade answers."}, nil)
	}
}

func newBench(t *testing.T, script s2stest.Options, o *s2sengine.Options) *bench {
	t.Helper()
	b := &bench{t: t, host: mcphost.New(), instead: &instead{}, slept: make(chan struct{})}
	for _, tool := range []mcphost.BuiltinTool{
		{Definition: llm.ToolDefinition{Name: "roll", Description: "rolls", Parameters: map[string]any{"type": "object"}, Idempotent: true}, DeclaredP50: 5, DeclaredMax: 60_000,
			Handler: func(context.Context, string) (string, error) { return `{"total":17}`, nil }},
		{Definition: llm.ToolDefinition{Name: "wait", Description: "waits", Parameters: map[string]any{"type": "object"}}, DeclaredP50: 5, DeclaredMax: 60_000,
			Handler: func(ctx context.Context, _ string) (string, error) {
				select {
				case <-ctx.Done():
					return "", ctx.Err()
				case <-b.slept:
					return "{}", nil
				}
			}},
	} {
		tool.ReadOnly = true
		if err := b.host.RegisterBuiltin(tool); err != nil {
			t.Fatal(err)
		}
	}
	if script.Capabilities.InputRate == 0 {
		script.Capabilities = able
	}
	b.provider = s2stest.New(script)
	b.engine = s2sengine.New(b.provider, b.host, b.instead, o)
	return b
}

// close ends everything and reports violations of the provider contract.
func (b *bench) close() {
	b.t.Helper()
	b.engine.Close()
	b.host.Close()
	for _, v := range b.provider.Violations() {
		b.t.Errorf("against the contract: %s", v)
	}
}

// prompt returns a turn's messages after those before it.
func prompt(line string, before ...llm.Message) []llm.Message {
	m := append([]llm.Message{{Role: llm.RoleSystem, Content: "You are Mira."}}, before...)
	return append(m, llm.Message{Role: llm.RoleSystem, Content: "The scene: a tavern."}, llm.Message{Role: llm.RoleUser, Name: "Anna", Content: line})
}

func exchange(said, answered string) []llm.Message {
	return []llm.Message{{Role: llm.RoleUser, Name: "Anna", Content: said}, {Role: llm.RoleAssistant, Content: answered}}
}

func (b *bench) request(line string, before ...llm.Message) engine.Request {
	return engine.Request{
		NPC: config.NPC{ID: "mira", Name: "Mira"}, Messages: prompt(line, before...), Rounds: 2,
		Playback: engine.Playback{Heard: func() time.Duration { return 0 }},
		Tools:    b.host.Toolset(mcphost.ToolsetOptions{Allow: []string{"roll", "wait"}, Tier: mcp.BudgetDeep}),
	}
}

// answered collects the events of a turn.
type answered struct {
	sentences []string
	spoken    []engine.Spoken
	sound     time.Duration
	first     time.Duration
	tools     []string
	notices   []string
	err       error
}

func (b *bench) answer(ctx context.Context, req engine.Request) (out answered) {
	start := time.Now()
	for ev, err := range b.engine.Answer(ctx, req) {
		if err != nil {
			out.err = err
			return out
		}
		switch ev := ev.(type) {
		case engine.Sentence:
			out.sentences = append(out.sentences, ev.Text)
		case engine.Spoken:
			out.spoken = append(out.spoken, ev)
		case engine.Sound:
			if out.sound == 0 {
				out.first = time.Since(start)
			}
			out.sound += audio.Duration(len(ev.Samples), audio.SampleRate)
		case engine.ToolFinished:
			out.tools = append(out.tools, fmt.Sprintf("%s %s %v", ev.Call.Name, ev.Result.Text, ev.Err))
		case engine.Notice:
			out.notices = append(out.notices, ev.Text)
		}
	}
	return out
}

func (a answered) words() string {
	var all []string
	for _, s := range a.spoken {
		all = append(all, s.Text)
	}
	return strings.Join(all, "|")
}

// notes returns the provider's notes of the given kinds.
func (b *bench) notes(kinds ...s2stest.Kind) []s2stest.Note { return b.provider.Notes(kinds...) }

// says answers with a text, spoken within d.
func says(text string, d time.Duration) s2stest.Answer {
	steps := s2stest.Say("item", text, s2stest.Tone(440, d, 24_000), 24_000, 10)
	return s2stest.Answer{Steps: append(steps, s2stest.Done("item"))}
}

func always(a s2stest.Answer) func(s2stest.Turn) s2stest.Answer {
	return func(s2stest.Turn) s2stest.Answer { return a }
}

// recorded is an utterance of d.
func recorded(d time.Duration) *engine.Recording {
	r := engine.NewRecording()
	r.Append(s2stest.Tone(200, d, audio.SampleRate))
	r.End()
	return r
}

func near(got, want, by time.Duration) bool { return (got - want).Abs() <= by }

func TestATypedLineIsAnsweredInItsOwnVoice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Answer: always(says("The inn is full tonight. Try the mill, down by the river.", 4*time.Second))}, nil)
		defer b.close()
		got := b.answer(t.Context(), b.request("Have you got a room?", exchange("Hello.", "Good evening.")...))
		if want := "The inn is full tonight.|Try the mill, down by the river."; got.words() != want || got.err != nil {
			t.Fatalf("said %q (%v), want %q", got.words(), got.err, want)
		}
		if !near(got.sound, 4*time.Second, 5*time.Millisecond) {
			t.Errorf("it sounds for %s, want 4s", got.sound)
		}
		// The first sentence ends after 24 of 56 letters, within the length of a pause.
		if !near(got.spoken[0].Until, 4*time.Second*24/56, 300*time.Millisecond) || !near(got.spoken[1].Until, 4*time.Second, 5*time.Millisecond) {
			t.Errorf("sentences end at %s and %s", got.spoken[0].Until, got.spoken[1].Until)
		}
		opened := b.notes(s2stest.Opened)
		if len(opened) != 1 || opened[0].Options.Instructions != "You are Mira." || len(opened[0].Options.History) != 2 {
			t.Errorf("opened %+v", opened)
		}
		if c := b.notes(s2stest.Committed); len(c) != 1 || c[0].Response.Text != "Have you got a room?" || c[0].Response.Context != "The scene: a tavern." || c[0].Response.Speaker != "Anna" {
			t.Errorf("committed %+v", c)
		}
	})
}

func TestWhatNobodyHearsIsReadAsItComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		words := s2stest.Answer{Steps: []s2stest.Step{
			{Tell: s2s.OutputTranscript{Item: "item", Text: "The inn is full tonight. Try the "}},
			{After: time.Second, Tell: s2s.OutputTranscript{Item: "item", Text: "mill."}}, s2stest.Done("item"),
		}}
		b := newBench(t, s2stest.Options{Answer: always(words)}, nil)
		defer b.close()
		start := time.Now()
		var came []string
		req := b.request("Have you got a room?")
		req.Playback = engine.Playback{}
		for ev, err := range b.engine.Answer(t.Context(), req) {
			if err != nil {
				t.Fatal(err)
			}
			if s, ok := ev.(engine.Spoken); ok {
				came = append(came, fmt.Sprintf("%s after %s", s.Text, time.Since(start)))
			}
		}
		if want := []string{"The inn is full tonight. after 0s", "Try the mill. after 1s"}; !slices.Equal(came, want) {
			t.Errorf("read %q, want %q", came, want)
		}
		if c := b.notes(s2stest.Committed); len(c) != 1 || !c[0].Response.Silent {
			t.Errorf("committed %+v, want silently", c)
		}
	})
}

func TestWhatAPlayerSaysGoesAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Answer: always(says("Aye.", time.Second))}, nil)
		defer b.close()
		req := b.request("Have you got a room?")
		req.Spoken = engine.NewRecording()
		b.engine.ListenAhead(engine.Ahead{NPC: req.NPC, Messages: req.Messages[:1], Tools: req.Tools, Sound: req.Spoken})
		for range 50 {
			req.Spoken.Append(s2stest.Tone(200, 20*time.Millisecond, audio.SampleRate))
			time.Sleep(20 * time.Millisecond)
		}
		req.Spoken.End()
		time.Sleep(300 * time.Millisecond) // its transcript comes
		if got := b.answer(t.Context(), req); got.words() != "Aye." || got.first > 200*time.Millisecond {
			t.Errorf("said %q after %s (%v)", got.words(), got.first, got.err)
		}
		c := b.notes(s2stest.Committed)
		if len(c) != 1 || !near(c[0].Sound, time.Second, 5*time.Millisecond) || c[0].Response.Text != "" {
			t.Errorf("committed %+v, want one second of sound", c)
		}
		if n := b.notes(s2stest.Cleared); len(n) != 0 {
			t.Errorf("cleared %+v", n)
		}
	})
}

func TestWhatWasForSomebodyElseIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Answer: always(says("Aye.", time.Second))}, nil)
		defer b.close()
		req := b.request("Have you got a room?")
		other := recorded(2 * time.Second)
		b.engine.ListenAhead(engine.Ahead{NPC: req.NPC, Messages: req.Messages[:1], Tools: req.Tools, Sound: other})
		time.Sleep(time.Second)
		b.engine.Decline(req.NPC, other)
		time.Sleep(time.Second)
		if n := b.notes(s2stest.Cleared); len(n) != 1 || !near(n[0].Sound, 2*time.Second, 20*time.Millisecond) {
			t.Errorf("cleared %+v, want two seconds", n)
		}
		if n := b.notes(s2stest.Committed); len(n) != 0 {
			t.Errorf("committed %+v", n)
		}
		req.Spoken = recorded(time.Second)
		b.answer(t.Context(), req)
		if n := b.notes(s2stest.Committed); len(n) != 1 || !near(n[0].Sound, time.Second, 5*time.Millisecond) {
			t.Errorf("committed %+v, want one second", n)
		}
	})
}

func TestAPlayerWhoGoesOnIsAskedForTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Answer: always(s2stest.Answer{Steps: s2stest.After(time.Second, says("Aye.", time.Second).Steps)})}, nil)
		defer b.close()
		req := b.request("Have you got")
		req.Spoken = recorded(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		b.answer(ctx, req)
		req.Spoken.Append(s2stest.Tone(200, 2*time.Second, audio.SampleRate))
		if got := b.answer(t.Context(), req); got.words() != "Aye." {
			t.Errorf("said %q (%v)", got.words(), got.err)
		}
		n := b.notes(s2stest.Committed, s2stest.Interrupted)
		if len(n) != 3 || n[1].Kind != s2stest.Interrupted || !near(n[2].Sound, 2*time.Second, 5*time.Millisecond) {
			t.Errorf("told %+v, want an interruption and then two seconds", n)
		}
	})
}

func TestToolsRunBesideTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Answer: func(turn s2stest.Turn) s2stest.Answer {
			if turn.Round == 0 {
				return s2stest.Answer{Steps: s2stest.Calls(llm.ToolCall{ID: "1", Name: "roll", Arguments: "{}"}, llm.ToolCall{ID: "2", Name: "burn", Arguments: "{}"})}
			}
			return says(fmt.Sprintf("That is %v and %v.", turn.Results[0].Text, turn.Results[1].IsError), time.Second)
		}}, nil)
		defer b.close()
		got := b.answer(t.Context(), b.request("Roll."))
		if got.words() != `That is {"total":17} and true.` {
			t.Errorf("said %q (%v), tools %q", got.words(), got.err, got.tools)
		}
		if len(got.tools) != 2 {
			t.Errorf("tools %q, want both told", got.tools)
		}
	})
}

func TestAToolThatHangsIsNotTheModelsSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Answer: func(turn s2stest.Turn) s2stest.Answer {
			if turn.Round == 0 {
				return s2stest.Answer{Steps: s2stest.Calls(llm.ToolCall{ID: "1", Name: "wait", Arguments: "{}"})}
			}
			return says("There it is.", time.Second)
		}}, nil)
		defer b.close()
		go func() {
			time.Sleep(8 * time.Second) // longer than the silence allowed to a model
			close(b.slept)
		}()
		if got := b.answer(t.Context(), b.request("Look.")); got.words() != "There it is." {
			t.Errorf("said %q, notices %q (%v)", got.words(), got.notices, got.err)
		}
	})
}

func TestAnInterruptionIsTruncatedToWhatWasHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Answer: always(says("Once there was a king. He had three sons, and none of them could sing.", 6*time.Second))}, nil)
		defer b.close()
		ctx, cancel := context.WithCancelCause(t.Context())
		req := b.request("Tell us a story.")
		over := make(chan struct{})
		req.Playback = engine.Playback{Heard: func() time.Duration { return 1300 * time.Millisecond }, Ended: over}
		got := b.answer(ctx, req) // all of it arrived long before it was played
		if got.err != nil {
			t.Fatal(got.err)
		}
		cancel(errors.New("barge-in"))
		close(over)
		synctest.Wait()
		if n := b.notes(s2stest.Interrupted); len(n) != 1 || n[0].Sound != 1300*time.Millisecond {
			t.Errorf("interrupted %+v, want at 1.3s", n)
		}
	})
}

func TestWhatWasHeardToTheEndIsNotInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Answer: always(says("Aye.", time.Second))}, nil)
		defer b.close()
		req := b.request("Well?")
		over := make(chan struct{})
		req.Playback = engine.Playback{Heard: func() time.Duration { return time.Second }, Ended: over}
		b.answer(t.Context(), req)
		close(over)
		synctest.Wait()
		if n := b.notes(s2stest.Interrupted); len(n) != 0 {
			t.Errorf("interrupted %+v", n)
		}
	})
}

func TestAnAnswerGivenUpIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Answer: func(turn s2stest.Turn) s2stest.Answer {
			return s2stest.Answer{Steps: s2stest.Calls(llm.ToolCall{ID: "1", Name: "wait", Arguments: "{}"})}
		}}, nil)
		defer b.close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if got := b.answer(ctx, b.request("Look.")); !errors.Is(got.err, context.DeadlineExceeded) {
			t.Errorf("ended with %v", got.err)
		}
		synctest.Wait()
		if n := b.notes(s2stest.Answered); len(n) != 1 || !n[0].Result.Silent {
			t.Errorf("answered %+v, want once and silently", n)
		}
		if n := b.notes(s2stest.Interrupted); len(n) != 1 || n[0].Sound != 0 {
			t.Errorf("interrupted %+v, want at 0", n)
		}
	})
}

func TestAnotherEngineAnswers(t *testing.T) {
	for name, tc := range map[string]struct {
		script s2stest.Options
		notice string
	}{
		"silent":       {s2stest.Options{Answer: always(s2stest.Answer{Hangs: true})}, "stopped answering"},
		"empty":        {s2stest.Options{}, "said nothing"},
		"unreachable":  {s2stest.Options{Open: func(int, s2s.SessionOptions) s2stest.Opening { return s2stest.Opening{Err: s2s.ErrUnavailable} }}, "unavailable"},
		"slow to open": {s2stest.Options{Open: func(int, s2s.SessionOptions) s2stest.Opening { return s2stest.Opening{Takes: time.Minute} }}, ""},
		"refused":      {s2stest.Options{Open: func(int, s2s.SessionOptions) s2stest.Opening { return s2stest.Opening{Err: s2s.ErrRejected} }}, "refused"},
		"failed":       {s2stest.Options{Answer: always(s2stest.Answer{Status: "failed", Err: s2s.ErrRateLimited})}, "rate limited"},
		"dies":         {s2stest.Options{Answer: always(s2stest.Answer{Steps: []s2stest.Step{{After: time.Second, Ends: s2s.ErrUnavailable}}})}, "unavailable"},
		"rate limited": {s2stest.Options{Answer: always(s2stest.Answer{Hangs: true, Steps: []s2stest.Step{{Tell: s2s.Failed{Err: s2s.ErrRateLimited}}}})}, "rate limited"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, tc.script, nil)
				defer b.close()
				start := time.Now()
				got := b.answer(t.Context(), b.request("Well?"))
				if len(got.sentences) != 1 || got.err != nil {
					t.Fatalf("sentences %q (%v)", got.sentences, got.err)
				}
				if len(got.notices) != 1 || !strings.Contains(got.notices[0], tc.notice) {
					t.Errorf("notices %q, want one with %q", got.notices, tc.notice)
				}
				if took := time.Since(start); took > 3*time.Second {
					t.Errorf("it took %s, want 3s at most", took)
				}
			})
		})
	}
}

func TestAnotherEngineGoesOnWhereASessionDied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said := says("The king had three sons. The youngest could talk to geese, and so he went", 5*time.Second)
		said.Steps = append(said.Steps[:len(said.Steps)*6/10], s2stest.Step{Ends: s2s.ErrUnavailable})
		b := newBench(t, s2stest.Options{Answer: always(said)}, nil)
		defer b.close()
		got := b.answer(t.Context(), b.request("A story!"))
		if len(got.sentences) != 1 || got.spoken[0].Text != "The king had three sons." {
			t.Fatalf("said %q, then %q", got.words(), got.sentences)
		}
		last := b.instead.asked.Load().Messages
		told := last[len(last)-2]
		if told.Role != llm.RoleAssistant || told.Content != strings.ReplaceAll(got.words(), "|", " ") {
			t.Errorf("who goes on was told %+v, said was %q", told, got.words())
		}
		if heard := got.spoken[len(got.spoken)-1].Until; heard > got.sound {
			t.Errorf("words until %s of %s", heard, got.sound)
		}
	})
}

func TestARefusalIsSaidOnceAndNotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Open: func(int, s2s.SessionOptions) s2stest.Opening { return s2stest.Opening{Err: s2s.ErrRejected} }}, nil)
		defer b.close()
		first, second := b.answer(t.Context(), b.request("Well?")), b.answer(t.Context(), b.request("Well?"))
		if len(first.notices) != 1 || len(second.notices) != 0 {
			t.Errorf("notices %q, then %q", first.notices, second.notices)
		}
		if n := b.notes(s2stest.Refused); len(n) != 1 {
			t.Errorf("asked %d times", len(n))
		}
	})
}

func TestAVoiceDelegates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		duplex := s2s.Capabilities{InputRate: 24_000, OutputRate: 24_000, Duplex: true, ToolChange: s2s.ToolsByNewSession}
		b := newBench(t, s2stest.Options{Capabilities: duplex, Answer: func(turn s2stest.Turn) s2stest.Answer {
			if turn.Told != nil {
				return s2stest.Answer{Steps: s2stest.Say("", turn.Told.Text, s2stest.Tone(300, time.Second, 24_000), 24_000, 1)}
			}
			return s2stest.Answer{Steps: []s2stest.Step{{Tell: s2s.Delegated{ID: "d"}}, {Tell: s2s.Delegated{ID: "d"}}}}
		}}, nil)
		defer b.close()
		req := b.request("Well?")
		req.Spoken = recorded(time.Second)
		if got := b.answer(t.Context(), req); got.words() != "The cascade answers." {
			t.Errorf("said %q, %q (%v), %s of sound after %s, %+v", got.words(), got.notices, got.err, got.sound, got.first, b.provider.Notes())
		}
		if n := b.notes(s2stest.Told); len(n) != 1 {
			t.Errorf("told %+v, want once", n)
		}
	})
}

package s2stest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/lab/s2stest"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const rate = 24_000

// every has all capabilities that do not exclude each other.
var every = s2s.Capabilities{
	InputRate: rate, OutputRate: rate, ToolChange: s2s.ToolsByUpdate, ManualTurns: true, Clears: true, Truncates: true, Typed: true, EndsTurns: true,
}

// told formats a session's events until none comes for a minute, each with the
// milliseconds since start.
func told(t *testing.T, s s2s.Session, start time.Time) []string {
	t.Helper()
	var out []string
	for {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		ev, err := s.Recv(ctx)
		stop()
		if errors.Is(err, context.DeadlineExceeded) {
			return out
		}
		line := ""
		switch ev := ev.(type) {
		case nil:
		case s2s.Audio:
			line = fmt.Sprintf("audio %s %d", ev.Item, len(ev.Samples))
		case s2s.OutputTranscript:
			line = "says " + ev.Text
		case s2s.GenerationDone:
			line = fmt.Sprintf("done %d %s", ev.Calls, ev.Status)
			if ev.Err != nil {
				line += " " + ev.Err.Error()
			}
		case s2s.ToolCalled:
			line = "call " + ev.Call.Name
		default:
			line = strings.TrimPrefix(fmt.Sprintf("%T", ev), "s2s.")
		}
		if err != nil {
			line = err.Error()
		}
		out = append(out, fmt.Sprintf("%d %s", time.Since(start).Milliseconds(), line))
		if err != nil {
			return out
		}
	}
}

// open opens a session of a scripted provider.
func open(t *testing.T, o s2stest.Options) (*s2stest.Provider, s2s.Session) {
	t.Helper()
	if o.Capabilities == (s2s.Capabilities{}) {
		o.Capabilities = every
	}
	p := s2stest.New(o)
	s, err := p.Connect(t.Context(), s2s.SessionOptions{Instructions: "You are Mira."})
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

// ask sends a second of sound, half of it voice, and requests an answer.
func ask(t *testing.T, s s2s.Session) {
	t.Helper()
	ctx := t.Context()
	sound := slices.Concat(make([]int16, rate/4), s2stest.Tone(400, time.Second/2, rate), make([]int16, rate/4))
	if err := errors.Join(s.BeginTurn(ctx), s.SendAudio(ctx, sound), s.Respond(ctx, s2s.Response{Speaker: "Anna"})); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// steps answers every turn with the same steps.
func steps(a s2stest.Answer) func(s2stest.Turn) s2stest.Answer {
	return func(s2stest.Turn) s2stest.Answer { return a }
}

func TestAnswersInTime(t *testing.T) {
	dead := errors.New("the line is cut")
	hello := s2stest.After(300*time.Millisecond, s2stest.Say("a", "Good day.", s2stest.Tone(500, 150*time.Millisecond, rate), rate, 2))
	for _, row := range []struct {
		name   string
		answer s2stest.Answer
		want   []string
	}{
		{"speaks", s2stest.Answer{Steps: append(hello, s2stest.Done("a"))}, []string{
			"0 ResponseStarted", "300 says Good ", "300 audio a 2400", "350 says day.", "350 audio a 1200", "350 ItemDone", "350 done 0 completed"}},
		{"is_empty", s2stest.Answer{}, []string{"0 ResponseStarted", "0 done 0 completed"}},
		{"never_comes", s2stest.Answer{Hangs: true}, nil},
		{"falls_silent", s2stest.Answer{Steps: hello[:2], Hangs: true}, []string{"0 ResponseStarted", "300 says Good ", "300 audio a 2400"}},
		{"fails", s2stest.Answer{Status: "failed", Err: s2s.ErrRateLimited}, []string{"0 ResponseStarted", "0 done 0 failed " + s2s.ErrRateLimited.Error()}},
		{"dies", s2stest.Answer{Steps: append(slices.Clone(hello[:2]), s2stest.Step{After: time.Second, Ends: dead})}, []string{
			"0 ResponseStarted", "300 says Good ", "300 audio a 2400", "1300 the session is over: the line is cut"}},
		{"leaves", s2stest.Answer{Steps: []s2stest.Step{
			{Tell: s2s.GenerationDone{Status: "completed"}}, {After: time.Second, Tell: s2s.GoingAway{Left: time.Second}}, {After: time.Second, Ends: dead},
		}}, []string{"0 ResponseStarted", "0 done 0 completed", "1000 GoingAway", "2000 the session is over: the line is cut"}},
		{"is_interrupted_by_the_vendor", s2stest.Answer{Steps: []s2stest.Step{{Tell: s2s.Interrupted{}}, {After: time.Second, Tell: s2s.Usage{}}}}, []string{
			"0 ResponseStarted", "0 Interrupted", "0 done 0 cancelled"}},
		{"two_items", s2stest.Answer{Steps: s2stest.Interleave(
			s2stest.Say("a", "", s2stest.Tone(500, 200*time.Millisecond, rate), rate, 0), s2stest.Say("b", "", s2stest.Tone(600, 100*time.Millisecond, rate), rate, 0),
		)}, []string{"0 ResponseStarted", "0 audio a 2400", "0 audio b 2400", "0 audio a 2400", "0 done 0 completed"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, s := open(t, s2stest.Options{Answer: steps(row.answer)})
				start := time.Now()
				ask(t, s)
				want(t, "told", told(t, s, start), row.want...)
				want(t, "violations", p.Violations())
			})
		})
	}
}

// TestMeasuresWhatItHears checks the script's view of a turn, and the notes.
func TestMeasuresWhatItHears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns []s2stest.Turn
		observed := 0
		p, s := open(t, s2stest.Options{
			Answer:  func(turn s2stest.Turn) s2stest.Answer { turns = append(turns, turn); return s2stest.Answer{} },
			Observe: func(s2stest.Note) { observed++ },
		})
		ctx, start := t.Context(), time.Now()
		history := llm.Message{Role: llm.RoleUser, Content: "Ben: It rains."}
		tool := llm.ToolDefinition{Name: "roll"}
		send := func(samples []int16) {
			t.Helper()
			if err := s.SendAudio(ctx, samples); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(s.Inject(ctx, history), s.SetTools(ctx, []llm.ToolDefinition{tool}), s.BeginTurn(ctx)); err != nil {
			t.Fatal(err)
		}
		send(make([]int16, rate))
		send(s2stest.Tone(400, time.Second, rate)[:rate-100])
		if err := errors.Join(s.ClearTurn(ctx), s.BeginTurn(ctx)); err != nil {
			t.Fatal(err)
		}
		send(s2stest.Tone(400, time.Second, rate))
		time.Sleep(3 * time.Second)
		send(make([]int16, rate/2))
		if err := s.Respond(ctx, s2s.Response{Speaker: "Anna", Context: "It is night."}); err != nil {
			t.Fatal(err)
		}
		told(t, s, start)
		if err := s.Respond(ctx, s2s.Response{Text: "And now?"}); err != nil {
			t.Fatal(err)
		}
		told(t, s, start)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if len(turns) != 2 {
			t.Fatalf("%d turns were scripted, want two", len(turns))
		}
		spoken := func(d time.Duration) bool { return d > 990*time.Millisecond && d <= time.Second }
		first, second := turns[0], turns[1]
		if first.Sound != 1500*time.Millisecond || !spoken(first.Spoken) || !first.SpokenBy.Equal(start) || first.Response.Context != "It is night." {
			t.Errorf("the first turn is %+v, want 1.5 s of sound, of it a second at the beginning", first)
		}
		if len(first.Known) != 1 || first.Known[0].Content != history.Content || len(first.Tools) != 1 || first.Tools[0].Name != "roll" {
			t.Errorf("the first turn knows %+v and %+v, want what was injected and the tool", first.Known, first.Tools)
		}
		if second.Sound != 0 || second.Number != 2 || second.Response.Text != "And now?" {
			t.Errorf("the second turn is %+v, want the typed one", second)
		}
		var kinds []string
		for _, n := range p.Notes() {
			kinds = append(kinds, string(n.Kind))
			if n.Kind == s2stest.Cleared && (n.Sound.Round(time.Millisecond) != 1996*time.Millisecond || !spoken(n.Spoken)) {
				t.Errorf("cleared were %s with a voice of %s, want two seconds and one", n.Sound, n.Spoken)
			}
		}
		want(t, "notes", kinds, "opened", "injected", "tools", "begun", "cleared", "begun", "committed", "generated", "committed", "generated", "closed")
		if observed != len(kinds) {
			t.Errorf("%d notes were observed, want %d", observed, len(kinds))
		}
		want(t, "violations", p.Violations())
	})
}

// TestToolsAreAnsweredAndTheAnswerGoesOn calls two tools at once.
func TestToolsAreAnsweredAndTheAnswerGoesOn(t *testing.T) {
	for _, row := range []struct {
		name    string
		results []s2s.ToolResult
		want    []string
	}{
		{"both", []s2s.ToolResult{{ID: "2", Text: "two"}, {ID: "1", Text: "one"}}, []string{"1000 says one two ", "1000 done 0 completed"}},
		{"one_silent", []s2s.ToolResult{{ID: "2", Text: "two", Silent: true}, {ID: "1", Text: "one"}}, []string{"1000 says one two ", "1000 done 0 completed"}},
		{"both_silent", []s2s.ToolResult{{ID: "2", Silent: true}, {ID: "1", Silent: true}}, nil},
		{"one_missing", []s2s.ToolResult{{ID: "2", Text: "two"}}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, s := open(t, s2stest.Options{Answer: func(turn s2stest.Turn) s2stest.Answer {
					if turn.Round == 0 {
						return s2stest.Answer{Steps: s2stest.Calls(llm.ToolCall{ID: "1", Name: "roll"}, llm.ToolCall{ID: "2", Name: "look"})}
					}
					text := ""
					for _, r := range turn.Results {
						text += r.Text + " "
					}
					return s2stest.Answer{Steps: s2stest.Say("a", text, nil, rate, 1)}
				}})
				var handled []string
				s.OnToolCall(func(c llm.ToolCall) { handled = append(handled, c.Name) })
				start := time.Now()
				ask(t, s)
				for range 4 {
					if _, err := s.Recv(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(time.Second)
				for _, r := range row.results {
					if err := s.SendToolResult(t.Context(), r); err != nil {
						t.Fatal(err)
					}
				}
				want(t, "handled", handled, "roll", "look")
				want(t, "told", told(t, s, start), row.want...)
				want(t, "violations", p.Violations())
			})
		})
	}
}

func TestCallsWithoutAHandlerAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, s := open(t, s2stest.Options{Answer: func(turn s2stest.Turn) s2stest.Answer {
			if turn.Round == 0 {
				return s2stest.Answer{Steps: s2stest.Calls(llm.ToolCall{Name: "roll"})}
			}
			return s2stest.Answer{Steps: s2stest.Say("a", turn.Results[0].Text, nil, rate, 1)}
		}})
		start := time.Now()
		ask(t, s)
		want(t, "told", told(t, s, start), "0 ResponseStarted", "0 call roll", "0 done 1 completed", "0 says there are no tools", "0 done 0 completed")
		want(t, "violations", p.Violations())
	})
}

// TestTheVendorTakesACallBack continues without the result of a call, which may
// still come.
func TestTheVendorTakesACallBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, s := open(t, s2stest.Options{Answer: func(turn s2stest.Turn) s2stest.Answer {
			if turn.Round == 0 {
				return s2stest.Answer{Steps: append(s2stest.Calls(llm.ToolCall{ID: "1", Name: "roll"}),
					s2stest.Step{Tell: s2s.GenerationDone{Calls: 1, Status: "completed"}}, s2stest.Step{After: time.Second, Tell: s2s.ToolCancelled{IDs: []string{"1"}}})}
			}
			return s2stest.Answer{Steps: s2stest.Say("a", "Without "+strings.Join(turn.Cancelled, " "), nil, rate, 1)}
		}})
		s.OnToolCall(func(llm.ToolCall) {})
		start := time.Now()
		ask(t, s)
		want(t, "told", told(t, s, start), "0 ResponseStarted", "0 call roll", "0 done 1 completed", "1000 ToolCancelled", "1000 says Without 1", "1000 done 0 completed")
		if err := s.SendToolResult(t.Context(), s2s.ToolResult{ID: "1", Silent: true}); err != nil {
			t.Error(err)
		}
		ask(t, s)
		want(t, "violations", p.Violations())
	})
}

func TestInterruption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tone := s2stest.Tone(500, time.Second, rate)
		p, s := open(t, s2stest.Options{Answer: steps(s2stest.Answer{
			Steps: s2stest.Say("a", "", tone, rate, 1),
			Late:  []s2stest.Step{{After: 50 * time.Millisecond, Tell: s2s.Audio{Item: "a", Samples: tone[:240]}}},
		})})
		start := time.Now()
		ask(t, s)
		var came time.Duration
		for came < 300*time.Millisecond {
			ev, err := s.Recv(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if a, ok := ev.(s2s.Audio); ok {
				came += time.Duration(len(a.Samples)) * time.Second / rate
			}
		}
		if err := s.Interrupt(t.Context(), 200*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		want(t, "told", told(t, s, start), "200 done 0 cancelled", "250 audio a 240")
		ask(t, s)
		told(t, s, start)
		if err := s.Interrupt(t.Context(), 900*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		want(t, "told", told(t, s, start))
		want(t, "violations", p.Violations())
		var at []string
		for _, n := range p.Notes(s2stest.Interrupted) {
			at = append(at, n.Sound.String())
		}
		want(t, "interrupted at", at, "200ms", "900ms")
	})
}

func TestConnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited := every
		limited.Longest = time.Hour
		p := s2stest.New(s2stest.Options{Capabilities: limited, Resumes: true, Open: func(n int, _ s2s.SessionOptions) s2stest.Opening {
			switch n {
			case 1:
				return s2stest.Opening{Takes: time.Second, Err: s2s.ErrRejected}
			case 2:
				return s2stest.Opening{Takes: time.Hour}
			}
			return s2stest.Opening{Steps: []s2stest.Step{{After: time.Second, Tell: s2s.GoingAway{Left: time.Minute}}}}
		}})
		start := time.Now()
		if _, err := p.Connect(t.Context(), s2s.SessionOptions{}); !errors.Is(err, s2s.ErrRejected) || time.Since(start) != time.Second {
			t.Errorf("Connect = %v after %s, want that it was refused after a second", err, time.Since(start))
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		if _, err := p.Connect(ctx, s2s.SessionOptions{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Connect = %v, want the context's error", err)
		}
		if _, err := p.Connect(t.Context(), s2s.SessionOptions{Resume: "nothing"}); !errors.Is(err, s2s.ErrRejected) {
			t.Errorf("Connect = %v, want that there is nothing to resume", err)
		}
		start = time.Now()
		s, err := p.Connect(t.Context(), s2s.SessionOptions{History: []llm.Message{{Role: llm.RoleUser, Content: "Hail."}}})
		if err != nil {
			t.Fatal(err)
		}
		ask(t, s)
		want(t, "told", told(t, s, start), "0 ResponseStarted", "0 done 0 completed", "0 Resumable", "1000 GoingAway")
		if _, err := p.Connect(t.Context(), s2s.SessionOptions{Resume: "session-4"}); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour)
		want(t, "told", told(t, s, start), "3661000 the session is over: it has reached its limit of 1h0m0s")
		if err := s.BeginTurn(t.Context()); !errors.Is(err, s2s.ErrClosed) {
			t.Errorf("BeginTurn = %v, want that the session is over", err)
		}
		want(t, "violations", p.Violations())
	})
}

func TestDuplexVoiceDelegates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, s := open(t, s2stest.Options{
			Capabilities: s2s.Capabilities{InputRate: rate, OutputRate: rate, Duplex: true},
			Answer: func(turn s2stest.Turn) s2stest.Answer {
				switch {
				case turn.Told == nil:
					return s2stest.Answer{Steps: []s2stest.Step{{Tell: s2s.Delegated{ID: "d"}}, {After: time.Second, Tell: s2s.Delegated{ID: "d"}}}}
				case turn.Told.Silent:
					return s2stest.Answer{}
				}
				return s2stest.Answer{Steps: s2stest.Say("a", turn.Told.Text, nil, rate, 1)}
			},
		})
		start := time.Now()
		ask(t, s)
		want(t, "told", told(t, s, start), "0 ResponseStarted", "0 Delegated", "1000 Delegated")
		ctx, d := t.Context(), s.(s2s.Delegator)
		start = time.Now()
		if err := errors.Join(d.Tell(ctx, "d", "Aye. ", false), d.Tell(ctx, "d", "Nay.", false), d.Tell(ctx, "d", "Nay.", true)); err != nil {
			t.Fatal(err)
		}
		want(t, "told", told(t, s, start), "0 says Aye. ", "0 says Nay.")
		want(t, "violations", p.Violations())
		if err := errors.Join(d.Tell(ctx, "d", "Nay.", false), d.Tell(ctx, "e", "Nay.", false)); err != nil {
			t.Fatal(err)
		}
		if err := s.SetTools(ctx, nil); !errors.Is(err, s2s.ErrUnsupported) {
			t.Errorf("SetTools = %v, want that it cannot", err)
		}
		want(t, "violations", p.Violations(), `session 1: it was told twice of "d": "Nay."`, `session 1: it was told of "e", which it has not delegated`,
			"session 1: its tools were set, which it cannot do")
	})
	if _, ok := s2s.Session(must(t)).(s2s.Delegator); ok {
		t.Error("a voice that does not delegate can be told what it delegated")
	}
}

func must(t *testing.T) s2s.Session {
	_, s := open(t, s2stest.Options{})
	return s
}

// TestReceivesWhileClosed closes a session during a Recv.
func TestReceivesWhileClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := open(t, s2stest.Options{})
		over := make(chan error, 1)
		go func() {
			_, err := s.Recv(t.Context())
			over <- err
		}()
		synctest.Wait()
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
		if err := <-over; !errors.Is(err, s2s.ErrClosed) {
			t.Errorf("Recv = %v, want that the session is over", err)
		}
	})
}

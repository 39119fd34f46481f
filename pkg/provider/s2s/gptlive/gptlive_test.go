package gptlive_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/lab/fakegptlive"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s/gptlive"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	key = "sk-live-0123456789abcdef"
	// patience limits a test that would hang.
	patience = time.Minute
)

// talk is a session with a service, and the events received from it.
type talk struct {
	t       *testing.T
	ctx     context.Context
	server  *fakegptlive.Server
	session s2s.Session
	events  []s2s.Event
	usage   float64
	heard   []string          // pieces of the player's transcript
	said    map[string]string // by item
	sound   map[string]int    // samples by item
}

func open(t *testing.T, script fakegptlive.Script, o s2s.SessionOptions) *talk {
	t.Helper()
	server := fakegptlive.Start(t, script)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	provider := gptlive.New(key, &gptlive.Options{BaseURL: server.URL() + "/"})
	session, err := provider.Connect(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() }) // always nil
	return &talk{t: t, ctx: ctx, server: server, session: session, said: map[string]string{}, sound: map[string]int{}}
}

// until receives until done returns true.
func (k *talk) until(what string, done func(s2s.Event) bool) s2s.Event {
	k.t.Helper()
	for {
		e, err := k.session.Recv(k.ctx)
		if err != nil {
			k.t.Fatalf("waiting for %s: %v after %v, %v", what, err, k.said, k.heard)
		}
		k.events = append(k.events, e)
		switch e := e.(type) {
		case s2s.InputTranscript:
			k.heard = append(k.heard, e.Text)
		case s2s.OutputTranscript:
			k.said[e.Item] += e.Text
		case s2s.Audio:
			k.sound[e.Item] += len(e.Samples)
		case s2s.Usage:
			k.usage += e.AudioSeconds
		}
		if done(e) {
			return e
		}
	}
}

// delegated waits for a delegation and returns its ID.
func (k *talk) delegated() string {
	k.t.Helper()
	return k.until("a delegation", func(e s2s.Event) bool { _, ok := e.(s2s.Delegated); return ok }).(s2s.Delegated).ID
}

// untilSaid waits until a part's transcript ends with end.
func (k *talk) untilSaid(item, end string) {
	k.t.Helper()
	k.until(end, func(s2s.Event) bool { return strings.HasSuffix(strings.TrimSpace(k.said[item]), end) })
}

// speak sends a player's turn of tenths × 100 ms.
func (k *talk) speak(tenths int, r s2s.Response) {
	k.t.Helper()
	if err := k.session.BeginTurn(k.ctx); err != nil {
		k.t.Fatal(err)
	}
	samples := make([]int16, 2400*tenths)
	for i := range samples {
		samples[i] = int16(i%200*100 - 10000)
	}
	if err := k.session.SendAudio(k.ctx, samples); err != nil {
		k.t.Fatal(err)
	}
	if err := k.session.Respond(k.ctx, r); err != nil {
		k.t.Fatal(err)
	}
}

func (k *talk) tell(delegation, text string, silent bool) {
	k.t.Helper()
	if err := k.session.(s2s.Delegator).Tell(k.ctx, delegation, text, silent); err != nil {
		k.t.Fatal(err)
	}
}

// commands returns the commands of a type that the service received.
func commands(s *fakegptlive.Session, kind string) []fakegptlive.Command {
	return slices.DeleteFunc(s.Commands(), func(c fakegptlive.Command) bool { return c.Type != kind })
}

func count[E s2s.Event](events []s2s.Event) (n int) {
	for _, e := range events {
		if _, ok := e.(E); ok {
			n++
		}
	}
	return n
}

// TestConversation has a player ask a question that the voice delegates.
func TestConversation(t *testing.T) {
	k := open(t, fakegptlive.Script{
		Turns:      []fakegptlive.Turn{{Heard: "Is the bridge open?", Says: "Hm.", Delegates: 2}},
		UsageEvery: time.Second, Key: key,
	}, s2s.SessionOptions{Instructions: "You are Bart.", Voice: "stone", History: []llm.Message{
		{Role: llm.RoleUser, Name: "Alice", Content: "Hello."}, {Role: llm.RoleAssistant, Content: "Well met."},
	}})
	k.speak(5, s2s.Response{Speaker: "Alice", Context: "It rains."})
	id := k.delegated()
	k.tell(id, "The bridge is out.", false)
	k.tell(id, "Bob knows already.", true)
	k.untilSaid("1", "Hm. The bridge is out.")
	k.until("the last word's sound", func(s2s.Event) bool { return k.sound["1"] >= 5*4800 })
	k.until("usage", func(s2s.Event) bool { return k.usage > 1.5 })

	if got := strings.Join(k.heard, ""); got != "Is the bridge open?" {
		t.Errorf("heard %q", got)
	}
	if n := count[s2s.Delegated](k.events); n != 1 {
		t.Errorf("%d delegations, want one though the service told of it twice", n)
	}
	if n := count[s2s.ResponseStarted](k.events); n != 1 {
		t.Errorf("%d answers began, want 1", n)
	}
	if n := count[s2s.Failed](k.events); n != 0 {
		t.Errorf("%d commands were refused: %v", n, k.events)
	}
	service := k.server.Await(t, k.ctx, "a mute after the turn", func(s *fakegptlive.Session) bool {
		mutes := slices.DeleteFunc(s.Commands(), func(c fakegptlive.Command) bool { return !strings.HasSuffix(c.Type, "mute") })
		_, audible, _ := s.Input()
		return audible == 5*2400 && len(mutes) > 0 && mutes[len(mutes)-1].Type == "session.input_audio.mute"
	})
	if _, audible, muted := service.Input(); audible != 5*2400 || muted != 0 {
		t.Errorf("the service heard %d samples and %d while muted, want half a second and none", audible, muted)
	}
	var start struct {
		Model, Instructions string
		Store               *bool
		Delegation          struct{ Type string }
		Audio               struct {
			Output struct{ Voice string }
			Format struct{ Rate int }
		}
		Input []struct {
			Role    string
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal(service.Start(), &start); err != nil {
		t.Fatal(err)
	}
	if start.Model != "gpt-live-1" || start.Delegation.Type != "client" || start.Store == nil || *start.Store ||
		start.Audio.Output.Voice != "stone" || start.Audio.Format.Rate != 24000 || !strings.HasPrefix(start.Instructions, "You are Bart.") || !strings.Contains(start.Instructions, "Delegate") {
		t.Errorf("the session began with %s", service.Start())
	}
	if in := start.Input; len(in) != 2 || in[0].Content[0].Text != "Alice: Hello." || in[1].Role != "assistant" {
		t.Errorf("the history is %+v", in)
	}
	notes := commands(service, "session.thinking.append")
	if len(notes) != 2 || !strings.Contains(notes[0].Content, "Alice") || !strings.Contains(notes[0].Content, "It rains.") || notes[1].DelegationID != id {
		t.Errorf("the voice was told silently %v", notes)
	}
}

// TestInterrupt checks that the rest of an interrupted answer is dropped, that the
// service learns how much was heard, and that the next answer is heard.
func TestInterrupt(t *testing.T) {
	k := open(t, fakegptlive.Script{Turns: []fakegptlive.Turn{
		{Heard: "Tell me all.", Says: "In the beginning there was a hill and on the hill a tower and in it a king"},
		{Heard: "And now?", Says: "Nothing is left."},
	}}, s2s.SessionOptions{})
	k.speak(3, s2s.Response{})
	k.untilSaid("1", "there")
	if err := k.session.Interrupt(k.ctx, time.Hour); err != nil {
		t.Fatal(err)
	}
	heard := float64(k.sound["1"]) / 24000
	k.speak(5, s2s.Response{}) // the voice hears the player and stops
	k.untilSaid("2", "Nothing is left.")
	if strings.Contains(k.said["1"], "king") || strings.TrimSpace(k.said["2"]) != "Nothing is left." {
		t.Errorf("said %q, want nothing of the first answer after its interruption", k.said)
	}
	notes := commands(k.server.Sessions()[0], "session.thinking.append")
	var seconds float64
	if len(notes) != 1 {
		t.Fatalf("the voice was told silently %v", notes)
	}
	if _, err := fmt.Sscanf(notes[0].Content, "You were interrupted: only the first %f seconds", &seconds); err != nil || seconds < heard-0.1 || seconds > heard+1 {
		t.Errorf("the voice was told %q (%v), want what came, some %.1f s, not an hour", notes[0].Content, err, heard)
	}
	if err := k.session.Interrupt(k.ctx, 0); err != nil {
		t.Fatal(err)
	}
	if notes := commands(k.server.Await(t, k.ctx, "a note", func(s *fakegptlive.Session) bool {
		return len(commands(s, "session.thinking.append")) == 2
	}), "session.thinking.append"); !strings.Contains(notes[1].Content, "before anything was heard") {
		t.Errorf("the voice was told %q", notes[1].Content)
	}
}

// TestUnasked has the voice speak without a turn, for three pieces, while the input is
// muted.
func TestUnasked(t *testing.T) {
	k := open(t, fakegptlive.Script{}, s2s.SessionOptions{})
	text := strings.Repeat("The mountains of Xyrvoth are far away and cold. ", 50)
	k.tell("", text, false)
	k.untilSaid("0", "far")
	pieces := commands(k.server.Sessions()[0], "session.commentary.append")
	var all []string
	for _, p := range pieces {
		if !strings.HasSuffix(p.Content, ".") || p.DelegationID != "" {
			t.Errorf("piece %q for %q, want whole sentences and no delegation", p.Content, p.DelegationID)
		}
		all = append(all, p.Content)
	}
	if len(pieces) < 2 || strings.Join(all, " ") != strings.TrimSpace(text) {
		t.Errorf("%d pieces with %d bytes, want all %d", len(pieces), len(strings.Join(all, " ")), len(text))
	}
}

// TestUnsupported covers calls for which the protocol has no message.
func TestUnsupported(t *testing.T) {
	k := open(t, fakegptlive.Script{}, s2s.SessionOptions{Tools: []llm.ToolDefinition{{Name: "roll"}}})
	k.session.OnToolCall(func(llm.ToolCall) { t.Error("a tool was called") })
	for what, err := range map[string]error{
		"ClearTurn":      k.session.ClearTurn(k.ctx),
		"SetTools":       k.session.SetTools(k.ctx, nil),
		"SendToolResult": k.session.SendToolResult(k.ctx, s2s.ToolResult{}),
		"Respond":        k.session.Respond(k.ctx, s2s.Response{Text: "Typed."}),
		"Tell":           k.session.(s2s.Delegator).Tell(k.ctx, "nobody", "x", false),
	} {
		if !errors.Is(err, s2s.ErrUnsupported) {
			t.Errorf("%s = %v, want ErrUnsupported", what, err)
		}
	}
}

// TestInject sends the voice other speakers' lines.
func TestInject(t *testing.T) {
	k := open(t, fakegptlive.Script{}, s2s.SessionOptions{})
	err := k.session.Inject(k.ctx, llm.Message{Role: llm.RoleUser, Name: "Bob", Content: "I am off."},
		llm.Message{Role: llm.RoleAssistant, Content: "Farewell."}, llm.Message{Role: llm.RoleTool, Content: "17"})
	if err != nil {
		t.Fatal(err)
	}
	s := k.server.Await(t, k.ctx, "a note", func(s *fakegptlive.Session) bool { return len(commands(s, "session.thinking.append")) > 0 })
	if got := commands(s, "session.thinking.append")[0].Content; got != "Bob: I am off.\nYou said: Farewell." {
		t.Errorf("the voice was told %q", got)
	}
}

// TestConnectFails checks that errors name the reason and never the key.
func TestConnectFails(t *testing.T) {
	down := fakegptlive.Start(t, fakegptlive.Script{}).URL() + "/nowhere"
	for _, row := range []struct {
		name   string
		script fakegptlive.Script
		url    string
		want   error
		says   string
	}{
		{"wrong_key", fakegptlive.Script{Key: "another"}, "", s2s.ErrRejected, "check its api_key"},
		{"rate_limited", fakegptlive.Script{RefuseStatus: http.StatusTooManyRequests, RefuseError: fakegptlive.Error{Code: "rate_limit_exceeded", Message: "Slow down."}}, "", s2s.ErrRateLimited, "Slow down."},
		{"no_quota", fakegptlive.Script{RefuseStatus: http.StatusTooManyRequests, RefuseError: fakegptlive.Error{Code: "insufficient_quota", Message: "Pay first."}}, "", s2s.ErrRejected, "Pay first."},
		{"down", fakegptlive.Script{RefuseStatus: http.StatusServiceUnavailable}, "", s2s.ErrUnavailable, "503"},
		{"start_refused", fakegptlive.Script{RefuseError: fakegptlive.Error{Type: "invalid_request_error", Code: "model_not_found", Message: "No such model for " + key}}, "", s2s.ErrRejected, "No such model"},
		{"start_limited", fakegptlive.Script{RefuseError: fakegptlive.Error{Type: "rate_limit_error", Code: "x", Message: "Slow down."}}, "", s2s.ErrRateLimited, "Slow down."},
		{"start_failed", fakegptlive.Script{RefuseError: fakegptlive.Error{Type: "server_error", Code: "x", Message: "Sorry."}}, "", s2s.ErrUnavailable, "Sorry."},
		{"elsewhere", fakegptlive.Script{}, down, s2s.ErrRejected, "404"},
		{"nobody", fakegptlive.Script{}, "http://127.0.0.1:1/v1", s2s.ErrUnavailable, "check that it runs"},
	} {
		t.Run(row.name, func(t *testing.T) {
			url := row.url
			if url == "" {
				url = fakegptlive.Start(t, row.script).URL()
			}
			s, err := gptlive.New(key, &gptlive.Options{BaseURL: url}).Connect(t.Context(), s2s.SessionOptions{})
			if s != nil || !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), key) {
				t.Errorf("Connect = %v, %v, want %v with %q", s, err, row.want, row.says)
			}
		})
	}
}

// TestConnectEndsWithItsContext checks that Connect to a silent service ends with its
// context.
func TestConnectEndsWithItsContext(t *testing.T) {
	cause := errors.New("the turn was cancelled")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	_, err := gptlive.New(key, &gptlive.Options{BaseURL: fakegptlive.Start(t, fakegptlive.Script{}).URL()}).Connect(ctx, s2s.SessionOptions{})
	if !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
		t.Errorf("Connect = %v, want the context's error and its cause", err)
	}
}

// TestServiceEndsTheSession checks the error for each way a service ends a session.
func TestServiceEndsTheSession(t *testing.T) {
	for _, row := range []struct {
		name  string
		end   func(*fakegptlive.Session)
		want  error
		usage float64
	}{
		{"expired", func(s *fakegptlive.Session) { s.End("expired", 7200) }, s2s.ErrUnavailable, 7200},
		{"filtered", func(s *fakegptlive.Session) { s.End("content", 3) }, s2s.ErrFiltered, 3},
		{"lost", func(s *fakegptlive.Session) { s.End("connection_lost", 1) }, s2s.ErrUnavailable, 1},
		{"new_reason", func(s *fakegptlive.Session) { s.End("moonrise", 1) }, s2s.ErrUnavailable, 1},
		{"dropped", (*fakegptlive.Session).Drop, s2s.ErrUnavailable, 0},
		{"no_json", func(s *fakegptlive.Session) { s.Send("<html>") }, s2s.ErrUnavailable, 0},
		{"hopeless", func(s *fakegptlive.Session) {
			s.Send(`{"type":"error","error":{"type":"invalid_request_error","code":"insufficient_quota","message":"Pay first, ` + key + `"}}`)
		}, s2s.ErrRejected, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			k := open(t, fakegptlive.Script{}, s2s.SessionOptions{})
			row.end(k.server.Await(t, k.ctx, "a session", func(*fakegptlive.Session) bool { return true }))
			for {
				e, err := k.session.Recv(k.ctx)
				if err == nil {
					if u, ok := e.(s2s.Usage); ok {
						k.usage += u.AudioSeconds
					}
					continue
				}
				if !errors.Is(err, s2s.ErrClosed) || !errors.Is(err, row.want) || strings.Contains(err.Error(), key) {
					t.Errorf("Recv = %v, want the end with %v", err, row.want)
				}
				break
			}
			if k.usage != row.usage {
				t.Errorf("%v s were used, want %v", k.usage, row.usage)
			}
			if err := k.session.SendAudio(k.ctx, make([]int16, 10)); !errors.Is(err, s2s.ErrClosed) {
				t.Errorf("SendAudio = %v, want ErrClosed", err)
			}
			if err := k.session.Inject(k.ctx, llm.Message{Role: llm.RoleUser, Content: "x"}); !errors.Is(err, s2s.ErrClosed) {
				t.Errorf("Inject = %v, want ErrClosed", err)
			}
		})
	}
}

// TestSurvives covers events that must not end a session.
func TestSurvives(t *testing.T) {
	k := open(t, fakegptlive.Script{}, s2s.SessionOptions{})
	s := k.server.Await(t, k.ctx, "a session", func(*fakegptlive.Session) bool { return true })
	for _, raw := range []string{
		`{"type":"error","error":{"type":"invalid_request_error","code":"invalid_audio","message":"No."}}`,
		`{"type":"session.output_audio.delta","delta":"!"}`,
		`{"type":"session.usage.updated","usage":{"seconds":"many"}}`,
	} {
		s.Send(raw)
		if e := k.until("a failure", func(e s2s.Event) bool { _, ok := e.(s2s.Failed); return ok }).(s2s.Failed); e.Err == nil || errors.Is(e.Err, s2s.ErrRejected) {
			t.Errorf("%s: %+v, want one that ends nothing for good", raw, e)
		}
	}
	s.Send(`{"type":"session.delegation.created","delegation":{"id":"r","target":"responses"}}`)
	s.Send(`{"type":"session.usage.updated","usage":{"seconds":12}}`)
	s.Send(`{"type":"session.usage.updated","usage":{"seconds":10}}`)
	s.Send(`{"type":"future.event","seconds":1}`)
	s.Send(`{"type":"session.usage.updated","usage":{"seconds":12.5}}`)
	k.until("usage", func(s2s.Event) bool { return k.usage >= 12.5 })
	if k.usage != 12.5 || count[s2s.Usage](k.events) != 2 || count[s2s.Delegated](k.events) != 0 {
		t.Errorf("%v s in %d reports and %d delegations, want 12.5, 2 and none of others", k.usage, count[s2s.Usage](k.events), count[s2s.Delegated](k.events))
	}
}

// TestClose checks that the last usage report is not lost, and that Close ends a blocked
// Recv.
func TestClose(t *testing.T) {
	for _, row := range []struct {
		name      string
		receiving bool
	}{{"nobody_receives", false}, {"somebody_receives", true}} {
		t.Run(row.name, func(t *testing.T) {
			k := open(t, fakegptlive.Script{Turns: []fakegptlive.Turn{{Heard: "Hm?"}}}, s2s.SessionOptions{})
			k.speak(3, s2s.Response{})
			k.until("the transcript", func(e s2s.Event) bool { _, ok := e.(s2s.InputTranscript); return ok })
			var tasks sync.WaitGroup
			drain := func() {
				for {
					e, err := k.session.Recv(k.ctx)
					if err != nil {
						if !errors.Is(err, s2s.ErrClosed) || errors.Is(err, s2s.ErrUnavailable) {
							t.Errorf("Recv = %v, want ErrClosed alone", err)
						}
						return
					}
					if u, ok := e.(s2s.Usage); ok {
						k.usage += u.AudioSeconds
					}
				}
			}
			if row.receiving {
				tasks.Go(drain)
			}
			tasks.Go(func() { _ = k.session.Close() }) // twice concurrently
			_ = k.session.Close()                      // always nil
			tasks.Wait()
			if !row.receiving {
				drain()
			}
			if k.usage < 0.4 {
				t.Errorf("%v s were used, want what the service said in the end", k.usage)
			}
			if got := commands(k.server.Sessions()[0], "session.close"); len(got) != 1 {
				t.Errorf("the service was told goodbye %d times", len(got))
			}
		})
	}
}

// TestAllAtOnce uses a session from many goroutines while it is closed.
func TestAllAtOnce(t *testing.T) {
	k := open(t, fakegptlive.Script{Turns: []fakegptlive.Turn{{Heard: "A b c", Says: "d e f g", Delegates: 2}, {Heard: "A", Says: "b"}}}, s2s.SessionOptions{})
	var tasks sync.WaitGroup
	repeat := func(f func(i int) error) {
		tasks.Go(func() {
			for i := range 30 {
				if err := f(i); err != nil && !errors.Is(err, s2s.ErrClosed) {
					t.Error(err)
				}
			}
		})
	}
	repeat(func(i int) error {
		samples := make([]int16, 480)
		samples[0] = int16(10000 * (i % 2))
		return k.session.SendAudio(k.ctx, samples)
	})
	repeat(func(i int) error {
		if i%2 == 0 {
			return k.session.BeginTurn(k.ctx)
		}
		return k.session.Respond(k.ctx, s2s.Response{Context: "c"})
	})
	repeat(func(int) error { return k.session.Interrupt(k.ctx, time.Second) })
	repeat(func(int) error { return k.session.Inject(k.ctx, llm.Message{Role: llm.RoleUser, Content: "x"}) })
	repeat(func(int) error { return k.session.(s2s.Delegator).Tell(k.ctx, "", "x", true) })
	tasks.Go(func() {
		for {
			if _, err := k.session.Recv(k.ctx); err != nil {
				if !errors.Is(err, s2s.ErrClosed) {
					t.Error(err)
				}
				return
			}
		}
	})
	tasks.Go(func() {
		k.server.Await(t, k.ctx, "ten commands", func(s *fakegptlive.Session) bool { return len(s.Commands()) > 10 })
		_ = k.session.Close() // always nil
	})
	tasks.Wait()
}

// TestCapabilities checks the capabilities on which the engine relies.
func TestCapabilities(t *testing.T) {
	p := gptlive.New(key, nil)
	want := s2s.Capabilities{InputRate: 24000, OutputRate: 24000, Duplex: true, Longest: 2 * time.Hour}
	if got := p.Capabilities(); got != want || p.Name() != "openai gpt-live-1" {
		t.Errorf("%s can %+v, want %+v", p.Name(), got, want)
	}
}

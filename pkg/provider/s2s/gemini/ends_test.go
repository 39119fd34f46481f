package gemini_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakegemini"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s/gemini"
)

// checkError checks an error's kind and text, and that it does not contain the key.
func checkError(t *testing.T, err, kind error, want string) {
	t.Helper()
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), key) || strings.ContainsAny(err.Error(), "\n") {
		t.Errorf("err = %v, want one that wraps %q and says %q", err, kind, want)
	}
}

// TestRefusedConnections checks the errors of sessions that cannot be opened.
func TestRefusedConnections(t *testing.T) {
	for _, tt := range []struct {
		name    string
		service fakegemini.Options
		options s2s.SessionOptions
		kind    error
		want    string
	}{
		{"key", fakegemini.Options{APIKey: "another"}, s2s.SessionOptions{}, s2s.ErrRejected, "API key not valid. Please pass a valid API key.; check its api_key in providers.s2s"},
		{"model", fakegemini.Options{Models: []string{"gemini-9"}}, s2s.SessionOptions{}, s2s.ErrRejected, "models/gemini-3.8-live is not found"},
		{"quota", fakegemini.Options{Refuse: fakegemini.Quota}, s2s.SessionOptions{}, s2s.ErrRateLimited, "code 1011: You exceeded your current quota"},
		{"internal", fakegemini.Options{Refuse: fakegemini.Internal}, s2s.SessionOptions{}, s2s.ErrUnavailable, "Internal error encountered."},
		{"echoed_key", fakegemini.Options{Refuse: fakegemini.Close{Code: 1008, Reason: "No for " + key}}, s2s.SessionOptions{}, s2s.ErrRejected, "No for [redacted]"},
		{"handshake", fakegemini.Options{Status: 503}, s2s.SessionOptions{}, s2s.ErrUnavailable, "it takes no WebSocket there; check that it runs and that base_url is right"},
		{"tool", fakegemini.Options{}, s2s.SessionOptions{Tools: []llm.ToolDefinition{tool("roll"), tool("roll")}}, s2s.ErrRejected, "Duplicate function declaration"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			service := fakegemini.Start(t, tt.service)
			_, err := provider(t, service, "").Connect(t.Context(), tt.options)
			checkError(t, err, tt.kind, tt.want)
			if !strings.HasPrefix(err.Error(), "opening a session with gemini gemini-3.8-live: ") {
				t.Errorf("err = %v", err)
			}
			service.AwaitIdle()
		})
	}
}

// TestNobodyThere connects to an address without a listener.
func TestNobodyThere(t *testing.T) {
	p, err := gemini.New(key, &gemini.Options{BaseURL: "http://127.0.0.1:1/v1beta"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Connect(t.Context(), s2s.SessionOptions{})
	checkError(t, err, s2s.ErrUnavailable, "connection refused; check that it runs")
}

// TestOptions checks invalid options.
func TestOptions(t *testing.T) {
	for name, tt := range map[string]struct {
		key     string
		options *gemini.Options
		want    string
	}{
		"no_key":  {" ", nil, "there is no api_key in providers.s2s"},
		"address": {key, &gemini.Options{BaseURL: "ftp://" + key}, "no ws, wss, http or https URL"},
		"no_host": {key, &gemini.Options{BaseURL: "/v1beta"}, "no ws, wss, http or https URL"},
		"model":   {key, &gemini.Options{Model: "../models/" + key}, "the model's name"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := gemini.New(tt.key, tt.options)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), key) {
				t.Errorf("New = %v, want %q", err, tt.want)
			}
		})
	}
}

// TestVersions checks that the address may name the API version, and that short-lived
// keys use their own version.
func TestVersions(t *testing.T) {
	const constrained = "/ws/google.ai.generativelanguage.v1alpha.GenerativeService.BidiGenerateContentConstrained"
	const plain = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"
	for _, tt := range []struct{ key, path, want string }{
		{key, "", plain}, {key, "/v1beta/", plain}, {key, "/v1alpha", strings.Replace(plain, "beta", "alpha", 1)},
		{"auth_tokens/1", "/v1beta", constrained},
	} {
		service := fakegemini.Start(t, fakegemini.Options{})
		p, err := gemini.New(tt.key, &gemini.Options{BaseURL: service.URL() + tt.path})
		if err != nil {
			t.Fatal(err)
		}
		session, err := p.Connect(t.Context(), s2s.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		check(t, "where it connects", []string{tt.want}, service.Paths())
	}
}

// TestServiceSaysNothing has a session never become ready: Connect fails in time and
// closes the connection.
func TestServiceSaysNothing(t *testing.T) {
	service := fakegemini.Start(t, fakegemini.Options{NoSetup: true})
	p := provider(t, service, "")
	ctx, cancel := context.WithCancel(t.Context())
	var tasks sync.WaitGroup
	tasks.Go(func() {
		service.Await(t, "setup", 1)
		cancel()
	})
	for range 2 { // the second time with an ended context
		_, err := p.Connect(ctx, s2s.SessionOptions{})
		checkError(t, err, context.Canceled, "talking to a speech-to-speech model")
	}
	tasks.Wait()
	service.AwaitIdle()
}

// TestServiceEnds covers sessions that the service ends: earlier events are delivered
// first, then the reason.
func TestServiceEnds(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  fakegemini.Close
		kind error
		want string
	}{
		{"invalid", fakegemini.Close{Code: 1007, Reason: "Request contains an invalid argument."}, s2s.ErrUnavailable, "code 1007: Request contains an invalid argument."},
		{"time_is_up", fakegemini.Aborted, s2s.ErrUnavailable, "code 1008: The operation was aborted."},
		{"internal", fakegemini.Internal, s2s.ErrUnavailable, "code 1011: Internal error encountered."},
		{"quota", fakegemini.Quota, s2s.ErrRateLimited, "code 1011: You exceeded your current quota"},
		{"key", fakegemini.BadKey, s2s.ErrRejected, "API key not valid"},
		{"normally", fakegemini.Close{Code: 1000}, s2s.ErrUnavailable, "code 1000: no reason given"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tk := connect(t, "", s2s.SessionOptions{}, fakegemini.Turn{Steps: []fakegemini.Step{fakegemini.Speak{Text: "I was"}, tt.end}})
			tk.say()
			check(t, "what came before", []string{"started", "says 1.1 I was", "sound 1.1"}, tk.until("sound"))
			for range 2 {
				_, err := tk.session.Recv(t.Context())
				checkError(t, err, s2s.ErrClosed, tt.want)
				checkError(t, err, tt.kind, tt.want)
			}
			ctx := t.Context()
			for name, err := range map[string]error{
				"BeginTurn": tk.session.BeginTurn(ctx), "SendAudio": tk.session.SendAudio(ctx, second), "Inject": tk.session.Inject(ctx),
				"Respond": tk.session.Respond(ctx, s2s.Response{Text: "Hm."}), "SetTools": tk.session.SetTools(ctx, nil),
				"Interrupt": tk.session.Interrupt(ctx, 0), "SendToolResult": tk.session.SendToolResult(ctx, s2s.ToolResult{ID: "1"}),
			} {
				if !errors.Is(err, s2s.ErrClosed) {
					t.Errorf("%s = %v, want ErrClosed", name, err)
				}
			}
		})
	}
}

// TestMalformed sends malformed messages: the session survives unless it receives nothing
// else.
func TestMalformed(t *testing.T) {
	bad := []fakegemini.Step{
		fakegemini.Send{Message: "<html>"}, fakegemini.Send{Message: `[1]`}, fakegemini.Send{Message: `{"serverContent":{"modelTurn":7}}`},
		fakegemini.Send{Message: `{"serverContent":{"modelTurn":{"parts":[{"inlineData":{"mimeType":"audio/pcm","data":"§"}}]}}}`},
		fakegemini.Send{Message: `{"error":{"code":429,"message":"quota exceeded for ` + key + `","status":"RESOURCE_EXHAUSTED"}}`},
	}
	strange := []fakegemini.Step{
		fakegemini.Send{Message: "null"}, fakegemini.Send{Message: `{}`}, fakegemini.Send{Message: `{"serverContent":null,"toolCall":{"functionCalls":[null]}}`},
		fakegemini.Send{Message: `{"serverContent":{"modelTurn":{"parts":[null,{"text":"hm"},{"inlineData":null}]}},"goAway":{},"news":1}`},
		fakegemini.Send{Message: `{"serverContent":{"modelTurn":{"parts":[{"inlineData":{"mimeType":"audio/mp3","data":"AAAA"}}]}}}`},
		fakegemini.Send{Message: `{"toolCallCancellation":{"ids":["none"]},"usageMetadata":{"promptTokenCount":-5,"promptTokensDetails":[null]}}`},
		fakegemini.Speak{Text: "Where was I?"},
	}
	tk := connect(t, "", s2s.SessionOptions{}, fakegemini.Turn{Steps: append(append([]fakegemini.Step{}, bad...), strange...)})
	tk.say()
	unread := "failed it sent a message that cannot be read"
	told := tk.until("done 0 completed")
	check(t, "what came", []string{
		unread, unread, unread, unread,
		"failed the speech-to-speech service is rate limited: quota exceeded for [redacted] RESOURCE_EXHAUSTED",
		"started", "going 0s", "failed it sent sound that is no 16-bit PCM at 24 kHz",
		"used {InputTextTokens:0 OutputTextTokens:0 InputAudioTokens:0 OutputAudioTokens:0 CachedTokens:0 AudioSeconds:0}",
		"says 1.1 Where was I?", "sound 1.1", "item 1.1", "done 0 completed",
	}, told)

	var endless []fakegemini.Step
	for range 20 {
		endless = append(endless, bad[0])
	}
	tk = connect(t, "", s2s.SessionOptions{}, fakegemini.Turn{Steps: endless})
	tk.say()
	for range 16 {
		if got := tk.until("failed"); len(got) != 1 {
			t.Fatalf("told %q", got)
		}
	}
	_, err := tk.session.Recv(t.Context())
	checkError(t, err, s2s.ErrClosed, "cannot be read")
}

// TestGoesOn covers a session that is about to end and the one that resumes it with the
// newest handle: no history is sent again, and no answer is repeated.
func TestGoesOn(t *testing.T) {
	first := fakegemini.Turn{Steps: []fakegemini.Step{
		fakegemini.Resumable{Handle: "early"}, fakegemini.Resumable{}, fakegemini.Speak{Text: "Aye."}, fakegemini.GoAway{Left: 50 * time.Second},
	}, Handle: "newest"}
	tk := connect(t, "", s2s.SessionOptions{}, first, fakegemini.Say("Yes?"))
	tk.say()
	check(t, "the first session", []string{
		"resumable early", "started", "says 1.1 Aye.", "sound 1.1", "going 50s", "item 1.1", "done 0 completed", "resumable newest",
	}, tk.until("resumable newest"))
	if err := tk.session.Close(); err != nil {
		t.Error(err)
	}
	history := []llm.Message{{Role: llm.RoleUser, Content: "Hm."}, {Role: llm.RoleAssistant, Content: "Aye."}}
	next := connectTo(t, tk.service, "", s2s.SessionOptions{Resume: "newest", History: history})
	next.say()
	check(t, "the second session", spoken(1, "Yes?"), next.until("done"))
	check(t, "what was sent", []string{"setup", "activityStart", "audio", "activityEnd"}, tk.service.Kinds(1))

}

// TestForgotten has the service forget a session: a new one starts.
func TestForgotten(t *testing.T) {
	service := fakegemini.Start(t, fakegemini.Options{Turns: []fakegemini.Turn{fakegemini.Say("Aye.")}})
	tk := connectTo(t, service, "", s2s.SessionOptions{Resume: "unknown", History: []llm.Message{{Role: llm.RoleUser, Content: "Hm."}}})
	tk.say()
	check(t, "the answer", spoken(1, "Aye."), tk.until("done"))
	check(t, "what a new session was told", []string{"setup", "clientContent", "activityStart", "audio", "activityEnd"}, service.Kinds(1))
	if got := service.Refusals(); len(got) != 1 || got[0] != fakegemini.BadHandle.Reason {
		t.Errorf("the service refused %q, want only the handle", got)
	}
}

// TestClose checks that Close ends all blocked calls.
func TestClose(t *testing.T) {
	tk := connect(t, "", rolls, fakegemini.Turn{Steps: []fakegemini.Step{fakegemini.CallTools{Calls: []fakegemini.Call{{ID: "7", Name: "roll"}}}}})
	tk.say()
	tk.until("done 1")
	var tasks sync.WaitGroup
	var err error
	tasks.Go(func() { _, err = tk.session.Recv(context.WithoutCancel(t.Context())) })
	for range 2 {
		if err := tk.session.Close(); err != nil {
			t.Error(err)
		}
	}
	tasks.Wait()
	checkError(t, err, s2s.ErrClosed, "it was closed")
}

// TestDeafService has a server read nothing: calls wait as long as their context allows,
// and Close returns at once.
func TestDeafService(t *testing.T) {
	tk := connectTo(t, fakegemini.Start(t, fakegemini.Options{Deaf: true}), "", s2s.SessionOptions{})
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	tk.must(tk.session.BeginTurn(ctx))
	var err error
	for err == nil { // until all buffers are full
		err = tk.session.SendAudio(ctx, second)
	}
	checkError(t, err, context.DeadlineExceeded, "talking to a speech-to-speech model")
}

package openai_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/openai"
)

const key = "sk-test-0123456789abcdefghijklmnop"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// connect returns a provider for s that is closed when t ends.
func connect(t testing.TB, s *fakeopenai.Server, opts openai.Options) *openai.Provider {
	t.Helper()
	opts.BaseURL = s.URL()
	if opts.Model == "" {
		opts.Model = "m"
	}
	if opts.APIKey == "" {
		opts.APIKey = key
	}
	p, err := openai.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func hello() llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hello"}}}
}

// answer is a whole stream, put together.
type answer struct {
	Text   string
	Calls  []llm.ToolCall
	Finish string
	Usage  *llm.Usage
	chunks int
}

func collect(ctx context.Context, p *openai.Provider, req llm.Request) (answer, error) {
	var a answer
	for c, err := range p.Stream(ctx, req) {
		if err != nil {
			return a, err
		}
		a.chunks++
		a.Text += c.Text
		a.Calls = append(a.Calls, c.ToolCalls...)
		if c.FinishReason != "" {
			a.Finish = c.FinishReason
		}
		if c.Usage != nil {
			a.Usage = c.Usage
		}
	}
	return a, nil
}

func TestStream(t *testing.T) {
	two := []fakeopenai.Call{
		{ID: "a", Name: "roll", Arguments: `{"expression":"2d6+3"}`},
		{ID: "b", Name: "query_entities", Arguments: `{"name":"Mära 🐉"}`},
	}
	want := []llm.ToolCall{
		{ID: "a", Name: "roll", Arguments: `{"expression":"2d6+3"}`},
		{ID: "b", Name: "query_entities", Arguments: `{"name":"Mära 🐉"}`},
	}
	made := []llm.ToolCall{{ID: "call_1_0", Name: want[0].Name, Arguments: want[0].Arguments}, {ID: "call_1_1", Name: want[1].Name, Arguments: want[1].Arguments}}
	chunk := func(delta string) string { return `data: {"choices":[{"index":0,"delta":` + delta + `}]}` }
	tests := []struct {
		name string
		resp fakeopenai.Response
		want answer
	}{
		{"text in pieces", fakeopenai.Say("Well ", "met", "."), answer{Text: "Well met.", Finish: "stop"}},
		{"nothing said", fakeopenai.Response{}, answer{Finish: "stop"}},
		{"length", fakeopenai.Response{Pieces: []string{"a"}, Finish: "length"}, answer{Text: "a", Finish: "length"}},
		{"reasoning is not spoken", fakeopenai.Response{Reasoning: "hmm", Pieces: []string{"Aye."}}, answer{Text: "Aye.", Finish: "stop"}},
		{"think block is not spoken", fakeopenai.Say("<th", "ink>let me ", "see</thi", "nk>\n\nA", "ye."), answer{Text: "Aye.", Finish: "stop"}},
		{"think tag later is text", fakeopenai.Say("I <think> so"), answer{Text: "I <think> so", Finish: "stop"}},
		{"beginning of a tag is text", fakeopenai.Say("<thi"), answer{Text: "<thi", Finish: "stop"}},
		{"parallel fragments", fakeopenai.CallTools(two...), answer{Calls: want, Finish: "tool_calls"}},
		{"text then calls", fakeopenai.Response{Pieces: []string{"Let me see."}, Calls: two}, answer{Text: "Let me see.", Calls: want, Finish: "tool_calls"}},
		{"whole calls", fakeopenai.Response{Calls: two, WholeCalls: true}, answer{Calls: want, Finish: "tool_calls"}},
		{"whole calls all numbered zero", fakeopenai.Response{Calls: two, WholeCalls: true, ZeroIndex: true}, answer{Calls: want, Finish: "tool_calls"}},
		{"fragments all numbered zero", fakeopenai.Response{Calls: two, ZeroIndex: true}, answer{Calls: want, Finish: "tool_calls"}},
		{"no index", fakeopenai.Response{Calls: two, NoIndex: true}, answer{Calls: want, Finish: "tool_calls"}},
		{"no index, whole", fakeopenai.Response{Calls: two, NoIndex: true, WholeCalls: true}, answer{Calls: want, Finish: "tool_calls"}},
		{"no ids", fakeopenai.Response{Calls: two, NoCallIDs: true}, answer{Calls: made, Finish: "tool_calls"}},
		{"no ids, all zero, whole", fakeopenai.Response{Calls: two, NoCallIDs: true, ZeroIndex: true, WholeCalls: true}, answer{Calls: made, Finish: "tool_calls"}},
		{"neither id nor index", fakeopenai.Response{Calls: two, NoCallIDs: true, NoIndex: true, WholeCalls: true}, answer{Calls: made, Finish: "tool_calls"}},
		{"stop with calls", fakeopenai.Response{Calls: two, Finish: "stop"}, answer{Calls: want, Finish: "tool_calls"}},
		{"malformed arguments pass", fakeopenai.CallTools(fakeopenai.Call{ID: "a", Name: "roll", Arguments: `{"expr`}),
			answer{Calls: []llm.ToolCall{{ID: "a", Name: "roll", Arguments: `{"expr`}}, Finish: "tool_calls"}},
		{"no arguments", fakeopenai.CallTools(fakeopenai.Call{ID: "a", Name: "look"}),
			answer{Calls: []llm.ToolCall{{ID: "a", Name: "look", Arguments: "{}"}}, Finish: "tool_calls"}},
		{"arguments as an object", fakeopenai.Response{Raw: []string{
			chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":{"at":"door"}}}]}`), "data: [DONE]"}},
			answer{Calls: []llm.ToolCall{{ID: "a", Name: "look", Arguments: `{"at":"door"}`}}, Finish: "tool_calls"}},
		{"the same id twice", fakeopenai.Response{Calls: []fakeopenai.Call{{ID: "a", Name: "x", Arguments: "{}"}, {ID: "a", Name: "y", Arguments: "{}"}}},
			answer{Calls: []llm.ToolCall{{ID: "a", Name: "x", Arguments: "{}"}, {ID: "call_1_1", Name: "y", Arguments: "{}"}}, Finish: "tool_calls"}},
		{"name and id repeated in every fragment", fakeopenai.Response{Raw: []string{
			chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{\"a\""}}]}`),
			chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":":1}"}}]}`), "data: [DONE]"}},
			answer{Calls: []llm.ToolCall{{ID: "a", Name: "look", Arguments: `{"a":1}`}}, Finish: "tool_calls"}},
		{"comments, other fields, empty choices", fakeopenai.Response{Raw: []string{
			": waiting", "event: message\nid: 1", `data: {"choices":[]}`, `data:` + chunk(`{"content":"Aye."}`)[5:], "data:[DONE]"}},
			answer{Text: "Aye.", Finish: "stop"}},
		{"nulls everywhere", fakeopenai.Response{Raw: []string{
			`data: {"choices":[{"index":0,"delta":{"role":null,"content":null,"tool_calls":null},"finish_reason":null}],"usage":null,"error":null}`,
			chunk(`{"content":"Aye."}`), "data: [DONE]"}},
			answer{Text: "Aye.", Finish: "stop"}},
		{"content in parts", fakeopenai.Response{Raw: []string{
			chunk(`{"content":[{"type":"thinking","text":"hm"},{"type":"text","text":"Aye."}]}`), "data: [DONE]"}},
			answer{Text: "Aye.", Finish: "stop"}},
		{"a refusal is said", fakeopenai.Response{Raw: []string{chunk(`{"refusal":"I cannot."}`), "data: [DONE]"}},
			answer{Text: "I cannot.", Finish: "stop"}},
		{"no [DONE] after the finish", fakeopenai.Response{Pieces: []string{"Aye."}, NoDone: true}, answer{Text: "Aye.", Finish: "stop"}},
		{"cut after the finish", fakeopenai.Response{Pieces: []string{"Aye."}, CutAfter: 3}, answer{Text: "Aye.", Finish: "stop"}},
		{"second choice is ignored", fakeopenai.Response{Raw: []string{
			`data: {"choices":[{"index":1,"delta":{"content":"No."}},{"index":0,"delta":{"content":"Aye."}}]}`, "data: [DONE]"}},
			answer{Text: "Aye.", Finish: "stop"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fakeopenai.Start(t, fakeopenai.Always(tt.resp), nil)
			got, err := collect(t.Context(), connect(t, s, openai.Options{}), hello())
			if err != nil {
				t.Fatal(err)
			}
			got.Usage, got.chunks = nil, 0
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(answer{})); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUsageIsReported(t *testing.T) {
	s := fakeopenai.Start(t, fakeopenai.Always(fakeopenai.Say("one ", "two")), nil)
	got, err := collect(t.Context(), connect(t, s, openai.Options{}), hello())
	if err != nil || got.Usage == nil || *got.Usage != (llm.Usage{PromptTokens: 2, CompletionTokens: 2}) {
		t.Errorf("usage = %+v, %v, want 2 and 2", got.Usage, err)
	}
}

func TestStreamOptionsAreLeftOutOnceRefused(t *testing.T) {
	s := fakeopenai.Start(t, fakeopenai.Always(fakeopenai.Say("Aye.")), &fakeopenai.Options{RefuseStreamOptions: true})
	p := connect(t, s, openai.Options{})
	for range 3 {
		if got, err := collect(t.Context(), p, hello()); err != nil || got.Text != "Aye." {
			t.Fatalf("got %q, %v", got.Text, err)
		}
	}
	var with []bool
	for _, r := range s.ChatRequests() {
		with = append(with, r.Chat.StreamOptions != nil)
	}
	if diff := cmp.Diff([]bool{true, false, false, false}, with); diff != "" {
		t.Errorf("requests with stream_options (-want +got):\n%s", diff)
	}
}

func TestOtherRefusalsAreNotRepeatedOnceUsageWorked(t *testing.T) {
	s := fakeopenai.Start(t, fakeopenai.Sequence(fakeopenai.Say("Aye."), fakeopenai.Fail(400, "bad tools")), nil)
	p := connect(t, s, openai.Options{})
	if _, err := collect(t.Context(), p, hello()); err != nil {
		t.Fatal(err)
	}
	if _, err := collect(t.Context(), p, hello()); !errors.Is(err, llm.ErrRejected) {
		t.Errorf("err = %v, want ErrRejected", err)
	}
	if got := len(s.ChatRequests()); got != 2 {
		t.Errorf("%d requests, want 2", got)
	}
}

func TestErrors(t *testing.T) {
	echo := func(status int) fakeopenai.Response {
		return fakeopenai.Response{Status: status, Message: "no", EchoKey: true}
	}
	tests := []struct {
		name     string
		script   fakeopenai.Script
		want     error
		text     string // part of the message
		said     string // what came before the error
		requests int
	}{
		{"rate limit without a time", fakeopenai.Always(fakeopenai.RateLimited("")), llm.ErrRateLimited, "slow down", "", 1},
		{"rate limit, long", fakeopenai.Always(fakeopenai.RateLimited("60")), llm.ErrRateLimited, "1m0s", "", 1},
		{"rate limit, nonsense", fakeopenai.Always(fakeopenai.RateLimited("soon")), llm.ErrRateLimited, "slow down", "", 1},
		{"rate limit, twice", fakeopenai.Always(fakeopenai.RateLimited("0.01")), llm.ErrRateLimited, "10ms", "", 2},
		{"rate limit, date in the past", fakeopenai.Always(fakeopenai.RateLimited("Mon, 02 Jan 2006 15:04:05 GMT")), llm.ErrRateLimited, "0s", "", 2},
		{"server error", fakeopenai.Always(echo(500)), llm.ErrUnavailable, "HTTP 500", "", 2},
		{"server error in plain text", fakeopenai.Always(fakeopenai.Response{Status: 502, Message: "bad gateway", PlainBody: true, EchoKey: true}), llm.ErrUnavailable, "bad gateway", "", 2},
		{"bad request", fakeopenai.Sequence(echo(400), echo(400)), llm.ErrRejected, "fits this server", "", 2},
		{"model without tools", fakeopenai.Always(fakeopenai.Fail(400, "m does not support tools")), llm.ErrRejected, "cannot use tools", "", 2},
		{"bad key", fakeopenai.Always(echo(401)), llm.ErrRejected, "check providers.llm.api_key", "", 1},
		{"no credit", fakeopenai.Always(echo(402)), llm.ErrRejected, "credit", "", 1},
		{"forbidden", fakeopenai.Always(echo(403)), llm.ErrRejected, "may use model", "", 1},
		{"unknown model", fakeopenai.Always(echo(404)), llm.ErrRejected, `model "m" exists`, "", 1},
		{"cut before the stream", fakeopenai.Always(fakeopenai.Response{CutAfter: -1}), llm.ErrUnavailable, "did not answer", "", 2},
		{"cut before any text", fakeopenai.Always(fakeopenai.Response{Pieces: []string{"a"}, CutAfter: 1}), llm.ErrUnavailable, "broke off", "", 2},
		{"cut within the text", fakeopenai.Always(fakeopenai.Response{Pieces: []string{"a", "b"}, CutAfter: 2}), llm.ErrUnavailable, "broke off", "a", 1},
		{"cut within a call", fakeopenai.Always(fakeopenai.Response{Calls: []fakeopenai.Call{{Name: "roll", Arguments: `{"expression":"1d6"}`}}, CutAfter: 4}), llm.ErrUnavailable, "broke off", "", 2},
		{"ends without a finish", fakeopenai.Always(fakeopenai.Response{Raw: []string{`data: {"choices":[{"delta":{"content":"a"}}]}`}}), llm.ErrUnavailable, "ended before", "a", 1},
		{"empty stream", fakeopenai.Always(fakeopenai.Response{Raw: []string{""}}), llm.ErrUnavailable, "ended before", "", 2},
		{"error event", fakeopenai.Always(fakeopenai.Response{Pieces: []string{"a"}, FailAfter: 2}), llm.ErrUnavailable, "server had an error", "a", 1},
		{"rate limit event", fakeopenai.Always(fakeopenai.Response{Raw: []string{`data: { "error": {"message":"too fast","code":429}}`}}), llm.ErrRateLimited, "too fast", "", 1},
		{"error event without data", fakeopenai.Always(fakeopenai.Response{Raw: []string{`{"error":{"message":"out of memory"}}`}}), llm.ErrUnavailable, "out of memory", "", 2},
		{"garbage", fakeopenai.Always(fakeopenai.Response{Raw: []string{`data: {"choices":[{"delta":{"content":"a"}}]}`, "data: }{"}}), llm.ErrUnavailable, "no event", "a", 1},
		{"a web page", fakeopenai.Always(fakeopenai.Response{Raw: []string{"<html>", "<body>", "</html>"}}), llm.ErrUnavailable, "ended before", "", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fakeopenai.Start(t, tt.script, nil)
			got, err := collect(t.Context(), connect(t, s, openai.Options{}), hello())
			if !errors.Is(err, tt.want) || !strings.Contains(fmt.Sprint(err), tt.text) {
				t.Errorf("err = %v, want %v with %q", err, tt.want, tt.text)
			}
			if strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), key[8:]) {
				t.Errorf("the error shows the key: %v", err)
			}
			if got.Text != tt.said {
				t.Errorf("said %q before the error, want %q", got.Text, tt.said)
			}
			if n := len(s.ChatRequests()); n != tt.requests {
				t.Errorf("%d requests, want %d", n, tt.requests)
			}
		})
	}
}

func TestRecoversOnTheSecondAttempt(t *testing.T) {
	ok := fakeopenai.Say("Aye.")
	tests := []struct {
		name  string
		first fakeopenai.Response
	}{
		{"rate limit", fakeopenai.RateLimited("0.02")},
		{"server error", fakeopenai.Fail(503, "overloaded")},
		{"cut", fakeopenai.Response{CutAfter: -1}},
		{"cut within the stream", fakeopenai.Response{CutAfter: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fakeopenai.Start(t, fakeopenai.Sequence(tt.first, ok), nil)
			if got, err := collect(t.Context(), connect(t, s, openai.Options{}), hello()); err != nil || got.Text != "Aye." {
				t.Errorf("got %q, %v, want the second answer", got.Text, err)
			}
			s = fakeopenai.Start(t, fakeopenai.Sequence(tt.first, ok), nil)
			if _, err := collect(t.Context(), connect(t, s, openai.Options{MaxRetries: -1}), hello()); err == nil {
				t.Error("with no retries allowed there was one")
			}
		})
	}
}

// slowDown is a vendor that asks to be left alone for 1.5 s.
type slowDown struct{}

func (slowDown) RoundTrip(r *http.Request) (*http.Response, error) {
	_ = r.Body.Close()
	return &http.Response{
		StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"1.5"}}, Body: http.NoBody, Request: r,
	}, nil
}

func TestRetryAfterBeyondTheDeadlineFailsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := openai.New(openai.Options{BaseURL: "http://vendor.invalid/v1", Model: "m", HTTPClient: &http.Client{Transport: slowDown{}}})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, err := collect(ctx, p, hello()); !errors.Is(err, llm.ErrRateLimited) {
			t.Errorf("err = %v, want ErrRateLimited", err)
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("it took %v to fail, want no time", took)
		}
	})
}

func TestNobodyListens(t *testing.T) {
	const nobody = "http://user:hunter2@127.0.0.1:1" // a port of privileged programs, which no other test is given
	p, err := openai.New(openai.Options{BaseURL: nobody, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	_, err = collect(t.Context(), p, hello())
	if !errors.Is(err, llm.ErrUnavailable) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("err = %v, want ErrUnavailable without the address's password", err)
	}
}

func TestCancelEndsTheRequest(t *testing.T) {
	cause := errors.New("barged in")
	tests := []struct {
		name string
		resp fakeopenai.Response
	}{
		{"within the text", fakeopenai.HangAfter("Well, ")},
		{"before the first byte of text", fakeopenai.Response{Hang: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			s := fakeopenai.Start(t, func(fakeopenai.Request) fakeopenai.Response {
				if len(tt.resp.Pieces) == 0 {
					cancel(cause)
				}
				return tt.resp
			}, nil)
			p := connect(t, s, openai.Options{})
			var err error
			for c, e := range p.Stream(ctx, hello()) {
				if err = e; c.Text != "" {
					cancel(cause)
				}
			}
			if !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
				t.Errorf("err = %v, want context.Canceled and its cause", err)
			}
			waitIdle(t, s)
			if n := len(s.ChatRequests()); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

func TestBreakEndsTheRequest(t *testing.T) {
	s := fakeopenai.Start(t, fakeopenai.Always(fakeopenai.HangAfter("one", "two")), nil)
	p := connect(t, s, openai.Options{})
	for c, err := range p.Stream(t.Context(), hello()) {
		if err != nil || c.Text != "one" {
			t.Fatalf("first chunk %q, %v", c.Text, err)
		}
		break
	}
	waitIdle(t, s)
	if got := s.Aborted(); got != 1 {
		t.Errorf("aborted = %d, want 1", got)
	}
}

func waitIdle(t *testing.T, s *fakeopenai.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.WaitIdle(ctx); err != nil {
		t.Fatalf("the server still answers: %v", err)
	}
}

func TestConnectionIsReused(t *testing.T) {
	s := fakeopenai.Start(t, fakeopenai.Always(fakeopenai.Say("Aye.")), nil)
	dials := 0
	tr := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		dials++
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}}
	p := connect(t, s, openai.Options{HTTPClient: &http.Client{Transport: tr}})
	for range 5 {
		if _, err := collect(t.Context(), p, hello()); err != nil {
			t.Fatal(err)
		}
	}
	if dials != 1 {
		t.Errorf("%d connections for 5 answers, want 1", dials)
	}
}

func TestWholeAnswerToAStreamRequest(t *testing.T) {
	tests := []struct {
		name, body string
		want       answer
		err        error
	}{
		{"text", `{"choices":[{"index":0,"message":{"role":"assistant","content":"Aye."},"finish_reason":"stop"}],` + "\n" + `"usage":{"prompt_tokens":3,"completion_tokens":1}}`,
			answer{Text: "Aye.", Finish: "stop", Usage: &llm.Usage{PromptTokens: 3, CompletionTokens: 1}}, nil},
		{"tokens that were kept", `{"choices":[{"message":{"content":"Aye."},"finish_reason":"stop"}],"usage":{"prompt_tokens":30,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":20}}}`,
			answer{Text: "Aye.", Finish: "stop", Usage: &llm.Usage{PromptTokens: 30, CompletionTokens: 1, CachedTokens: 20}}, nil},
		{"call", `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","function":{"name":"roll","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
			answer{Calls: []llm.ToolCall{{ID: "a", Name: "roll", Arguments: "{}"}}, Finish: "tool_calls"}, nil},
		{"error", `{"error":"model is loading"}`, answer{}, llm.ErrUnavailable},
		{"something else", `[]`, answer{}, llm.ErrUnavailable},
		{"no json", `oops`, answer{}, llm.ErrUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(tt.body))
			}))
			defer srv.Close()
			p, err := openai.New(openai.Options{BaseURL: srv.URL, Model: "m"})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			got, err := collect(t.Context(), p, hello())
			if !errors.Is(err, tt.err) {
				t.Fatalf("err = %v, want %v", err, tt.err)
			}
			got.chunks = 0
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(answer{})); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNewChecksOptions(t *testing.T) {
	tests := []struct {
		name string
		opts openai.Options
		want string
	}{
		{"no model", openai.Options{APIKey: "k"}, "llm.model"},
		{"no key for openai", openai.Options{Model: "m"}, "llm.api_key"},
		{"not http", openai.Options{Model: "m", BaseURL: "ftp://host"}, "base_url"},
		{"no host", openai.Options{Model: "m", BaseURL: "localhost:11434"}, "base_url"},
		{"query", openai.Options{Model: "m", BaseURL: "http://host/v1?key=" + key}, "without ?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := openai.New(tt.opts)
			if p != nil || !errors.Is(err, llm.ErrRejected) || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), key) {
				t.Errorf("New = %v, %v, want ErrRejected with %q", p, err, tt.want)
			}
		})
	}
}

func TestName(t *testing.T) {
	for want, opts := range map[string]openai.Options{
		"openai gpt-4o-mini": {Model: "gpt-4o-mini", APIKey: "k"},
		"ollama llama3":      {Model: "llama3", Name: "ollama llama3", BaseURL: "http://localhost:11434"},
	} {
		p, err := openai.New(opts)
		if err != nil || p.Name() != want {
			t.Errorf("Name = %q, %v, want %q", p.Name(), err, want)
		}
	}
}

func TestTemperatureAndLengthFitTheModel(t *testing.T) {
	zero, warm := 0.0, 0.7
	tests := []struct {
		name, model        string
		temperature        *float64
		want               *float64
		tokens, completion int
	}{
		{"unset", "m", nil, nil, 50, 0},
		{"warm", "m", &warm, &warm, 50, 0},
		{"zero is sent", "m", &zero, &zero, 50, 0},
		{"thinking model has its own", "o3-mini", &warm, nil, 0, 50},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fakeopenai.Start(t, nil, nil)
			req := hello()
			req.Temperature, req.MaxTokens = tt.temperature, 50
			if _, err := collect(t.Context(), connect(t, s, openai.Options{Model: tt.model}), req); err != nil {
				t.Fatal(err)
			}
			got := s.ChatRequests()[0].Chat
			if got.MaxTokens != tt.tokens || got.MaxCompletionTokens != tt.completion {
				t.Errorf("max_tokens %d, max_completion_tokens %d, want %d and %d", got.MaxTokens, got.MaxCompletionTokens, tt.tokens, tt.completion)
			}
			if (got.Temperature == nil) != (tt.want == nil) || tt.want != nil && math.Abs(*got.Temperature-*tt.want) > 1e-6 {
				t.Errorf("temperature = %v, want %v", got.Temperature, tt.want)
			}
		})
	}
}

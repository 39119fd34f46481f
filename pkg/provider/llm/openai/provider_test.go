package openai_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
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
		opts.Model = "gpt-4m" // streams its first answer as well
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
		{"beginning of a tag is text", fakeopenai.Say("<thi"), answer{Text: "<thi", Finish: "stop"}},
		{"a thought that Google marks", fakeopenai.Response{Raw: []string{
			chunk(`{"content":"Hm.","extra_content":{"google":{"thought":true}}}`), chunk(`{"content":"Aye."}`), "data: [DONE]"}},
			answer{Text: "Aye.", Finish: "stop"}},
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
		{"odd types", fakeopenai.Response{Raw: []string{
			`data: {"id":7,"choices":[{"index":"0","delta":{"role":3,"content":"Aye.","tool_calls":{}},"finish_reason":null,"logprobs":"x"}],"usage":"none"}`,
			`data: {"choices":[{"index":0.0,"delta":null,"finish_reason":2}],"usage":[]}`, "data: [DONE]"}},
			answer{Text: "Aye.", Finish: "stop"}},
		{"calls with odd types", fakeopenai.Response{Raw: []string{
			chunk(`{"tool_calls":[{"index":"0","id":17,"type":null,"function":{"name":"look","arguments":"{\"a\":"}},null]}`),
			chunk(`{"tool_calls":[{"index":0.0,"id":null,"function":{"name":null,"arguments":"1}"}}]}`), "data: [DONE]"}},
			answer{Calls: []llm.ToolCall{{ID: "17", Name: "look", Arguments: `{"a":1}`}}, Finish: "tool_calls"}},
		{"the name after the arguments", fakeopenai.Response{Raw: []string{
			chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{\"a\":1}"}}]}`),
			chunk(`{"tool_calls":[{"index":0,"function":{"name":"look"}}]}`), "data: [DONE]"}},
			answer{Calls: []llm.ToolCall{{ID: "a", Name: "look", Arguments: `{"a":1}`}}, Finish: "tool_calls"}},
		{"the call again in a whole message", fakeopenai.Response{Raw: []string{
			chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{\"a\":1}"}}]}`),
			`data: {"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","function":{"name":"look","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}]}`, "data: [DONE]"}},
			answer{Calls: []llm.ToolCall{{ID: "a", Name: "look", Arguments: `{"a":1}`}}, Finish: "tool_calls"}},
		{"the protocol's old call", fakeopenai.Response{Raw: []string{
			chunk(`{"function_call":{"name":"look","arguments":"{\"a\""}}`), chunk(`{"function_call":{"arguments":":1}"}}`), "data: [DONE]"}},
			answer{Calls: []llm.ToolCall{{ID: "call_1_0", Name: "look", Arguments: `{"a":1}`}}, Finish: "tool_calls"}},
		{"an empty call beside text", fakeopenai.Response{Raw: []string{chunk(`{"content":"Aye.","tool_calls":[{"index":0},{"index":1,"function":{"name":"","arguments":""}}]}`), "data: [DONE]"}},
			answer{Text: "Aye.", Finish: "stop"}},
		{"thoughts marked by an extension", fakeopenai.Response{Raw: []string{
			chunk(`{"content":"They greet me.","extra_content":{"google":{"thought":true}}}`), chunk(`{"content":"Aye."}`), "data: [DONE]"}},
			answer{Text: "Aye.", Finish: "stop"}},
		{"the same text in two fields", fakeopenai.Response{Raw: []string{`data: {"choices":[{"text":"Aye.","delta":{"content":"Aye."}}]}`, "data: [DONE]"}}, answer{Text: "Aye.", Finish: "stop"}},
		{"an older field for text", fakeopenai.Response{Raw: []string{`data: {"choices":[{"text":"Aye."}]}`, "data: [DONE]"}}, answer{Text: "Aye.", Finish: "stop"}},
		{"no choices", fakeopenai.Response{Raw: []string{`data: {"response":"Aye."}`, "data: [DONE]"}}, answer{Text: "Aye.", Finish: "stop"}},
		{"token counts instead of an end", fakeopenai.Response{Raw: []string{`data: {"choices":[{"delta":{"content":"Aye."}}]}`, `data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}`}}, answer{Text: "Aye.", Finish: "stop"}},
		{"an error after the finish", fakeopenai.Response{Raw: []string{
			`data: {"choices":[{"delta":{"content":"Aye."},"finish_reason":"stop"}]}`, `data: {"error":{"message":"late"}}`}},
			answer{Text: "Aye.", Finish: "stop"}},
		{"the reason is another vendor's word", fakeopenai.Response{Raw: []string{`data: {"choices":[{"delta":{"content":"Aye."},"finish_reason":"MAX_TOKENS"}]}`, "data: [DONE]"}},
			answer{Text: "Aye.", Finish: "length"}},
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

func TestCallsInTheText(t *testing.T) {
	const written = `<tool_call>{"name":"look","arguments":{"at":"door"}}</tool_call>`
	native := fakeopenai.Call{ID: "a", Name: "roll", Arguments: "{}"}
	tests := []struct {
		name string
		resp fakeopenai.Response
		want answer
	}{
		{"alone", fakeopenai.Say("One moment. <tool_", written[6:]),
			answer{Text: "One moment. ", Calls: []llm.ToolCall{{ID: "call_1_0", Name: "look", Arguments: `{"at":"door"}`}}, Finish: "tool_calls"}},
		{"beside the server's calls", fakeopenai.Response{Pieces: []string{written}, Calls: []fakeopenai.Call{native}},
			answer{Calls: []llm.ToolCall{{ID: "a", Name: "roll", Arguments: "{}"}}, Finish: "tool_calls"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fakeopenai.Start(t, fakeopenai.Always(tt.resp), nil)
			req := hello()
			req.Tools = []llm.ToolDefinition{{Name: "look"}}
			got, err := collect(t.Context(), connect(t, s, openai.Options{}), req)
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

// TestFirstAnswerShowsHowAModelThinks checks that an unknown model's first answer is yielded as a whole, because
// it may be a thought, and that the next ones are streamed or held as the first one has shown.
func TestFirstAnswerShowsHowAModelThinks(t *testing.T) {
	plain, thinking := fakeopenai.Say("Well ", "met."), fakeopenai.Say("A stranger. ", "Be kind.\n</think>\n\n", "Well ", "met.")
	tests := []struct {
		name   string
		model  string
		first  fakeopenai.Response
		second fakeopenai.Response
		pieces []int // with text, of each answer
	}{
		{"plain", "unheard-of", plain, plain, []int{1, 2}},
		{"thinks", "unheard-of", thinking, thinking, []int{2, 2}},
		{"thinks only once", "unheard-of", thinking, plain, []int{2, 1}},
		{"known to separate", "gpt-4m", plain, plain, []int{2, 2}},
		{"separate by its server", "qwq-32b", fakeopenai.Response{Reasoning: "hm", Pieces: plain.Pieces}, plain, []int{2, 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fakeopenai.Start(t, fakeopenai.Sequence(tt.first, tt.second), nil)
			p := connect(t, s, openai.Options{Model: tt.model})
			for i, want := range tt.pieces {
				var pieces []string
				for c, err := range p.Stream(t.Context(), hello()) {
					if err != nil {
						t.Fatal(err)
					}
					if c.Text != "" {
						pieces = append(pieces, c.Text)
					}
				}
				if len(pieces) != want || strings.Join(pieces, "") != "Well met." {
					t.Errorf("answer %d came as %q, want %q in %d pieces", i+1, pieces, "Well met.", want)
				}
			}
		})
	}
}

// TestHeldTextIsNotYieldedIfTheAnswerBreaksOff checks that a first answer that breaks off is asked for again.
func TestHeldTextIsNotYieldedIfTheAnswerBreaksOff(t *testing.T) {
	s := fakeopenai.Start(t, fakeopenai.Sequence(
		fakeopenai.Response{Pieces: []string{"A stranger. ", "Be kind."}, CutAfter: 2}, fakeopenai.Say("Well met.")), nil)
	got, err := collect(t.Context(), connect(t, s, openai.Options{Model: "unheard-of"}), hello())
	if err != nil || got.Text != "Well met." {
		t.Errorf("got %q, %v, want the second answer", got.Text, err)
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
		{"bad request", fakeopenai.Always(echo(400)), llm.ErrRejected, "fits this server", "", 4},
		{"model without tools", fakeopenai.Always(fakeopenai.Fail(400, "m does not support tools")), llm.ErrRejected, "cannot use tools", "", 1},
		{"bad key", fakeopenai.Always(echo(401)), llm.ErrRejected, "check providers.llm.api_key", "", 1},
		{"no credit", fakeopenai.Always(echo(402)), llm.ErrRejected, "credit", "", 1},
		{"forbidden", fakeopenai.Always(echo(403)), llm.ErrRejected, "may use model", "", 1},
		{"unknown model", fakeopenai.Always(echo(404)), llm.ErrRejected, `model "gpt-4m" exists`, "", 1},
		{"cut before the stream", fakeopenai.Always(fakeopenai.Response{CutAfter: -1}), llm.ErrUnavailable, "did not answer", "", 2},
		{"cut before any text", fakeopenai.Always(fakeopenai.Response{Pieces: []string{"So"}, CutAfter: 1}), llm.ErrUnavailable, "broke off", "", 2},
		{"cut within the text", fakeopenai.Always(fakeopenai.Response{Pieces: []string{"So", "b"}, CutAfter: 2}), llm.ErrUnavailable, "broke off", "So", 1},
		{"cut within a call", fakeopenai.Always(fakeopenai.Response{Calls: []fakeopenai.Call{{Name: "roll", Arguments: `{"expression":"1d6"}`}}, CutAfter: 4}), llm.ErrUnavailable, "broke off", "", 2},
		{"ends without a finish", fakeopenai.Always(fakeopenai.Response{Raw: []string{`data: {"choices":[{"delta":{"content":"So"}}]}`}}), llm.ErrUnavailable, "ended before", "So", 1},
		{"only thoughts", fakeopenai.Always(fakeopenai.Response{Reasoning: "Hm."}), llm.ErrNoAnswer, "only thought", "", 1},
		{"thoughts up to the limit", fakeopenai.Always(fakeopenai.Response{Reasoning: "Hm.", Finish: "length"}), llm.ErrNoAnswer, "options.max_tokens", "", 1},
		{"a filter", fakeopenai.Always(fakeopenai.Response{Finish: "content_filter"}), llm.ErrNoAnswer, "content filter", "", 1},
		{"no quota", fakeopenai.Always(fakeopenai.Response{Status: 429, Message: "You exceeded your current quota, please check your plan and billing details.", Code: "insufficient_quota"}), llm.ErrRejected, "check its plan and billing", "", 1},
		{"no quota for now", fakeopenai.Always(fakeopenai.Response{Status: 429, Message: "You exceeded your current quota. Please retry in 40.5s."}), llm.ErrRateLimited, "for 40.5s, because the account's quota is used up", "", 1},
		{"no credit as a bad request", fakeopenai.Always(fakeopenai.Fail(400, "Your credit balance is too low to access the API.")), llm.ErrRejected, "billing", "", 1},
		{"a bad key as a bad request", fakeopenai.Always(fakeopenai.Fail(400, "API key not valid.")), llm.ErrRejected, "check providers.llm.api_key", "", 1},
		{"an unknown model as a bad request", fakeopenai.Always(fakeopenai.Fail(400, "The model does not exist or is not loaded")), llm.ErrRejected, `does not offer model "gpt-4m"; set providers.llm.model`, "", 1},
		{"a page as an error", fakeopenai.Always(fakeopenai.Response{Status: 404, PlainBody: true, Message: "<html><head><title>Not here</title></head></html>"}), llm.ErrRejected, "(a web page: Not here); check that providers.llm.base_url is right", "", 1},
		{"an error with the words of a gateway", fakeopenai.Always(fakeopenai.Response{Raw: []string{`data: {"base_resp":{"status_code":1008,"status_msg":"insufficient balance"},"choices":null}`}}), llm.ErrUnavailable, "insufficient balance", "", 2},
		{"empty stream", fakeopenai.Always(fakeopenai.Response{Raw: []string{""}}), llm.ErrUnavailable, "ended before", "", 2},
		{"error event", fakeopenai.Always(fakeopenai.Response{Pieces: []string{"So"}, FailAfter: 2}), llm.ErrUnavailable, "server had an error", "So", 1},
		{"rate limit event", fakeopenai.Always(fakeopenai.Response{Raw: []string{`data: { "error": {"message":"too fast","code":429}}`}}), llm.ErrRateLimited, "too fast", "", 1},
		{"error event without data", fakeopenai.Always(fakeopenai.Response{Raw: []string{`{"error":{"message":"out of memory"}}`}}), llm.ErrUnavailable, "out of memory", "", 2},
		{"garbage", fakeopenai.Always(fakeopenai.Response{Raw: []string{`data: {"choices":[{"delta":{"content":"So"}}]}`, "data: }{"}}), llm.ErrUnavailable, "no event", "So", 1},
		{"garbage between events", fakeopenai.Always(fakeopenai.Response{Raw: []string{"data: }{", `data: {"choices":[{"delta":{"content":"So"}}]}`, "data: ]["}}), llm.ErrUnavailable, "no event", "So", 1},
		{"held text before the end", fakeopenai.Always(fakeopenai.Response{Raw: []string{`data: {"choices":[{"delta":{"content":"No. "}}]}`, `data: {"choices":[{"delta":{"content":"No. Go."}}]}`}}), llm.ErrUnavailable, "ended before", "No. No. Go.", 1},
		{"a web page", fakeopenai.Always(fakeopenai.Response{Raw: []string{"<html>", "<body>", "</html>"}}), llm.ErrRejected, "base_url", "", 1},
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
		{"a malformed call", fakeopenai.Response{Status: 400, Message: "Failed to call a function. Please adjust your prompt.", Code: "tool_use_failed"}},
		{"a malformed call within the stream", fakeopenai.Response{Raw: []string{`data: {"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed"}}`}}},
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

// scripted is a vendor whose answers are bodies.
type scripted func(context.Context) io.ReadCloser

func (s scripted) RoundTrip(r *http.Request) (*http.Response, error) {
	_ = r.Body.Close()
	body := s(r.Context())
	context.AfterFunc(r.Context(), func() { _ = body.Close() }) // as a transport does
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body, Request: r}, nil
}

// TestTheFinishEndsAnAnswer has servers keep the connection open after the finish reason.
func TestTheFinishEndsAnAnswer(t *testing.T) {
	const (
		text   = `data: {"choices":[{"delta":{"content":"Aye."}}]}` + "\n\n"
		finish = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n"
		usage  = `data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}` + "\n\n"
		both   = `data: {"choices":[{"delta":{"content":"Aye."},"finish_reason":"stop"}]}` + "\n\n"
	)
	tests := []struct {
		name   string
		pieces []string
		pause  time.Duration // between pieces, the last of which repeats
		want   string
		took   time.Duration
		usage  bool
	}{
		{"silence", []string{text + finish, ""}, time.Hour, "Aye.", 300 * time.Millisecond, false},
		{"comments", []string{text, finish, ": ping\n\n"}, 50 * time.Millisecond, "Aye.", 350 * time.Millisecond, false},
		{"empty events", []string{text, finish, "data: {\"choices\":[]}\n\n"}, 50 * time.Millisecond, "Aye.", 350 * time.Millisecond, false},
		{"token counts", []string{text, finish, usage, ""}, 100 * time.Millisecond, "Aye.", 250 * time.Millisecond, true},
		{"a reason in every event", []string{both, both, both, ""}, 400 * time.Millisecond, "Aye.Aye.Aye.", 2800 * time.Millisecond, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := &http.Client{Transport: scripted(func(ctx context.Context) io.ReadCloser {
					in, out := io.Pipe()
					go func() { // ends with the request
						for i := 0; ; i++ {
							select {
							case <-time.After(min(time.Duration(i), 1) * tt.pause):
							case <-ctx.Done():
								return
							}
							if _, err := io.WriteString(out, tt.pieces[min(i, len(tt.pieces)-1)]); err != nil {
								return
							}
						}
					}()
					return in
				})}
				p, err := openai.New(openai.Options{BaseURL: "http://vendor.invalid/v1", Model: "m", HTTPClient: client})
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
				start := time.Now()
				got, err := collect(t.Context(), p, hello())
				if err != nil || got.Text != tt.want || (got.Usage != nil) != tt.usage {
					t.Errorf("said %q, usage %v, %v; want %q", got.Text, got.Usage, err, tt.want)
				}
				if took := time.Since(start); took.Round(10*time.Millisecond) != tt.took {
					t.Errorf("it took %v, want %v", took, tt.took)
				}
			})
		})
	}
}

// TestAnEmptyAnswerIsAskedForAgain has a model say nothing the first time.
func TestAnEmptyAnswerIsAskedForAgain(t *testing.T) {
	s := fakeopenai.Start(t, fakeopenai.Sequence(fakeopenai.Response{}, fakeopenai.Say("Aye.")), nil)
	if got, err := collect(t.Context(), connect(t, s, openai.Options{}), hello()); err != nil || got.Text != "Aye." {
		t.Errorf("said %q, %v, want the second answer", got.Text, err)
	}
}

// TestCompressedAnswers has a proxy compress what it was not asked to.
func TestCompressedAnswers(t *testing.T) {
	for name, status := range map[string]int{"answer": 200, "error": 401} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", "gzip")
				w.WriteHeader(status)
				z := gzip.NewWriter(w)
				defer z.Close()
				if status == 200 {
					_, _ = io.WriteString(z, "data: {\"choices\":[{\"delta\":{\"content\":\"Aye.\"},\"finish_reason\":\"stop\"}]}\n\n")
				} else {
					_, _ = io.WriteString(z, `{"error":{"message":"who are you?"}}`)
				}
			}))
			defer server.Close()
			p, err := openai.New(openai.Options{BaseURL: server.URL, Model: "m"})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			got, err := collect(t.Context(), p, hello())
			if status == 200 && (err != nil || got.Text != "Aye.") || status != 200 && !strings.Contains(fmt.Sprint(err), "who are you?") {
				t.Errorf("said %q, %v", got.Text, err)
			}
		})
	}
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
		{"no reason", `{"choices":[{"message":{"content":"Aye."}}],"usage":{"prompt_tokens":3.0,"completion_tokens":"1","prompt_cache_hit_tokens":2}}`,
			answer{Text: "Aye.", Finish: "stop", Usage: &llm.Usage{PromptTokens: 3, CompletionTokens: 1, CachedTokens: 2}}, nil},
		{"tokens beside the choice", `{"choices":[{"message":{"content":"Aye."},"finish_reason":"stop","usage":{"prompt_tokens":3,"completion_tokens":1}}]}`,
			answer{Text: "Aye.", Finish: "stop", Usage: &llm.Usage{PromptTokens: 3, CompletionTokens: 1}}, nil},
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

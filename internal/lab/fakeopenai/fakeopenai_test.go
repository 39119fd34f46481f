package fakeopenai_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	oai "github.com/sashabaranov/go-openai"
	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client is the public client library, which the server does not use.
func client(t *testing.T, s *fakeopenai.Server, key string) *oai.Client {
	t.Helper()
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	c := oai.DefaultConfig(key)
	c.BaseURL = s.URL()
	c.HTTPClient = &http.Client{Transport: tr}
	return oai.NewClientWithConfig(c)
}

// post sends a raw body and returns the status and body.
func post(t *testing.T, s *fakeopenai.Server, path, key, body string) (int, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, b
}

func TestRefusesWhatTheAPIRefuses(t *testing.T) {
	const call = `{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"roll","arguments":"{}"}}]}`
	tests := []struct{ name, key, body, want string }{
		{"no key", "", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`, "API key"},
		{"wrong key", "sk-wrong", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`, "Incorrect API key"},
		{"no json", "sk-right", `{"model":`, "could not parse"},
		{"no model", "sk-right", `{"messages":[{"role":"user","content":"hi"}]}`, "model parameter"},
		{"unknown model", "sk-right", `{"model":"other","messages":[{"role":"user","content":"hi"}]}`, "does not exist"},
		{"no messages", "sk-right", `{"model":"m","messages":[]}`, "empty array"},
		{"null content", "sk-right", `{"model":"m","messages":[{"role":"user"}]}`, "got null"},
		{"bad role", "sk-right", `{"model":"m","messages":[{"role":"npc","content":"hi"}]}`, "Invalid value: 'npc'"},
		{"bad speaker name", "sk-right", `{"model":"m","messages":[{"role":"user","name":"Sir Bob","content":"hi"}]}`, "name"},
		{"tool result without a call", "sk-right", `{"model":"m","messages":[{"role":"tool","tool_call_id":"c1","content":"9"}]}`, "preceding message"},
		{"tool result for another call", "sk-right", `{"model":"m","messages":[` + call + `,{"role":"tool","tool_call_id":"c2","content":"9"}]}`, "preceding message"},
		{"call without its result", "sk-right", `{"model":"m","messages":[` + call + `,{"role":"user","content":"hi"}]}`, "must be followed"},
		{"call at the end", "sk-right", `{"model":"m","messages":[` + call + `]}`, "must be followed"},
		{"arguments as object", "sk-right", `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"roll","arguments":{}}}]}]}`, "expected a string"},
		{"arguments missing", "sk-right", `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"roll"}}]}]}`, "Missing required parameter"},
		{"call id missing", "sk-right", `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"type":"function","function":{"name":"roll","arguments":"{}"}}]}]}`, ".id"},
		{"tool name with a dot", "sk-right", `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"a.b"}}]}`, "pattern"},
		{"tool name too long", "sk-right", `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"` + strings.Repeat("a", 65) + `"}}]}`, "pattern"},
		{"two tools of one name", "sk-right", `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"a"}}]}`, "not unique"},
		{"schema without properties", "sk-right", `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object"}}}]}`, "missing properties"},
		{"schema of another type", "sk-right", `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"string"}}}]}`, "type: \"object\""},
		{"required is null", "sk-right", `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object","properties":{},"required":null}}}]}`, "no array"},
		{"stream options without stream", "sk-right", `{"model":"m","messages":[{"role":"user","content":"hi"}],"stream_options":{"include_usage":true}}`, "stream_options"},
		{"temperature out of range", "sk-right", `{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":3}`, "temperature"},
	}
	s := fakeopenai.Start(t, nil, &fakeopenai.Options{APIKey: "sk-right", Models: []string{"m"}})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, body := post(t, s, "/chat/completions", tt.key, tt.body)
			var e struct {
				Error struct{ Message, Type string }
			}
			if err := json.Unmarshal(body, &e); err != nil {
				t.Fatalf("error body %q: %v", body, err)
			}
			if status < 400 || status > 404 || !strings.Contains(e.Error.Message, tt.want) || e.Error.Type == "" {
				t.Errorf("got %d %q, want 4xx with %q", status, e.Error.Message, tt.want)
			}
		})
	}
	if got := len(s.ChatRequests()); got != len(tests) {
		t.Errorf("recorded %d requests, want %d", got, len(tests))
	}
}

func TestPublicClientUnderstandsIt(t *testing.T) {
	script := fakeopenai.Sequence(
		fakeopenai.CallTools(fakeopenai.Call{Name: "roll", Arguments: `{"expression":"2d6+3"}`}, fakeopenai.Call{ID: "x", Name: "look", Arguments: `{`}),
		fakeopenai.Say("Nine ", "it is."),
	)
	s := fakeopenai.Start(t, script, nil)
	c := client(t, s, "k")
	req := oai.ChatCompletionRequest{Model: "m", Messages: []oai.ChatCompletionMessage{{Role: "user", Content: "roll"}}}
	resp, err := c.CreateChatCompletion(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	calls := resp.Choices[0].Message.ToolCalls
	if len(calls) != 2 || calls[0].Function.Arguments != `{"expression":"2d6+3"}` || calls[1].ID != "x" || calls[1].Function.Arguments != "{" {
		t.Errorf("calls = %+v", calls)
	}
	req.StreamOptions = &oai.StreamOptions{IncludeUsage: true}
	stream, err := c.CreateChatCompletionStream(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	text, usage := "", 0
	for {
		e, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, ch := range e.Choices {
			text += ch.Delta.Content
		}
		if e.Usage != nil {
			usage = e.Usage.CompletionTokens
		}
	}
	if text != "Nine it is." || usage != 3 {
		t.Errorf("streamed %q with %d tokens, want %q with 3", text, usage, "Nine it is.")
	}
	if _, err := c.CreateChatCompletion(t.Context(), oai.ChatCompletionRequest{Model: "m", Messages: req.Messages}); err == nil || !strings.Contains(err.Error(), "no more responses") {
		t.Errorf("exhausted script: err = %v", err)
	}
	if got := s.ChatRequests()[0].Chat.LastUser(); got != "roll" {
		t.Errorf("recorded user text = %q, want roll", got)
	}
}

func TestModels(t *testing.T) {
	s := fakeopenai.Start(t, nil, &fakeopenai.Options{Models: []string{"org/one", "two"}, NoAuth: true})
	c := client(t, s, "")
	list, err := c.ListModels(t.Context())
	if err != nil || len(list.Models) != 2 || list.Models[0].ID != "org/one" {
		t.Errorf("models = %+v, %v", list.Models, err)
	}
	if m, err := c.GetModel(t.Context(), "org/one"); err != nil || m.ID != "org/one" {
		t.Errorf("model = %+v, %v", m, err)
	}
	if _, err := c.GetModel(t.Context(), "three"); err == nil {
		t.Error("unknown model was found")
	}
	if status, _ := post(t, s, "/images/generations", "", `{}`); status != http.StatusNotFound {
		t.Errorf("unknown endpoint: status %d, want 404", status)
	}
}

func TestSpeech(t *testing.T) {
	s := fakeopenai.Start(t, nil, &fakeopenai.Options{SpeechDelay: time.Millisecond})
	const body = `{"model":"tts","input":"Hail, traveller!","voice":"alloy","response_format":"pcm"}`
	status, pcm := post(t, s, "/audio/speech", "k", body)
	want := fakeopenai.Speech("Hail, traveller!", "alloy", 1)
	if status != http.StatusOK || len(pcm) != 2*len(want) {
		t.Fatalf("status %d, %d bytes, want 200 and %d", status, len(pcm), 2*len(want))
	}
	for i, v := range want {
		if got := int16(binary.LittleEndian.Uint16(pcm[2*i:])); got != v {
			t.Fatalf("sample %d = %d, want %d", i, got, v)
		}
	}
	_, again := post(t, s, "/audio/speech", "k", body)
	if !bytes.Equal(pcm, again) {
		t.Error("the same request sounded different")
	}
	_, wav := post(t, s, "/audio/speech", "k", strings.Replace(body, "pcm", "wav", 1))
	if !bytes.Equal(wav[44:], pcm) || string(wav[:4]) != "RIFF" {
		t.Error("wav is not a header and the same samples")
	}
	_, fast := post(t, s, "/audio/speech", "k", strings.Replace(body, `"voice"`, `"speed":2,"voice"`, 1))
	if len(fast) != len(pcm)/2 {
		t.Errorf("at speed 2: %d bytes, want %d", len(fast), len(pcm)/2)
	}
	for name, bad := range map[string]string{
		"no input": `{"model":"tts","voice":"alloy","response_format":"pcm"}`,
		"no voice": `{"model":"tts","input":"a","response_format":"pcm"}`,
		"mp3":      `{"model":"tts","input":"a","voice":"alloy"}`,
		"speed":    `{"model":"tts","input":"a","voice":"alloy","response_format":"pcm","speed":9}`,
		"too long": `{"model":"tts","input":"` + strings.Repeat("a", 4097) + `","voice":"alloy","response_format":"pcm"}`,
	} {
		if status, _ := post(t, s, "/audio/speech", "k", bad); status != http.StatusBadRequest {
			t.Errorf("%s: status %d, want 400", name, status)
		}
	}
}

func TestEmbeddings(t *testing.T) {
	s := fakeopenai.Start(t, nil, nil)
	c := client(t, s, "k")
	resp, err := c.CreateEmbeddings(t.Context(), oai.EmbeddingRequest{
		Input: []string{"the red dragon sleeps", "a dragon that is red", "fresh bread"}, Model: "e", Dimensions: 256,
	})
	if err != nil {
		t.Fatal(err)
	}
	dot := func(i, j int) (sum float64) {
		for k, v := range resp.Data[i].Embedding {
			sum += float64(v) * float64(resp.Data[j].Embedding[k])
		}
		return sum
	}
	if d := dot(0, 0); math.Abs(d-1) > 1e-5 {
		t.Errorf("length = %v, want 1", d)
	}
	if near, far := dot(0, 1), dot(0, 2); near <= far {
		t.Errorf("similar texts %v, different texts %v: want the first greater", near, far)
	}
	coded, err := c.CreateEmbeddings(t.Context(), oai.EmbeddingRequest{Input: "bread", Model: "e", EncodingFormat: "base64"})
	if err != nil || len(coded.Data[0].Embedding) != 1536 {
		t.Errorf("base64: %v, %d dimensions, want 1536", err, len(coded.Data[0].Embedding))
	}
	for name, bad := range map[string]string{
		"no input": `{"model":"e"}`, "empty text": `{"model":"e","input":[""]}`, "no model": `{"input":"a"}`,
		"dimensions": `{"model":"e","input":"a","dimensions":-1}`,
	} {
		if status, _ := post(t, s, "/embeddings", "k", bad); status != http.StatusBadRequest {
			t.Errorf("%s: status %d, want 400", name, status)
		}
	}
}

func TestHangEndsWhenTheClientLeaves(t *testing.T) {
	s := fakeopenai.Start(t, fakeopenai.Always(fakeopenai.HangAfter("wait")), nil)
	ctx, cancel := context.WithCancel(t.Context())
	stream, err := client(t, s, "k").CreateChatCompletionStream(ctx, oai.ChatCompletionRequest{
		Model: "m", Messages: []oai.ChatCompletionMessage{{Role: "user", Content: "hi"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if _, err := stream.Recv(); err != nil {
		t.Fatal(err)
	}
	cancel()
	wait, done := context.WithTimeout(t.Context(), 5*time.Second)
	defer done()
	if err := s.WaitIdle(wait); err != nil {
		t.Fatalf("the answer went on after the client left: %v", err)
	}
	if got := s.Aborted(); got != 1 {
		t.Errorf("aborted = %d, want 1", got)
	}
}

func TestCloseEndsHangingAnswers(t *testing.T) {
	s, err := fakeopenai.New(fakeopenai.Always(fakeopenai.HangAfter("wait")), nil)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := client(t, s, "k").CreateChatCompletionStream(t.Context(), oai.ChatCompletionRequest{
		Model: "m", Messages: []oai.ChatCompletionMessage{{Role: "user", Content: "hi"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	s.Close()
	s.Close()
	for {
		if _, err := stream.Recv(); err != nil {
			return
		}
	}
}

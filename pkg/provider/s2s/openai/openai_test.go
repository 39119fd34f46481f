package openai_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/lab/fakerealtime"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// connect opens a session with a service that follows script. It ends with t.
func connect(t *testing.T, script fakerealtime.Script, o s2s.SessionOptions, opts openai.Options) (*fakerealtime.Server, s2s.Session) {
	t.Helper()
	server := fakerealtime.Start(t, script)
	opts.BaseURL = server.URL()
	if script.Beta {
		opts.Dialect = openai.Beta
	}
	p, err := openai.New(fakerealtime.Key, &opts)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return server, s
}

// say sends sound and requests an answer.
func say(t *testing.T, s s2s.Session, sound time.Duration, r s2s.Response) {
	t.Helper()
	if err := s.BeginTurn(t.Context()); err != nil {
		t.Fatal(err)
	}
	frame := fakerealtime.Tone(0, fakerealtime.Rate/50)
	for range sound / (20 * time.Millisecond) {
		if err := s.SendAudio(t.Context(), frame); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Respond(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

// heard collects a session's events.
type heard struct {
	input, output string
	sound         map[string][]int16
	items         []string // in the order their sound began
	done          []string // complete items
	calls         []llm.ToolCall
	started       int
	ends          []s2s.GenerationDone
	usage         s2s.Usage
	failed        []s2s.Failed
	interrupted   int
}

// hear receives until enough returns true.
func hear(t *testing.T, s s2s.Session, enough func(*heard) bool) *heard {
	t.Helper()
	h := &heard{sound: map[string][]int16{}}
	for !enough(h) {
		e, err := s.Recv(t.Context())
		if err != nil {
			t.Fatalf("receiving after %+v: %v", h, err)
		}
		h.add(e)
	}
	return h
}

func (h *heard) add(e s2s.Event) {
	switch e := e.(type) {
	case s2s.InputTranscript:
		if e.Final {
			h.input += e.Text
		}
	case s2s.OutputTranscript:
		h.output += e.Text
	case s2s.Audio:
		if h.sound[e.Item] == nil {
			h.items = append(h.items, e.Item)
		}
		h.sound[e.Item] = append(h.sound[e.Item], e.Samples...)
	case s2s.ItemDone:
		h.done = append(h.done, e.Item)
	case s2s.ToolCalled:
		h.calls = append(h.calls, e.Call)
	case s2s.ResponseStarted:
		h.started++
	case s2s.GenerationDone:
		h.ends = append(h.ends, e)
	case s2s.Usage:
		h.usage = e
	case s2s.Failed:
		h.failed = append(h.failed, e)
	case s2s.Interrupted:
		h.interrupted++
	}
}

// over returns a condition that holds after n generations.
func over(n int) func(*heard) bool { return func(h *heard) bool { return len(h.ends) == n } }

// samples returns the total number of samples received.
func (h *heard) samples() int {
	n := 0
	for _, sound := range h.sound {
		n += len(sound)
	}
	return n
}

func noneRefused(t *testing.T, server *fakerealtime.Server) {
	t.Helper()
	if codes := server.Refused(); len(codes) > 0 {
		t.Errorf("the service refused with %q", codes)
	}
}

func spoken(text string, sound time.Duration) fakerealtime.Answer {
	return fakerealtime.Answer{Parts: []fakerealtime.Part{{Text: text, Sound: sound}}}
}

var dialects = []struct {
	name string
	beta bool
}{{"ga", false}, {"beta", true}}

// TestTurn speaks one turn and hears its answer, in both dialects.
func TestTurn(t *testing.T) {
	for _, row := range dialects {
		t.Run(row.name, func(t *testing.T) {
			server, s := connect(t, fakerealtime.Script{
				Beta: row.beta, Hears: []string{"Who goes there?"},
				Answers: []fakerealtime.Answer{spoken("A friend, and a tired one.", 1250*time.Millisecond)},
			}, s2s.SessionOptions{Instructions: "You are Mira.", Voice: "cedar", Language: "en-GB"}, openai.Options{Transcription: "gpt-4o-mini-transcribe"})
			say(t, s, 600*time.Millisecond, s2s.Response{})
			h := hear(t, s, over(1))
			if h.input != "Who goes there?" || h.output != "A friend, and a tired one." || h.started != 1 {
				t.Errorf("heard %q and %q, started %d times", h.input, h.output, h.started)
			}
			if len(h.items) != 1 || !slices.Equal(h.done, h.items) || !slices.Equal(h.sound[h.items[0]], fakerealtime.Tone(0, 30000)) {
				t.Errorf("%d samples in items %q, done %q", h.samples(), h.items, h.done)
			}
			if diff := cmp.Diff([]s2s.GenerationDone{{Status: "completed"}}, h.ends); diff != "" {
				t.Error(diff)
			}
			want := s2s.Usage{InputTextTokens: 6, InputAudioTokens: 6, OutputTextTokens: 6, OutputAudioTokens: 25}
			if h.usage != want {
				t.Errorf("usage = %+v, want %+v", h.usage, want)
			}
			noneRefused(t, server)
		})
	}
}

// TestSessionUpdate checks a session's first message, in both dialects.
func TestSessionUpdate(t *testing.T) {
	o := s2s.SessionOptions{Instructions: "You are Mira.", Voice: "cedar", Language: "de-DE", Tools: []llm.ToolDefinition{{Name: "roll", Description: "Rolls."}}}
	want := map[string]string{
		"ga": `{"type":"realtime","instructions":"You are Mira.","output_modalities":["audio"],"tool_choice":"auto",
			"audio":{"input":{"format":{"type":"audio/pcm","rate":24000},"turn_detection":null,"transcription":{"model":"whisper-1","language":"de"}},
			"output":{"format":{"type":"audio/pcm","rate":24000},"voice":"cedar"}},
			"tools":[{"type":"function","name":"roll","description":"Rolls.","parameters":{"type":"object","properties":{}}}]}`,
		"beta": `{"instructions":"You are Mira.","modalities":["text","audio"],"tool_choice":"auto","voice":"cedar",
			"input_audio_format":"pcm16","output_audio_format":"pcm16","turn_detection":null,
			"input_audio_transcription":{"model":"whisper-1","language":"de"},
			"tools":[{"type":"function","name":"roll","description":"Rolls.","parameters":{"type":"object","properties":{}},
			"function":{"name":"roll","description":"Rolls.","parameters":{"type":"object","properties":{}}}}]}`,
	}
	for _, row := range dialects {
		t.Run(row.name, func(t *testing.T) {
			server, _ := connect(t, fakerealtime.Script{Beta: row.beta}, o, openai.Options{Transcription: "whisper-1"})
			var got struct{ Session any }
			if err := json.Unmarshal(server.Await(t, 1, "session.update")[0].Data, &got); err != nil {
				t.Fatal(err)
			}
			var expected any
			if err := json.Unmarshal([]byte(want[row.name]), &expected); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(expected, got.Session); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTools answers two parallel calls, once each, and then changes and clears the tools.
func TestTools(t *testing.T) {
	for _, row := range dialects {
		t.Run(row.name, func(t *testing.T) { testTools(t, row.beta) })
	}
}

func testTools(t *testing.T, beta bool) {
	var asked []fakerealtime.Request
	script := fakerealtime.Script{Beta: beta, Answer: func(r fakerealtime.Request) fakerealtime.Answer {
		asked = append(asked, r)
		if len(asked) == 1 {
			a := spoken("Let me see.", 200*time.Millisecond)
			a.Calls = []fakerealtime.Call{{Name: "roll", Arguments: `{"expression":"1d20"}`}, {Name: "rule", Arguments: `{}`}}
			return a
		}
		return spoken("A twelve.", 100*time.Millisecond)
	}}
	server, s := connect(t, script, s2s.SessionOptions{Tools: []llm.ToolDefinition{{Name: "roll"}, {Name: "rule"}}}, openai.Options{})
	given := make(chan llm.ToolCall, 2)
	s.OnToolCall(func(c llm.ToolCall) { given <- c })
	say(t, s, 0, s2s.Response{Text: "Do I see it?", Speaker: "Ann", Context: "It is dark."})
	h := hear(t, s, over(1))
	want := []llm.ToolCall{{ID: "call_1", Name: "roll", Arguments: `{"expression":"1d20"}`}, {ID: "call_2", Name: "rule", Arguments: "{}"}}
	if diff := cmp.Diff(want, h.calls); diff != "" || len(given) != 2 || h.ends[0].Calls != 2 {
		t.Fatalf("%d calls were given, %d in the end: %s", len(given), h.ends[0].Calls, diff)
	}
	if err := s.Respond(t.Context(), s2s.Response{Text: "Well?"}); err == nil {
		t.Error("an answer is asked for while another one is on its way")
	}
	if err := s.SetTools(t.Context(), []llm.ToolDefinition{{Name: "search"}}); err != nil {
		t.Fatal(err)
	}
	for _, r := range []s2s.ToolResult{{ID: "call_2", Text: "no such rule", IsError: true}, {ID: "call_1", Text: "12"}} {
		if err := s.SendToolResult(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if err := s.SendToolResult(t.Context(), r); err == nil {
			t.Errorf("a second result of %s is taken", r.ID)
		}
	}
	if h := hear(t, s, over(1)); h.output != "A twelve." {
		t.Errorf("heard %q after the tools", h.output)
	}
	if err := s.SetTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	say(t, s, 0, s2s.Response{Text: "Thanks."})
	hear(t, s, over(1))
	wantAsked := []fakerealtime.Request{
		{Instructions: "It is dark.", Tools: []string{"roll", "rule"}, Text: "Ann: Do I see it?", Entries: 1},
		{Instructions: "It is dark.", Tools: []string{"search"}, Text: "Ann: Do I see it?", Outputs: []string{`{"error":"no such rule"}`, "12"}, Entries: 6},
		{Text: "Thanks.", Entries: 8},
	}
	if diff := cmp.Diff(wantAsked, asked); diff != "" {
		t.Error(diff)
	}
	noneRefused(t, server)
}

// TestToolsWithoutAHandler checks that calls are refused and the model learns about it.
func TestToolsWithoutAHandler(t *testing.T) {
	server, s := connect(t, fakerealtime.Script{Answers: []fakerealtime.Answer{
		{Calls: []fakerealtime.Call{{Name: "roll", Arguments: "{}"}}}, spoken("I cannot.", 100*time.Millisecond),
	}}, s2s.SessionOptions{}, openai.Options{})
	say(t, s, 0, s2s.Response{Text: "Roll."})
	if h := hear(t, s, over(2)); h.output != "I cannot." {
		t.Errorf("heard %q", h.output)
	}
	if c := server.Conversation(0); c[2].Output != `{"error":"no tool can be called now"}` {
		t.Errorf("the model is told %q", c[2].Output)
	}
	noneRefused(t, server)
}

// TestSilentResults checks that no reply is requested after results that need none.
func TestSilentResults(t *testing.T) {
	server, s := connect(t, fakerealtime.Script{Answers: []fakerealtime.Answer{
		{Calls: []fakerealtime.Call{{Name: "roll", Arguments: "{}"}}}, spoken("Next.", 100*time.Millisecond),
	}}, s2s.SessionOptions{}, openai.Options{})
	s.OnToolCall(func(llm.ToolCall) {})
	say(t, s, 0, s2s.Response{Text: "Roll."})
	hear(t, s, over(1))
	if err := s.SendToolResult(t.Context(), s2s.ToolResult{ID: "call_1", Text: "12", Silent: true}); err != nil {
		t.Fatal(err)
	}
	say(t, s, 0, s2s.Response{Text: "Go on."})
	if h := hear(t, s, over(1)); h.output != "Next." {
		t.Errorf("heard %q", h.output)
	}
	if n := len(server.Messages("response.create")); n != 2 {
		t.Errorf("%d responses were asked for, want 2", n)
	}
}

// TestContextStaysOutOfTheConversation checks which items the conversation grows by.
func TestContextStaysOutOfTheConversation(t *testing.T) {
	var asked []fakerealtime.Request
	script := fakerealtime.Script{Hears: []string{"Hail."}, Answer: func(r fakerealtime.Request) fakerealtime.Answer {
		asked = append(asked, r)
		return spoken("Aye.", 100*time.Millisecond)
	}}
	server, s := connect(t, script, s2s.SessionOptions{Instructions: "You are Mira.", History: []llm.Message{
		{Role: llm.RoleUser, Name: "Ann", Content: "Hello."}, {Role: llm.RoleAssistant, Content: "Well met."}, {Role: llm.RoleAssistant},
	}}, openai.Options{})
	if err := s.Inject(t.Context(), llm.Message{Role: llm.RoleUser, Name: "Bo", Content: "Quiet, she talks."}, llm.Message{Role: llm.RoleSystem, Content: "It rains."}); err != nil {
		t.Fatal(err)
	}
	say(t, s, 40*time.Millisecond, s2s.Response{Speaker: "Ann", Context: "Scene: the ferry."})
	hear(t, s, over(1))
	say(t, s, 0, s2s.Response{Text: "And now?"})
	hear(t, s, over(1))
	if asked[0].Instructions != "You are Mira.\n\nScene: the ferry.\n\nThe player who speaks now is Ann." || asked[1].Instructions != "You are Mira." {
		t.Errorf("instructions were %q and %q", asked[0].Instructions, asked[1].Instructions)
	}
	var got []string
	for _, e := range server.Conversation(0) {
		got = append(got, e.Role+": "+e.Text)
	}
	want := []string{
		"user: Ann: Hello.", "assistant: Well met.", "user: Bo: Quiet, she talks.", "system: It rains.",
		"user: Hail.", "assistant: Aye.", "user: And now?", "assistant: Aye.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if sound := server.Conversation(0)[4].Sound; sound != 100*time.Millisecond {
		t.Errorf("40 ms of sound became %v, want the 100 the service takes", sound)
	}
	noneRefused(t, server)
}

// TestClearTurn checks that cleared sound is not answered.
func TestClearTurn(t *testing.T) {
	server, s := connect(t, fakerealtime.Script{}, s2s.SessionOptions{}, openai.Options{})
	for range 2 {
		if err := s.SendAudio(t.Context(), make([]int16, 5*fakerealtime.Rate)); err != nil {
			t.Fatal(err)
		}
		if err := s.ClearTurn(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	say(t, s, 200*time.Millisecond, s2s.Response{})
	h := hear(t, s, over(1))
	if c := server.Conversation(0); len(c) != 1 || c[0].Sound != 200*time.Millisecond {
		t.Errorf("the conversation is %+v", c)
	}
	if h.samples() > 0 || h.ends[0].Status != "completed" {
		t.Errorf("an empty turn is %+v", h)
	}
	if n := len(server.Messages("input_audio_buffer.append")); n != 2*3+10 {
		t.Errorf("%d messages with sound, want 16", n)
	}
	noneRefused(t, server)
}

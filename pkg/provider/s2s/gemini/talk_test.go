package gemini_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/lab/fakegemini"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s/gemini"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	key   = "AIza-key-of-the-tests-which-no-error-shows"
	older = "gemini-3.1-flash-live-preview"
)

// second is a second of sound.
var second = make([]int16, 16000)

func tool(name string) llm.ToolDefinition {
	return llm.ToolDefinition{Name: name, Description: "Does it.", Parameters: map[string]any{"type": "object"}}
}

// provider returns a provider for a service.
func provider(t *testing.T, service *fakegemini.Server, model string) *gemini.Provider {
	t.Helper()
	p, err := gemini.New(key, &gemini.Options{BaseURL: service.URL(), Model: model})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// talk is a session under test.
type talk struct {
	t       *testing.T
	session s2s.Session
	service *fakegemini.Server
	calls   []llm.ToolCall
	samples int
}

// connect opens a session with a service that plays turns.
func connect(t *testing.T, model string, o s2s.SessionOptions, turns ...fakegemini.Turn) *talk {
	t.Helper()
	service := fakegemini.Start(t, fakegemini.Options{APIKey: key, Turns: turns, Handles: []string{"known"}})
	t.Cleanup(func() {
		service.AwaitIdle()
		if refused := service.Refusals(); len(refused) > 0 {
			t.Errorf("the service refused: %q", refused)
		}
	})
	return connectTo(t, service, model, o)
}

func connectTo(t *testing.T, service *fakegemini.Server, model string, o s2s.SessionOptions) *talk {
	t.Helper()
	session, err := provider(t, service, model).Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	tk := &talk{t: t, session: session, service: service}
	session.OnToolCall(func(c llm.ToolCall) { tk.calls = append(tk.calls, c) })
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
	return tk
}

func (tk *talk) must(err error) {
	tk.t.Helper()
	if err != nil {
		tk.t.Fatal(err)
	}
}

// say speaks for a second and requests an answer.
func (tk *talk) say() {
	tk.t.Helper()
	ctx := tk.t.Context()
	tk.must(tk.session.BeginTurn(ctx))
	tk.must(tk.session.SendAudio(ctx, second))
	tk.must(tk.session.Respond(ctx, s2s.Response{}))
}

func (tk *talk) answer(id, text string) {
	tk.t.Helper()
	tk.must(tk.session.SendToolResult(tk.t.Context(), s2s.ToolResult{ID: id, Name: "roll", Text: text}))
}

func (tk *talk) interrupt(heard time.Duration) {
	tk.t.Helper()
	tk.must(tk.session.Interrupt(tk.t.Context(), heard))
}

// until receives until show formats an event as awaited, and returns all events, with
// sound summed up.
func (tk *talk) until(awaited string) []string {
	tk.t.Helper()
	var told []string
	for {
		event, err := tk.session.Recv(tk.t.Context())
		if err != nil {
			tk.t.Fatalf("%v, after %q", err, told)
		}
		if a, ok := event.(s2s.Audio); ok {
			tk.samples += len(a.Samples)
			if n := len(told); n == 0 || told[n-1] != "sound "+a.Item {
				told = append(told, "sound "+a.Item)
			}
		} else {
			told = append(told, show(event))
		}
		if strings.HasPrefix(told[len(told)-1], awaited) {
			return told
		}
	}
}

// show formats an event.
func show(event s2s.Event) string {
	switch e := event.(type) {
	case s2s.InputTranscript:
		if e.Final {
			return "heard all: " + e.Text
		}
		return "heard " + e.Text
	case s2s.ResponseStarted:
		return "started"
	case s2s.Audio:
		return "sound " + e.Item
	case s2s.OutputTranscript:
		return "says " + e.Item + " " + e.Text
	case s2s.ItemDone:
		return "item " + e.Item
	case s2s.ToolCalled:
		return "calls " + e.Call.ID + " " + e.Call.Name + " " + e.Call.Arguments
	case s2s.ToolCancelled:
		return "cancels " + strings.Join(e.IDs, " ")
	case s2s.GenerationDone:
		if e.Err != nil {
			return fmt.Sprintf("done %d %s: %v", e.Calls, e.Status, e.Err)
		}
		return fmt.Sprintf("done %d %s", e.Calls, e.Status)
	case s2s.Failed:
		return "failed " + e.Err.Error()
	case s2s.GoingAway:
		return "going " + e.Left.String()
	case s2s.Resumable:
		return "resumable " + e.Handle
	case s2s.Usage:
		return fmt.Sprintf("used %+v", e)
	}
	return fmt.Sprintf("%T", event)
}

func check(t *testing.T, what string, want, got []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// spoken returns the events of an answer with one part.
func spoken(number int, text string) []string {
	return []string{
		"started", fmt.Sprintf("says %d.1 %s", number, text), fmt.Sprintf("sound %d.1", number), fmt.Sprintf("item %d.1", number), "done 0 completed",
	}
}

// TestConversation has a spoken and a typed turn with each family of models, and checks
// the events and the messages sent.
func TestConversation(t *testing.T) {
	history := []llm.Message{
		{Role: llm.RoleUser, Name: "Anna", Content: "Good evening."},
		{Role: llm.RoleAssistant, Content: "Evening.", ToolCalls: []llm.ToolCall{{ID: "0", Name: "roll"}}},
		{Role: llm.RoleTool, Content: "17"},
	}
	for _, tt := range []struct {
		model     string
		asContent bool
	}{
		{"", true}, {older, false}, {"gemini-2.5-flash-native-audio-preview-12-2025", false}, {"gemini-next", false},
	} {
		t.Run(tt.model, func(t *testing.T) {
			tk := connect(t, tt.model, s2s.SessionOptions{Instructions: "You are Bart.", Voice: "Puck", Language: "de", Tools: []llm.ToolDefinition{tool("roll")}, History: history},
				fakegemini.Turn{
					Heard: "How are you?", Steps: []fakegemini.Step{fakegemini.Speak{Text: "Well.", Sound: 200 * time.Millisecond, Odd: true}},
					Usage: &fakegemini.Usage{PromptText: 100, PromptAudio: 25, ResponseText: 1, ResponseAudio: 50, Thoughts: 7, Cached: 40},
				}, fakegemini.Say("Indeed."))
			ctx := t.Context()
			tk.must(tk.session.Inject(ctx, llm.Message{Role: llm.RoleUser, Name: "Carl", Content: "I am off."}, llm.Message{Role: llm.RoleAssistant, Content: "Farewell."}))
			tk.must(tk.session.BeginTurn(ctx))
			tk.must(tk.session.SendAudio(ctx, second))
			tk.must(tk.session.Respond(ctx, s2s.Response{Speaker: "Anna", Context: "It is night."}))
			check(t, "the spoken turn", []string{
				"heard How", "heard  are you?", "started", "says 1.1 Well.", "sound 1.1", "heard all: How are you?", "item 1.1", "done 0 completed",
				"used {InputTextTokens:100 OutputTextTokens:8 InputAudioTokens:25 OutputAudioTokens:50 CachedTokens:40 AudioSeconds:0}",
			}, tk.until("used"))
			if want := 24000 / 5; tk.samples != want {
				t.Errorf("%d samples came, want %d", tk.samples, want)
			}
			tk.must(tk.session.Respond(ctx, s2s.Response{Speaker: "Anna", Text: "I see."}))
			check(t, "the typed turn", spoken(2, "Indeed."), tk.until("done"))
			want := []string{"setup", "activityStart", "audio", "text", "activityEnd", "activityStart", "text", "activityEnd"}
			if tt.asContent {
				want = slices.Insert(want, 1, "clientContent")
			}
			check(t, "what was sent", want, tk.service.Kinds(0))
			checkTexts(t, tk.service)
			checkHistory(t, tk.service, tt.asContent)
		})
	}
}

// checkTexts checks the texts that TestConversation sent.
func checkTexts(t *testing.T, service *fakegemini.Server) {
	t.Helper()
	texts := service.Of("text")
	for _, want := range []string{"Do not read it out", "Carl: I am off.", "You: Farewell.", "It is night.", "is Anna"} {
		if !strings.Contains(string(texts[0]), want) {
			t.Errorf("%q is not in the background %s", want, texts[0])
		}
	}
	if got := string(texts[1]); got != `{"text":"Anna: I see."}` {
		t.Errorf("the typed line was %s", got)
	}
	if n := len(service.Of("audio")); n != 2 {
		t.Errorf("a second of sound came in %d pieces, want 2", n)
	}
}

// checkHistory checks how earlier lines are sent: without calls, in one of two forms.
func checkHistory(t *testing.T, service *fakegemini.Server, asContent bool) {
	t.Helper()
	setup := string(service.Of("setup")[0])
	where := setup
	if asContent {
		where = string(service.Of("clientContent")[0])
		if want := `{"turns":[{"parts":[{"text":"Anna: Good evening."}],"role":"user"},{"parts":[{"text":"Evening."}],"role":"model"}]}`; where != want {
			t.Errorf("the history was told by %s, want %s", where, want)
		}
	}
	if !strings.Contains(where, "Anna: Good evening.") || strings.Contains(where, "17") || asContent == strings.Contains(setup, "Good evening.") {
		t.Errorf("the history was told by %s", where)
	}
}

// TestSetup checks a session's first message.
func TestSetup(t *testing.T) {
	tk := connect(t, "", s2s.SessionOptions{Instructions: "You are Bart.", Voice: "Puck", Language: "pt", Resume: "known", History: []llm.Message{{Role: llm.RoleUser, Content: "Hm."}},
		Tools: []llm.ToolDefinition{tool("roll"), tool("2nd"), {Name: "look_up"}}})
	want := `{"contextWindowCompression":{"slidingWindow":{}},"generationConfig":{"responseModalities":["AUDIO"],` +
		`"speechConfig":{"languageCode":"pt-BR","voiceConfig":{"prebuiltVoiceConfig":{"voiceName":"Puck"}}}},` +
		`"inputAudioTranscription":{},"model":"models/gemini-3.8-live","outputAudioTranscription":{},` +
		`"realtimeInputConfig":{"activityHandling":"START_OF_ACTIVITY_INTERRUPTS","automaticActivityDetection":{"disabled":true}},` +
		`"sessionResumption":{"handle":"known"},"systemInstruction":{"parts":[{"text":"You are Bart."}],"role":"user"},` +
		`"tools":[{"functionDeclarations":[{"behavior":"BLOCKING","description":"Does it.","name":"roll","parametersJsonSchema":{"type":"object"}},` +
		`{"behavior":"BLOCKING","name":"look_up","parametersJsonSchema":{"type":"object"}}]}]}`
	if got := string(tk.service.Of("setup")[0]); got != want {
		t.Errorf("the session began with\n%s, want\n%s", got, want)
	}
	check(t, "a session that goes on is told nothing again", []string{"setup"}, tk.service.Kinds(0))
}

// TestCapabilities checks the capabilities derived from a model's name.
func TestCapabilities(t *testing.T) {
	for model, want := range map[string]s2s.ToolChange{
		"": s2s.ToolsByContext, "gemini-3.8-live": s2s.ToolsByContext, "models/gemini-3.8-live-extended-thinking": s2s.ToolsByContext,
		"gemini-4.0-live": s2s.ToolsByContext, "gemini-3.10-live": s2s.ToolsByContext, older: s2s.ToolsByNewSession,
		"gemini-live-2.5-flash-preview": s2s.ToolsByNewSession, "gemini-3.80000-live": s2s.ToolsByNewSession, "other": s2s.ToolsByNewSession,
	} {
		p, err := gemini.New(key, &gemini.Options{Model: model})
		if err != nil {
			t.Fatal(err)
		}
		wanted := s2s.Capabilities{
			InputRate: 16000, OutputRate: 24000, ToolChange: want, ManualTurns: true, Typed: true, EndsTurns: true, Longest: 10 * time.Minute,
		}
		if got := p.Capabilities(); got != wanted {
			t.Errorf("%q can %+v, want %+v", model, got, wanted)
		}
	}
}

// TestMisuse covers calls that the session refuses itself, because the service would end
// the session.
func TestMisuse(t *testing.T) {
	tk := connect(t, "", s2s.SessionOptions{}, fakegemini.Say("Aye."))
	ctx := t.Context()
	if err := tk.session.SendAudio(ctx, second); err == nil {
		t.Error("sound was taken outside a turn")
	}
	tk.must(tk.session.BeginTurn(ctx))
	if err := tk.session.Respond(ctx, s2s.Response{Text: " "}); err == nil {
		t.Error("an answer to nothing was asked for")
	}
	if err := tk.session.ClearTurn(ctx); !errors.Is(err, s2s.ErrUnsupported) {
		t.Errorf("ClearTurn = %v, want ErrUnsupported", err)
	}
	if err := tk.session.SendToolResult(ctx, s2s.ToolResult{ID: "9"}); err == nil {
		t.Error("a result of no call was taken")
	}
	tk.must(tk.session.BeginTurn(ctx)) // the player continues
	tk.must(tk.session.SendAudio(ctx, second))
	tk.must(tk.session.Respond(ctx, s2s.Response{}))
	check(t, "the answer", spoken(1, "Aye."), tk.until("done"))
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for name, err := range map[string]error{
		"BeginTurn": tk.session.BeginTurn(ended), "Inject": tk.session.Inject(ended), "SetTools": tk.session.SetTools(ended, nil),
		"Interrupt": tk.session.Interrupt(ended, 0), "Respond": tk.session.Respond(ended, s2s.Response{Text: "Hm."}),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s = %v, want the context's error", name, err)
		}
	}
	if _, err := tk.session.Recv(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("Recv = %v, want the context's error", err)
	}
}

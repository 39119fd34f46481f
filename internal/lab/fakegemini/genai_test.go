package fakegemini_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"
	"google.golang.org/genai"

	"github.com/MrWong99/glyphoxa/internal/lab/fakegemini"
)

// visitor is the vendor's Go client in a conversation.
type visitor struct {
	t       *testing.T
	session *genai.Session
	told    []string
	samples int
	handle  string
}

func declare(name string) []*genai.Tool {
	return []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{
		Name: name, Behavior: genai.BehaviorBlocking, ParametersJsonSchema: map[string]any{"type": "object"},
	}}}}
}

// settings are a session's settings with manual turns.
func settings(handle string) *genai.LiveConnectConfig {
	return &genai.LiveConnectConfig{
		ResponseModalities: []genai.Modality{genai.ModalityAudio}, Tools: declare("roll"),
		SystemInstruction:       genai.NewContentFromText("You are Bart.", genai.RoleUser),
		InputAudioTranscription: &genai.AudioTranscriptionConfig{}, OutputAudioTranscription: &genai.AudioTranscriptionConfig{},
		RealtimeInputConfig:      &genai.RealtimeInputConfig{AutomaticActivityDetection: &genai.AutomaticActivityDetection{Disabled: true}},
		SessionResumption:        &genai.SessionResumptionConfig{Handle: handle},
		ContextWindowCompression: &genai.ContextWindowCompressionConfig{SlidingWindow: &genai.SlidingWindow{}},
	}
}

// dial opens a session with the vendor's client.
func dial(t *testing.T, service *fakegemini.Server, key, model string, config *genai.LiveConnectConfig) (*genai.Session, error) {
	t.Helper()
	client, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		APIKey: key, Backend: genai.BackendGeminiAPI,
		HTTPOptions: genai.HTTPOptions{BaseURL: strings.Replace(service.URL(), "http", "ws", 1)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return client.Live.Connect(t.Context(), model, config)
}

func (v *visitor) connect(service *fakegemini.Server) {
	v.t.Helper()
	session, err := dial(v.t, service, key, "gemini-3.8-live", settings(v.handle))
	if err != nil {
		v.t.Fatal(err)
	}
	v.session = session
}

// until reads up to an awaited message.
func (v *visitor) until(is func(*genai.LiveServerMessage) bool) *genai.LiveServerMessage {
	v.t.Helper()
	for {
		m, err := v.session.Receive()
		if err != nil {
			v.t.Fatalf("%v, after %q", err, v.told)
		}
		v.note(m)
		if is(m) {
			return m
		}
	}
}

// note records a message.
func (v *visitor) note(m *genai.LiveServerMessage) {
	if c := m.ServerContent; c != nil {
		v.noteContent(c)
	}
	if m.ToolCall != nil {
		v.told = append(v.told, "calls "+m.ToolCall.FunctionCalls[0].Name)
	}
	if m.GoAway != nil {
		v.told = append(v.told, "goes 60s")
	}
	if m.SessionResumptionUpdate != nil {
		v.handle = m.SessionResumptionUpdate.NewHandle
	}
}

func (v *visitor) noteContent(c *genai.LiveServerContent) {
	if c.InputTranscription != nil {
		v.told = append(v.told, "heard "+c.InputTranscription.Text)
	}
	if c.OutputTranscription != nil {
		v.told = append(v.told, "says "+c.OutputTranscription.Text)
	}
	if c.ModelTurn != nil {
		v.samples += len(c.ModelTurn.Parts[0].InlineData.Data) / 2
	}
	for word, is := range map[string]bool{"generated": c.GenerationComplete, "interrupted": c.Interrupted, "complete": c.TurnComplete} {
		if is {
			v.told = append(v.told, word)
		}
	}
}

func isComplete(m *genai.LiveServerMessage) bool {
	return m.ServerContent != nil && m.ServerContent.TurnComplete
}

func (v *visitor) send(inputs ...genai.LiveRealtimeInput) {
	v.t.Helper()
	for _, input := range inputs {
		if err := v.session.SendRealtimeInput(input); err != nil {
			v.t.Fatal(err)
		}
	}
}

var (
	begin = genai.LiveRealtimeInput{ActivityStart: &genai.ActivityStart{}}
	end   = genai.LiveRealtimeInput{ActivityEnd: &genai.ActivityEnd{}}
	sound = genai.LiveRealtimeInput{Audio: &genai.Blob{MIMEType: "audio/pcm;rate=16000", Data: make([]byte, 3200)}}
)

// answerCalls answers the next call and waits for the answer's end.
func (v *visitor) answerCalls() {
	v.t.Helper()
	m := v.until(func(m *genai.LiveServerMessage) bool { return m.ToolCall != nil })
	call := m.ToolCall.FunctionCalls[0]
	if err := v.session.SendToolResponse(genai.LiveToolResponseInput{FunctionResponses: []*genai.FunctionResponse{
		{ID: call.ID, Name: call.Name, Response: map[string]any{"output": "17"}},
	}}); err != nil {
		v.t.Fatal(err)
	}
	v.until(isComplete)
}

// TestVendorsClientForGo checks that the Go client completes the conversation.
func TestVendorsClientForGo(t *testing.T) {
	service := fakegemini.Start(t, conversation)
	v := &visitor{t: t}
	v.connect(service)
	if err := v.session.SendClientContent(genai.LiveClientContentInput{
		Turns: []*genai.Content{genai.NewContentFromText("Anna: Good evening.", genai.RoleUser)}, TurnComplete: genai.Ptr(false),
	}); err != nil {
		t.Fatal(err)
	}
	v.send(begin, sound, end)
	v.answerCalls()
	v.send(begin, sound, end)
	v.until(func(m *genai.LiveServerMessage) bool {
		return m.ServerContent != nil && m.ServerContent.ModelTurn != nil
	})
	v.send(begin)
	v.until(isComplete)
	v.send(genai.LiveRealtimeInput{Text: "Anna: Never mind."}, end)
	v.until(isComplete)
	if err := v.session.SendContextUpdate(genai.LiveClientContextUpdate{Tools: &genai.LiveClientContextUpdateTools{Tools: declare("look_up")}}); err != nil {
		t.Fatal(err)
	}
	v.send(begin, sound, end)
	v.answerCalls()
	v.until(func(m *genai.LiveServerMessage) bool { return m.SessionResumptionUpdate != nil })
	_ = v.session.Close() // the session is over
	v.connect(service)
	v.send(begin, sound, end)
	v.until(isComplete)
	_ = v.session.Close() // as above
	want := []string{}
	for _, word := range told {
		if word != "used 85" {
			want = append(want, word)
		}
	}
	if diff := cmp.Diff(want, v.told); diff != "" {
		t.Errorf("what it was told (-want +got):\n%s", diff)
	}
	if v.samples > samples {
		t.Errorf("it got %d samples, want at most %d", v.samples, samples)
	}
	checkSent(t, service)
}

// TestRefusals checks the code and reason with which the service closes a
// session.
func TestRefusals(t *testing.T) {
	call := fakegemini.Turn{Steps: []fakegemini.Step{fakegemini.CallTools{Calls: []fakegemini.Call{{ID: "1", Name: "roll"}}}}}
	result := func(id string) func(*visitor) error {
		return func(v *visitor) error {
			return v.session.SendToolResponse(genai.LiveToolResponseInput{FunctionResponses: []*genai.FunctionResponse{
				{ID: id, Name: "roll", Response: map[string]any{"output": "17"}},
			}})
		}
	}
	tell := func(inputs ...genai.LiveRealtimeInput) func(*visitor) error {
		return func(v *visitor) error { v.send(inputs...); return nil }
	}
	both := func(first, second func(*visitor) error) func(*visitor) error {
		return func(v *visitor) error { return errors.Join(first(v), second(v)) }
	}
	content := func(parts ...*genai.Part) func(*visitor) error {
		return func(v *visitor) error {
			return v.session.SendClientContent(genai.LiveClientContentInput{Turns: []*genai.Content{{Role: "model", Parts: parts}}, TurnComplete: genai.Ptr(false)})
		}
	}
	automatic := func(c *genai.LiveConnectConfig) { c.RealtimeInputConfig = nil }
	plain := func(c *genai.LiveConnectConfig) { c.Tools[0].FunctionDeclarations[0].Behavior = "" }
	for _, tt := range []struct {
		name, key, model string
		change           func(*genai.LiveConnectConfig)
		do               func(*visitor) error
		code             int
		want             string
	}{
		{name: "key", key: "other", code: 1007, want: "API key not valid"},
		{name: "model", model: "gemini-9-none", code: 1008, want: "is not found"},
		{name: "handle", change: func(c *genai.LiveConnectConfig) { c.SessionResumption.Handle = "gone" }, code: 1008, want: "session not found"},
		{name: "text_answers", change: func(c *genai.LiveConnectConfig) { c.ResponseModalities = []genai.Modality{genai.ModalityText} }, code: 1007, want: "invalid argument"},
		{name: "language", change: func(c *genai.LiveConnectConfig) { c.SpeechConfig = &genai.SpeechConfig{LanguageCode: "en"} }, code: 1007, want: "Unsupported language"},
		{name: "thinking", change: func(c *genai.LiveConnectConfig) { c.ThinkingConfig = &genai.ThinkingConfig{} }, code: 1007, want: "invalid argument"},
		{name: "twice_declared", change: func(c *genai.LiveConnectConfig) { c.Tools = append(c.Tools, declare("roll")...) }, code: 1007, want: "Duplicate"},
		{name: "behavior", model: "gemini-3.1-flash-live-preview", code: 1007, want: "invalid argument"},
		{name: "blocking", model: "gemini-3.8-live-extended-thinking", code: 1007, want: "invalid argument"},
		{name: "unknown_field", change: func(c *genai.LiveConnectConfig) { c.Labels = map[string]string{"a": "b"} }, code: 1007, want: `Unknown name "labels"`},
		{name: "automatic", change: automatic, do: tell(begin), code: 1007, want: "Explicit activity control"},
		{name: "nothing_said", do: tell(begin, end), code: 1007, want: "No turn to complete"},
		{name: "begun_twice", do: tell(begin, begin), code: 1007, want: "invalid argument"},
		{name: "never_begun", do: tell(sound, end), code: 1007, want: "invalid argument"},
		{name: "sound", do: tell(genai.LiveRealtimeInput{Audio: &genai.Blob{MIMEType: "audio/wav", Data: []byte{1, 2}}}), code: 1007, want: "invalid argument"},
		{name: "media_chunks", do: tell(genai.LiveRealtimeInput{Media: sound.Audio}), code: 1007, want: "invalid argument"},
		{name: "calls_in_history", do: content(genai.NewPartFromFunctionCall("roll", nil)), code: 1007, want: "invalid argument"},
		{name: "content_of_older", model: "gemini-3.1-flash-live-preview", change: plain, do: content(genai.NewPartFromText("hm")), code: 1007, want: "invalid argument"},
		{name: "update_of_older", model: "gemini-2.5-flash", change: plain, do: func(v *visitor) error {
			return v.session.SendContextUpdate(genai.LiveClientContextUpdate{Tools: &genai.LiveClientContextUpdateTools{}})
		}, code: 1007, want: "invalid argument"},
		{name: "no_such_call", do: result("9"), code: 1008, want: "not found"},
		{name: "answered_twice", do: both(tell(begin, sound, end), func(v *visitor) error {
			v.until(func(m *genai.LiveServerMessage) bool { return m.ToolCall != nil })
			return both(result("1"), result("1"))(v)
		}), code: 1008, want: "not found"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			options := fakegemini.Options{APIKey: key, Turns: []fakegemini.Turn{call}}
			if tt.name == "model" {
				options.Models = []string{"gemini-3.8-live"}
			}
			service := fakegemini.Start(t, options)
			config := settings("")
			if tt.change != nil {
				tt.change(config)
			}
			if tt.key == "" {
				tt.key = key
			}
			if tt.model == "" {
				tt.model = "gemini-3.8-live"
			}
			v := &visitor{t: t}
			var err error
			v.session, err = dial(t, service, tt.key, tt.model, config)
			if err == nil {
				defer v.session.Close()
				if tt.do == nil {
					t.Fatal("it was let in")
				}
				if err := tt.do(v); err != nil {
					t.Fatal(err)
				}
				for err == nil {
					_, err = v.session.Receive()
				}
			}
			var closed *websocket.CloseError
			if !errors.As(err, &closed) || closed.Code != tt.code || !strings.Contains(closed.Text, tt.want) {
				t.Errorf("it ended with %v, want code %d and %q", err, tt.code, tt.want)
			}
			if len(service.Refusals()) != 1 {
				t.Errorf("the service says it refused %q", service.Refusals())
			}
		})
	}
}

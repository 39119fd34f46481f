package fakerealtime_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/realtime"
	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/lab/fakerealtime"
	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// conversation is the script for both of the vendor's clients.
var conversation = fakerealtime.Script{
	Hears: []string{"Goodbye, Bart."},
	Answers: []fakerealtime.Answer{
		{
			Parts: []fakerealtime.Part{{Text: "Let me see.", Sound: 300 * time.Millisecond}},
			Calls: []fakerealtime.Call{{Name: "roll", Arguments: `{"expression":"1d20"}`}},
		},
		{Parts: []fakerealtime.Part{{Text: "You see him.", Sound: 300 * time.Millisecond}}},
		{Parts: []fakerealtime.Part{{Text: "Once there was", Sound: 2 * time.Second}}, HoldEnd: true},
		{Calls: []fakerealtime.Call{{Name: "search", Arguments: `{"expression":"Anna"}`}}},
		{Parts: []fakerealtime.Part{{Text: "Anna does.", Sound: 300 * time.Millisecond}}},
		{Parts: []fakerealtime.Part{{Text: "Fare well.", Sound: 300 * time.Millisecond}}},
	},
}

// TestAgentsForNode checks that the vendor's npm agents complete the
// conversation.
func TestAgentsForNode(t *testing.T) {
	client := peers.File(t, "@openai/agents/package.json")
	root := filepath.Join(filepath.Dir(client), "..", "..", "..")
	service := fakerealtime.Start(t, conversation)
	cmd := exec.CommandContext(t.Context(), peers.Node(t), filepath.Join(root, "realtime.mjs"), service.URL(), fakerealtime.Key)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var done struct {
		Told, Used, History, Failures []string
		Samples                       int
	}
	if err := json.Unmarshal(out, &done); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	if len(done.Failures) > 0 || done.Samples != 4*7200+48000 {
		t.Errorf("it heard %d samples and failed: %q", done.Samples, done.Failures)
	}
	told := []string{
		"turn of 2, counted", "turn of 1, counted", "turn of 1, counted", "tools search", "turn of 1, counted", "turn of 1, counted",
		"input_audio_buffer.speech_started", "input_audio_buffer.speech_stopped", "turn of 1, counted",
	}
	if diff := cmp.Diff(told, done.Told); diff != "" {
		t.Errorf("what it was told (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"roll 1d20", "interrupted", "truncated", "search Anna"}, done.Used); diff != "" {
		t.Errorf("what it did (-want +got):\n%s", diff)
	}
	history := []string{
		"user: Do I see the thief?", "assistant: Let me see.", "roll: 12", "assistant: You see him.", "user: Tell me a story.",
		"assistant: Once there was", "user: Who lives here?", "search: 12", "assistant: Anna does.", "user: Goodbye, Bart.", "assistant: Fare well.",
	}
	if diff := cmp.Diff(history, done.History); diff != "" {
		t.Errorf("what it remembers (-want +got):\n%s", diff)
	}
	if codes := service.Refused(); len(codes) > 0 {
		t.Errorf("the service refused with %q", codes)
	}
}

// goClient is the vendor's Go client and what it received.
type goClient struct {
	t       *testing.T
	conn    *realtime.RealtimeConnection
	told    []string
	samples int
	item    string // the last spoken one
	call    string // the last call's id
}

func (c *goClient) send(e realtime.RealtimeClientEventUnionParam) {
	c.t.Helper()
	if err := c.conn.Send(c.t.Context(), e); err != nil {
		c.t.Fatal(err)
	}
}

// await receives until an entry is recorded.
func (c *goClient) await(what string) {
	c.t.Helper()
	for {
		e, err := c.conn.Recv(c.t.Context())
		if err != nil {
			c.t.Fatalf("waiting for %q: %v", what, err)
		}
		told := c.note(e)
		if told != "" {
			c.told = append(c.told, told)
		}
		if told == what {
			return
		}
	}
}

// note decodes an event with the client's types and returns its summary.
func (c *goClient) note(e realtime.RealtimeServerEventUnion) string {
	c.t.Helper()
	switch e := e.AsAny().(type) {
	case nil:
		c.t.Errorf("an event that the client does not know: %s", e)
	case realtime.SessionUpdatedEvent:
		return fmt.Sprintf("%d tools", len(e.Session.AsRealtimeSessionCreateRequest().Tools))
	case realtime.ResponseAudioDeltaEvent:
		sound, err := base64.StdEncoding.DecodeString(e.Delta)
		if err != nil {
			c.t.Error(err)
		}
		c.samples += len(sound) / 2
		if c.item != e.ItemID {
			c.item = e.ItemID
			return "sounds"
		}
	case realtime.ResponseAudioTranscriptDoneEvent:
		return "says " + e.Transcript
	case realtime.ResponseFunctionCallArgumentsDoneEvent:
		c.call = e.CallID
		return e.Name + " " + e.Arguments
	case realtime.ResponseDoneEvent:
		return fmt.Sprintf("%s with %d", e.Response.Status, len(e.Response.Output))
	case realtime.ConversationItemTruncatedEvent:
		return fmt.Sprintf("cut to %d ms", e.AudioEndMs)
	case realtime.ConversationItemInputAudioTranscriptionCompletedEvent:
		return "heard " + e.Transcript
	case realtime.RealtimeErrorEvent:
		return "refused: " + e.Error.Code
	}
	return ""
}

// ask sends a line and requests a response.
func (c *goClient) ask(text string) {
	c.send(realtime.RealtimeClientEventParamOfConversationItemCreate(realtime.RealtimeConversationItemUserMessageParam{
		Content: []realtime.RealtimeConversationItemUserMessageContentParam{{Type: "input_text", Text: param.NewOpt(text)}},
	}))
	c.respond()
}

func (c *goClient) respond() {
	c.send(realtime.RealtimeClientEventUnionParam{OfResponseCreate: &realtime.ResponseCreateEventParam{}})
}

// result answers the last call.
func (c *goClient) result(text string) {
	c.send(realtime.RealtimeClientEventParamOfConversationItemCreate(realtime.RealtimeConversationItemFunctionCallOutputParam{
		CallID: c.call, Output: text,
	}))
	c.respond()
}

func (c *goClient) setTool(name string) {
	c.send(realtime.RealtimeClientEventParamOfSessionUpdate(realtime.RealtimeSessionCreateRequestParam{
		Tools: realtime.RealtimeToolsConfigParam{{OfFunction: &realtime.RealtimeFunctionToolParam{
			Type: "function", Name: param.NewOpt(name), Parameters: map[string]any{"type": "object"},
		}}},
		Audio: realtime.RealtimeAudioConfigParam{Input: realtime.RealtimeAudioConfigInputParam{
			Transcription: realtime.AudioTranscriptionParam{Model: "whisper-1"},
		}},
	}))
	c.await("1 tools")
}

// TestClientForGo checks that the vendor's Go client completes the
// conversation.
func TestClientForGo(t *testing.T) {
	service := fakerealtime.Start(t, conversation)
	vendor := realtime.NewRealtimeService(option.WithBaseURL(service.URL()), option.WithAPIKey(fakerealtime.Key))
	conn, err := vendor.Connect(t.Context(), realtime.RealtimeConnectionOptions{}, option.WithQuery("model", "gpt-realtime"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	c := &goClient{t: t, conn: conn}
	c.setTool("roll")
	c.ask("Do I see the thief?")
	c.await("completed with 2")
	c.result("12")
	c.await("completed with 1")
	c.ask("Tell me a story.")
	c.await("sounds")
	for c.samples < 2*7200+48000 {
		c.await("")
	}
	c.send(realtime.RealtimeClientEventUnionParam{OfResponseCancel: &realtime.ResponseCancelEventParam{}})
	c.await("cancelled with 1")
	c.send(realtime.RealtimeClientEventParamOfConversationItemTruncate(250, 0, c.item))
	c.await("cut to 250 ms")
	c.setTool("search")
	c.ask("Who lives here?")
	c.await("completed with 1")
	c.result("Anna")
	c.await("completed with 1")
	loud := bytes.Repeat([]byte{0, 16}, 7200)
	for _, sound := range [][]byte{loud, make([]byte, 48000)} {
		c.send(realtime.RealtimeClientEventParamOfInputAudioBufferAppend(base64.StdEncoding.EncodeToString(sound)))
	}
	c.await("completed with 1")
	want := []string{
		"1 tools", "sounds", "says Let me see.", `roll {"expression":"1d20"}`, "completed with 2",
		"sounds", "says You see him.", "completed with 1",
		"sounds", "says Once there was", "cancelled with 1", "cut to 250 ms",
		"1 tools", `search {"expression":"Anna"}`, "completed with 1", "sounds", "says Anna does.", "completed with 1",
		"heard Goodbye, Bart.", "sounds", "says Fare well.", "completed with 1",
	}
	if diff := cmp.Diff(want, c.told); diff != "" {
		t.Errorf("what it was told (-want +got):\n%s", diff)
	}
	if codes := service.Refused(); len(codes) > 0 {
		t.Errorf("the service refused with %q", codes)
	}
}

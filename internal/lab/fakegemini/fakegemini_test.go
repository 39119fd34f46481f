package fakegemini_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/lab/fakegemini"
	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

// TestMain allows one goroutine that a dependency of the vendor's client never
// stops.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}

const key = "key-of-the-tests"

// conversation is the script for both of the vendor's clients.
var conversation = fakegemini.Options{APIKey: key, Turns: []fakegemini.Turn{
	{
		Heard: "Roll for me, Bart.",
		Steps: []fakegemini.Step{
			fakegemini.Speak{Text: "Let me see."},
			fakegemini.CallTools{Calls: []fakegemini.Call{{ID: "1", Name: "roll", Args: map[string]any{"expression": "1d20"}}}},
			fakegemini.Speak{Text: "Seventeen."},
		},
		Usage: &fakegemini.Usage{PromptText: 10, PromptAudio: 25, ResponseAudio: 50},
	},
	{Steps: []fakegemini.Step{fakegemini.Speak{Sound: 200 * time.Millisecond}, fakegemini.Hang{}}},
	fakegemini.Say("As you wish."),
	{
		Steps: []fakegemini.Step{
			fakegemini.CallTools{Calls: []fakegemini.Call{{ID: "2", Name: "look_up"}}},
			fakegemini.Speak{Text: "It is so."}, fakegemini.GoAway{Left: time.Minute},
		},
		Handle: "handle-1",
	},
	fakegemini.Say("Where were we?"),
}}

// told lists what the clients receive.
var told = []string{
	"heard Roll", "heard  for me, Bart.", "says Let me see.", "calls roll", "says Seventeen.", "generated", "used 85", "complete",
	"interrupted", "complete", "says As you wish.", "generated", "complete",
	"calls look_up", "says It is so.", "goes 60s", "generated", "complete",
	"says Where were we?", "generated", "complete",
}

// sent lists what the clients send on their first connection.
var sent = []string{
	"setup", "clientContent", "activityStart", "audio", "activityEnd", "toolResponse", "activityStart", "audio", "activityEnd",
	"activityStart", "text", "activityEnd", "contextUpdate", "activityStart", "audio", "activityEnd", "toolResponse",
}

// samples is the length of the conversation's sound, with a late interruption.
const samples = 10 * fakegemini.OutputRate * 40 / 1000

// TestVendorsClientForNode checks that the npm client completes the
// conversation.
func TestVendorsClientForNode(t *testing.T) {
	client := peers.File(t, "@google/genai/package.json")
	root := filepath.Join(filepath.Dir(client), "..", "..", "..")
	service := fakegemini.Start(t, conversation)
	cmd := exec.CommandContext(t.Context(), peers.Node(t), filepath.Join(root, "gemini.mjs"), service.URL(), key)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var done struct {
		Told     []string
		Samples  int
		Handle   string
		Failures []string
	}
	if err := json.Unmarshal(out, &done); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	if len(done.Failures) > 0 {
		t.Errorf("it failed: %q", done.Failures)
	}
	if diff := cmp.Diff(told, done.Told); diff != "" {
		t.Errorf("what it was told (-want +got):\n%s", diff)
	}
	if done.Samples == 0 || done.Samples > samples || done.Handle != "handle-1" {
		t.Errorf("it got %d samples and the handle %q", done.Samples, done.Handle)
	}
	checkSent(t, service)
}

// checkSent compares the received messages with the client's script.
func checkSent(t *testing.T, service *fakegemini.Server) {
	t.Helper()
	if refused := service.Refusals(); len(refused) > 0 {
		t.Errorf("the service refused: %q", refused)
	}
	if diff := cmp.Diff(sent, service.Kinds(0)); diff != "" {
		t.Errorf("what it sent (-want +got):\n%s", diff)
	}
	setups := service.Of("setup")
	if len(setups) != 2 || !strings.Contains(string(setups[1]), `"handle":"handle-1"`) {
		t.Errorf("the sessions began with %s", setups)
	}
	updates := service.Of("contextUpdate")
	if len(updates) != 1 || !strings.Contains(string(updates[0]), `"look_up"`) {
		t.Errorf("the tools changed by %s", updates)
	}
	responses := service.Of("toolResponse")
	if !slices.ContainsFunc(responses, func(r json.RawMessage) bool { return strings.Contains(string(r), `"17"`) }) {
		t.Errorf("the results were %s", responses)
	}
}

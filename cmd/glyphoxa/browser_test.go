package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/internal/lab/fakestt"
	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

// TestTableInABrowser lets people meet at a table in Chromium, at desktop and
// phone size: an NPC answers microphone sound aloud, players hear and interrupt
// each other, one player reloads the page during an answer, and one has no
// microphone. axe must find no accessibility problem, and the page must be
// small.
func TestTableInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	browser, _ := peers.Browser(t)
	peer(t, "axe-core/axe.min.js")
	peer(t, "playwright-core/package.json")
	needEspeak(t)
	const line = "Bartok, what do you drink?"
	model := fakeopenai.Start(t, inventive(), nil)
	stt := fakestt.Start(t, fakestt.Script{Lines: []string{line, line, line}, Delay: 20 * time.Millisecond})
	h := newProgram(t)
	h.write("glyphoxa.yaml", fmt.Sprintf("languages: [en]\ncampaign: {name: The Rusty Flagon}\nproviders:\n  llm: {name: openai, model: gpt-4o, api_key: key, base_url: '%s'}\n  stt: {name: deepgram, api_key: %s, base_url: '%s'}\n"+
		"npcs:\n  - name: Bartok\n    role: innkeeper\n", model.URL(), secretKey, stt.URL()))
	h.secrets = append(h.secrets, secretKey)
	speech := h.path(h.says("said.wav", "<speak>"+line+`<break time="2s"/></speak>`))
	h.limit = 9 * time.Minute // the program runs as long as the players play
	w := h.watch("--browser")

	script, err := filepath.Abs(filepath.Join("..", "..", "testdata", "peers", "table.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{script, browser, w.table, speech}
	if dir := os.Getenv("GLYPHOXA_PICTURES"); dir != "" {
		args = append(args, dir)
	}
	cmd := exec.CommandContext(t.Context(), node(t), args...)
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the visit failed: %v\n%s", err, out)
	}
	var done struct {
		Failures, Steps             []string
		Bytes                       int
		Paint                       []int
		Heard, Cut, Refused, Typed  string
		Silence, NPC, Player, Again float64
	}
	if err := json.Unmarshal(out, &done); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	for _, f := range done.Failures {
		t.Error(f)
	}
	if len(done.Steps) != 5 {
		t.Errorf("it came as far as %q", done.Steps)
	}
	if done.Bytes > 60<<10 {
		t.Errorf("the page has %d bytes, want 60 KiB at most", done.Bytes)
	}
	if !strings.Contains(done.Heard, line) || !strings.Contains(done.Heard, ".") {
		t.Errorf("what was said reads %q", done.Heard)
	}
	if done.Silence > 0.001 || done.NPC < 0.01 || done.Player < 0.01 || done.Again < 0.01 {
		t.Errorf("loudness before anybody spoke %.4f, of the NPC %.4f, of another player %.4f, and of the NPC after the page was loaded anew %.4f", done.Silence, done.NPC, done.Player, done.Again)
	}
	if !strings.HasSuffix(done.Cut, "—") {
		t.Errorf("the interrupted answer reads %q", done.Cut)
	}
	if !strings.Contains(done.Refused, "does not let this page use the microphone") || !strings.Contains(done.Typed, "Bartok, good evening!") {
		t.Errorf("without a microphone: %q, %q", done.Refused, done.Typed)
	}
	checkPaint(t, done.Paint)
	t.Logf("%d bytes; first paint after %v ms; loudness of the NPC %.3f, of a player %.3f", done.Bytes, done.Paint, done.NPC, done.Player)
	w.leave()
}

// inventive is a model that never repeats an answer and speaks for seconds.
func inventive() fakeopenai.Script {
	tales := []string{
		"Stout, friend, and a dark one. My uncle brewed it when the bridge still stood, and half the valley came to taste it.",
		"A cider from the north side. Nobody presses apples like old Hanna, whose orchard you passed on your way to this door.",
		"Plum brandy, if the night is cold. Three sips are medicine, and a fourth one makes you sing with the ferrymen.",
		"Milk, since you keep asking. The goat outside bites strangers, but what she gives is worth a torn sleeve or two.",
		"Hot wine with pepper. A merchant left me the recipe in place of her bill, and I still think I was the one who gained.",
		"Mead from the monastery. The brothers stir it with a silver ladle, and they pray over each of the copper kettles.",
		"Rain water, tonight. Somebody has emptied every barrel while I slept, and the lock was neither broken nor opened.",
		"Tea made of nettles. It stings going in, it stings going out, and in between you feel as young as the morning.",
		"Black coffee from the coast. Sailors trade it for lamp oil, so our harbour smells sweet and lies in darkness.",
		"Beetroot juice, red as a cardinal. My physician ordered it, and my physician has never been wrong about vegetables.",
	}
	var told atomic.Int32
	return func(fakeopenai.Request) fakeopenai.Response {
		return fakeopenai.Say(tales[int(told.Add(1)-1)%len(tales)])
	}
}

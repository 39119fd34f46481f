//go:build unix

package main_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

// ownServer is a newcomer's MCP server: one tool, in as few lines as the
// protocol allows.
const ownServer = `
const tool = { name: "ask_the_owl", description: "Asks the owl in the rafters for a word of advice", inputSchema: { type: "object", properties: {} } };
const answers = {
  initialize: (p) => ({ protocolVersion: p.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "owl", version: "1" } }),
  "tools/list": () => ({ tools: [tool] }),
  "tools/call": () => ({ content: [{ type: "text", text: "Wait for the second moon." }] }),
  ping: () => ({}),
};
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(answer ? { result: answer(params) } : { error: { code: -32601, message: "unknown" } }) }));
});
`

// TestFirstTenMinutes follows a newcomer who clones the repository, plays and
// hears an NPC in a browser, makes a campaign with an NPC and a tool, and takes
// it all to Discord.
func TestFirstTenMinutes(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	browser, _ := peers.Browser(t)
	peer(t, "playwright-core/package.json")
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	clone := filepath.Join(t.TempDir(), "glyphoxa")
	if out, err := exec.CommandContext(t.Context(), peers.Program(t, "git"), "clone", "--quiet", "--depth", "1", "file://"+root, clone).CombinedOutput(); err != nil {
		t.Fatalf("cloning: %v\n%s", err, out)
	}
	hearInABrowser(t, clone, browser)

	h := newProgram(t)
	h.run("", "init", "--name", "The Owl's Nest", "--voice", "silent", "--discord").ok(t)
	h.run("", "npc", "new", "Old Hob", "--role", "miller", "--personality", "Grumbles, and means well.").ok(t)
	h.write("owl.js", ownServer)
	cfg, err := os.ReadFile(h.path("glyphoxa.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	h.write("glyphoxa.yaml", string(cfg)+fmt.Sprintf("\nmcp:\n  servers:\n    - {name: owl, transport: stdio, command: '%s', args: [owl.js]}\n", node(t)))
	h.run("", "check").ok(t)
	if r := h.run("", "tools", "call", "ask_the_owl", "{}").ok(t); !strings.Contains(r.stdout, "second moon") {
		t.Errorf("the own tool answers %q", r.stdout)
	}

	// Only tests set Discord's address.
	cfg, err = os.ReadFile(h.path("glyphoxa.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	const token = "discord:\n"
	if !strings.Contains(string(cfg), token) {
		t.Fatalf("init --discord wrote no discord:\n%s", cfg)
	}
	s := h.bot(d, strings.Replace(strings.ReplaceAll(string(cfg), "%", "%%"), token, token+"  api_url: %s\n  dm_roles: [Dungeon Master]\n", 1)+"\nserver: {listen: \"127.0.0.1:0\"}\n")
	answers(t, g.gives(t, g.dm, "session start"), false, "The Owl's Nest", "Old Hob")
	d.Say(g.channel, g.ana, "Old Hob, good evening!", nil)
	g.hears(t, g.channel, "Old Hob", "")
	if r := s.stop(); r.code != 0 {
		t.Errorf("the bot ended with %d: %s", r.code, r.stderr)
	}
}

// hearInABrowser reads the link that "make play" prints in a clone, and meets
// an NPC there.
func hearInABrowser(t *testing.T, clone, browser string) {
	play := exec.CommandContext(t.Context(), peers.Program(t, "make"), "play", "ARGS=--json")
	play.Dir = clone
	play.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	play.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	play.Cancel = func() error { return syscall.Kill(-play.Process.Pid, syscall.SIGKILL) }
	in, err := play.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := play.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := play.Start(); err != nil {
		t.Fatal(err)
	}
	said, link := bufio.NewReader(stderr), ""
	for link == "" {
		line, err := said.ReadString('\n')
		if err != nil {
			t.Fatalf("make play ended before it told where to play: %v", errors.Join(err, play.Wait()))
		}
		t.Log("make play: ", strings.TrimSpace(line))
		_, after, _ := strings.Cut(line, "join in a browser at ")
		link = strings.TrimSpace(after)
	}
	rest := make(chan struct{})
	go func() { // ends with the program
		defer close(rest)
		_, _ = io.Copy(t.Output(), said)
	}()
	script, err := filepath.Abs(filepath.Join("..", "..", "testdata", "peers", "newcomer.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	visit := exec.CommandContext(t.Context(), node(t), script, browser, link, "Bartok, good evening!")
	visit.Stderr = t.Output()
	out, err := visit.Output()
	if err != nil {
		t.Fatalf("the visit failed: %v\n%s", err, out)
	}
	var heard struct {
		NPC  float64
		Read []string
	}
	if err := json.Unmarshal(out, &heard); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if heard.NPC < 0.01 || len(heard.Read) < 2 || heard.Read[0] != "Bartok, good evening!" {
		t.Errorf("the answer was heard at loudness %.4f, and this was read: %q", heard.NPC, heard.Read)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	<-rest
	if err := play.Wait(); err != nil {
		t.Errorf("make play ended with %v", err)
	}
}

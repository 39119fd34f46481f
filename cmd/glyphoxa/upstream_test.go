package main_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
)

// broken is the one line about the server that cannot start.
const broken = `connecting server "broken": `

// TestReferenceServer uses the reference MCP server as a source of tools: they
// are listed with their source, in a cautious tier until measured, then in the
// measured tier.
func TestReferenceServer(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	h := newPeerProgram(t)
	h.configure("everything.yaml")
	r := h.run("", "tools", "--json")
	r.complains(t, 0, broken, "no such file or directory")
	before := byName(t, r.stdout)
	for _, name := range []string{"echo", "get-sum", "get-env", "simulate-research-query", "trigger-long-running-operation"} {
		if s := before[name]; s.Source != "everything" || s.State != "ready" || s.Tier != "standard" || s.Samples != 0 {
			t.Errorf("before measurement %s is %+v, want it ready at standard from everything", name, s)
		}
	}
	if s := before["roll"]; s.Source != "builtin" || s.Tier != "fast" {
		t.Errorf("roll is %+v, want it built in and fast", s)
	}
	r = h.run("", "tools", "calibrate", "--json")
	r.complains(t, 0, broken)
	after := byName(t, r.stdout)
	if s := after["echo"]; s.Samples == 0 || s.P50 <= 0 || s.P99 < s.P50 || s.ErrorRate != 0 || s.Tier != "fast" || !strings.Contains(s.TierReason, "measured") {
		t.Errorf("after measurement echo is %+v, want it fast, as measured", s)
	}
	if s := after["simulate-research-query"]; s.Samples != 0 || s.Tier != "standard" || s.Probe != "not read-only" {
		t.Errorf("simulate-research-query is %+v, want it untouched, since it is not read-only", s)
	}
	if s := after["trigger-long-running-operation"]; s.Tier == "fast" || s.ErrorRate == 0 {
		t.Errorf("trigger-long-running-operation is %+v, want its timeout noticed", s)
	}
	if s := after["search_rules"]; s.Samples == 0 || s.Tier != "standard" || s.TierReason != "floor" {
		t.Errorf("search_rules is %+v, want it measured and kept at its floor", s)
	}
}

// TestCallingAServersTool runs "tools call" on an external tool: its answer,
// its own failure, and arguments its schema rejects.
func TestCallingAServersTool(t *testing.T) {
	t.Parallel()
	h := newPeerProgram(t)
	h.configure("everything.yaml")
	if out := h.run("", "tools", "call", "echo", `{"message":"hi"}`).ok(t).stdout; out != "Echo: hi\n" {
		t.Errorf("echo says %q", out)
	}
	if out := h.run("", "tools", "call", "get-sum", `{"a":2,"b":3}`).ok(t).stdout; !strings.Contains(out, "5") {
		t.Errorf("get-sum says %q", out)
	}
	h.run("", "tools", "call", "get-sum", `{"a":2}`).complains(t, 1, "invalid arguments", "b")
	h.run("", "tools", "call", "trigger-long-running-operation", `{}`).complains(t, 1, "trigger-long-running-operation", "tim")
}

// TestServerSeesNoSecrets checks the environment of a server process: it
// contains what the process needs and its configured variables, and no other of
// the program's variables.
func TestServerSeesNoSecrets(t *testing.T) {
	t.Parallel()
	h := newPeerProgram(t)
	h.configure("everything.yaml")
	h.set("MODEL_KEY", modelKey)
	h.set("DISCORD_TOKEN", "a secret")
	var env map[string]string
	if err := json.Unmarshal([]byte(h.run("", "tools", "call", "get-env").ok(t).stdout), &env); err != nil {
		t.Fatal(err)
	}
	if env["CHOSEN"] != "for the server" || env["PATH"] == "" || env["HOME"] == "" {
		t.Errorf("environment = %v, want what was chosen, a PATH and a HOME", env)
	}
	for _, name := range []string{"MODEL_KEY", "DISCORD_TOKEN", "EVERYTHING"} {
		if value, ok := env[name]; ok {
			t.Errorf("the server sees %s=%q", name, value)
		}
	}
}

// TestNPCUsesAServersTool uses an external tool in a turn: the NPC that lists
// it gets the offer, the call runs, and the model gets the result.
func TestNPCUsesAServersTool(t *testing.T) {
	t.Parallel()
	echo := fakeopenai.CallTools(fakeopenai.Call{Name: "echo", Arguments: `{"message":"the river"}`})
	server := fakeopenai.Start(t, fakeopenai.Sequence(echo, fakeopenai.Say("It answers."), echo, fakeopenai.Say("No.")), nil)
	h := newPeerProgram(t)
	h.configure("everything.yaml")
	h.set("MODEL_URL", server.URL())
	tr := h.play("Mira, call out to the river", "Bartok, call out to the river")
	if got := tr.notices("warning"); !strings.Contains(strings.Join(got, "\n"), broken) {
		t.Errorf("warnings = %q, want the broken server", got)
	}
	turns := tr.want(2)
	if got := turns[0].started.Tools; !slices.Equal(got, []string{"echo", "roll"}) {
		t.Errorf("Mira is offered %q, want echo and roll", got)
	}
	if f := turns[0].of("tool.finished"); len(f) != 1 || f[0].Tool != "echo" || !f[0].OK {
		t.Errorf("tool.finished = %+v, want echo done", f)
	}
	if _, texts := results(server.ChatRequests()[1]); !slices.Equal(texts, []string{"Echo: the river"}) {
		t.Errorf("the model was told %q", texts)
	}
	if f := turns[1].of("tool.finished"); slices.Contains(turns[1].started.Tools, "echo") || len(f) != 1 || f[0].OK {
		t.Errorf("Bartok is offered %q and his call ended %+v, want it refused", turns[1].started.Tools, f)
	}
}

// TestReferenceServerOverHTTP uses the same server at an address on this
// machine, which the configuration must allow first.
func TestReferenceServerOverHTTP(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	url := serveEverything(t)
	for _, row := range []struct {
		name, allow string
	}{{"allowed", "true"}, {"not allowed", "false"}} {
		t.Run(row.name, func(t *testing.T) {
			h := newProgram(t)
			h.configure("http_server.yaml")
			h.set("SERVER_URL", url)
			h.set("ALLOW_PRIVATE", row.allow)
			r := h.run("", "tools", "--json")
			echo, there := byName(t, r.stdout)["echo"]
			if row.allow == "false" {
				r.complains(t, 0, `connecting server "everything"`, "127.0.0.1 is a private address", "allow_private: true")
				if there {
					t.Errorf("echo is listed as %+v, although its server may not be reached", echo)
				}
				return
			}
			r.ok(t)
			if echo.Source != "everything" || echo.Tier != "standard" {
				t.Errorf("echo is %+v, want it from everything at standard", echo)
			}
			if out := h.run("", "tools", "call", "echo", `{"message":"hi"}`).ok(t).stdout; out != "Echo: hi\n" {
				t.Errorf("echo says %q", out)
			}
		})
	}
}

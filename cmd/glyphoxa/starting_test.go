package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInit creates a configuration and an NPC, which play at once.
func TestInit(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		flags []string
		who   string // who answers
		says  string // both NPCs greet with this, if not empty
		has   []string
	}{
		{"one NPC", []string{"--name", `The "Ferry": #1`}, "Mira", "Well met.", []string{`name: "The \"Ferry\": #1"`}},
		{"one in German", []string{"--name", `The "Ferry": #1`, "--language", "de,en"}, "Mira", "Seid gegrüßt.", []string{`name: "The \"Ferry\": #1"`, `languages: ["de", "en"]`}},
		{"the sample cast", []string{"--sample"}, "Bartok", "", []string{"world: campaigns/thornhollow.yaml"}},
		{"all of it", []string{"--base-url", "http://127.0.0.1:1/v1", "--model", "qwen3:8b", "--voice", "elevenlabs", "--discord"}, "", "", []string{`model: "qwen3:8b"`, "${DISCORD_TOKEN:-}", "${ELEVENLABS_API_KEY:-}"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h := newProgram(t)
			if row.has[0] == `model: "qwen3:8b"` {
				h.set("ELEVENLABS_API_KEY", "a-key")
			}
			h.run("", append([]string{"init"}, row.flags...)...).ok(t)
			text, err := os.ReadFile(h.path("glyphoxa.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range append(row.has, "# yaml-language-server: $schema=.glyphoxa/schemas/config.json\n") {
				if !strings.Contains(string(text), want) {
					t.Errorf("glyphoxa.yaml lacks %q:\n%s", want, text)
				}
			}
			h.run("", "npc", "new", "Old Hob", "--role", "miller: #2").ok(t)
			if _, err := os.Stat(h.path(".glyphoxa/schemas/npc.json")); err != nil {
				t.Error(err)
			}
			h.run("", "check").ok(t)
			h.run("", "check", "npcs/old-hob.yaml").ok(t)
			h.run("", "init").complains(t, 2, "glyphoxa.yaml already exists")
			h.run("", "npc", "new", "old hob").complains(t, 2, "old-hob.yaml already exists")
			npcs, err := filepath.Glob(h.path("npcs/*.yaml"))
			if err != nil || len(npcs) < 2 {
				t.Fatalf("NPC files: %q, %v", npcs, err)
			}
			for _, file := range npcs {
				if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), "# yaml-language-server: $schema=../.glyphoxa/schemas/npc.json\n") {
					t.Errorf("%s names no schema: %v", file, err)
				}
			}
			if row.who != "" {
				for i, tn := range h.play(row.who+", hallo", "Hob, hallo").want(2) {
					if tn.ended.Outcome != "delivered" || !strings.Contains(tn.ended.Text, row.says) || tn.ended.Text == "" {
						t.Errorf("turn %d ended as %+v", i+1, tn.ended)
					}
				}
			}
		})
	}
	h := newProgram(t)
	h.run("", "init", "--voice", "kazoo").complains(t, 2, "use auto, espeak, openai, elevenlabs or silent")
	h.run("", "npc", "new", "Old Hob").complains(t, 2, "glyphoxa init")
	h.run("", "init").ok(t)
	h.run("", "npc", "new", "漢字").complains(t, 2, "no letter")
	h.run("", "npc", "new").complains(t, 2, "in quotes")
}

// TestToolsShow checks the description of one tool for its builder.
func TestToolsShow(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	out := h.run("", "tools", "show", "roll").ok(t).stdout
	for _, want := range []string{"roll\n  ", "source    builtin", "tier      fast", "ARGUMENT", "expression", "yes", "glyphoxa tools call roll '{"} {
		if !strings.Contains(out, want) {
			t.Errorf("tools show lacks %q:\n%s", want, out)
		}
	}
	example := out[strings.Index(out, "'{")+1 : strings.LastIndex(out, "'")]
	h.run("", "tools", "call", "roll", example).ok(t)
	h.run("", "tools", "show", "rolll").complains(t, 1, `did you mean "roll"?`)
}

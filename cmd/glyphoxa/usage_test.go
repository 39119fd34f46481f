package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"gopkg.in/yaml.v3"
)

// TestWrongUsage checks that a mistake gives an exit code and one line that
// says what is wrong and what to do.
func TestWrongUsage(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name  string
		args  []string
		code  int
		words []string
	}{
		{"a mistyped command", []string{"plya"}, 2, []string{`glyphoxa has no command "plya"; did you mean "play"?`}},
		{"no command at all", []string{"dance"}, 2, []string{`no command "dance"`, "try glyphoxa --help"}},
		{"a command's mistyped command", []string{"tools", "calibrat"}, 2, []string{`did you mean "calibrate"?`}},
		{"an unknown flag", []string{"play", "--jsn"}, 2, []string{"unknown flag: --jsn", "try glyphoxa play --help"}},
		{"a flag without its value", []string{"play", "--npc"}, 2, []string{"--npc", "try glyphoxa play --help"}},
		{"a flag with an empty value", []string{"play", "--wav", ""}, 2, []string{"--wav has no value; give it one, or leave it out"}},
		{"an argument too many", []string{"play", "Bartok"}, 2, []string{`glyphoxa play takes no argument "Bartok"`}},
		{"an unknown NPC", []string{"play", "--npc", "Bartock"}, 2, []string{`no NPC is called "Bartock"; did you mean "Bartok"?`}},
		{"an NPC unlike any", []string{"play", "--npc", "Xyzzy"}, 2, []string{`no NPC is called "Xyzzy"; the NPCs here are Bartok the Barkeep, Captain Harrow`}},
		{"an unknown NPC's tools", []string{"tools", "--npc", "Greymantel"}, 2, []string{`did you mean "Greymantle"?`}},
		{"an unknown tier", []string{"tools", "--tier", "warp"}, 2, []string{`"warp" is no tier; use fast, standard or deep`}},
		{"a profile for nobody", []string{"mcp", "serve", "--profile", "dm"}, 2, []string{"--profile is only for --stdio"}},
		{"quiet and verbose", []string{"tools", "--quiet", "--verbose"}, 2, []string{"--quiet and --verbose contradict each other"}},
		{"two files to check", []string{"check", "a", "b"}, 2, []string{"one file at most"}},
		{"a missing configuration", []string{"play", "--config", "nowhere.yaml"}, 2, []string{"nowhere.yaml:1: there is no such file"}},
		{"a missing file to check", []string{"check", "nowhere.yaml"}, 2, []string{"nowhere.yaml:1: there is no such file"}},
		{"a directory as configuration", []string{"play", "--config", "."}, 2, []string{"this is a directory; name a file"}},
		{"a call of nothing", []string{"tools", "call"}, 2, []string{"tools call takes a name and a JSON object"}},
		{"a mistyped tool", []string{"tools", "call", "rol", "{}"}, 1, []string{`unknown tool; did you mean "roll"?`}},
		{"a tool unlike any", []string{"tools", "call", "xyzzyxyzzy"}, 1, []string{"unknown tool; glyphoxa tools lists"}},
		{"arguments that are no JSON", []string{"tools", "call", "roll", "2d6"}, 1, []string{"invalid arguments", "not valid JSON"}},
		{"arguments a tool rejects", []string{"tools", "call", "roll", `{"expression":"2d"}`}, 1, []string{"invalid arguments", "the number of sides"}},
		{"missing arguments", []string{"tools", "call", "roll"}, 1, []string{"invalid arguments", "expression"}},
		{"a WAV file that cannot be", []string{"play", "--wav", "no/such/dir/out.wav"}, 1, []string{"no/such/dir/out.wav: no such file or directory"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := newProgram(t).run("Bartok, hello\n", row.args...)
			r.complains(t, row.code, row.words...)
			if r.stdout != "" {
				t.Errorf("stdout = %q, want nothing", r.stdout)
			}
		})
	}
}

// TestEveryProblemAtOnce uses a configuration with five mistakes: every command
// reports each with its line and its fix.
func TestEveryProblemAtOnce(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.configure("five_problems.yaml")
	want := []string{
		`glyphoxa.yaml:4: `, `glyphoxa.yaml:7: `, `glyphoxa.yaml:9: `, `glyphoxa.yaml:12: `, `glyphoxa.yaml:14: `,
	}
	for _, args := range [][]string{{"check"}, {"play"}, {"tools"}, {"doctor"}, {"mcp", "serve", "--stdio"}} {
		r := h.run("", args...)
		if r.code != 2 || r.stdout != "" {
			t.Errorf("%q: exit code %d, stdout %q, want 2 and nothing", args, r.code, r.stdout)
		}
		got := strings.Split(strings.TrimSpace(r.stderr), "\n")
		if len(got) != len(want) {
			t.Fatalf("%q reports %d problems, want %d:\n%s", args, len(got), len(want), r.stderr)
		}
		for i, line := range got {
			if !strings.HasPrefix(line, want[i]) || !strings.Contains(line, "; ") {
				t.Errorf("%q: problem %d = %q, want %q, what is wrong; what to do", args, i+1, line, want[i])
			}
		}
	}
	if _, err := os.Stat(h.path(".glyphoxa")); err == nil {
		t.Error("a wrong configuration made a data directory")
	}
}

// TestCheck checks the output for valid files.
func TestCheck(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	if out := h.run("", "check").ok(t).stdout; !strings.Contains(out, "built-in is fine: 7 NPCs") || strings.Contains(out, "secret") {
		t.Errorf("check without a file says %q", out)
	}
	h.write("mine.yaml", "npcs: [{name: Mira}]\n")
	if out := h.run("", "check", "mine.yaml").ok(t).stdout; !strings.Contains(out, "mine.yaml is fine, as a configuration: 1 NPC,") {
		t.Errorf("check of a file says %q", out)
	}
	h.write("told.yaml", "campaign: {world: mere.yaml}\nnpcs: [{name: Mira, secret_knowledge: [The old jetty is hollow.]}]\n")
	h.write("mere.yaml", "name: Mere\nentities:\n  - {id: jetty, type: location, name: The Old Jetty, description: It is hollow.}\n")
	if out := h.run("", "check", "told.yaml").ok(t).stdout; !strings.Contains(out, "mere.yaml:3: entity \"jetty\" gives away to Mira, as something it may talk about, its own secret (told.yaml:2)") {
		t.Errorf("check of a secret that is told says %q", out)
	}
	h.write("glyphoxa.yaml", "campaign: {world: world.yaml}\nnpcs: [{name: Mira}]\n")
	h.run("", "check").complains(t, 2, "glyphoxa.yaml:1: world: there is no such file")
	if _, err := os.Stat(h.path(".glyphoxa")); err == nil {
		t.Error("check made a data directory")
	}
}

// TestCheckTellsFilesApart checks that check recognises every kind of file.
func TestCheckTellsFilesApart(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	const flow = "description: Rolls.\nsteps:\n  - id: a\n    tool: %s\n"
	for _, dir := range []string{"npcs", "flows"} {
		if err := os.MkdirAll(h.path(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	h.write("npcs/mira.yaml", "name: Mira\nengine: s2s\ntools: [roll, rol]\n")
	h.write("npcs/short.yaml", "name: Mira\n")
	h.write("npcs/long.yaml", "name: Mira\nbehavior_rules:\n  - "+strings.Repeat("Row on. ", 250)+"\n")
	h.write("npcs/rolf.yaml", "name: Rolf\nbudget_tier: quick\nvoice:\nid: alloy\n")
	h.write("world.yaml", "name: Mere\nentities:\n  - {id: ana, type: npc, name: Ana}\n")
	h.write("long_scene.yaml", "name: Mere\nscene: >-\n  "+strings.Repeat("It rains. ", 130)+"\n")
	h.write("wrong_world.yaml", "name: Mere\nentites: []\nscene: Rain.\n")
	h.write("flows/one.yaml", fmt.Sprintf(flow, "rol"))
	h.write("flows/two.yaml", fmt.Sprintf(flow, "roll"))
	h.write("scene.yaml", "title: A\nproves: Nothing.\nnpcs: [{name: Mira}]\nstory: [{who: Ana, says: Hello.}]\nexpect: [{event: turn.ended}]\n")
	h.write("config.yaml", "npcs: [{name: Mira, engine: s2s}]\nproviders: {s2s: none}\nserver: {workflows: flows}\n")
	h.write("glyphoxa.yaml", "npcs: [{name: Mira}]\n")
	h.write("npcs/empty.yaml", "\n")
	h.write("npcs/z.yaml", "foo: bar\n")
	h.write("broken.yaml", "npcz: []\n")
	h.run("", "check", "npcs/mira.yaml").complains(t, 2, "npcs/mira.yaml:3: tools[1]: \"rol\" is not a built-in tool; did you mean \"roll\"?")
	h.run("", "check", "flows/one.yaml").complains(t, 2, "flows/one.yaml:4: tool: \"rol\" is neither a built-in tool nor a workflow; did you mean \"roll\"?")
	h.write("glyphoxa.yaml", "npcs: [{name: Mira}]\nmcp: {servers: [{name: a, transport: stdio, command: x}]}\n")
	for _, row := range []struct {
		file string
		code int
		want []string // on either stream
	}{
		{"npcs/empty.yaml", 2, []string{"npcs/empty.yaml:1: the file is empty"}},
		{"npcs/z.yaml", 2, []string{"npcs/z.yaml was checked as an NPC file", "npcs/z.yaml:1: unknown key \"foo\""}},
		{"broken.yaml", 2, []string{"broken.yaml was checked as a configuration"}},
		{"npcs/mira.yaml", 0, []string{"npcs/mira.yaml is fine, as an NPC file: Mira with the id mira, 2 tools",
			"npcs/mira.yaml:2: engine: there is no speech-to-speech model, so Mira uses the language model and the voice instead",
			"npcs/mira.yaml:3: tools[1]: \"rol\" is not a built-in tool, so it must come from an external server; did you mean \"roll\"?"}},
		{"npcs/short.yaml", 0, []string{"is fine, as an NPC file"}},
		{"npcs/long.yaml", 0, []string{"npcs/long.yaml:3: behavior_rules: is about 500 tokens long, and a model is given 400 of them; shorten it"}},
		{"npcs/rolf.yaml", 2, []string{"npcs/rolf.yaml was checked as an NPC file", "npcs/rolf.yaml:2: budget_tier: \"quick\" is not one of",
			"npcs/rolf.yaml:4: voice: holds nothing, since \"id\" is not indented below it"}},
		{"world.yaml", 0, []string{"world.yaml is fine, as a campaign file: Mere with 1 entity"}},
		{"long_scene.yaml", 0, []string{"long_scene.yaml:2: scene: is about 325 tokens long, and a model is given 300 of them; shorten it"}},
		{"wrong_world.yaml", 2, []string{"was checked as a campaign file", "wrong_world.yaml:2: the campaign has no key \"entites\"; did you mean \"entities\"?"}},
		{"flows/one.yaml", 0, []string{"flows/one.yaml is fine, as a workflow file: one calls 1 tool",
			"flows/one.yaml:4: tool: \"rol\" is neither a built-in tool nor a workflow, so it must come from an external server; did you mean \"roll\"?"}},
		{"flows/two.yaml", 0, []string{"is fine, as a workflow file"}},
		{"scene.yaml", 2, []string{"scene.yaml is a scene; check it with: glyphoxa-lab scenario check scene.yaml"}},
		{"config.yaml", 2, []string{"config.yaml:1: engine: there is no speech-to-speech model, so Mira uses the language model and the voice instead",
			"one.yaml:4: tool: \"rol\" is neither a built-in tool nor a workflow; did you mean \"roll\"?"}},
	} {
		r := h.run("", "check", row.file)
		for _, want := range row.want {
			if r.code != row.code || !strings.Contains(r.stdout+r.stderr, want) {
				t.Errorf("check %s ends with %d and says\n%s%swant %d and %q", row.file, r.code, r.stdout, r.stderr, row.code, want)
			}
		}
	}
	h.write("glyphoxa.yaml", "npcs: [{name: Mira, engine: s2s}]\n")
	if out := h.run("", "doctor").stdout; !strings.Contains(out, "engine: there is no speech-to-speech model, so Mira uses the language model and the voice instead") {
		t.Errorf("the doctor says nothing of an engine that is not there:\n%s", out)
	}
	h.write("glyphoxa.yaml", "npcs: [{name: Mira}]\nserver: {workflows: flows}\nmcp: {servers: [{name: a, transport: stdio, command: x}]}\n")
	if out := h.run("", "check").ok(t).stdout; !strings.Contains(out, "so it must come from an external server; did you mean \"roll\"?") {
		t.Errorf("check with a server says\n%s", out)
	}
}

// TestSchemas validates the files that ship with the program against the schemas for editors.
func TestSchemas(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	for kind, glob := range map[string]string{
		"config": "glyphoxa.yaml", "npc": "npcs/*.yaml", "campaign": "campaigns/*.yaml", "workflow": "workflows/*.yaml",
	} {
		var s jsonschema.Schema
		out := h.run("", "schema", kind).ok(t).stdout
		if err := json.Unmarshal([]byte(out), &s); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out, "{\n  \"$schema\": ") || s.Schema != "https://json-schema.org/draft/2020-12/schema" {
			t.Errorf("the schema of %s is of draft %q", kind, s.Schema)
		}
		resolved, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(glob)))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files of kind %s: %v", kind, err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var value any
			if err := yaml.Unmarshal(content, &value); err != nil {
				t.Fatal(err)
			}
			if err := resolved.Validate(value); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
		if err := resolved.Validate(map[string]any{"nmae": "x"}); err == nil {
			t.Errorf("the schema of %s takes an unknown key", kind)
		}
	}
	h.run("", "schema", "ncp").complains(t, 2, "did you mean \"npc\"?")
}

// TestSchema checks that the schema is valid, accepts valid files and rejects
// invalid ones.
func TestSchema(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(h.run("", "schema").ok(t).stdout), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		file string
		ok   bool
	}{
		"the tests' cast": {"model.yaml", true}, "five problems": {"five_problems.yaml", false},
	} {
		t.Run(name, func(t *testing.T) {
			h.configure(row.file)
			content, err := os.ReadFile(h.path("glyphoxa.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			var value any
			if err := yaml.Unmarshal(content, &value); err != nil {
				t.Fatal(err)
			}
			if err := resolved.Validate(value); (err == nil) != row.ok {
				t.Errorf("%s: %v, want it valid: %v", row.file, err, row.ok)
			}
		})
	}
}

// TestDoctor checks that doctor finds no problem on a bare machine, and gives
// each problem a fix and an exit code.
func TestDoctor(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	out := h.run("", "doctor").ok(t).stdout
	for _, part := range []string{"configuration", "data directory", "language model", "voice", "sound output", "discord", "database", "rule book"} {
		if !strings.Contains(out, part) {
			t.Errorf("doctor does not examine %q:\n%s", part, out)
		}
	}
	if strings.Contains(out, "PROBLEM") || !strings.Contains(out, "→ the NPCs only speak prepared lines") {
		t.Errorf("doctor says:\n%s\nwant no problem, and what would be better", out)
	}
	h.write("glyphoxa.yaml", "npcs: [{name: Mira}]\nmcp: {servers: [{name: broken, transport: stdio, command: /no/such/server}]}\n")
	r := h.run("", "doctor")
	r.complains(t, 1, "found 1 problem in")
	if !strings.Contains(r.stdout, "PROBLEM  server broken") || !strings.Contains(r.stdout, "→ check mcp.servers") {
		t.Errorf("doctor says:\n%s\nwant the broken server and its fix", r.stdout)
	}
}

// TestVersion checks that version prints what a bug report needs.
func TestVersion(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	for _, asked := range []string{"version", "--version"} {
		out := h.run("", asked).ok(t).stdout
		if !strings.HasPrefix(out, "glyphoxa v0.0.0-test (commit cafe, go1.") || strings.Count(out, "\n") != 1 {
			t.Errorf("%s = %q", asked, out)
		}
	}
}

// TestHelp checks that every command has help.
func TestHelp(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	for _, args := range [][]string{{}, {"help"}, {"play"}, {"tools"}, {"tools", "call"}, {"mcp", "serve"}, {"check"}, {"schema"}, {"doctor"}, {"version"}} {
		if out := h.run("", append(slices.Clone(args), "--help")...).ok(t).stdout; !strings.Contains(out, "Usage:") {
			t.Errorf("%q says %q", args, out)
		}
	}
	if _, err := os.Stat(h.path(".glyphoxa")); err == nil {
		t.Error("help made a data directory")
	}
}

// TestToolsList checks the registry's output for people and for programs.
func TestToolsList(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	all := h.tools()
	for _, name := range []string{"roll", "roll_table", "search_rules", "get_rule", "read_file", "write_file", "search_sessions", "search_facts", "query_entities", "get_summary"} {
		if s, ok := all[name]; !ok || s.Source != "builtin" || s.State != "ready" || s.Tier == "" || s.TierReason == "" {
			t.Errorf("tool %s = %+v, want it built in and ready, with a tier and why", name, s)
		}
	}
	for name, want := range map[string]string{"roll": "fast", "search_rules": "standard", "search_sessions": "standard", "search_facts": "standard"} {
		if got := all[name].Tier; got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	for name, s := range h.tools("--tier", "fast") {
		if s.Tier != "fast" {
			t.Errorf("--tier fast lists %s, which is %s", name, s.Tier)
		}
	}
	if got := h.tools("--npc", "Juniper"); len(got) != 0 {
		t.Errorf("Juniper may use %v, want nothing", got)
	}
	if got := h.tools("--npc", "Bartok"); len(got) == 0 || got["roll"].Tier != "fast" || got["search_rules"].Name != "" {
		t.Errorf("Bartok may use %v, want what is fast and on his list", got)
	}
	words := h.run("", "tools").ok(t).stdout
	if !strings.Contains(words, "NAME") || strings.Count(words, "\n") != len(all)+1 {
		t.Errorf("tools says:\n%s\nwant a head and a line for each of %d tools", words, len(all))
	}
}

// toolStatus is an entry of "tools --json".
type toolStatus struct {
	Name       string  `json:"name"`
	Source     string  `json:"source"`
	State      string  `json:"state"`
	Tier       string  `json:"tier"`
	TierReason string  `json:"tier_reason"`
	P50        float64 `json:"p50_ms"`
	P99        float64 `json:"p99_ms"`
	ErrorRate  float64 `json:"error_rate"`
	Samples    int     `json:"samples"`
	Probe      string  `json:"probe"`
}

// tools lists the registry by name.
func (h *program) tools(args ...string) map[string]toolStatus {
	h.t.Helper()
	r := h.run("", append([]string{"tools", "--json"}, args...)...)
	if r.code != 0 {
		h.t.Fatalf("tools: exit code %d: %s", r.code, r.stderr)
	}
	return byName(h.t, r.stdout)
}

func byName(t testing.TB, out string) map[string]toolStatus {
	t.Helper()
	var list []toolStatus
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatalf("tools says %s: %v", out, err)
	}
	all := map[string]toolStatus{}
	for _, s := range list {
		if _, twice := all[s.Name]; twice {
			t.Errorf("%s is listed twice", s.Name)
		}
		all[s.Name] = s
	}
	return all
}

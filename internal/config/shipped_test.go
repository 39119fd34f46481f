package config_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa"
	"github.com/MrWong99/glyphoxa/internal/config"
)

func TestShippedConfigurationLoads(t *testing.T) {
	opts := testOptions(t.TempDir())
	opts.BuiltIn = glyphoxa.Shipped
	cfg, err := config.Load("", opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(cfg.Warnings) > 0 {
		t.Errorf("warnings: %v", cfg.Warnings)
	}
	if cfg.File != config.BuiltIn || cfg.Campaign.Name != "Thornhollow" || len(cfg.NPCs) < 7 {
		t.Errorf("File %q, campaign %q, %d NPCs; want built-in, Thornhollow, at least 7", cfg.File, cfg.Campaign.Name, len(cfg.NPCs))
	}
	if want := filepath.Join(opts.Dir, ".glyphoxa"); cfg.DataDir != want {
		t.Errorf("DataDir = %q, want %q", cfg.DataDir, want)
	}
	world, err := cfg.ReadWorld()
	if err != nil || !bytes.Contains(world, []byte("Thornhollow")) {
		t.Errorf("ReadWorld = %d bytes, %v; want the world of Thornhollow", len(world), err)
	}
	for _, n := range cfg.NPCs {
		if n.ID == "" || !strings.HasPrefix(n.File, "built-in/npcs/") || n.Line < 1 {
			t.Errorf("NPC %q has id %q, file %q, line %d", n.Name, n.ID, n.File, n.Line)
		}
	}
}

// validate checks a YAML text against a schema, as an editor does.
func validate(t *testing.T, schema *jsonschema.Schema, text []byte) error {
	t.Helper()
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var instance any
	if err := json.Unmarshal(b, &instance); err != nil {
		t.Fatal(err)
	}
	return resolved.Validate(instance)
}

func schemas(t *testing.T) (cfg, npc *jsonschema.Schema) {
	t.Helper()
	cfg, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	npc, err = config.NPCSchema()
	if err != nil {
		t.Fatal(err)
	}
	return cfg, npc
}

func TestShippedFilesFitTheSchema(t *testing.T) {
	cfg, npc := schemas(t)
	main, err := fs.ReadFile(glyphoxa.Shipped, config.DefaultFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(t, cfg, main); err != nil {
		t.Errorf("glyphoxa.yaml: %v", err)
	}
	files, err := fs.Glob(glyphoxa.Shipped, "npcs/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no NPC files: %v", err)
	}
	for _, f := range files {
		text, err := fs.ReadFile(glyphoxa.Shipped, f)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, npc, text); err != nil {
			t.Errorf("%s: %v", path.Base(f), err)
		}
	}
}

// TestEveryCommentedBlockLoads enables every commented-out block of glyphoxa.yaml, one at a
// time, and loads the result.
func TestEveryCommentedBlockLoads(t *testing.T) {
	main, err := fs.ReadFile(glyphoxa.Shipped, config.DefaultFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range []string{"npcs", "mcp", "tools", "memory", "latency", "server"} {
		t.Run(block, func(t *testing.T) {
			text := uncomment(string(main), block)
			schema, _ := schemas(t)
			if err := validate(t, schema, []byte(text)); err != nil {
				t.Errorf("schema: %v\n%s", err, text)
			}
			opts := testOptions(t.TempDir())
			opts.LookupEnv = env(map[string]string{"WORLD_SEARCH_TOKEN": "a", "MCP_OAUTH_SECRET": "b", "CLAUDE_TOKEN": "0123456789abcdef"})
			if _, err := loadText(t, opts, text); err != nil {
				t.Errorf("Load: %v\n%s", err, text)
			}
		})
	}
}

// uncomment returns the text with a commented-out top-level key enabled.
func uncomment(text, key string) string {
	var out []string
	on := false
	for line := range strings.Lines(text) {
		body, commented := strings.CutPrefix(strings.TrimRight(line, "\n"), "#")
		body = strings.TrimPrefix(body, " ")
		switch {
		case commented && body == key+":":
			on = true
		case on && (!commented || body != "" && !strings.HasPrefix(body, " ")):
			on = false
		}
		if on {
			out = append(out, body)
		}
	}
	return strings.Join(out, "\n") + "\n"
}

// TestEveryKeyIsShown keeps glyphoxa.yaml complete: each key of the schema appears in it,
// enabled or commented out.
func TestEveryKeyIsShown(t *testing.T) {
	main, err := fs.ReadFile(glyphoxa.Shipped, config.DefaultFile)
	if err != nil {
		t.Fatal(err)
	}
	cfg, npc := schemas(t)
	for _, s := range []*jsonschema.Schema{cfg, npc} {
		walk(s, "", func(p string, s *jsonschema.Schema) {
			if s.Description == "" {
				t.Errorf("%s has no description", p)
			}
			key := p[strings.LastIndexByte(p, '.')+1:]
			if !regexp.MustCompile(`(?m)^[ #]*(- )?(.*[{ ])?` + key + `:`).Match(main) {
				t.Errorf("glyphoxa.yaml does not show the key %s", p)
			}
		})
	}
}

// walk visits every property below s.
func walk(s *jsonschema.Schema, p string, visit func(string, *jsonschema.Schema)) {
	if s == nil {
		return
	}
	for _, key := range s.PropertyOrder {
		sub := strings.TrimPrefix(p+"."+key, ".")
		visit(sub, s.Properties[key])
		walk(s.Properties[key], sub, visit)
	}
	walk(s.Items, p, visit)
	walk(s.AdditionalProperties, p, visit)
	for _, a := range s.AnyOf {
		walk(a, p, visit)
	}
}

package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// hostile lists unusable configurations, with the message of Load.
var hostile = []struct{ name, text, want string }{
	{"not_utf8", "campaign:\n  name: \xff\n", ":2: the text is not UTF-8"},
	{"utf16", "\xff\xfea\x00", ":1: the file is UTF-16"},
	{"control_character", "a:\n\n  b: \x07\n", ":3: an invisible character (U+0007)"},
	{"nul", "\x00", ":1: an invisible character"},
	{"too_large", strings.Repeat("# filling\n", 500_000), ":1: the file is larger than 4 MiB"},
	{"deep", strings.Repeat("[", 20_000), ":1: this is not valid YAML"},
	{"nested", "providers: {llm: {options: " + strings.Repeat("{a: ", 100) + strings.Repeat("}", 102), "nested more than 24 deep"},
	{"many_problems", "npcs: [" + strings.Repeat("{x: 1}, ", 9000) + "]", ":1: too many problems"},
	{"wide_aliases", "providers:\n  llm:\n    options:\n      a: &a {" + manyKeys(1000) + "}\n      b: [" + strings.Repeat("*a, ", 1000) + "]\n", "more than 100000 values"},
	{"unknown_keys_by_alias", "npcs:\n  - &a {" + manyKeys(2000) + "}\n" + strings.Repeat("  - *a\n", 2000), "too many problems"},
	{"fat_expansions", "languages: [en]\nproviders:\n  llm:\n    options:\n      a: &a \"" + strings.Repeat("${FAT}", 1000) + "\"\n      b: [" + strings.Repeat("*a, ", 1000) + "]\n", "expands to more than 16 MiB"},
	{"complex_key", "{[a]: b}", ":1: expected a key, got a list"},
	{"scalar", "hello", ":1: expected keys and values, got a text"},
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("k" + strings.Repeat("x", i%50) + string(rune('a'+i%26)) + strings.Repeat("y", i/50) + ": 1, ")
	}
	return b.String()
}

func TestLoadSurvivesHostileFiles(t *testing.T) {
	for _, row := range hostile {
		t.Run(row.name, func(t *testing.T) {
			opts := testOptions("")
			opts.LookupEnv = env(map[string]string{"FAT": strings.Repeat("f", 1000)})
			_, err := loadText(t, opts, row.text)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("err = %.300v, want %q in it", err, row.want)
			}
		})
	}
}

// FuzzLoad checks that Load returns either a configuration or problems, for any input. Each
// problem is one line that names a file and a line, and never shows the value of a secret.
func FuzzLoad(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*/*/glyphoxa.yaml")
	if err != nil {
		f.Fatal(err)
	}
	snippets, err := filepath.Glob("testdata/snippets/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range append(seeds, snippets...) {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, []byte("name: A\n"))
	}
	f.Add([]byte("npcs_dir: npcs\n"), []byte("name: \"${SECRET}\"\nvoice: {pitch: ${SECRET}}\n"))
	for _, row := range hostile {
		if len(row.text) < 1000 {
			f.Add([]byte(row.text), []byte(row.text))
		}
	}
	f.Fuzz(func(t *testing.T, main, npc []byte) {
		opts := testOptions("/nowhere")
		opts.BuiltIn = fstest.MapFS{"glyphoxa.yaml": {Data: main}, "npcs/a.yaml": {Data: npc}}
		cfg, err := config.Load("", opts)
		if err == nil {
			checkLoaded(t, cfg)
			return
		}
		var list userfile.Problems
		if !errors.As(err, &list) {
			t.Fatalf("Load returned %T: %v", err, err)
		}
		for _, p := range list {
			if p.File == "" || p.Line < 1 || p.What == "" || strings.Contains(p.String(), "\n") {
				t.Errorf("bad problem %+v", p)
			}
		}
		if strings.Contains(err.Error(), secretValue) && !strings.Contains(string(main)+string(npc), secretValue) {
			t.Errorf("a secret is shown: %v", err)
		}
	})
}

var wantID = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// checkLoaded checks the invariants of every configuration that Load returns.
func checkLoaded(t *testing.T, cfg *config.Config) {
	t.Helper()
	ids := map[string]bool{}
	for _, n := range cfg.NPCs {
		if n.Name == "" || !wantID.MatchString(n.ID) || ids[n.ID] || !n.BudgetTier.Valid() || n.Line < 1 {
			t.Errorf("loaded an NPC that cannot be: %+v", n)
		}
		ids[n.ID] = true
	}
	if found := access.Check(cfg.Server); len(found) > 0 {
		t.Errorf("loaded rights that cannot be enforced: %v", found)
	}
	c := cfg.Latency.Ceilings
	if c.Fast <= 0 || c.Fast >= c.Standard || c.Standard >= c.Deep {
		t.Errorf("loaded ceilings that do not rise: %+v", c)
	}
	if !filepath.IsAbs(cfg.DataDir) || !filepath.IsAbs(cfg.Memory.Path) {
		t.Errorf("loaded relative paths: %q, %q", cfg.DataDir, cfg.Memory.Path)
	}
}

// TestProblemsNeverShowSecrets puts a secret variable at any place of a configuration, in any
// wrong way, and checks the messages.
func TestProblemsNeverShowSecrets(t *testing.T) {
	seeds, err := filepath.Glob("testdata/*/*/glyphoxa.yaml")
	if err != nil || len(seeds) == 0 {
		t.Fatalf("no seeds: %v", err)
	}
	var texts []string
	for _, s := range seeds {
		if strings.Contains(s, "alias_bomb") {
			continue // has no place for a secret, and is slow
		}
		b, err := os.ReadFile(s)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(b))
	}
	scalar := regexp.MustCompile(`: [^\[{&*|>!\n]+`)
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.SampledFrom(texts).Draw(r, "text")
		text = scalar.ReplaceAllStringFunc(text, func(old string) string {
			return rapid.SampledFrom([]string{old, ": ${SECRET}", `: "${SECRET}"`, ": [\"${SECRET}\"]", ": {a: \"${SECRET}\"}", ": ${SECRET}${SECRET"}).Draw(r, "value")
		})
		opts := testOptions("/nowhere")
		opts.BuiltIn = fstest.MapFS{"glyphoxa.yaml": {Data: []byte(text)}}
		cfg, err := config.Load("", opts)
		if err != nil && strings.Contains(err.Error(), secretValue) {
			r.Fatalf("a secret is shown for\n%s\n%v", text, err)
		}
		if err == nil && strings.Contains(userfile.Problems(cfg.Warnings).Error(), secretValue) {
			r.Fatalf("a secret is shown in a warning for\n%s\n%v", text, cfg.Warnings)
		}
	})
}

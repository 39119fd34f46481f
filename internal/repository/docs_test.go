package repository

import (
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa"
	"github.com/MrWong99/glyphoxa/internal/app"
	"github.com/MrWong99/glyphoxa/internal/lab/scenario"
	"github.com/MrWong99/glyphoxa/internal/world"
)

// pages returns the text of every Markdown file of the repository by path.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == ".git"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if all["README.md"] == "" {
		t.Fatal("there is no README.md")
	}
	return all
}

var (
	links    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headings = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	dropped  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns the fragments of a page's headings.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, m := range headings.FindAllStringSubmatch(text, -1) {
		all[strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return all
}

func TestLinksLeadSomewhere(t *testing.T) {
	all := pages(t)
	for page, text := range all {
		for _, m := range links.FindAllStringSubmatch(text, -1) {
			target, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), filepath.FromSlash(target))
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			} else if fragment != "" && !anchors(all[path])[fragment] {
				t.Errorf("%s links to %s, and %s has no such heading", page, m[1], path)
			}
		}
	}
}

// places matches files and packages of the repository named on pages.
var places = regexp.MustCompile("`((?:cmd|internal|pkg|srd|testdata)/[\\w./-]*[\\w])`")

func TestPlacesExist(t *testing.T) {
	found := 0
	for page, text := range pages(t) {
		for _, m := range places.FindAllStringSubmatch(text, -1) {
			found++
			if _, err := os.Stat(filepath.FromSlash(m[1])); err != nil {
				t.Errorf("%s names %s, which is not there", page, m[1])
			}
		}
	}
	if found < 20 {
		t.Errorf("found %d places, want at least 20", found)
	}
}

var (
	code    = regexp.MustCompile("(?s)```.*?```|`[^`\n]+`")
	command = regexp.MustCompile(`(?m)(?:^|[\s` + "`" + `])glyphoxa +([a-z]+)(?: +([a-z]+))?`)
)

// TestCommandsExist asks the program for help on every command that the pages
// mention.
func TestCommandsExist(t *testing.T) {
	binary := builtProgram(t)
	known := map[string]bool{}
	exists := func(words ...string) bool {
		path := strings.Join(append([]string{"glyphoxa"}, words...), " ")
		ok, asked := known[path]
		if !asked {
			out, err := exec.CommandContext(t.Context(), binary, append(words, "--help")...).Output()
			ok = err == nil && strings.Contains(string(out), "Usage:\n  "+path)
			known[path] = ok
		}
		return ok
	}
	groups := map[string]bool{"tools": true, "mcp": true} // commands with subcommands
	for page, text := range pages(t) {
		text = strings.ReplaceAll(text, "glyphoxa mcp listening on", "") // the program's output is not a command
		for _, span := range code.FindAllString(text, -1) {
			for _, m := range command.FindAllStringSubmatch(span, -1) {
				words := m[1:2]
				if m[2] != "" && groups[m[1]] {
					words = m[1:3]
				}
				if !exists(words...) {
					t.Errorf("%s mentions the command %q, which does not exist", page, "glyphoxa "+strings.Join(words, " "))
				}
			}
		}
	}
	if len(known) < 8 {
		t.Errorf("found %d commands in the pages, want at least 8: %v", len(known), known)
	}
}

var snippets = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// TestSnippetsPassCheck checks every YAML snippet as "glyphoxa check" would: a
// configuration, or an NPC's file beside an empty one; a scene as "glyphoxa
// scenario run" reads it. The rule books of testdata/rules are in rules.
func TestSnippetsPassCheck(t *testing.T) {
	t.Setenv("WORLD_SEARCH_TOKEN", "token")
	t.Setenv("DISCORD_TOKEN", "token")
	t.Setenv("DISCORD_CLIENT_SECRET", "secret")
	t.Setenv("ELEVENLABS_API_KEY", "key")
	t.Setenv("GLYPHOXA_DSN", "postgres://glyphoxa@localhost/glyphoxa")
	dir := t.TempDir()
	for place, files := range map[string]fs.FS{".": glyphoxa.Shipped, "rules": os.DirFS("testdata/rules")} {
		if err := os.CopyFS(filepath.Join(dir, place), files); err != nil {
			t.Fatal(err)
		}
	}
	found := 0
	for page, text := range pages(t) {
		for _, m := range snippets.FindAllStringSubmatch(text, -1) {
			found++
			var keys map[string]any
			if err := yaml.Unmarshal([]byte(m[1]), &keys); err != nil {
				t.Errorf("%s: %v in\n%s", page, err, m[1])
				continue
			}
			if keys["story"] != nil {
				if _, problems := scenario.Parse(page, []byte(m[1]), os.ReadFile); len(problems) > 0 {
					t.Errorf("%s: a scene cannot be read: %v\n%s", page, problems, m[1])
				}
				continue
			}
			if keys["entities"] != nil {
				if _, err := world.ParseCampaign(page, []byte(m[1])); err != nil {
					t.Errorf("%s: a campaign cannot be read: %v\n%s", page, err, m[1])
				}
				continue
			}
			main := filepath.Join(dir, "glyphoxa.yaml")
			files := map[string]string{main: m[1]}
			if keys["name"] != nil {
				files = map[string]string{main: "npcs_dir: npcs\n", filepath.Join(dir, "npcs", "snippet.yaml"): m[1]}
			}
			for path, text := range files {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := app.Check(io.Discard, main, "")
			delete(files, main)
			for npc := range files {
				if err := os.Remove(npc); err != nil {
					t.Fatal(err)
				}
			}
			if err != nil {
				t.Errorf("%s: a snippet does not pass check: %v\n%s", page, err, m[1])
			}
		}
	}
	if found < 4 {
		t.Errorf("found %d snippets, want at least 4", found)
	}
}

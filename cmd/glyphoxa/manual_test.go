package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestManual checks that man writes a page for each command in help, with its
// flags and the given date, and a completion for each shell, and that mandoc
// and man give no warnings.
func TestManual(t *testing.T) {
	t.Parallel()
	dir, p := t.TempDir(), newProgram(t)
	p.set("SOURCE_DATE_EPOCH", "1700000000")
	if r := p.run("", "man", dir); r.code != 0 {
		t.Fatalf("man: %d %s", r.code, r.stderr)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "man", "*.1"))
	if err != nil || len(pages) < 30 {
		t.Fatalf("pages = %d, %v, want one for each command", len(pages), err)
	}
	help := p.run("", "--help").stdout
	for _, name := range regexp.MustCompile(`(?m)^  ([a-z]+) {2,}`).FindAllStringSubmatch(help, -1) {
		if name[1] != "help" && !slices.Contains(pages, filepath.Join(dir, "man", "glyphoxa-"+name[1]+".1")) {
			t.Errorf("there is no page for %s", name[1])
		}
	}
	play, err := os.ReadFile(filepath.Join(dir, "man", "glyphoxa-play.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"2023-11-14"`, ".TP\n\\fB--npc\\fP", ".SH EXAMPLE"} {
		if !strings.Contains(string(play), want) {
			t.Errorf("play's page lacks %s:\n%s", want, play)
		}
	}
	for _, name := range []string{"glyphoxa.bash", "_glyphoxa", "glyphoxa.fish", "glyphoxa.ps1"} {
		if text, err := os.ReadFile(filepath.Join(dir, "completions", name)); err != nil || !strings.Contains(string(text), "__complete") {
			t.Errorf("completions/%s asks the program for nothing: %v", name, err)
		}
	}
	for _, judge := range [][]string{{"mandoc", "-T", "lint", "-W", "warning"}, {"man", "--warnings", "-l", "-E", "UTF-8"}} {
		if _, err := exec.LookPath(judge[0]); err != nil {
			continue
		}
		if out, err := exec.Command(judge[0], append(judge[1:], pages[0], filepath.Join(dir, "man", "glyphoxa-play.1"), filepath.Join(dir, "man", "glyphoxa.1"))...).CombinedOutput(); err != nil || strings.Contains(string(out), "warning") {
			t.Errorf("%s: %v\n%.2000s", judge[0], err, out)
		}
	}
}

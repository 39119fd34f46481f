package repository

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestExamples runs each program under examples, which is a module of its own as another developer's would be, and
// compares what it prints with its file output.txt.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles Glyphoxa for another module; make test-all runs it")
	}
	dirs, err := filepath.Glob("examples/*/go.mod")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("examples: %d modules, %v", len(dirs), err)
	}
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	build, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, mod := range dirs {
		dir := filepath.Dir(mod)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join(dir, "output.txt"))
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "go", "run", ".")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_DATA_HOME=", "OPENAI_API_KEY=",
				"GOMODCACHE="+strings.TrimSpace(string(cache)), "GOCACHE="+strings.TrimSpace(string(build)))
			var stderr strings.Builder
			cmd.Stderr = &stderr
			got, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, stderr.String())
			}
			if string(got) != string(want) {
				t.Errorf("it prints %q, want %q", got, want)
			}
		})
	}
}

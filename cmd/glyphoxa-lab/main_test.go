// Package main_test runs glyphoxa-lab as released: built once, started in an
// empty directory.
package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"gopkg.in/yaml.v3"
)

// limit is how long a command may run before its test fails.
const limit = 3 * time.Minute

// binary is the program under test.
var binary string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "glyphoxa-lab-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "glyphoxa-lab")
	build := exec.Command("go", "build", "-trimpath", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the program: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// program is the binary in an empty working directory with an environment of its own.
type program struct {
	t   testing.TB
	dir string
	env []string
}

func newProgram(t testing.TB) *program {
	t.Helper()
	h := &program{t: t, dir: t.TempDir()}
	h.set("PATH", os.Getenv("PATH"))
	h.set("HOME", t.TempDir())
	if cache, err := os.UserCacheDir(); err == nil {
		h.set("XDG_CACHE_HOME", cache) // holds onnxruntime, which the voice detector needs
	}
	return h
}

func (h *program) set(name, value string) { h.env = append(h.env, name+"="+value) }

func (h *program) path(name string) string { return filepath.Join(h.dir, name) }

func (h *program) write(name, content string) {
	h.t.Helper()
	if err := os.WriteFile(h.path(name), []byte(content), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

type result struct {
	stdout, stderr string
	code           int
}

// run runs the program until it exits.
func (h *program) run(args ...string) result {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = h.dir, h.env, &out, &errs
	err := cmd.Run()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		h.t.Fatalf("running glyphoxa-lab %q: %v", args, err)
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// ok requires exit code 0 and an empty stderr.
func (r result) ok(t testing.TB) result {
	t.Helper()
	if r.code != 0 || r.stderr != "" {
		t.Fatalf("exit code %d, stderr %q, want 0 and nothing; stdout:\n%s", r.code, r.stderr, r.stdout)
	}
	return r
}

// complains requires an exit code and one line on stderr that contains words.
func (r result) complains(t testing.TB, code int, words ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d; stderr: %s", r.code, code, r.stderr)
	}
	if strings.Count(r.stderr, "\n") != 1 || !strings.HasSuffix(r.stderr, "\n") {
		t.Errorf("stderr = %q, want one line", r.stderr)
	}
	for _, w := range words {
		if !strings.Contains(r.stderr, w) {
			t.Errorf("stderr = %q, want %q in it", r.stderr, w)
		}
	}
}

// TestSceneSchema validates the scenes of the repository against the schema for editors.
func TestSceneSchema(t *testing.T) {
	t.Parallel()
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(newProgram(t).run("scenario", "schema").ok(t).stdout), &s); err != nil {
		t.Fatal(err)
	}
	schema, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "scenarios", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scenes, %v", len(files), err)
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
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	if err := schema.Validate(map[string]any{"titel": "x"}); err == nil {
		t.Error("the schema accepts an unknown key")
	}
}

package mcphost_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The weather tool of the specification's "Building a Custom MCP Tool" lies unchanged
// under testdata. It is compiled and tested in the place the text puts it.
func TestWalkthroughCompilesAndPasses(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	src, err := filepath.Abs("testdata/walkthrough")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs("../tools/weathertool")
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for _, name := range []string{"weathertool.go", "weathertool_test.go", "register_test.go"} {
		replace[filepath.Join(dir, name)] = filepath.Join(src, name+".txt")
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	raw, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "weathertool.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, dir)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("compiling: %v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), binary, "-test.v").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestGetWeatherHandler") {
		t.Errorf("running: %v\n%s", err, out)
	}
}

package repository

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// fileBlocks matches code blocks that begin with a comment naming their file;
// later blocks may continue a file.
var fileBlocks = regexp.MustCompile("(?s)```(?:go|ts|python)\n(?://|#) ([\\w./-]+)(?:, continued)?\n+(.*?)```")

// filesOf writes a page's files into a directory, and returns their paths by
// name.
func filesOf(t *testing.T, page string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	content := map[string]string{}
	for _, m := range fileBlocks.FindAllStringSubmatch(string(text), -1) {
		if content[m[1]] != "" {
			content[m[1]] += "\n"
		}
		content[m[1]] += m[2]
	}
	dir, files := t.TempDir(), map[string]string{}
	for name, text := range content {
		files[name] = filepath.Join(dir, strings.ReplaceAll(name, "/", "_")+".txt")
		if err := os.WriteFile(files[name], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// overlay adds a page's Go files to the module, for go build and go test only.
func overlay(t *testing.T, files map[string]string) string {
	t.Helper()
	replace := map[string]string{}
	for name, path := range files {
		if filepath.Ext(name) != ".go" {
			continue
		}
		place, err := filepath.Abs(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		replace[place] = path
	}
	raw, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestToolWalkthrough compiles the built-in tool of docs/tools.md at its place
// on the page, and runs its test.
func TestToolWalkthrough(t *testing.T) {
	files := filesOf(t, "docs/tools.md")
	for name, path := range files {
		if filepath.Ext(name) != ".go" {
			continue
		}
		if out, err := exec.CommandContext(t.Context(), "gofmt", "-d", path).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s is not formatted: %v\n%s", name, err, out)
		}
	}
	binary := filepath.Join(t.TempDir(), "weathertool.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", overlay(t, files), "-o", binary, "./internal/mcp/tools/weathertool")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("compiling: %v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), binary, "-test.v").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestGetWeather") {
		t.Errorf("running: %v\n%s", err, out)
	}
}

// TestServersOfThePage runs the servers of docs/tools.md and checks what each
// declares.
func TestServersOfThePage(t *testing.T) {
	files := filesOf(t, "docs/tools.md")
	dir := t.TempDir()
	for _, name := range []string{"tides.mjs", "tides.py"} {
		data, err := os.ReadFile(files[name])
		if err != nil {
			t.Fatalf("the page has no %s: %v", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name    string
		command func(*testing.T) []string
	}{
		{"go", func(t *testing.T) []string {
			binary := filepath.Join(dir, "tides")
			build := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay(t, files), "-o", binary, "./tides")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("building: %v\n%s", err, out)
			}
			return []string{binary}
		}},
		{"typescript", func(t *testing.T) []string {
			modules, err := filepath.Abs("testdata/peers/node_modules")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(filepath.Join(modules, "@modelcontextprotocol", "sdk")); err != nil {
				lacks(t, "@modelcontextprotocol/sdk is not installed in testdata/peers")
			}
			if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
				t.Fatal(err)
			}
			return []string{program(t, "node"), filepath.Join(dir, "tides.mjs")}
		}},
		{"python", func(t *testing.T) []string { return []string{program(t, "python3"), filepath.Join(dir, "tides.py")} }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			command := tc.command(t)
			host := mcphost.New()
			t.Cleanup(func() {
				if err := host.Close(); err != nil {
					t.Error(err)
				}
			})
			cfg := config.MCPServerConfig{Name: "harbour", Transport: config.TransportStdio, Command: command[0], Args: command[1:], ConnectTimeout: config.Duration(time.Minute)}
			if err := host.RegisterServer(t.Context(), cfg); err != nil {
				t.Fatal(err)
			}
			declares(t, host)
		})
	}
}

// declares requires that the host has read the _meta of the tool tide.
func declares(t *testing.T, host *mcphost.Host) {
	t.Helper()
	all := host.Tools(mcp.BudgetDeep)
	if len(all) != 1 {
		t.Fatalf("%d tools, want one", len(all))
	}
	got, tool := all[0].Definition, all[0]
	if got.Name != "tide" || got.EstimatedDurationMs != 300 || got.MaxDurationMs != 1200 || !got.Idempotent || got.CacheableSeconds != 60 {
		t.Errorf("definition = %+v, want what the page declares", got)
	}
	if !tool.ReadOnly || tool.Floor != mcp.BudgetStandard || tool.Tier != mcp.BudgetStandard {
		t.Errorf("read-only %v, floor %v, tier %v; want true, standard, standard", tool.ReadOnly, tool.Floor, tool.Tier)
	}
	for _, cached := range []bool{false, true} {
		r, err := host.ExecuteTool(t.Context(), "tide", `{"harbour":"Mirrormere"}`)
		if err != nil || r.Text != "The tide at Mirrormere is rising." || r.Cached != cached {
			t.Errorf("got %q, cached %v, %v; want the tide, cached %v", r.Text, r.Cached, err, cached)
		}
	}
	if err := host.Calibrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := host.Status()[0]; s.Samples < 4 || s.Tier != mcp.BudgetStandard {
		t.Errorf("status = %+v, want it probed, and in standard for its floor", s)
	}
}

// program returns the path of a program on this machine.
func program(t *testing.T, name string) string {
	t.Helper()
	if name == "node" { // the one installed with the peers is new enough for all of them
		arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
		beside, err := filepath.Abs("testdata/peers/node_modules/node-" + runtime.GOOS + "-" + arch + "/bin/node")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(beside); err == nil {
			return beside
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		lacks(t, name+" is not installed")
	}
	return path
}

// lacks ends a test that needs something this machine lacks: the test fails
// where all programs are required, and is skipped otherwise.
func lacks(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("GLYPHOXA_REQUIRE_PEERS") == "1" {
		t.Fatalf("%s; run: make peers", what)
	}
	t.Skipf("%s; to run this test: make peers", what)
}

// TestToolFieldsAreExplained compares the tables of docs/tools.md with the
// types.
func TestToolFieldsAreExplained(t *testing.T) {
	raw, err := os.ReadFile("docs/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(string(raw), -1) {
		rows[m[1]] = true
	}
	var fields []string
	for _, typ := range []reflect.Type{reflect.TypeFor[tools.Tool](), reflect.TypeFor[llm.ToolDefinition]()} {
		for field := range typ.Fields() {
			fields = append(fields, field.Name)
		}
	}
	for _, f := range fields {
		if !rows[f] {
			t.Errorf("docs/tools.md does not explain %s", f)
		}
	}
	for r := range rows {
		if !slices.Contains(fields, r) {
			t.Errorf("docs/tools.md explains %s, which is no field", r)
		}
	}
}

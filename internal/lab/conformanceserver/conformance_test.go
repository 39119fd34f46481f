package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// expectedFailures is a file in the suite's format.
const expectedFailures = "../../../testdata/conformance/server-expected-failures.yml"

// TestConformance runs the active scenarios of the suite's older line, and its
// newer line's required and optional scenarios for each protocol revision. The
// suite's verdict covers only the requirements; this test requires that exactly
// the listed scenarios fail.
func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	node := peers.Node(t)
	older := peers.File(t, "@modelcontextprotocol/conformance-0.1/dist/index.js")
	newer := peers.File(t, "@modelcontextprotocol/conformance/dist/index.js")
	list, err := filepath.Abs(expectedFailures)
	if err != nil {
		t.Fatal(err)
	}
	url := start(t)
	for _, suite := range []struct {
		name, script string
		args         []string
		scenarios    int // minimum number
		failed       []string
	}{
		{name: "0.1 active", script: older, scenarios: 30},
		{name: "2025-11-25", script: newer, args: []string{"--requirements", "2025-11-25"}, scenarios: 33},
		{
			name: "2026-07-28", script: newer, args: []string{"--requirements", "2026-07-28", "--expected-failures", list},
			scenarios: 50, failed: readExpected(t),
		},
	} {
		t.Run(suite.name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), node, append([]string{suite.script, "server", "--url", url}, suite.args...)...)
			cmd.Dir = t.TempDir()
			out, err := cmd.CombinedOutput()
			r, ok := read(string(out))
			switch {
			case err != nil || !ok:
				t.Errorf("the suite ended with %v:\n%s", err, out)
			case !slices.Equal(r.failed, suite.failed):
				t.Errorf("failed = %q, want %q:\n%s", r.failed, suite.failed, out)
			case len(r.scenarios) < suite.scenarios:
				t.Errorf("%d scenarios ran, want at least %d:\n%s", len(r.scenarios), suite.scenarios, out)
			}
			t.Logf("%s\n%s", strings.Join(r.scenarios, "\n"), r.total)
		})
	}
}

// report is the suite's final output.
type report struct {
	scenarios []string // one line each
	failed    []string // names, sorted
	total     string
}

// Lines of the suite's summary.
var (
	oneScenario = regexp.MustCompile(`(?m)^([✓✗]) (\S+): \d+ passed, \d+ failed.*$`)
	oneTotal    = regexp.MustCompile(`(?m)^Total: .*$`)
)

// read parses the summary in the suite's output.
func read(said string) (r report, ok bool) {
	_, summary, ok := strings.Cut(said, "=== SUMMARY ===")
	if !ok {
		return report{}, false
	}
	for _, m := range oneScenario.FindAllStringSubmatch(summary, -1) {
		r.scenarios = append(r.scenarios, m[0])
		if m[1] == "✗" {
			r.failed = append(r.failed, m[2])
		}
	}
	slices.Sort(r.failed)
	r.total = oneTotal.FindString(summary)
	return r, r.total != ""
}

// start serves until the test ends, and returns the address.
func start(t *testing.T) (url string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- serve(ctx, "127.0.0.1:0", func(url string) { ready <- url }) }() // the cleanup waits for it
	select {
	case url = <-ready:
	case err := <-ended:
		stop()
		t.Fatalf("serving: %v", err)
	}
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("serving ended with %v", err)
		}
	})
	return url
}

func readExpected(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile(expectedFailures)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Server []string `yaml:"server"`
	}
	if err := yaml.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	slices.Sort(file.Server)
	return file.Server
}

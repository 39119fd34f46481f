package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

// TestMain lets the suite start the test binary as its client, so that the race
// detector also covers the client.
func TestMain(m *testing.M) {
	if os.Getenv(scenarioVar) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// expectedFailures is a file in the suite's format.
const expectedFailures = "../../../testdata/conformance/client-expected-failures.yml"

// failing matches a failed scenario in the suite's summary.
var failing = regexp.MustCompile(`(?m)^✗ (\S+): `)

// TestConformance runs each protocol revision's requirements of a client, and
// the extensions, which are not required. The suite's verdict covers only the
// requirements; this test requires that exactly the listed scenarios fail.
func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	node, suite := peers.Node(t), peers.File(t, "@modelcontextprotocol/conformance/dist/index.js")
	client, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	list, err := filepath.Abs(expectedFailures)
	if err != nil {
		t.Fatal(err)
	}
	expected := readExpected(t)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), node, suite, "client",
				"--command", client, "--requirements", revision, "--expected-failures", list)
			cmd.Dir = t.TempDir()
			out, err := cmd.CombinedOutput()
			said := string(out)
			_, summary, _ := strings.Cut(said, "=== SUITE SUMMARY ===")
			scenarios, total, ran := strings.Cut(summary, "\nTotal: ")
			var failed []string
			for _, m := range failing.FindAllStringSubmatch(scenarios, -1) {
				failed = append(failed, m[1])
			}
			slices.Sort(failed)
			switch {
			case err != nil || !ran:
				t.Errorf("the suite ended with %v:\n%s", err, said)
			case strings.Contains(said, hostFailed):
				t.Errorf("the suite is content, the host is not:\n%s", said)
			case !slices.Equal(failed, expected):
				t.Errorf("failed = %q, want %q:\n%s", failed, expected, said)
			}
			total, _, _ = strings.Cut(total, "\n")
			t.Logf("%s\n%s", strings.TrimSpace(scenarios), total)
		})
	}
}

func readExpected(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile(expectedFailures)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Client []string `yaml:"client"`
	}
	if err := yaml.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	slices.Sort(file.Client)
	return file.Client
}

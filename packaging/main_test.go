package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// TestDebianVersion checks that dpkg orders versions correctly.
func TestDebianVersion(t *testing.T) {
	inOrder := []struct{ version, want string }{
		{"1f2e3d4c5b6a", "0.0~20261124.1f2e3d4c5b6a"},
		{"feature/door", "0.0~20261124.feature.door"},
		{"v1.2.0-rc.1", "1.2.0~rc.1"},
		{"v1.2.0", "1.2.0"},
		{"v1.2.0-3-gabcdef0", "1.2.0+3.gabcdef0"},
		{"v1.2.0-12-gabcdef0-dirty", "1.2.0+12.gabcdef0+dirty"},
		{"v1.3.0-rc.1-2-gabcdef0", "1.3.0~rc.1+2.gabcdef0"},
	}
	for i, row := range inOrder {
		got := debianVersion(row.version, "20261124")
		if got != row.want {
			t.Errorf("debianVersion(%q) = %q, want %q", row.version, got, row.want)
		}
		if dpkg, err := exec.LookPath("dpkg"); err == nil && i > 1 {
			if err := exec.Command(dpkg, "--compare-versions", debianVersion(inOrder[i-1].version, "20261124"), "lt", got).Run(); err != nil {
				t.Errorf("dpkg does not take %q for newer than %q", row.version, inOrder[i-1].version)
			}
		}
	}
}

// TestTargets checks that an error for a mistyped target lists the valid ones.
func TestTargets(t *testing.T) {
	got, err := parseTargets("linux/amd64 windows/arm64")
	if want := []target{{os: "linux", arch: "amd64"}, {os: "windows", arch: "arm64"}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("parseTargets = %v, %v, want %v", got, err, want)
	}
	if _, err := parseTargets("linux/x64"); err == nil || !strings.Contains(err.Error(), allTargets) {
		t.Errorf("parseTargets(linux/x64) = %v, want an error that names all targets", err)
	}
}

// TestDockerfile checks the Dockerfile with BuildKit's own parser and linter.
func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	if complaints := lint(t, string(text)); len(complaints) > 0 {
		t.Errorf("the linter complains: %q", complaints)
	}
	worse := strings.NewReplacer("AS build", "as build", `ENTRYPOINT ["/usr/bin/glyphoxa"]`, "MAINTAINER nobody").Replace(string(text))
	if complaints := lint(t, worse); len(complaints) < 2 {
		t.Errorf("the linter finds %q in a bad file, want two complaints", complaints)
	}
}

func lint(t *testing.T, text string) (complaints []string) {
	t.Helper()
	parsed, err := parser.Parse(bytes.NewReader([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range parsed.Warnings {
		complaints = append(complaints, w.Short)
	}
	l := linter.New(&linter.Config{Warn: func(rule, _, _, message string, _ []parser.Range) {
		complaints = append(complaints, rule+": "+message)
	}})
	if _, _, err := instructions.Parse(parsed.AST, l); err != nil {
		t.Fatal(err)
	}
	return complaints
}

// TestCompose checks the file with Compose's own loader.
func TestCompose(t *testing.T) {
	details := types.ConfigDetails{
		WorkingDir: t.TempDir(), ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml", Content: content(t, "compose.yaml")}},
		Environment: types.Mapping{"POSTGRES_PASSWORD": "secret"},
	}
	project, err := loader.LoadWithContext(context.Background(), details)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range project.Services {
		if s.Restart != "unless-stopped" || s.StopGracePeriod == nil {
			t.Errorf("%s: restart %q and its time to stop %v, want both set", name, s.Restart, s.StopGracePeriod)
		}
		for _, p := range s.Ports {
			if p.HostIP != "127.0.0.1" {
				t.Errorf("%s is reached from other machines at port %s", name, p.Published)
			}
		}
	}
	details.Environment = nil
	if _, err := loader.LoadWithContext(context.Background(), details); err == nil || !strings.Contains(err.Error(), "POSTGRES_PASSWORD") {
		t.Errorf("without a password it loads with %v, want what to set", err)
	}
}

// TestUnit checks the unit with systemd's own tool.
func TestUnit(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		if os.Getenv("GLYPHOXA_REQUIRE_PEERS") != "" {
			t.Fatal(err)
		}
		t.Skip("there is no systemd-analyze here; .ci/run requires it")
	}
	text := string(content(t, "glyphoxa.service"))
	if complaints := verify(t, text); complaints != "" {
		t.Errorf("systemd complains:\n%s", complaints)
	}
	if complaints := verify(t, strings.Replace(text, "ProtectSystem", "ProtecSystem", 1)); !strings.Contains(complaints, "ProtecSystem") {
		t.Errorf("systemd says of a bad unit %q", complaints)
	}
}

// verify returns systemd's messages about a unit, except that its program is
// missing.
func verify(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "glyphoxa.service")
	if err := os.WriteFile(file, []byte(strings.Replace(text, "/usr/bin/glyphoxa run", "/bin/true", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", file).CombinedOutput()
	if err != nil {
		t.Logf("systemd-analyze: %v", err)
	}
	return string(out)
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

package repository

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// promtool runs Prometheus' own checker in a directory.
func promtool(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program(t, "promtool"), args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// TestAlertRules loads the rules of packaging/prometheus with Prometheus' own
// tool, and tests them on healthy and on faulty series.
func TestAlertRules(t *testing.T) {
	promtool(t, "packaging/prometheus", "check", "rules", "alerts.yml")
	promtool(t, "packaging/prometheus", "test", "rules", "alerts_test.yml")
	checkMetrics(t, "packaging/prometheus/alerts.yml")
}

// TestDashboard parses the queries of the panels in packaging/grafana with
// Prometheus' tool.
func TestDashboard(t *testing.T) {
	const path = "packaging/grafana/glyphoxa.json"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		UID    string
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(raw, &board); err != nil {
		t.Fatal(err)
	}
	var rules strings.Builder
	rules.WriteString("groups:\n- name: panels\n  rules:\n")
	taken := map[[2]int]string{}
	for _, p := range board.Panels {
		if len(p.Targets) == 0 {
			t.Errorf("the panel %q shows nothing", p.Title)
		}
		for i, target := range p.Targets {
			fmt.Fprintf(&rules, "  - record: panel_%d_%d\n    expr: %q\n", p.ID, i, target.Expr)
		}
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("the panel %q lies over %q or beyond the edge", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
	file := filepath.Join(t.TempDir(), "panels.yml")
	if err := os.WriteFile(file, []byte(rules.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, ".", "check", "rules", file)
	checkMetrics(t, path)
}

var metricName = regexp.MustCompile(`\bglyphoxa_[a-z_]+`)

// checkMetrics checks that docs/outward.md lists the metrics in a file.
func checkMetrics(t *testing.T, file string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("docs/outward.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range metricName.FindAllString(string(raw), -1) {
		if name = strings.TrimSuffix(name, "_bucket"); !regexp.MustCompile("`" + name + `[{` + "`]").Match(page) {
			t.Errorf("%s uses %s, which docs/outward.md does not have", file, name)
		}
	}
}

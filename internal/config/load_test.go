package config_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

var update = flag.Bool("update", false, "rewrite the expected problems under testdata")

// secretValue must never appear in a message.
const secretValue = "hunter2-do-not-show"

var knownTools = []string{
	"roll", "roll_table", "search_sessions", "query_entities", "get_summary", "search_facts", "investigate",
	"search_rules", "get_rule", "write_file", "read_file",
}

// env looks up variables in a map.
func env(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
}

func testOptions(dir string) *config.Options {
	return &config.Options{
		Dir:        dir,
		KnownTools: knownTools,
		NeverOwn:   []string{"roll", "search_rules"},
		Judge:      access.Check,
		LookupEnv: env(map[string]string{
			"SECRET": secretValue, "LEVEL": "debug", "EMPTY": "", "HUGE": "99999999999999999999",
		}),
	}
}

// verdict renders the outcome of Load, one line per problem.
func verdict(t *testing.T, cfg *config.Config, err error) string {
	t.Helper()
	var b strings.Builder
	if err != nil {
		var list userfile.Problems
		if !errors.As(err, &list) {
			t.Fatalf("Load returned %T (%v), want userfile.Problems", err, err)
		}
		for _, p := range list {
			if p.File == "" || p.Line < 1 {
				t.Errorf("problem without a place: %+v", p)
			}
			b.WriteString(p.String() + "\n")
		}
		return b.String()
	}
	for _, p := range cfg.Warnings {
		b.WriteString("warning: " + p.String() + "\n")
	}
	return b.String()
}

func TestLoadReportsEveryProblem(t *testing.T) {
	dirs, err := filepath.Glob("testdata/bad/*/glyphoxa.yaml")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no cases under testdata/bad: %v", err)
	}
	for _, file := range dirs {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			cfg, err := config.Load("", testOptions(dir))
			got := verdict(t, cfg, err)
			if strings.Contains(got, secretValue) {
				t.Errorf("a secret is shown:\n%s", got)
			}
			golden := filepath.Join(dir, "problems.txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("problems differ (-want +got):\n%s", diff)
			}
		})
	}
}

// loadText loads a configuration from text.
func loadText(t testing.TB, opts *config.Options, text string) (*config.Config, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "glyphoxa.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return config.Load(file, opts)
}

package scenario_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/scenario"
)

var trace = flag.Bool("trace", false, "show all that happens in the scenes")

// scenes loads the scenes of the product.
func scenes(t testing.TB) []*scenario.Scene {
	t.Helper()
	all, err := scenario.Load("../../../testdata/scenarios", "../../../testdata/scenarios/engines", "../../../testdata/scenarios/truth")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// variants are the scenes with each of their engines.
func variants(all []*scenario.Scene) []*scenario.Scene {
	var out []*scenario.Scene
	for _, s := range all {
		out = append(out, s.Variants()...)
	}
	return out
}

// name returns the scene's file without its extension, and its engine.
func name(s *scenario.Scene) string {
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(s.File), ".yaml")+":"+s.Engine, ":")
}

// report logs failed verdicts and the events.
func report(t *testing.T, r *scenario.Result) {
	t.Helper()
	for _, v := range r.Verdicts {
		if !v.OK && !v.Skipped {
			t.Errorf("%s:%d: %s: %s", v.File, v.Line, v.Expect, v.Message)
		}
	}
	if !t.Failed() && !*trace {
		return
	}
	for _, e := range r.Entries {
		line, err := e.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%8.1f  %s", float64(e.At)/float64(time.Millisecond), line)
	}
}

func TestScenes(t *testing.T) {
	began := time.Now()
	var virtual atomic.Int64
	all := variants(scenes(t))
	t.Cleanup(func() {
		t.Logf("%d scenes, %.0f s at the table, took %.2f s", len(all), time.Duration(virtual.Load()).Seconds(), time.Since(began).Seconds())
	})
	for _, s := range all {
		t.Run(name(s), func(t *testing.T) {
			t.Parallel()
			r, err := scenario.Play(t.Context(), s, nil)
			if err != nil {
				t.Fatal(err)
			}
			virtual.Add(int64(r.Took))
			report(t, r)
		})
	}
}

// TestPageShowsScenes plays the examples of docs/scenarios.md.
func TestPageShowsScenes(t *testing.T) {
	page, err := os.ReadFile("../../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```yaml\n")[1:]
	if len(blocks) < 2 {
		t.Fatalf("the page shows %d scenes, want two", len(blocks))
	}
	for _, block := range blocks {
		text, _, _ := strings.Cut(block, "```")
		s, problems := scenario.Parse("docs/scenarios.md", []byte(text), os.ReadFile)
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		r, err := scenario.Play(t.Context(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		report(t, r)
	}
}

func TestEverySceneSaysWhatItIsAbout(t *testing.T) {
	titles := map[string]string{}
	all := scenes(t)
	for _, s := range all {
		if other, taken := titles[s.Title]; taken {
			t.Errorf("%s and %s have the same title", s.File, other)
		}
		titles[s.Title] = s.File
		text, err := os.ReadFile(s.File)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n > 60 {
			t.Errorf("%s has %d lines, want a short scene", s.File, n)
		}
	}
	for pain := 1; pain <= 15; pain++ {
		word := fmt.Sprintf("Pain %d:", pain)
		if !slices.ContainsFunc(all, func(s *scenario.Scene) bool { return strings.Contains(s.Proves, word) }) {
			t.Errorf("no scene proves %q", word)
		}
	}
}

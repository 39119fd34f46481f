package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// durations are the only values that differ from run to run.
var durations = regexp.MustCompile(`\d[\d.]* (?:ms|µs|s)\b`)

// TestAPipeIsPlain plays a script through a pipe and compares the output byte
// by byte, except durations: it has no colours, wrapping or prompt, because
// programs read it.
func TestAPipeIsPlain(t *testing.T) {
	t.Parallel()
	script := strings.Join([]string{
		"Bartok, good evening", "/mute Greymantle", "Ana: Greymantle, roll 2d6", "/unmute all",
		"Greymantle, what do the rules say about being grappled?", "/raise Bartok standard 5m", "/tools Bartok", "/lower all",
		"Nobody in particular: a sentence that is longer than any terminal is wide, so that it would be wrapped if this were a terminal, which it is not, however often one looks", "/quit", "",
	}, "\n")
	r := newProgram(t).run(script, "play").ok(t)
	got := durations.ReplaceAllString(r.stdout, "N")
	file := filepath.Join("testdata", "pipe.txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
	if strings.ContainsAny(r.stdout, "\x1b\r") {
		t.Errorf("a pipe was sent control characters: %q", r.stdout)
	}
}

package truth_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
)

// corpora is where the corpora lie.
var corpora = filepath.Join("..", "..", "..", "testdata", "truth")

// withHeld reports whether the held thirds are scored, too.
func withHeld() bool { return os.Getenv("GLYPHOXA_EVAL_HELD") == "1" }

// score is how many of something were right.
type score struct {
	name         string // "address", language, class, form
	right, total int
}

func (s score) percent() float64 {
	if s.total == 0 {
		return 0
	}
	return 100 * float64(s.right) / float64(s.total)
}

// logScores prints a table of scores.
func logScores(t *testing.T, title string, scores []score) {
	t.Helper()
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range scores {
		fmt.Fprintf(w, "%s\t%d\t%d\t%.1f %%\n", s.name, s.right, s.total, s.percent())
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%s", title, b.String())
}

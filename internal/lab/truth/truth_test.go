package truth

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var showMisses = flag.Bool("misses", false, "tell what went wrong in corpora that may be read")

// repository returns the options of an evaluation in a test of this package.
var repository = Options{Root: filepath.Join("..", "..", ".."), Held: withHeld(), Clips: os.Getenv("GLYPHOXA_HEARING")}

// corpora is the folder of the corpora.
var corpora = repository.corpus()

// withHeld reports whether to score the held thirds, too.
func withHeld() bool { return os.Getenv("GLYPHOXA_EVAL_HELD") == "1" }

func logScores(t *testing.T, title string, scores []score) {
	t.Helper()
	var b strings.Builder
	if err := scoreTable(title, scores).Write(&b); err != nil {
		t.Fatal(err)
	}
	t.Log(b.String())
}

// hold runs an evaluation, logs its result and fails for each violated bound.
func hold(t *testing.T, evaluate func(context.Context, Options) (*Report, error)) {
	t.Helper()
	report, err := evaluate(t.Context(), repository)
	if err != nil {
		t.Fatal(err)
	}
	if !*showMisses {
		report.Misses = nil
	}
	var b strings.Builder
	if err := report.Write(&b); err != nil {
		t.Fatal(err)
	}
	t.Log(b.String())
	for _, broken := range report.Broken {
		t.Error(broken)
	}
}

// TestEvalCorpora checks the bounds of the evaluations without clips.
func TestEvalCorpora(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Run("address", func(t *testing.T) { hold(t, Address) })
	t.Run("interrupt", func(t *testing.T) { hold(t, Interrupt) })
	t.Run("memory", func(t *testing.T) { hold(t, Memory) })
	t.Run("rules", func(t *testing.T) { hold(t, Rules) })
}

// TestEvalHearing and TestEvalProsody check the bounds of those with clips.
func TestEvalHearing(t *testing.T) { holdClips(t, Hearing) }

func TestEvalProsody(t *testing.T) { holdClips(t, Prosody) }

func holdClips(t *testing.T, evaluate func(context.Context, Options) (*Report, error)) {
	t.Helper()
	if repository.Clips == "" {
		t.Skip("no clips; make eval-hearing and make eval-prosody make and score them")
	}
	hold(t, evaluate)
}

// TestReport checks the two forms of a report.
func TestReport(t *testing.T) {
	all := tally{}
	all.count("all", true)
	all.count("all", false)
	all.count("all en", true)
	table := scoreTable("a corpus", all.sorted())
	var text strings.Builder
	if err := table.Write(&text); err != nil {
		t.Fatal(err)
	}
	if want := "a corpus\nwhat    right  of  percent\nall         1   2     50.0\nall en      1   1    100.0\n\n"; text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
	raw, err := table.MarshalJSON()
	want := `{"rows":[{"of":2,"percent":50,"right":1,"what":"all"},{"of":1,"percent":100,"right":1,"what":"all en"}],"title":"a corpus"}`
	if err != nil || string(raw) != want {
		t.Errorf("got %s, %v, want %s", raw, err, want)
	}
}

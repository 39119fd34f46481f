package memorybench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

var (
	strict = flag.Bool("strict", false, "build the full size and fail where a target is missed")
	lines  = flag.Int("lines", 0, "how many lines there are; facts and entities in proportion")
	only   = flag.String("store", "", "the only store to measure: sqlite or postgres")
)

// percentiles are those of many durations.
type percentiles []time.Duration

func (p percentiles) at(share float64) float64 {
	slices.Sort(p)
	return float64(p[int(share*float64(len(p)-1))].Microseconds()) / 1000
}

// measure runs do n times.
func measure(n int, do func(i int)) percentiles {
	do(0) // connects and prepares
	took := make(percentiles, n)
	for i := range took {
		start := time.Now()
		do(i)
		took[i] = time.Since(start)
	}
	return took
}

// TestMemory prints the cost of a grown memory, in a file and in PostgreSQL,
// and with -strict checks the targets at full size.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	for _, in := range places {
		if *only != "" && *only != in.name {
			continue
		}
		of := in.small
		if *strict {
			of = in.full
		}
		if *lines > 0 {
			of = size{*lines, *lines * 3 / 10, *lines / 20}
		}
		t.Run(in.name, func(t *testing.T) { measureStore(t, in, of) })
	}
}

// measureStore builds a store and measures its operations.
func measureStore(t *testing.T, in place, of size) {
	c := build(t, in, of)
	ctx := t.Context()
	hold := func(what string, got, want float64) {
		t.Logf("%-44s %9.3f ms, target %g", what, got, want)
		if *strict && got > want {
			t.Errorf("%s: %.3f ms, want at most %g", what, got, want)
		}
	}
	appended := measure(500, func(i int) {
		_, err := c.Append(ctx, memory.Line{Session: c.session, Turn: int64(i), Speaker: "Player1", User: "discord:2", Ref: fmt.Sprint("a", i), Text: c.text()})
		must(t, "appending", err)
	})
	hold("append, p95", appended.at(.95), 2)
	searched := measure(300, func(int) {
		_, err := c.SearchLines(ctx, memory.LineQuery{Text: c.text()})
		must(t, "searching", err)
	})
	hold("search, whole sentences, p95", searched.at(.95), map[bool]float64{true: 2, false: 20}[of.lines <= 100_000])
	began := time.Now()
	_, err := c.Recall(ctx, memory.LineQuery{Text: "Who " + c.text() + "?"})
	must(t, "recalling", err)
	hold("recall, the first question", float64(time.Since(began).Milliseconds()), 1000)
	recalled := measure(100, func(int) {
		_, err := c.Recall(ctx, memory.LineQuery{Text: "Who " + c.text() + "?", Viewer: "bartok"})
		must(t, "recalling", err)
	})
	hold("recall of lines, p95", recalled.at(.95), 20)
	facts := measure(300, func(int) {
		_, err := c.SearchFacts(ctx, c.text(), "bartok", 10)
		must(t, "searching facts", err)
	})
	hold("search of facts by vectors and words, p95", facts.at(.95), 20)
	listed := measure(50, func(int) {
		_, err := c.Sessions(ctx, 0)
		must(t, "listing sessions", err)
	})
	hold("list of sessions, p95", listed.at(.95), 5)
	retracted := measure(100, func(i int) {
		_, err := c.Retract(ctx, c.session, fmt.Sprint("a", i))
		must(t, "retracting", err)
	})
	hold("retract, p95", retracted.at(.95), 20)
	nobody := measure(20, func(i int) {
		_, err := c.Forget(ctx, fmt.Sprint("discord:nobody", i))
		must(t, "forgetting nobody", err)
	})
	hold("forget nobody, p95", nobody.at(.95), 5)
	t.Run("settle", func(t *testing.T) { settleWhileTalking(t, c, max(200, min(of.entities, 10_000)), hold) })
	t.Run("context", func(t *testing.T) { hotContext(t, c, hold) })
	t.Run("forget", func(t *testing.T) { forgetWhileTalking(t, c, hold) })
}

// hotContext collects NPCs' knowledge for lines with names of common words.
func hotContext(t *testing.T, c *campaign, hold func(string, float64, float64)) {
	w, err := world.Open(t.Context(), c.store, world.Options{})
	must(t, "opening the world", err)
	recent, err := c.Recent(t.Context(), c.session, 20)
	must(t, "reading the last lines", err)
	source := hotctx.New(c.store, world.Graph{World: w, Finder: c.store})
	for _, says := range []struct{ name, text string }{
		{"rare names", "Have you seen " + c.words[14_000] + " or " + c.words[14_500] + " lately?"},
		{"common words", "Who is at the Old Stone Bridge by the Green River, or the Black Tower on the Hill?"},
	} {
		took := measure(1000, func(int) {
			_, err := source.Assemble(t.Context(), hotctx.Query{NPC: hotctx.Person{ID: "e-1", Name: "Bartok"}, Session: c.session, Utterance: says.text, Recent: 20, Lines: recent})
			must(t, "assembling", err)
		})
		hold("context, "+says.name+", p99", took.at(.99), 5)
	}
}

// mistaken is a word in every retracted line.
const mistaken = "quondamly"

// talk holds the results of one of the tables that play meanwhile.
type talk struct {
	session        string
	said, taken    int // lines said and lines retracted
	waited, undone percentiles
}

// run says a line every 20 ms. One in four is retracted three lines later, with
// the fact made from it.
func (k *talk) run(t *testing.T, c *campaign, talking context.Context) {
	ctx := t.Context()
	for n := 0; talking.Err() == nil || n%4 != 1; n++ { // no line to retract is left open
		l := memory.Line{Session: k.session, Turn: int64(n), Speaker: "Player2", User: "discord:2", Ref: fmt.Sprint("m", n), Text: "and so it goes on"}
		switch n % 4 {
		case 1:
			l.Text += fmt.Sprintf(" %s%d", mistaken, n)
		case 2:
			l.Speaker, l.User = "Player3", other
		}
		start := time.Now()
		_, err := c.Append(ctx, l)
		k.waited = append(k.waited, time.Since(start))
		k.said++
		switch {
		case n%4 == 1:
			err = errors.Join(err, c.Remember(ctx, memory.FactOf(l)))
		case n%4 == 0 && n > 0:
			start := time.Now()
			gone, failed := c.Retract(ctx, k.session, fmt.Sprint("m", n-3))
			k.undone = append(k.undone, time.Since(start))
			k.taken += gone
			err = errors.Join(err, failed)
		}
		if err != nil {
			t.Errorf("line %d of a table: %v", n, err)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// forgetWhileTalking forgets a tenth of all lines while three tables play and
// retract some of theirs.
func forgetWhileTalking(t *testing.T, c *campaign, hold func(string, float64, float64)) {
	var tables sync.WaitGroup
	talking, silence := context.WithCancel(t.Context())
	defer silence()
	talks := make([]talk, 3)
	for i := range talks {
		s, err := c.StartSession(t.Context(), "grown")
		must(t, "starting a session", err)
		talks[i].session = s.ID
		tables.Go(func() { talks[i].run(t, c, talking) })
	}
	start := time.Now()
	n, err := c.ForgetUser(t.Context(), ana, logPhases(t))
	took := time.Since(start)
	silence()
	tables.Wait()
	must(t, "forgetting", err)
	if n != c.anas {
		t.Errorf("%d lines forgotten, want %d", n, c.anas)
	}
	for _, left := range c.left(t, "Anastasia", "anastasia", ana) {
		t.Errorf("left of who was forgotten: %s", left)
	}
	var waited, undone percentiles
	for _, k := range talks {
		waited, undone = append(waited, k.waited...), append(undone, k.undone...)
	}
	t.Logf("%d lines forgotten in %.1f s, while %d others were kept and %d of them taken back", n, took.Seconds(), len(waited), len(undone))
	hold("forget: writers wait, p99", waited.at(.99), 200)
	hold("forget: writers wait, longest", waited.at(1), 1000)
	hold("forget: who takes a line back waits, p99", undone.at(.99), 200)
	checkTalks(t, c, talks)
}

// logPhases logs the start of each phase of forgetting.
func logPhases(t *testing.T) func(memory.Forgetting) {
	began, phase := time.Now(), 0
	return func(p memory.Forgetting) {
		if p.Phase != phase {
			t.Logf("phase %d after %.1f s", p.Phase, time.Since(began).Seconds())
			phase = p.Phase
		}
	}
}

// checkTalks checks that the tables' lines are stored except retracted ones,
// and that no trace of those is left. The file may contain copies of them until
// a user is forgotten.
func checkTalks(t *testing.T, c *campaign, talks []talk) {
	theirs := 0
	for _, k := range talks {
		kept, err := c.Recent(t.Context(), k.session, k.said+1)
		must(t, "reading", err)
		if len(kept) != k.said-k.taken || k.taken != len(k.undone) {
			t.Errorf("%d lines kept of %d, of which %d were to be taken back and %d are", len(kept), k.said, len(k.undone), k.taken)
		}
		for _, l := range kept {
			if strings.Contains(l.Text, mistaken) {
				t.Errorf("line %q was taken back, and is read", l.Text)
			}
			if l.User == other {
				theirs++
			}
		}
	}
	t.Logf("left of what was taken back: %q", c.left(t, mistaken))
	start := time.Now()
	n, err := c.ForgetUser(t.Context(), other, logPhases(t))
	must(t, "forgetting another", err)
	if n != theirs {
		t.Errorf("%d lines of another forgotten, want %d", n, theirs)
	}
	t.Logf("another %d lines forgotten in %.1f s", n, time.Since(start).Seconds())
	for _, left := range c.left(t, mistaken, other) {
		t.Errorf("left of what was taken back or forgotten: %s", left)
	}
}

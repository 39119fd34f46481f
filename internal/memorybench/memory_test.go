package memorybench

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
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
)

// percentiles are of many times.
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

// TestMemory prints what memory costs that has grown, and with -strict holds it to its
// targets at a million lines.
func TestMemory(t *testing.T) {
	of := size{10_000, 3000, 500}
	if *strict {
		of = size{1_000_000, 300_000, 50_000}
	}
	if *lines > 0 {
		of = size{*lines, *lines * 3 / 10, *lines / 20}
	}
	c := build(t, of)
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
	t.Run("context", func(t *testing.T) { hotContext(t, c, hold) })
	t.Run("forget", func(t *testing.T) { forgetWhileTalking(t, c, hold) })
}

// hotContext gathers what NPCs know, for lines with names of common words.
func hotContext(t *testing.T, c *campaign, hold func(string, float64, float64)) {
	w, err := world.Open(t.Context(), c.Store, world.Options{})
	must(t, "opening the world", err)
	recent, err := c.Recent(t.Context(), c.session, 20)
	must(t, "reading the last lines", err)
	source := hotctx.New(c.Store, world.Graph{World: w, Finder: c.Store})
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

// forgetWhileTalking forgets a tenth of everything while three tables talk.
func forgetWhileTalking(t *testing.T, c *campaign, hold func(string, float64, float64)) {
	var tables sync.WaitGroup
	talking, silence := context.WithCancel(t.Context())
	waited := make([]percentiles, 3)
	said := make([]string, 3)
	for i := range waited {
		s, err := c.StartSession(t.Context(), "grown")
		must(t, "starting a session", err)
		said[i] = s.ID
		tables.Go(func() {
			for n := 0; talking.Err() == nil; n++ {
				start := time.Now()
				_, err := c.Append(t.Context(), memory.Line{Session: said[i], Turn: int64(n), Speaker: "Player2", User: "discord:2", Text: "and so it goes on"})
				if err != nil {
					t.Errorf("appending: %v", err)
				}
				waited[i] = append(waited[i], time.Since(start))
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	start := time.Now()
	phase, began := 0, start
	n, err := c.ForgetPerson(t.Context(), memory.Person{User: ana}, func(p memory.Forgetting) {
		if p.Phase != phase {
			t.Logf("phase %d after %.1f s", p.Phase, time.Since(began).Seconds())
			phase = p.Phase
		}
	})
	took := time.Since(start)
	silence()
	tables.Wait()
	must(t, "forgetting", err)
	if n != c.anas {
		t.Errorf("%d lines forgotten, want %d", n, c.anas)
	}
	for i, s := range said {
		kept, err := c.Recent(t.Context(), s, len(waited[i])+1)
		must(t, "reading", err)
		if len(kept) != len(waited[i]) {
			t.Errorf("%d lines kept of %d", len(kept), len(waited[i]))
		}
	}
	all := slices.Concat(waited...)
	t.Logf("%d lines forgotten in %.1f s, while %d others were kept", n, took.Seconds(), len(all))
	hold("forget: writers wait, p99", all.at(.99), 200)
	hold("forget: writers wait, longest", all.at(1), 1000)
	for _, name := range []string{c.path, c.path + "-wal"} {
		data, err := os.ReadFile(name)
		must(t, "reading the file", err)
		for _, word := range []string{"Anastasia", "anastasia", ana} {
			if bytes.Contains(data, []byte(word)) {
				t.Errorf("%q is left in %s", word, name)
			}
		}
	}
}

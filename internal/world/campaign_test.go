package world_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// thornhollow returns the text of the sample campaign.
func thornhollow(t testing.TB) []byte {
	t.Helper()
	text, err := fs.ReadFile(glyphoxa.Shipped, "campaigns/thornhollow.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestThornhollow(t *testing.T) {
	c, err := world.ParseCampaign("thornhollow.yaml", thornhollow(t))
	if err != nil {
		t.Fatalf("Parse:\n%v", err)
	}
	checkSound(t, c)
	if c.System != "dnd5e" || !strings.Contains(c.Scene, "Rusty Flagon") {
		t.Errorf("system %q, scene %q; want dnd5e and a scene in the Rusty Flagon", c.System, c.Scene)
	}
	if len(c.Entities) < 25 || len(c.Relations) < 35 || len(c.Facts) == 0 {
		t.Errorf("%d entities, %d relations, %d facts; want at least 25, 35 and 1", len(c.Entities), len(c.Relations), len(c.Facts))
	}
	visible := map[string][]string{}
	connected := map[string]bool{}
	for _, e := range c.Entities {
		visible[e.ID] = e.Visible
	}
	for _, r := range c.Relations {
		connected[r.From], connected[r.To] = true, true
		for _, end := range []string{r.From, r.To} {
			if leaks(visible[end], r.Visible) {
				t.Errorf("%s %s %s is known to NPCs that do not know of %s", r.From, r.Type, r.To, end)
			}
		}
	}
	for _, e := range c.Entities {
		if !connected[e.ID] {
			t.Errorf("nothing relates to %s", e.ID)
		}
	}
}

// leaks reports whether a viewer other than the DM can see inner but not outer.
func leaks(outer, inner []string) bool {
	if len(outer) == 0 {
		return false
	}
	for _, id := range inner {
		if id != world.DMOnly && !strings.Contains(" "+strings.Join(outer, " ")+" ", " "+id+" ") {
			return true
		}
	}
	return len(inner) == 0
}

func TestParseLimits(t *testing.T) {
	if _, err := world.ParseCampaign("large.yaml", []byte("name: N\n#"+strings.Repeat("x", world.MaxCampaignSize))); err == nil || !strings.Contains(err.Error(), "larger than 16 MiB") {
		t.Errorf("Parse of a huge file: %v, want an error that says so", err)
	}
	var list userfile.Problems
	if _, err := world.ParseCampaign("bad.yaml", []byte("nam: N\n")); !errors.As(err, &list) || list[0].File != "bad.yaml" {
		t.Errorf("Parse of a bad file: %v, want problems of bad.yaml", err)
	}
}

// fakeMemory records its calls, in order.
type fakeMemory struct {
	calls []string
	facts []memory.Fact
	fail  string
}

var errFull = errors.New("disk is full")

func (m *fakeMemory) call(name string) error {
	m.calls = append(m.calls, name)
	if name == m.fail {
		return errFull
	}
	return nil
}

func (m *fakeMemory) ApplyCampaign(_ context.Context, entities []memory.Entity, relations []memory.Relation, facts []memory.Fact) error {
	m.facts = facts
	return m.call(fmt.Sprintf("settle %d %d %d", len(entities), len(relations), len(facts)))
}

func TestApply(t *testing.T) {
	const settled = "settle 2 1 3"
	tests := []struct {
		name, fail string
		want       []string
	}{
		{"all", "", []string{settled}},
		{"settling_fails", settled, []string{settled}},
	}
	c, err := world.ParseCampaign("mill.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &fakeMemory{fail: tt.fail}
			err := c.Apply(t.Context(), m)
			if (tt.fail == "") != (err == nil) || err != nil && !errors.Is(err, errFull) {
				t.Errorf("Apply = %v with %q failing", err, tt.fail)
			}
			if diff := cmp.Diff(tt.want, m.calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}

func TestApplyDatesFacts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := world.ParseCampaign("mill.yaml", []byte(small))
		if err != nil {
			t.Fatal(err)
		}
		m := &fakeMemory{}
		if err := c.Apply(t.Context(), m); err != nil {
			t.Fatalf("Apply: %v", err)
		}
		now := time.Now()
		want := []memory.Fact{
			{Source: "entity:mill", Text: "The mill creaks.", At: now, Visible: []string{"aldo"}},
			{Source: "entity:aldo", Text: "Aldo snores.", At: now, Visible: []string{"aldo"}},
			{Source: "campaign:mill-end", Text: "It rains a lot.", At: now},
		}
		if diff := cmp.Diff(want, m.facts); diff != "" {
			t.Errorf("facts (-want +got):\n%s", diff)
		}
		if !c.Facts[0].At.IsZero() {
			t.Error("Apply changed the campaign's own facts")
		}
	})
}

// TestApplyKeepsWhatWasPlayed applies a campaign twice to a real store: a change made in play
// survives.
func TestApplyKeepsWhatWasPlayed(t *testing.T) {
	c, err := world.ParseCampaign("mill.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	apply := func() {
		t.Helper()
		if err := c.Apply(t.Context(), s); err != nil {
			t.Fatalf("Apply: %v", err)
		}
	}
	apply()
	facts, err := s.SearchFacts(t.Context(), "Aldo grinds", "", 1)
	if err != nil || len(facts) != 1 || facts[0].Text != "Aldo: He grinds." {
		t.Errorf("facts = %v, %v; want what the file describes", facts, err)
	}
	e, err := s.Entity(t.Context(), "aldo", "")
	if err != nil {
		t.Fatal(err)
	}
	e.Description, e.Position = "He rests.", &memory.Position{1, 2, 3}
	if err := s.Change(t.Context(), memory.Batch{Put: []memory.Entity{e}}); err != nil {
		t.Fatal(err)
	}
	apply()
	if got, err := s.Entity(t.Context(), "aldo", ""); err != nil || !cmp.Equal(got, e) {
		t.Errorf("aldo is %+v, %v after the file was applied again; want %+v", got, err, e)
	}
}

func BenchmarkLoadThornhollow(b *testing.B) {
	text := thornhollow(b)
	for b.Loop() {
		if _, err := world.ParseCampaign("thornhollow.yaml", text); err != nil {
			b.Fatal(err)
		}
	}
}

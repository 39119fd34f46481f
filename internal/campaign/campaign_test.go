package campaign_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa"
	"github.com/MrWong99/glyphoxa/internal/campaign"
	"github.com/MrWong99/glyphoxa/internal/problem"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

func TestThornhollow(t *testing.T) {
	c, err := campaign.LoadFS(glyphoxa.Shipped, "campaigns/thornhollow.yaml")
	if err != nil {
		t.Fatalf("LoadFS:\n%v", err)
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

// leaks reports whether inner is visible to someone outer is not.
func leaks(outer, inner []string) bool {
	if len(outer) == 0 {
		return false
	}
	for _, id := range inner {
		if !strings.Contains(" "+strings.Join(outer, " ")+" ", " "+id+" ") {
			return true
		}
	}
	return len(inner) == 0
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mill.yaml")
	if err := os.WriteFile(path, []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := campaign.Load(path)
	if err != nil || c.Name != "Mill End" || c.File != path {
		t.Errorf("Load(%q) = %+v, %v; want Mill End", path, c, err)
	}
	if _, err := campaign.Load(filepath.Join(dir, "none.yaml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load of no file: %v, want ErrNotExist", err)
	}
	if _, err := campaign.Load(dir); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("Load of a folder: %v, want an error that says so", err)
	}
}

func TestLoadFSLimits(t *testing.T) {
	fsys := fstest.MapFS{
		"large.yaml": {Data: []byte("name: N\n#" + strings.Repeat("x", campaign.MaxSize))},
		"bad.yaml":   {Data: []byte("nam: N\n")},
	}
	if _, err := campaign.LoadFS(fsys, "large.yaml"); err == nil || !strings.Contains(err.Error(), "larger than 16 MiB") {
		t.Errorf("LoadFS of a huge file: %v, want an error that says so", err)
	}
	var list problem.List
	if _, err := campaign.LoadFS(fsys, "bad.yaml"); !errors.As(err, &list) || list[0].File != "bad.yaml" {
		t.Errorf("LoadFS of a bad file: %v, want problems of bad.yaml", err)
	}
}

// fakeMemory records what is stored, in order.
type fakeMemory struct {
	memory.Graph
	memory.Index
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

func (m *fakeMemory) PutEntities(context.Context, ...memory.Entity) error { return m.call("entities") }

func (m *fakeMemory) PutRelations(context.Context, ...memory.Relation) error {
	return m.call("relations")
}

func (m *fakeMemory) Remember(_ context.Context, facts ...memory.Fact) error {
	m.facts = facts
	return m.call("facts")
}

func TestApply(t *testing.T) {
	tests := []struct {
		name, fail string
		noIndex    bool
		want       []string
	}{
		{"all", "", false, []string{"entities", "relations", "facts"}},
		{"without_index", "", true, []string{"entities", "relations"}},
		{"entities_fail", "entities", false, []string{"entities"}},
		{"relations_fail", "relations", false, []string{"entities", "relations"}},
		{"facts_fail", "facts", false, []string{"entities", "relations", "facts"}},
	}
	c, err := campaign.Parse("mill.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &fakeMemory{fail: tt.fail}
			var index memory.Index = m
			if tt.noIndex {
				index = nil
			}
			err := c.Apply(t.Context(), m, index)
			if (tt.fail == "") != (err == nil) || err != nil && !errors.Is(err, errFull) {
				t.Errorf("Apply = %v with %q failing", err, tt.fail)
			}
			if diff := cmp.Diff(tt.want, m.calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}

func TestApplyRemembersDescriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := campaign.Parse("mill.yaml", []byte(small))
		if err != nil {
			t.Fatal(err)
		}
		m := &fakeMemory{}
		if err := c.Apply(t.Context(), m, m); err != nil {
			t.Fatalf("Apply: %v", err)
		}
		now := time.Now()
		want := []memory.Fact{
			{Source: "entity:aldo", Text: "Aldo: He grinds.", At: now},
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

func BenchmarkLoadThornhollow(b *testing.B) {
	for b.Loop() {
		if _, err := campaign.LoadFS(glyphoxa.Shipped, "campaigns/thornhollow.yaml"); err != nil {
			b.Fatal(err)
		}
	}
}

package mcpbench

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// worldSteps are the steps of a world on disk.
func worldSteps(t *testing.T, size int) []step {
	ctx := t.Context()
	openWorld := func(file string) (*world.World, *sqlite.Store) {
		store, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), file), nil)
		must(t, "opening memory", err)
		t.Cleanup(func() { must(t, "closing memory", store.Close()) })
		live, err := world.Open(ctx, store, world.Options{Campaign: "Bench"})
		must(t, "opening the world", err)
		return live, store
	}
	live, store := openWorld("world.db")
	populate(t, live, size)
	last, change := entityID(size-1), 0.0
	move := func() {
		change++
		_, err := live.Move(ctx, last, memory.Position{change, 0, 0}, "bench")
		must(t, "moving", err)
	}
	poll := func(since uint64, want int) {
		s, err := live.Subscribe(world.Filter{Since: &since})
		must(t, "subscribing", err)
		defer s.Close()
		if d, _ := s.Poll(); !s.Resumed() || len(d.Changes) != want {
			t.Errorf("a poll brought %d changes, want %d", len(d.Changes), want)
		}
	}
	var empty *world.World
	files := 0
	return []step{
		{name: "save all", bound: straight, rounds: 3, prepare: func() {
			files++
			empty, _ = openWorld(fmt.Sprint("empty", files, ".db"))
		}, work: func() { populate(t, empty, size) }},
		{name: "load", bound: straight, rounds: growthRounds, work: func() {
			_, err := world.Open(ctx, store, world.Options{Campaign: "Bench"})
			must(t, "opening the world", err)
			must(t, "refreshing", live.Refresh(ctx)) // otherwise it would lag behind the opened one
		}},
		{name: "save one", bound: flat, rounds: 9, each: 5, work: func() {
			for range 5 {
				move()
			}
		}},
		{name: "look one up", bound: flat, rounds: growthRounds, each: 100, work: func() {
			for range 100 {
				if _, there := live.Entity(last, ""); !there {
					t.Error("it is not there")
				}
			}
		}},
		{name: "poll, nothing new", bound: flat, rounds: growthRounds, each: 100, work: func() {
			for range 100 {
				poll(live.Seq(), 0)
			}
		}},
		{name: "poll, one change", bound: flat, rounds: growthRounds, each: 100, prepare: move, work: func() {
			for range 100 {
				poll(live.Seq()-1, 1)
			}
		}},
		{name: "snapshot of all", bound: straight, rounds: growthRounds, work: func() {
			s, err := live.Subscribe(world.Filter{})
			must(t, "subscribing", err)
			if len(s.Snapshot().Entities) != size {
				t.Error("not all entities are there")
			}
			s.Close()
		}},
	}
}

func TestGrowthOfEntities(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	if racing {
		t.Skip("the race detector changes what is measured; make gate runs this without it")
	}
	holdGrowth(t, "entities", atSizes(t, sizes(50, 50_000), worldSteps))
}

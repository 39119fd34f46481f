package world_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

func move(t testing.TB, w *world.World, id string, x float64) uint64 {
	t.Helper()
	seq, err := w.Move(t.Context(), id, memory.Position{x, 0, 0}, "move "+id)
	must(t, "Move", err)
	return seq
}

func TestNextWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, newShelf(), world.Options{})
		put(t, w, memory.Entity{ID: "a"}, memory.Entity{ID: "secret", Visible: []string{"mira"}})
		s := follow(t, w, world.Filter{Viewer: memory.Anyone})
		start := time.Now()
		go func() {
			time.Sleep(time.Second)
			move(t, w, "secret", 1) // not visible to the subscriber
			_, err := w.Relate(t.Context(), memory.Relation{From: "a", Type: "knows", To: "secret"}, "")
			must(t, "Relate", err)
			time.Sleep(time.Second)
			move(t, w, "a", 1)
		}()
		d := nextMatch(t, s)
		if took := time.Since(start); took != 2*time.Second || !cmp.Equal(changed(d), []string{"a"}) {
			t.Errorf("%v changed after %v, want a after 2s", changed(d), took)
		}
		if diff := cmp.Diff([]string{"move a"}, d.Causes); diff != "" {
			t.Errorf("causes (-want +got):\n%s", diff)
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start = time.Now()
		if _, err := s.Next(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Minute {
			t.Errorf("Next = %v after %v, want DeadlineExceeded after a minute", err, time.Since(start))
		}
		go func() {
			time.Sleep(time.Second)
			s.Close()
			s.Close()
		}()
		if _, err := s.Next(t.Context()); !errors.Is(err, world.ErrClosed) {
			t.Errorf("Next of a closed subscription = %v, want ErrClosed", err)
		}
		move(t, w, "a", 2)
	})
}

// TestSlowReaderGetsNewerState lets one subscriber sleep through thousands of changes: it
// delays no other, and gets each entity once, in its latest state.
func TestSlowReaderGetsNewerState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, newShelf(), world.Options{Scene: "Night."})
		for i := range 10 {
			put(t, w, memory.Entity{ID: fmt.Sprint("e", i)})
		}
		slow := follow(t, w, world.Filter{})
		quick := follow(t, w, world.Filter{})
		start, told := time.Now(), 0
		for i := range 5000 {
			move(t, w, fmt.Sprint("e", i%10), float64(i))
			told += len(nextMatch(t, quick).Changes)
		}
		_, err := w.SetScene(t.Context(), "Dawn.", "dm")
		must(t, "SetScene", err)
		if told != 5000 || time.Since(start) != 0 {
			t.Errorf("the quick reader was told %d changes in %v, want 5000 at once", told, time.Since(start))
		}
		d := nextMatch(t, slow)
		if len(d.Changes) != 10 || d.Scene == nil || *d.Scene != "Dawn." || d.Seq != w.Seq() {
			t.Fatalf("%d changes, scene %v, number %d; want 10, Dawn. and %d", len(d.Changes), d.Scene, d.Seq, w.Seq())
		}
		for i, c := range d.Changes {
			if want := float64(4990 + i); c.Entity.Position[0] != want {
				t.Errorf("%s is at %v, want %v", c.Entity.ID, c.Entity.Position[0], want)
			}
		}
		if len(d.Causes) != 11 {
			t.Errorf("causes = %q, want the ten moves and the scene", d.Causes)
		}
	})
}

func TestNextPrefersWhatThereIs(t *testing.T) {
	w := opened(t, newShelf(), world.Options{})
	put(t, w, memory.Entity{ID: "a"})
	s := follow(t, w, world.Filter{})
	if got := idsOf(s.Snapshot().Entities); !cmp.Equal(got, idsOf(s.Snapshot().Entities)) || len(got) != 1 {
		t.Errorf("snapshot of %q, want a, and the same again", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for i := range 100 {
		move(t, w, "a", float64(i))
		if d, err := s.Next(ended); err != nil || len(d.Changes) != 1 {
			t.Fatalf("Next = %+v, %v; want the change, though the context has ended", d, err)
		}
	}
	if d, err := s.Next(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("Next = %+v, %v; want Canceled", d, err)
	}
	if snap := s.Snapshot(); snap.Entities != nil || snap.Seq == 0 {
		t.Errorf("snapshot = %+v, want no more than number and scene", snap)
	}
}

// TestTheLaterTakenTheNewer: Take returns changes made after Wait returned, too.
func TestTheLaterTakenTheNewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, newShelf(), world.Options{})
		put(t, w, memory.Entity{ID: "a"})
		s := follow(t, w, world.Filter{})
		if d, ok := s.Poll(); ok {
			t.Errorf("Take = %+v, want nothing", d)
		}
		move(t, w, "a", 1)
		must(t, "Wait", s.Wait(t.Context()))
		move(t, w, "a", 2)
		if d, ok := s.Poll(); !ok || len(d.Changes) != 1 || d.Changes[0].Entity.Position[0] != 2 {
			t.Errorf("Take = %+v, %v; want a at 2", d, ok)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait = %v, want DeadlineExceeded: all has been taken", err)
		}
	})
}

func TestCausesAreBounded(t *testing.T) {
	w := opened(t, newShelf(), world.Options{})
	put(t, w, memory.Entity{ID: "a"})
	s := follow(t, w, world.Filter{})
	for i := range 50 {
		for range 2 {
			_, err := w.Move(t.Context(), "a", memory.Position{}, fmt.Sprint("cause ", i))
			must(t, "Move", err)
		}
	}
	if d := nextMatch(t, s); len(d.Causes) != 16 || d.Causes[15] != "cause 15" {
		t.Errorf("causes = %q, want the first sixteen different ones", d.Causes)
	}
}

func TestResume(t *testing.T) {
	const reach = 8192 // number of remembered changes
	rows := []struct {
		name string
		// between runs while the subscriber is away.
		between          func(t *testing.T, w *world.World)
		since            func(now uint64) uint64
		resumed          bool
		changes, removed []string
	}{
		{name: "nothing_happened", resumed: true},
		{name: "what_changed", resumed: true, changes: []string{"a", "new"}, between: func(t *testing.T, w *world.World) {
			move(t, w, "a", 1)
			move(t, w, "a", 2)
			put(t, w, memory.Entity{ID: "new", Position: at(1, 0, 0)})
		}},
		{name: "what_left", resumed: true, removed: []string{"a", "b"}, between: func(t *testing.T, w *world.World) {
			move(t, w, "a", 50)
			_, err := w.Remove(t.Context(), "b", "")
			must(t, "Remove", err)
		}},
		{name: "what_was_never_seen", resumed: true, between: func(t *testing.T, w *world.World) {
			put(t, w, memory.Entity{ID: "passing", Position: at(1, 0, 0)})
			_, err := w.Remove(t.Context(), "passing", "")
			must(t, "Remove", err)
			move(t, w, "far", 60)
			move(t, w, "secret", 2)
		}},
		{name: "what_came_back", resumed: true, changes: []string{"a"}, between: func(t *testing.T, w *world.World) {
			move(t, w, "a", 50)
			move(t, w, "a", 0)
		}},
		{name: "as_far_as_it_reaches", resumed: true, changes: []string{"a"}, between: func(t *testing.T, w *world.World) {
			for range reach {
				move(t, w, "a", 1)
			}
		}},
		{name: "too_far_back", between: func(t *testing.T, w *world.World) {
			for range reach + 1 {
				move(t, w, "a", 1)
			}
		}},
		{name: "from_the_future", since: func(now uint64) uint64 { return now + 1 }},
		{name: "from_before_this_process", since: func(uint64) uint64 { return 0 }},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			w := opened(t, newShelf(), world.Options{})
			put(t, w, memory.Entity{ID: "a", Position: at(0, 0, 0)}, memory.Entity{ID: "b", Position: at(1, 0, 0)},
				memory.Entity{ID: "far", Position: at(50, 0, 0)}, memory.Entity{ID: "secret", Position: at(0, 0, 0), Visible: []string{"mira"}})
			since := w.Seq()
			if row.since != nil {
				since = row.since(since)
			}
			if row.between != nil {
				row.between(t, w)
			}
			s := follow(t, w, world.Filter{Viewer: memory.Anyone, Area: &world.Area{Radius: 9}, Since: &since})
			if s.Resumed() != row.resumed {
				t.Fatalf("Resumed = %v, want %v", s.Resumed(), row.resumed)
			}
			if !row.resumed {
				if diff := cmp.Diff([]string{"a", "b"}, idsOf(s.Snapshot().Entities)); diff != "" || s.Snapshot().Seq != w.Seq() {
					t.Errorf("number %d, snapshot (-want +got):\n%s", s.Snapshot().Seq, diff)
				}
				return
			}
			if snap := s.Snapshot(); snap.Seq != since || snap.Entities != nil {
				t.Errorf("snapshot = %+v, want number %d alone", snap, since)
			}
			put(t, w, memory.Entity{ID: "z", Position: at(0, 0, 0)}) // a change to report
			d := nextMatch(t, s)
			if diff := cmp.Diff(append(row.changes, "z"), changed(d)); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(row.removed, d.Removed); diff != "" {
				t.Errorf("removed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRelationsTouchTheirEnds changes relations that only some viewers can see.
func TestRelationsTouchTheirEnds(t *testing.T) {
	rows := []struct {
		name   string
		change memory.Relation
		remove bool
		bart   []string // entities reported to him and to anyone
		anyone []string
	}{
		{name: "new", change: memory.Relation{From: "bart", Type: "owns", To: "inn"}, bart: []string{"bart", "inn"}, anyone: []string{"bart", "inn"}},
		{name: "secret", change: memory.Relation{From: "bart", Type: "robs", To: "inn", Visible: []string{"bart"}}, bart: []string{"bart", "inn"}},
		{name: "to_something_hidden", change: memory.Relation{From: "bart", Type: "fears", To: "cult"}, bart: []string{"bart", "cult"}},
		{name: "becomes_secret", change: memory.Relation{From: "bart", Type: "likes", To: "inn", Visible: []string{"bart"}}, bart: []string{"bart", "inn"}, anyone: []string{"bart", "inn"}},
		{name: "ends", change: memory.Relation{From: "bart", Type: "likes", To: "inn"}, remove: true, bart: []string{"bart", "inn"}, anyone: []string{"bart", "inn"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			w := opened(t, newShelf(), world.Options{})
			put(t, w, memory.Entity{ID: "bart"}, memory.Entity{ID: "inn"}, memory.Entity{ID: "cult", Visible: []string{"bart"}}, memory.Entity{ID: "other"})
			_, err := w.Relate(t.Context(), memory.Relation{From: "bart", Type: "likes", To: "inn"}, "")
			must(t, "Relate", err)
			since := w.Seq()
			subs := map[string]*world.Subscription{}
			for _, viewer := range []string{"bart", memory.Anyone} {
				subs[viewer] = follow(t, w, world.Filter{Viewer: viewer})
			}
			if row.remove {
				_, err = w.Unrelate(t.Context(), row.change, "")
			} else {
				_, err = w.Relate(t.Context(), row.change, "")
			}
			must(t, row.name, err)
			for _, viewer := range []string{"bart", memory.Anyone} {
				subs[viewer+" resumed"] = follow(t, w, world.Filter{Viewer: viewer, Since: &since})
			}
			_, err = w.SetScene(t.Context(), "so that there is something to tell", "")
			must(t, "SetScene", err)
			for viewer, s := range subs {
				want := row.bart
				if viewer[0] == '*' {
					want = row.anyone
				}
				if diff := cmp.Diff(append([]string{}, want...), changed(nextMatch(t, s))); diff != "" {
					t.Errorf("%s is told of (-want +got):\n%s", viewer, diff)
				}
			}
		})
	}
}

func TestResumeTellsOfTheScene(t *testing.T) {
	w := opened(t, newShelf(), world.Options{Scene: "Night."})
	since := w.Seq()
	_, err := w.SetScene(t.Context(), "Dawn.", "")
	must(t, "SetScene", err)
	s := follow(t, w, world.Filter{Since: &since})
	if d := nextMatch(t, s); d.Scene == nil || *d.Scene != "Dawn." {
		t.Errorf("delta = %+v, want the scene", d)
	}
}

func TestMalformedAreas(t *testing.T) {
	w := opened(t, newShelf(), world.Options{})
	for _, row := range badAreas() {
		t.Run(row.name, func(t *testing.T) {
			if s, err := w.Subscribe(world.Filter{Area: &row.area}); !errors.Is(err, mcp.ErrInvalidArguments) || s != nil {
				t.Errorf("Subscribe = %v, %v; want ErrInvalidArguments alone", s, err)
			}
		})
	}
}

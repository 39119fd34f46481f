package mcpserver

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// newFanout returns the fan-out of a world of its own.
func newFanout(t *testing.T) *fanout {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	if err != nil {
		t.Fatalf("opening memory: %v", err)
	}
	t.Cleanup(func() { _ = store.Close() })
	w, err := world.Open(t.Context(), store, world.Options{})
	if err != nil {
		t.Fatalf("opening the world: %v", err)
	}
	return &fanout{world: w}
}

// sees joins a flow that hands its deltas to the channel it returns, and
// leaves when the test ends.
func (o *fanout) sees(t *testing.T) (*flow, <-chan world.Delta) {
	t.Helper()
	sub, err := o.world.Subscribe(world.Filter{})
	if err != nil {
		t.Fatalf("subscribing: %v", err)
	}
	deltas := make(chan world.Delta)
	end := make(chan struct{})
	w := &flow{sub: sub, push: func(d world.Delta) bool {
		select {
		case deltas <- d:
			return true
		case <-end:
			return false
		}
	}}
	if err := o.addFlow(w); err != nil {
		t.Fatalf("joining: %v", err)
	}
	t.Cleanup(func() {
		close(end)
		o.removeFlow(w)
		sub.Close()
	})
	return w, deltas
}

func (o *fanout) put(t *testing.T, id string) {
	t.Helper()
	if _, err := o.world.Put(t.Context(), memory.Entity{ID: id, Name: id}, "test"); err != nil {
		t.Fatalf("putting %s: %v", id, err)
	}
}

// receive returns the ids in the next delta.
func receive(t *testing.T, who string, deltas <-chan world.Delta) []string {
	t.Helper()
	select {
	case d := <-deltas:
		var ids []string
		for _, c := range d.Changes {
			ids = append(ids, c.Entity.ID)
		}
		return ids
	case <-time.After(time.Minute):
		t.Fatalf("%s is told nothing", who)
		return nil
	}
}

func TestWhoeverTakesNothingHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newFanout(t)
		_, stuck := o.sees(t)
		_, stuckToo := o.sees(t)
		_, quick := o.sees(t)
		for _, id := range []string{"a", "b", "c"} {
			o.put(t, id)
			if ids := receive(t, "the quick one", quick); len(ids) != 1 || ids[0] != id {
				t.Errorf("the quick one is told of %q, want %q", ids, id)
			}
			synctest.Wait() // the others are being told of the first
		}
		for who, deltas := range map[string]<-chan world.Delta{"the first": stuck, "the second": stuckToo} {
			first, rest := receive(t, who, deltas), receive(t, who, deltas)
			if len(first) != 1 || len(rest) != 2 {
				t.Errorf("%s stuck one is told of %q, then of %q; want one, then the other two at once", who, first, rest)
			}
		}
	})
}

func TestFanoutEndsWithTheLastAndBeginsAnew(t *testing.T) {
	o := newFanout(t)
	for range 3 {
		t.Run("round", func(t *testing.T) {
			_, deltas := o.sees(t)
			o.put(t, "a"+time.Now().String())
			if ids := receive(t, "the only one", deltas); len(ids) != 1 {
				t.Errorf("told of %q, want one", ids)
			}
		})
		if len(o.flows) != 0 {
			t.Fatalf("%d flows are left", len(o.flows))
		}
	}
}

func TestNothingIsPushedAfterItFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newFanout(t)
		sub, err := o.world.Subscribe(world.Filter{})
		if err != nil {
			t.Fatalf("subscribing: %v", err)
		}
		pushed := 0
		w := &flow{sub: sub, push: func(world.Delta) bool { pushed++; return false }}
		if err := o.addFlow(w); err != nil {
			t.Fatalf("joining: %v", err)
		}
		_, other := o.sees(t)
		for _, id := range []string{"a", "b"} {
			o.put(t, id)
			receive(t, "the other", other)
			synctest.Wait() // this one was served as well
		}
		o.removeFlow(w) // waits for whoever pushes
		if pushed != 1 {
			t.Errorf("pushed %d times, want once", pushed)
		}
	})
}

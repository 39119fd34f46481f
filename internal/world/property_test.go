package world_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// mirror is a subscriber's copy, made from a snapshot and deltas.
type mirror struct {
	viewer string
	sub    *world.Subscription
	// area is the last declared area, told the area that seq belongs to.
	area, told *world.Area
	seq        uint64
	scene      string
	entities   map[string]string // JSON by id
}

func (m *mirror) begin(t testing.TB, w *world.World, since *uint64) {
	t.Helper()
	var err error
	m.area = m.told
	m.sub, err = w.Subscribe(world.Filter{Viewer: m.viewer, Area: m.area, Since: since})
	must(t, "Subscribe", err)
	if m.sub.Resumed() {
		return
	}
	snap := m.sub.Snapshot()
	m.seq, m.scene, m.entities = snap.Seq, snap.Scene, map[string]string{}
	for _, c := range snap.Entities {
		m.entities[c.Entity.ID] = string(c.Raw)
	}
}

func (m *mirror) apply(t testing.TB, d world.Delta) {
	t.Helper()
	if d.Seq < m.seq {
		t.Fatalf("number %d after %d", d.Seq, m.seq)
	}
	m.seq = d.Seq
	for _, c := range d.Changes {
		m.entities[c.Entity.ID] = string(c.Raw)
	}
	for _, id := range d.Removed {
		if _, ok := m.entities[id]; !ok {
			t.Fatalf("%q was removed, which the subscriber never saw", id)
		}
		delete(m.entities, id)
	}
	if d.Scene != nil {
		m.scene = *d.Scene
	}
}

// catchUp reads deltas until the scene equals the given one.
func (m *mirror) catchUp(t testing.TB, scene string) {
	t.Helper()
	m.told = m.area
	for m.scene != scene {
		d, err := m.sub.Next(context.Background())
		must(t, "Next", err)
		m.apply(t, d)
	}
}

// check compares the copy with the world's own list of visible entities.
func (m *mirror) check(t testing.TB, w *world.World) {
	t.Helper()
	want := map[string]string{}
	for _, e := range w.Entities(m.viewer) {
		if m.area == nil || m.area.Contains(e.Position) {
			want[e.ID] = encoded(t, e)
		}
	}
	if diff := cmp.Diff(want, m.entities); diff != "" {
		t.Fatalf("%q in %+v sees (-want +got):\n%s", m.viewer, m.area, diff)
	}
}

var (
	viewers = []string{"", memory.Anyone, "bart", "mira"}
	ids     = []string{"a", "b", "c", "d", "e", "f"}
)

func drawPosition(t *rapid.T) *memory.Position {
	if rapid.IntRange(0, 3).Draw(t, "nowhere") == 0 {
		return nil
	}
	coordinate := rapid.Float64Range(-3, 3)
	return at(coordinate.Draw(t, "x"), float64(rapid.IntRange(-2, 2).Draw(t, "y")), 0)
}

func drawArea(t *rapid.T) *world.Area {
	p := drawPosition(t)
	if p == nil {
		return nil
	}
	return &world.Area{Center: *p, Radius: float64(rapid.IntRange(0, 4).Draw(t, "radius"))}
}

// drawChange draws a change. The world may refuse it.
func drawChange(t *rapid.T) func(*world.Tx) error {
	id := rapid.SampledFrom(ids).Draw(t, "id")
	switch rapid.IntRange(0, 5).Draw(t, "what") {
	case 0, 1:
		known := rapid.SampledFrom([][]string{nil, nil, {"bart"}, {"mira"}, {"bart", "mira"}}).Draw(t, "known")
		e := memory.Entity{ID: id, Name: rapid.SampledFrom(ids).Draw(t, "name"), Visible: known, Position: drawPosition(t)}
		return func(tx *world.Tx) error { return tx.Put(e) }
	case 2, 3:
		to := drawPosition(t)
		return func(tx *world.Tx) error { return tx.Move(id, to) }
	case 4:
		return func(tx *world.Tx) error { return tx.Remove(id) }
	}
	r := memory.Relation{From: id, Type: "knows", To: rapid.SampledFrom(ids).Draw(t, "to")}
	return func(tx *world.Tx) error { return tx.Relate(r) }
}

// TestSnapshotAndDeltasAreTheWorld makes random changes for subscribers that read now and then,
// declare other areas, leave and return.
func TestSnapshotAndDeltasAreTheWorld(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w, err := world.Open(t.Context(), newShelf(), world.Options{})
		must(t, "opening the world", err)
		mirrors := make([]*mirror, 3)
		for i := range mirrors {
			m := &mirror{viewer: rapid.SampledFrom(viewers).Draw(r, "viewer"), told: drawArea(r)}
			m.begin(t, w, nil)
			mirrors[i] = m
		}
		ticks := 0
		tick := func(m *mirror) {
			ticks++
			scene := fmt.Sprint("scene ", ticks)
			_, err := w.SetScene(t.Context(), scene, "")
			must(t, "SetScene", err)
			m.catchUp(t, scene)
			m.check(t, w)
		}
		r.Repeat(map[string]func(*rapid.T){
			"change": func(r *rapid.T) {
				steps := rapid.SliceOfN(rapid.Custom(drawChange), 1, 4).Draw(r, "steps")
				_, err := w.Change(t.Context(), "x", func(tx *world.Tx) error {
					for _, step := range steps {
						if err := step(tx); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil && !errors.Is(err, mcp.ErrInvalidArguments) {
					r.Fatalf("Change: %v", err)
				}
			},
			"read": func(r *rapid.T) { tick(rapid.SampledFrom(mirrors).Draw(r, "who")) },
			"declare": func(r *rapid.T) {
				m := rapid.SampledFrom(mirrors).Draw(r, "who")
				m.area = drawArea(r)
				must(t, "SetArea", m.sub.SetArea(m.area))
			},
			"come_back": func(r *rapid.T) {
				m := rapid.SampledFrom(mirrors).Draw(r, "who")
				m.sub.Close()
				since := m.seq
				m.begin(t, w, &since)
				if !m.sub.Resumed() {
					r.Fatalf("change %d is too far back at %d", since, w.Seq())
				}
			},
			"begin_anew": func(r *rapid.T) {
				m := rapid.SampledFrom(mirrors).Draw(r, "who")
				m.sub.Close()
				m.told = drawArea(r)
				m.begin(t, w, nil)
				m.check(t, w)
			},
		})
		for _, m := range mirrors {
			tick(m)
			m.sub.Close()
		}
	})
}

// TestMirrorsOfManyWriters does the same with concurrent writers and readers, on a real store.
func TestMirrorsOfManyWriters(t *testing.T) {
	w := fresh(t)
	for i := range 20 {
		put(t, w, memory.Entity{ID: fmt.Sprint("e", i), Position: at(float64(i), 0, 0)})
	}
	var readers sync.WaitGroup
	var mirrors []*mirror
	for i := range 8 {
		m := &mirror{viewer: viewers[i%len(viewers)]}
		if i >= 4 {
			m.told = &world.Area{Center: memory.Position{10, 0, 0}, Radius: 5}
		}
		m.begin(t, w, nil)
		mirrors = append(mirrors, m)
		readers.Go(func() { m.catchUp(t, "The end.") })
	}
	var writers sync.WaitGroup
	for n := range 4 {
		writers.Go(func() {
			for i := range 100 {
				id := fmt.Sprint("e", (i*7+n)%20)
				_, err := w.Change(t.Context(), "", func(tx *world.Tx) error {
					e, ok := tx.Entity(id, "")
					switch {
					case !ok:
						return tx.Put(memory.Entity{ID: id, Name: id, Position: at(float64(i%20), 0, 0)})
					case i%11 == 0:
						return tx.Remove(id)
					case i%5 == 0:
						e.Visible = slices.Clone([][]string{nil, {"bart"}, {"mira"}}[i%3])
						return tx.Put(e)
					}
					return tx.Move(id, at(float64(i%20), 0, 0))
				})
				if err != nil {
					t.Errorf("writer %d: %v", n, err)
				}
			}
		})
	}
	writers.Wait()
	_, err := w.SetScene(t.Context(), "The end.", "")
	must(t, "SetScene", err)
	readers.Wait()
	for _, m := range mirrors {
		m.check(t, w)
		m.sub.Close()
	}
}

package world

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// space is where the world's state is stored, with the number of the last change of any process under keySeq.
const (
	space  = "world"
	keySeq = "seq"
)

// keys are the keys of a campaign's scene, and of the scene passed to the last Open.
type keys struct{ scene, initial string }

// attempts bounds how often a change is retried after conflicts with other processes.
const attempts = 5

// Open loads the world from the store.
func Open(ctx context.Context, store Store, o Options) (*World, error) {
	w := &World{
		store: store, keys: keys{"scene:" + o.Campaign, "initial:" + o.Campaign}, groups: o.Groups,
		lead: make(chan struct{}, 1), subs: map[*Subscription]struct{}{},
	}
	for range attempts {
		now, err := w.readStore(ctx)
		if err != nil {
			return nil, err
		}
		err = w.enter(ctx, now, o.Scene)
		if errors.Is(err, memory.ErrConflict) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("opening the world: %w", err)
		}
		w.seq, w.scene, w.all, w.order, w.edges, w.log = now.seq, now.scene, now.all, order{}, now.edges, history{start: now.seq}
		w.names.Store(newNames().change(nil, now.all))
		return w, nil
	}
	return nil, fmt.Errorf("opening the world: %w; stop the other process that keeps changing it", memory.ErrConflict)
}

// reading is the world in the store.
type reading struct {
	seq   uint64
	scene string
	// initial is the scene passed to the last Open, nil if there was none.
	initial *string
	all     map[string]*version
	edges   edges
}

// readStore reads everything. It reads the number first, so that concurrent writes have a higher number and
// cause a conflict later.
func (w *World) readStore(ctx context.Context) (*reading, error) {
	state, err := w.store.LoadState(ctx, space)
	if err != nil {
		return nil, err
	}
	entities, relations, err := w.store.World(ctx)
	if err != nil {
		return nil, err
	}
	r := &reading{
		scene: string(state[w.keys.scene]),
		all:   make(map[string]*version, len(entities)), edges: newEdges(),
	}
	if text, ok := state[w.keys.initial]; ok {
		r.initial = new(string(text))
	}
	if r.seq, err = parseNumber(state); err != nil {
		return nil, err
	}
	for _, e := range entities {
		if r.all[e.ID], err = newVersion(e); err != nil {
			return nil, err
		}
	}
	for _, rel := range relations {
		r.edges.putRelation(rel)
	}
	return r, nil
}

func parseNumber(state map[string][]byte) (uint64, error) {
	text := state[keySeq]
	if text == nil {
		return 0, nil
	}
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("reading the world's number: %w", err)
	}
	return n, nil
}

// enter sets the scene and raises the number immediately. The store may have been changed by other means since
// the last process, and the new number makes clients with an older one start over.
func (w *World) enter(ctx context.Context, now *reading, initial string) error {
	state := map[string][]byte{}
	if now.initial == nil || *now.initial != initial {
		now.scene = initial
		state[w.keys.scene], state[w.keys.initial] = []byte(initial), []byte(initial)
	}
	return w.raise(ctx, now, state)
}

// raise stores state and raises the number.
func (w *World) raise(ctx context.Context, now *reading, state map[string][]byte) error {
	expect := expected(now.seq)
	now.seq++
	state[keySeq] = decimal(now.seq)
	return w.store.Change(ctx, memory.Batch{Space: space, State: state, Expect: expect})
}

// expected returns the state that a writer expects at seq.
func expected(seq uint64) map[string][]byte {
	if seq == 0 {
		return map[string][]byte{keySeq: nil}
	}
	return map[string][]byte{keySeq: decimal(seq)}
}

func decimal(n uint64) []byte { return strconv.AppendUint(nil, n, 10) }

// Refresh loads the changes of other processes, and reports them to subscribers with the cause [Elsewhere].
// Without changes, it costs one short query. It does not wait while a change is being written, because that
// change loads the rest itself.
func (w *World) Refresh(ctx context.Context) error {
	select {
	case w.lead <- struct{}{}:
	default:
		return nil
	}
	defer func() { <-w.lead }()
	state, err := w.store.LoadState(ctx, space)
	if err != nil {
		return err
	}
	if seq, err := parseNumber(state); err != nil || seq == w.seq {
		return err
	}
	return w.reload(ctx)
}

// Renew loads data written to the store by other means than a World, for example by an import, and makes
// other processes load it at their next Refresh. It reports the changes to subscribers with the cause
// [Elsewhere].
func (w *World) Renew(ctx context.Context) error {
	select {
	case w.lead <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("renewing the world: %w", ctx.Err())
	}
	defer func() { <-w.lead }()
	for range attempts {
		now, err := w.readStore(ctx)
		if err != nil {
			return err
		}
		err = w.raise(ctx, now, map[string][]byte{})
		if errors.Is(err, memory.ErrConflict) {
			continue
		}
		if err != nil {
			return fmt.Errorf("renewing the world: %w", err)
		}
		w.applyReading(now)
		return nil
	}
	return fmt.Errorf("renewing the world: %w; try again", memory.ErrConflict)
}

// Elsewhere is the cause of changes that this World did not make.
const Elsewhere = "elsewhere"

// reload loads the store's state. The caller must hold lead.
func (w *World) reload(ctx context.Context) error {
	now, err := w.readStore(ctx)
	if err != nil {
		return err
	}
	w.applyReading(now)
	return nil
}

// applyReading replaces the world by a reading. The caller must hold lead.
func (w *World) applyReading(now *reading) {
	tx := newTx(w, nil)
	for id, v := range now.all {
		if old := w.all[id]; old == nil || !v.same(old) {
			tx.entities[id] = v
		}
	}
	for id := range w.all {
		if now.all[id] == nil {
			tx.entities[id] = nil
		}
	}
	for k, r := range now.edges.all {
		if old, ok := w.edges.get(k); !ok || old.Note != r.Note || !slices.Equal(old.Visible, r.Visible) {
			tx.edges[k] = &r
		}
	}
	for k := range w.edges.all {
		if _, ok := now.edges.get(k); !ok {
			tx.edges[k] = nil
		}
	}
	if now.scene != w.scene {
		tx.scene = &now.scene
	}
	renamed := w.names.Load().change(w.all, tx.entities)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.names.Store(renamed)
	w.seq = now.seq
	w.announce(tx, Elsewhere)
}

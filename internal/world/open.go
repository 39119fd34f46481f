package world

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// space is where the world's own state is kept, with the number of the last
// change under keySeq, whichever process made it.
const (
	space  = "world"
	keySeq = "seq"
)

// keys are where a campaign's scene is kept, and the one that Open was last
// given.
type keys struct{ scene, initial string }

// attempts bounds how often a change is tried that other processes keep
// coming before.
const attempts = 5

// Open reads the world from the store.
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

// reading is the world as the store has it.
type reading struct {
	seq   uint64
	scene string
	// initial is the scene that Open was last given, nil if it never was.
	initial *string
	all     map[string]*version
	edges   edges
}

// readStore reads everything. The number is read first: what is written meanwhile
// has a higher one and shows as a conflict later.
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

// enter settles the scene and raises the number at once, because the store may
// have been changed by other means since the last process: who comes back with
// an older number must begin anew.
func (w *World) enter(ctx context.Context, now *reading, initial string) error {
	state := map[string][]byte{}
	if now.initial == nil || *now.initial != initial {
		now.scene = initial
		state[w.keys.scene], state[w.keys.initial] = []byte(initial), []byte(initial)
	}
	return w.raise(ctx, now, state)
}

// raise keeps state and raises the number.
func (w *World) raise(ctx context.Context, now *reading, state map[string][]byte) error {
	expect := expected(now.seq)
	now.seq++
	state[keySeq] = decimal(now.seq)
	return w.store.Change(ctx, memory.Batch{Space: space, State: state, Expect: expect})
}

// expected is what a writer that believes in seq finds.
func expected(seq uint64) map[string][]byte {
	if seq == 0 {
		return map[string][]byte{keySeq: nil}
	}
	return map[string][]byte{keySeq: decimal(seq)}
}

func decimal(n uint64) []byte { return strconv.AppendUint(nil, n, 10) }

// Refresh takes in what other processes have changed, which subscribers are
// then told with the cause [Elsewhere]. It costs one short query if there is
// nothing, and does not wait while a change is being written, which takes in
// the rest itself.
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

// Renew takes in what was written to the store by other means than a World, by
// an import for one, and has other processes take it in at their next Refresh.
// Subscribers are told with the cause [Elsewhere].
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
		w.takeReading(now)
		return nil
	}
	return fmt.Errorf("renewing the world: %w; try again", memory.ErrConflict)
}

// Elsewhere is the cause of changes that were not made by this World.
const Elsewhere = "elsewhere"

// reload takes over what the store has. The caller holds lead.
func (w *World) reload(ctx context.Context) error {
	now, err := w.readStore(ctx)
	if err != nil {
		return err
	}
	w.takeReading(now)
	return nil
}

// takeReading makes the world what was read. The caller holds lead.
func (w *World) takeReading(now *reading) {
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

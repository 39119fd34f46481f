package world

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// writing bounds the time of a batch in the store. The caller that writes for others continues even if its
// own context ends.
const writing = 10 * time.Second

// request is a change waiting to be written.
type request struct {
	apply  func(*Tx) error
	cause  string
	caller string        // caller in records
	done   chan struct{} // closed when the fields below are set
	tx     *Tx
	seq    uint64
	err    error
}

// Put adds an entity or replaces the one with the same id. Its relations stay.
func (w *World) Put(ctx context.Context, e memory.Entity, cause string) (uint64, error) {
	return w.Change(ctx, cause, func(t *Tx) error { return t.Put(e) })
}

// Move sets an entity's position.
func (w *World) Move(ctx context.Context, id string, to memory.Position, cause string) (uint64, error) {
	return w.Change(ctx, cause, func(t *Tx) error { return t.Move(id, &to) })
}

// Remove removes an entity and its relations.
func (w *World) Remove(ctx context.Context, id, cause string) (uint64, error) {
	return w.Change(ctx, cause, func(t *Tx) error { return t.Remove(id) })
}

// Relate adds a relation or replaces the one with the same ends and type.
func (w *World) Relate(ctx context.Context, r memory.Relation, cause string) (uint64, error) {
	return w.Change(ctx, cause, func(t *Tx) error { return t.Relate(r) })
}

// Unrelate removes a relation. Its note and viewers are ignored.
func (w *World) Unrelate(ctx context.Context, r memory.Relation, cause string) (uint64, error) {
	return w.Change(ctx, cause, func(t *Tx) error { return t.Unrelate(r) })
}

// SetScene sets the scene.
func (w *World) SetScene(ctx context.Context, text, cause string) (uint64, error) {
	return w.Change(ctx, cause, func(t *Tx) error { t.SetScene(text); return nil })
}

// Change applies everything that do does to the world as one change, or nothing if do fails, and returns the
// change's number. When Change returns, the change is durable and published. cause is the reason reported to
// subscribers, such as the caller's name.
//
// do sees all earlier changes. It must only compute, may run on another caller's goroutine, and runs again if
// another process was faster. If do rejects its input, its error should wrap [mcp.ErrInvalidArguments]. If
// too many changes are waiting, the error is [mcp.ErrBusy] and nothing was done. If ctx ends before writing
// begins, the change is cancelled; later, Change waits for the result.
func (w *World) Change(ctx context.Context, cause string, do func(*Tx) error) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("changing the world: %w", err)
	}
	r := &request{apply: do, cause: cause, caller: mcp.CallerFrom(ctx).Name(), done: make(chan struct{})}
	if !w.enqueue(r) {
		return 0, fmt.Errorf("changing the world: %w: %d changes wait to be written; try again", mcp.ErrBusy, maxWaiting)
	}
	select {
	case <-r.done:
	case w.lead <- struct{}{}:
		w.write(ctx)
	case <-ctx.Done():
		if w.dequeue(r) {
			return 0, fmt.Errorf("changing the world: %w", ctx.Err())
		}
		<-r.done
	}
	return r.seq, r.err
}

func (w *World) enqueue(r *request) bool {
	w.queue.Lock()
	defer w.queue.Unlock()
	if len(w.waiting) >= maxWaiting {
		return false
	}
	w.waiting = append(w.waiting, r)
	return true
}

// dequeue removes r from the queue. It returns false if writing has already begun.
func (w *World) dequeue(r *request) bool {
	w.queue.Lock()
	defer w.queue.Unlock()
	i := slices.Index(w.waiting, r)
	if i < 0 {
		return false
	}
	w.waiting = slices.Delete(w.waiting, i, i+1)
	return true
}

// write writes all waiting changes in one batch. The caller must hold lead; write releases it.
func (w *World) write(ctx context.Context) {
	defer func() { <-w.lead }()
	w.queue.Lock()
	all := w.waiting
	w.waiting = nil
	w.queue.Unlock()

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writing)
	defer cancel()
	done, err := w.attempt(ctx, all)
	for n := 1; errors.Is(err, memory.ErrConflict) && n < attempts; n++ {
		if err = w.reload(ctx); err == nil {
			done, err = w.attempt(ctx, all)
		}
	}
	for _, r := range done {
		if err != nil {
			r.err = fmt.Errorf("changing the world: %w", err)
		}
	}
	if err == nil {
		w.publish(done)
	}
	for _, r := range all {
		close(r.done)
	}
}

// attempt runs the changes and stores their results. It returns those that were not rejected. If the world is
// outdated, it returns a conflict even if there is nothing to store, because the changes may have been
// rejected for that reason.
func (w *World) attempt(ctx context.Context, all []*request) ([]*request, error) {
	group, done, record := newTx(w, nil), make([]*request, 0, len(all)), []memory.WorldChange(nil)
	for _, r := range all {
		r.tx = newTx(w, group)
		if r.err = try(r); r.err != nil {
			continue
		}
		done = append(done, r)
		if !r.tx.empty() {
			record = append(record, r.tx.record(w.seq+uint64(len(record))+1, r.caller, r.cause))
			group.merge(r.tx)
		}
	}
	if len(record) == 0 {
		state, err := w.store.LoadState(ctx, space)
		if err != nil {
			return done, err
		}
		if seq, err := parseNumber(state); err != nil || seq == w.seq {
			return done, err
		}
		return done, fmt.Errorf("the world: %w", memory.ErrConflict)
	}
	b := group.batch(w.seq + uint64(len(record)))
	b.Record = record
	return done, w.store.Change(ctx, b)
}

// try runs a change and converts a panic into its error.
func try(r *request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errPanicked, p)
		}
	}()
	return r.apply(r.tx)
}

// publish makes the changes visible and notifies subscribers.
func (w *World) publish(done []*request) {
	together := newTx(w, nil)
	for _, r := range done {
		together.merge(r.tx)
	}
	renamed := w.names.Load().change(w.all, together.entities)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.names.Store(renamed)
	for _, r := range done {
		if r.tx.empty() {
			r.seq = w.seq
			continue
		}
		w.seq++
		r.seq = w.seq
		w.announce(r.tx, r.cause)
	}
}

// announce applies tx as change seq, and marks for subscribers the entities that changed, and those at both
// ends of a changed relation. The caller must hold mu.
func (w *World) announce(tx *Tx, cause string) {
	for id, after := range tx.entities {
		before := w.all[id]
		w.log.addEntry(entry{seq: w.seq, id: id, before: before})
		if w.all[id] = after; after == nil {
			delete(w.all, id)
		}
		w.order.markChanged(id)
		for s := range w.subs {
			s.mark(id, before, after, cause)
		}
	}
	for k, after := range tx.edges {
		before, there := w.edges.get(k)
		w.edges.removeRelation(k)
		if after != nil {
			w.edges.putRelation(*after)
			w.touch(*after, cause)
		}
		if there && (after == nil || !slices.Equal(after.Visible, before.Visible)) {
			w.touch(before, cause)
		}
	}
	if tx.scene != nil {
		w.log.addEntry(entry{seq: w.seq})
		w.scene = *tx.scene
		for s := range w.subs {
			s.markScene(cause)
		}
	}
}

// touch marks both ends of a relation for subscribers that may know it.
func (w *World) touch(r memory.Relation, cause string) {
	from, to := w.all[r.From], w.all[r.To]
	if from == nil || to == nil {
		return
	}
	for _, end := range [...]entry{
		{id: r.From, before: from, relation: &relation{r.Visible, to.entity.Visible}},
		{id: r.To, before: to, relation: &relation{r.Visible, from.entity.Visible}},
	} {
		end.seq = w.seq
		w.log.addEntry(end)
		for s := range w.subs {
			if end.relation.visible(w.groups, s.viewer) {
				s.mark(end.id, end.before, end.before, cause)
			}
		}
	}
}

package world

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	// maxRecorded bounds what is kept of a change to take it back with, in bytes of
	// JSON. A larger one is recorded without it.
	maxRecorded = 1 << 20
	// maxUndoNames bounds the names that a change is described with.
	maxUndoNames = 5
	// Undone is the cause of a change that takes another back.
	Undone = "change.undone"
)

// record is what there was before and after a change. Its parts are ordered, so that it
// is the same for the same change.
type record struct {
	Entities  []recordedEntity   `json:"entities,omitempty"`
	Relations []recordedRelation `json:"relations,omitempty"`
	Scene     *recordedScene     `json:"scene,omitempty"`
}

// recordedEntity has an entity as it was; nil where there was none.
type recordedEntity struct{ Before, After *entityThen }

type entityThen struct {
	memory.Entity
	KnownBy []string `json:"known_by,omitempty"`
}

type recordedRelation struct{ Before, After *relationThen }

type relationThen struct {
	memory.Relation
	KnownBy []string `json:"known_by,omitempty"`
}

// recordedScene is of the campaign whose scene is kept under Key.
type recordedScene struct{ Key, Before, After string }

func entityOf(v *version) *entityThen {
	if v == nil {
		return nil
	}
	return &entityThen{v.entity, v.entity.Visible}
}

func (e *entityThen) entity() memory.Entity {
	out := e.Entity
	out.Visible = e.KnownBy
	return out
}

func (r *relationThen) relation() memory.Relation {
	out := r.Relation
	out.Visible = r.KnownBy
	return out
}

// record describes the change, before it is merged into its group. One that is too large
// is described without what was there.
func (t *Tx) record(seq uint64, who, cause string) memory.WorldChange {
	out := memory.WorldChange{Seq: seq, At: time.Now(), Who: who, Cause: cause, Undoes: t.undoes}
	var r record
	for _, id := range slices.Sorted(maps.Keys(t.entities)) {
		r.Entities = append(r.Entities, recordedEntity{entityOf(t.group.version(id)), entityOf(t.entities[id])})
	}
	for _, k := range slices.SortedFunc(maps.Keys(t.edges), compareEdges) {
		var one recordedRelation
		if before, was := t.group.relation(k); was {
			one.Before = &relationThen{before, before.Visible}
		}
		if after := t.edges[k]; after != nil {
			one.After = &relationThen{*after, after.Visible}
		}
		r.Relations = append(r.Relations, one)
	}
	if t.scene != nil {
		r.Scene = &recordedScene{t.w.keys.scene, t.group.sceneNow(), *t.scene}
	}
	if raw, err := json.Marshal(r); err == nil && len(raw) <= maxRecorded {
		out.Data = raw
	}
	return out
}

func compareEdges(a, b edgeKey) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.kind, b.kind), cmp.Compare(a.to, b.to))
}

// Past is a change that was made.
type Past struct {
	Seq        uint64
	At         time.Time
	Who, Cause string
	// Names are those of the entities it was about, the first few; none if it was about
	// the scene, or is not known in full.
	Names []string
	// Undoes and Undone are the changes that it took back, and that took it back; 0 if
	// there is none.
	Undoes, Undone uint64
	// Lost says that it is too large to be taken back.
	Lost bool
}

func pastOf(c memory.WorldChange) (Past, record) {
	var r record
	p := Past{Seq: c.Seq, At: c.At, Who: c.Who, Cause: c.Cause, Undoes: c.Undoes, Undone: c.Undone}
	p.Lost = c.Data == nil || json.Unmarshal(c.Data, &r) != nil
	for _, e := range r.Entities {
		if some := cmp.Or(e.After, e.Before); some != nil && len(p.Names) < maxUndoNames {
			p.Names = append(p.Names, some.Name)
		}
	}
	for _, rel := range r.Relations {
		if some := cmp.Or(rel.After, rel.Before); some != nil && len(r.Entities) == 0 && len(p.Names) == 0 {
			p.Names = []string{some.From, some.To}
		}
	}
	return p, r
}

// Past returns the latest changes, at most so many, the newest first.
func (w *World) Past(ctx context.Context, most int) ([]Past, error) {
	all, err := w.store.WorldChanges(ctx, most)
	var out []Past
	for _, c := range all {
		p, _ := pastOf(c)
		out = append(out, p)
	}
	return out, err
}

// ErrNothingToUndo is returned where no change is remembered that still holds.
var ErrNothingToUndo = errors.New("there is no change of the world to take back")

// Undo takes back the change seq, or the last one that holds if seq is 0, in the name of
// the caller of ctx: what it changed is as it was before. It is a change itself, which can
// be taken back in turn. If something of it was changed again since, nothing is done, and
// the error says what; it wraps [mcp.ErrInvalidArguments].
func (w *World) Undo(ctx context.Context, seq uint64) (Past, []memory.Entity, error) {
	if err := w.Refresh(ctx); err != nil {
		return Past{}, nil, err
	}
	c, err := w.changeToUndo(ctx, seq)
	if err != nil {
		return Past{}, nil, err
	}
	p, r := pastOf(c)
	switch {
	case p.Undone != 0:
		return p, nil, invalid("change %d was taken back already, by change %d", p.Seq, p.Undone)
	case p.Lost:
		return p, nil, invalid("change %d was too large to be kept; it cannot be taken back", p.Seq)
	case r.Scene != nil && r.Scene.Key != w.keys.scene:
		return p, nil, invalid("change %d set the scene of another campaign", p.Seq)
	}
	_, err = w.Change(ctx, Undone, func(t *Tx) error {
		t.undoes = p.Seq
		return r.revert(t)
	})
	if err != nil {
		return p, nil, err
	}
	var back []memory.Entity
	for _, e := range r.Entities {
		if e.Before != nil {
			back = append(back, e.Before.entity())
		}
	}
	return p, back, nil
}

// changeToUndo returns the change seq, or if that is 0 the last that holds and takes
// nothing back itself.
func (w *World) changeToUndo(ctx context.Context, seq uint64) (memory.WorldChange, error) {
	if seq != 0 {
		c, err := w.store.WorldChange(ctx, seq)
		if errors.Is(err, memory.ErrNotFound) {
			err = invalid("change %d is not remembered; only the last %d are", seq, memory.MaxWorldChanges)
		}
		return c, err
	}
	all, err := w.store.WorldChanges(ctx, memory.MaxWorldChanges)
	if err != nil {
		return memory.WorldChange{}, err
	}
	for _, c := range all {
		if c.Undone == 0 && c.Undoes == 0 {
			return c, nil
		}
	}
	return memory.WorldChange{}, fmt.Errorf("%w: %w", mcp.ErrInvalidArguments, ErrNothingToUndo)
}

// revert makes everything in t what it was before, if it still is what it was after.
func (r *record) revert(t *Tx) error {
	if err := r.checkUnchanged(t); err != nil {
		return err
	}
	for _, e := range r.Entities {
		if e.Before == nil {
			continue
		}
		if err := t.Put(e.Before.entity()); err != nil {
			return err
		}
	}
	for _, rel := range r.Relations {
		if err := rel.revert(t); err != nil {
			return err
		}
	}
	for _, e := range r.Entities {
		if e.Before != nil || e.After == nil {
			continue
		}
		if left := t.Relations(e.After.ID); len(left) > 0 {
			return invalid("something was related to %q since: %q %s %q; take that back first", e.After.Name, left[0].From, left[0].Type, left[0].To)
		}
		if err := t.Remove(e.After.ID); err != nil {
			return err
		}
	}
	if r.Scene != nil {
		t.SetScene(r.Scene.Before)
	}
	return nil
}

func (rel *recordedRelation) revert(t *Tx) error {
	switch {
	case rel.Before != nil:
		return t.Relate(rel.Before.relation())
	case rel.After != nil:
		return t.Unrelate(rel.After.relation())
	}
	return nil
}

// checkUnchanged says what is not as the change has left it.
func (r *record) checkUnchanged(t *Tx) error {
	for _, e := range r.Entities {
		some := cmp.Or(e.After, e.Before)
		if !alikeJSON(entityOf(t.version(some.ID)), e.After) {
			return invalid("%q was changed since; take that back first", some.Name)
		}
	}
	for _, rel := range r.Relations {
		some := cmp.Or(rel.After, rel.Before)
		var now *relationThen
		if is, there := t.relation(keyOf(some.Relation)); there {
			now = &relationThen{is, is.Visible}
		}
		if !alikeJSON(now, rel.After) {
			return invalid("how %q stands to %q was changed since; take that back first", some.From, some.To)
		}
	}
	if r.Scene != nil && t.sceneNow() != r.Scene.After {
		return invalid("the scene was changed since; take that back first")
	}
	return nil
}

// alikeJSON reports whether two values would be recorded alike.
func alikeJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

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
	// maxRecorded bounds the data stored for reverting a change, in bytes of JSON. A larger change is
	// recorded without it.
	maxRecorded = 1 << 20
	// maxUndoNames bounds the names in the description of a change.
	maxUndoNames = 5
	// Undone is the cause of a change that reverts another.
	Undone = "change.undone"
)

// record is the state before and after a change. Its parts are sorted, so that equal changes have equal
// records.
type record struct {
	Entities  []recordedEntity   `json:"entities,omitempty"`
	Relations []recordedRelation `json:"relations,omitempty"`
	Scene     *recordedScene     `json:"scene,omitempty"`
}

// recordedEntity is an entity before and after; nil where there was none.
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

// recordedScene is the scene of the campaign with the key Key.
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

// record describes the change, before it is merged into its group. If the change is too large, the
// description has no data.
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

// PastChange is an earlier change.
type PastChange struct {
	Seq        uint64
	At         time.Time
	Who, Cause string
	// Names are the names of the first few affected entities; empty if only the scene changed, or the data is
	// not available.
	Names []string
	// Undoes and Undone are the changes that this one reverted, and that reverted this one; 0 if none.
	Undoes, Undone uint64
	// Lost means that the change was too large to be reverted.
	Lost bool
}

func pastChangeOf(c memory.WorldChange) (PastChange, record) {
	var r record
	p := PastChange{Seq: c.Seq, At: c.At, Who: c.Who, Cause: c.Cause, Undoes: c.Undoes, Undone: c.Undone}
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

// RecentChanges returns the latest changes, at most most, newest first.
func (w *World) RecentChanges(ctx context.Context, most int) ([]PastChange, error) {
	all, err := w.store.WorldChanges(ctx, most)
	var out []PastChange
	for _, c := range all {
		p, _ := pastChangeOf(c)
		out = append(out, p)
	}
	return out, err
}

// ErrNothingToUndo is returned if there is no change to revert.
var ErrNothingToUndo = errors.New("there is no change of the world to take back")

// Undo reverts the change seq, or the last one that was not reverted if seq is 0, in the name of ctx's
// caller. It restores the state before that change. It is itself a change that can be reverted. If something
// was changed again since, nothing is done, and the error, which wraps [mcp.ErrInvalidArguments], says what.
func (w *World) Undo(ctx context.Context, seq uint64) (PastChange, []memory.Entity, error) {
	if err := w.Refresh(ctx); err != nil {
		return PastChange{}, nil, err
	}
	c, err := w.changeToUndo(ctx, seq)
	if err != nil {
		return PastChange{}, nil, err
	}
	p, r := pastChangeOf(c)
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

// changeToUndo returns the change seq or, if that is 0, the last one that was not reverted and reverts
// nothing itself.
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

// revert restores in t the state before the change, if the state is still that after it.
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

// checkUnchanged returns an error if something differs from the state after the change.
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

// alikeJSON reports whether two values have the same JSON.
func alikeJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

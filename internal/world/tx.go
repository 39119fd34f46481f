package world

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Tx is a change in progress. Reads see the world after all earlier changes. It is only valid while the
// function that received it runs.
type Tx struct {
	w *World
	// group holds the combined changes of the batch so far; nil in the group itself.
	group    *Tx
	entities map[string]*version // nil: removed
	edges    map[edgeKey]*memory.Relation
	scene    *string
	undoes   uint64 // the change that this one reverts; 0 if none
}

func newTx(w *World, group *Tx) *Tx {
	return &Tx{w: w, group: group, entities: map[string]*version{}, edges: map[edgeKey]*memory.Relation{}}
}

// version returns the current version of an entity, nil if there is none.
func (t *Tx) version(id string) *version {
	for ; t != nil; t = t.group {
		if v, ok := t.entities[id]; ok {
			return v
		}
		if t.group == nil {
			return t.w.all[id]
		}
	}
	return nil
}

// Entity returns a copy of an entity if viewer may see it.
func (t *Tx) Entity(id, viewer string) (memory.Entity, bool) {
	v := t.version(id)
	if v == nil || !t.w.groups.Knows(v.entity.Visible, viewer) {
		return memory.Entity{}, false
	}
	return clone(v.entity), true
}

// Relations returns the relations at either end of an entity, in no particular order.
func (t *Tx) Relations(id string) []memory.Relation {
	now := map[edgeKey]memory.Relation{}
	for k, r := range t.w.edges.at[id] {
		now[k] = r
	}
	overlay := func(layer *Tx) {
		for k, r := range layer.edges {
			if k.from != id && k.to != id {
				continue
			}
			if delete(now, k); r != nil {
				now[k] = *r
			}
		}
	}
	if t.group != nil {
		overlay(t.group)
	}
	overlay(t)
	out := make([]memory.Relation, 0, len(now))
	for _, r := range now {
		r.Visible = slices.Clone(r.Visible)
		out = append(out, r)
	}
	return out
}

// relation returns the current relation for a key, and whether there is one.
func (t *Tx) relation(k edgeKey) (memory.Relation, bool) {
	for ; t != nil; t = t.group {
		if r, ok := t.edges[k]; ok {
			if r == nil {
				return memory.Relation{}, false
			}
			return *r, true
		}
		if t.group == nil {
			return t.w.edges.get(k)
		}
	}
	return memory.Relation{}, false
}

// sceneNow returns the current scene.
func (t *Tx) sceneNow() string {
	for ; t != nil; t = t.group {
		if t.scene != nil {
			return *t.scene
		}
		if t.group == nil {
			return t.w.scene
		}
	}
	return ""
}

// Put adds an entity or replaces the one with the same id. Its relations stay.
func (t *Tx) Put(e memory.Entity) error {
	if err := checkEntity(e); err != nil {
		return err
	}
	if t.version(e.ID) == nil && len(t.w.all)+len(t.entities) >= maxEntities {
		return invalid("there are %d entities already; remove some first", maxEntities)
	}
	v, err := newVersion(clone(e))
	if err != nil {
		return err
	}
	t.entities[e.ID] = v
	return nil
}

// Move sets an entity's position; nil removes it from the map.
func (t *Tx) Move(id string, to *memory.Position) error {
	v := t.version(id)
	if v == nil {
		return errUnknown(id)
	}
	e := clone(v.entity)
	e.Position = to
	return t.Put(e)
}

// Remove removes an entity and its relations.
func (t *Tx) Remove(id string) error {
	if t.version(id) == nil {
		return errUnknown(id)
	}
	for _, r := range t.Relations(id) {
		t.edges[keyOf(r)] = nil
	}
	t.entities[id] = nil
	return nil
}

// Relate adds a relation or replaces the one with the same ends and type.
func (t *Tx) Relate(r memory.Relation) error {
	if err := checkText("the relation's type", r.Type, true); err != nil {
		return err
	}
	if err := checkViewers(r.Visible); err != nil {
		return err
	}
	for _, end := range [...]string{r.From, r.To} {
		if t.version(end) == nil {
			return errUnknown(end)
		}
	}
	r.Visible = slices.Clone(r.Visible)
	t.edges[keyOf(r)] = &r
	return nil
}

// Unrelate removes a relation. Its note and viewers are ignored.
func (t *Tx) Unrelate(r memory.Relation) error {
	if !slices.ContainsFunc(t.Relations(r.From), func(o memory.Relation) bool { return keyOf(o) == keyOf(r) }) {
		return invalid("relation %q of %q to %q: %w", r.Type, r.From, r.To, memory.ErrNotFound)
	}
	t.edges[keyOf(r)] = nil
	return nil
}

// SetScene sets the scene.
func (t *Tx) SetScene(text string) { t.scene = &text }

// empty reports whether nothing was changed.
func (t *Tx) empty() bool { return len(t.entities)+len(t.edges) == 0 && t.scene == nil }

// merge adds the changes of o.
func (t *Tx) merge(o *Tx) {
	for id, v := range o.entities {
		t.entities[id] = v
	}
	for k, r := range o.edges {
		t.edges[k] = r
	}
	if o.scene != nil {
		t.scene = o.scene
	}
}

// batch returns the batch for the store, as of change seq.
func (t *Tx) batch(seq uint64) memory.Batch {
	b := memory.Batch{Space: space, State: map[string][]byte{keySeq: decimal(seq)}, Expect: expected(t.w.seq)}
	for id, v := range t.entities {
		if v == nil {
			b.Remove = append(b.Remove, id)
		} else {
			b.Put = append(b.Put, v.entity)
		}
	}
	for k, r := range t.edges {
		if r == nil {
			b.Unrelate = append(b.Unrelate, memory.Relation{From: k.from, Type: k.kind, To: k.to})
		} else {
			b.Relate = append(b.Relate, *r)
		}
	}
	if t.scene != nil {
		b.State[t.w.keys.scene] = []byte(*t.scene)
	}
	return b
}

func checkEntity(e memory.Entity) error {
	if err := checkText("the entity's id", e.ID, true); err != nil {
		return err
	}
	if err := checkText("the entity's name", e.Name, true); err != nil {
		return err
	}
	if err := checkText("the entity's type", e.Type, false); err != nil {
		return err
	}
	if e.Position != nil {
		if err := checkPosition(*e.Position); err != nil {
			return err
		}
	}
	return checkViewers(e.Visible)
}

// checkText rejects control characters, which could not be stored or would be invisible, and an empty text if
// it is needed.
func checkText(what, s string, needed bool) error {
	if needed && strings.TrimSpace(s) == "" {
		return invalid("%s is empty", what)
	}
	if strings.ContainsFunc(s, unicode.IsControl) {
		return invalid("%s %q has control characters", what, s)
	}
	return nil
}

func checkViewers(ids []string) error {
	for _, id := range ids {
		if err := checkText("the id of an NPC that knows", id, true); err != nil {
			return err
		}
	}
	return nil
}

func checkPosition(p memory.Position) error {
	for _, v := range p {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return invalid("position %v has to be three finite numbers", fmt.Sprint(p))
		}
	}
	return nil
}

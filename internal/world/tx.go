package world

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Tx is a change in the making. What it reads is what the world will be when
// all changes before it are done. It is valid only while the function it was
// given to runs.
type Tx struct {
	w *World
	// group holds what the changes written together have made of the world so
	// far; nil for the group itself.
	group    *Tx
	entities map[string]*version // nil: removed
	edges    map[edgeKey]*memory.Relation
	scene    *string
	undoes   uint64 // the change that this one takes back; 0 if none
}

func newTx(w *World, group *Tx) *Tx {
	return &Tx{w: w, group: group, entities: map[string]*version{}, edges: map[edgeKey]*memory.Relation{}}
}

// version returns an entity as it is by now, nil if there is none.
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

// Entity returns a copy of one entity if viewer may see it.
func (t *Tx) Entity(id, viewer string) (memory.Entity, bool) {
	v := t.version(id)
	if v == nil || !t.w.groups.Knows(v.entity.Visible, viewer) {
		return memory.Entity{}, false
	}
	return clone(v.entity), true
}

// Relations returns the relations at either end of an entity, in no order.
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

// relation returns a relation as it is by now, and whether there is one.
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

// sceneNow is what is going on by now.
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

// Put adds an entity or replaces the one of that id; its relations stay.
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

// Move puts an entity somewhere else; nil takes it off the map.
func (t *Tx) Move(id string, to *memory.Position) error {
	v := t.version(id)
	if v == nil {
		return errUnknown(id)
	}
	e := clone(v.entity)
	e.Position = to
	return t.Put(e)
}

// Remove takes an entity and its relations out of the world.
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

// Relate adds a relation or replaces the one of those ends and type.
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

// Unrelate takes a relation away; its note and viewers do not matter.
func (t *Tx) Unrelate(r memory.Relation) error {
	if !slices.ContainsFunc(t.Relations(r.From), func(o memory.Relation) bool { return keyOf(o) == keyOf(r) }) {
		return invalid("relation %q of %q to %q: %w", r.Type, r.From, r.To, memory.ErrNotFound)
	}
	t.edges[keyOf(r)] = nil
	return nil
}

// SetScene says what is going on from now on.
func (t *Tx) SetScene(text string) { t.scene = &text }

// empty reports whether nothing is changed.
func (t *Tx) empty() bool { return len(t.entities)+len(t.edges) == 0 && t.scene == nil }

// merge takes over what o changed.
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

// batch is what the store must do for all of this, as of change seq.
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

// checkText refuses what could not be written down or told apart: control
// characters, and nothing where there must be something.
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

// Package world holds the live world and is its only writer: entities, their positions and relations, and the
// scene. It keeps everything in memory, writes each change to the store, and then notifies subscribers. For
// example:
//
//	w, err := world.Open(ctx, store, world.Options{Campaign: "saltmarsh"})
//	seq, err := w.Move(ctx, "bartok", memory.Position{3, 4, 0}, "entity.moved")
//
// It starts no goroutine: one of several concurrent writers writes for all of them. Several processes can
// share a store: a change never overwrites an unseen change of another process, and [World.Refresh] loads
// other processes' changes. Data written to the store by other means is only seen after [World.Renew].
//
// [ParseCampaign] parses campaign files: the world a table plays in, as entities, relations, facts and a
// calendar (files campaign*.go). It is strict and reports all problems of a file at once, each with its line
// and a fix. It reads no files itself.
//
// A [Chronicle] stores the entries a campaign learns from its sessions (files chronicle*.go).
// [Chronicle.Gather] searches transcripts for facts worth remembering and proposes them to the game master,
// who accepts, edits or rejects them. NPCs only know them afterwards, unless the configuration says
// otherwise. Accepted entries are found like other facts. An NPC always remembers entries about itself and
// the player it talks to, and pinned ones ([Chronicle.Between]).
//
// [ReadImport] imports worlds from other programs, such as exports of virtual tabletops (files vtt*.go).
package world

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	// logLength is how many changes back a subscription can be resumed.
	logLength = 8192
	// maxWaiting bounds the changes waiting to be written. More return mcp.ErrBusy.
	maxWaiting = 4096
	// maxEntities bounds the world, which is kept in memory. Further entities in a store are still loaded.
	maxEntities = 100_000
)

// Store stores the world. *sqlite.Store implements it.
type Store interface {
	// World returns all entities and relations.
	World(ctx context.Context) ([]memory.Entity, []memory.Relation, error)
	LoadState(ctx context.Context, space string) (map[string][]byte, error)
	// Change writes a batch atomically and durably. If the batch's expectation is not met, the error is
	// memory.ErrConflict.
	Change(ctx context.Context, b memory.Batch) error
	// WorldChanges returns the latest recorded changes, at most most, newest first. WorldChange returns one
	// of them, or [memory.ErrNotFound].
	WorldChanges(ctx context.Context, most int) ([]memory.WorldChange, error)
	WorldChange(ctx context.Context, seq uint64) (memory.WorldChange, error)
}

// Options configure a [World]. The zero value works.
type Options struct {
	// Campaign is the campaign of the scene.
	Campaign string
	// Scene is the initial scene. If it differs from that of the last Open, it replaces the current scene.
	Scene string
	// Groups define which groups viewers belong to. If nil, there are none.
	Groups *memory.Groups
}

// World is the live world. It is safe for concurrent use.
type World struct {
	store  Store
	keys   keys
	groups *memory.Groups
	// lead is held by the caller that writes for all waiting ones.
	lead chan struct{}
	// names are the names of all entities. They are replaced as a whole with mu held, and read without a
	// lock.
	names atomic.Pointer[names]

	queue   sync.Mutex // guards waiting
	waiting []*request

	mu    sync.RWMutex // guards the fields below, which change only with lead held
	seq   uint64
	scene string
	all   map[string]*version
	order order // of all
	edges edges
	log   history
	subs  map[*Subscription]struct{}
}

// version is the state of an entity between two changes. It is immutable.
type version struct {
	entity memory.Entity
	raw    json.RawMessage
}

func newVersion(e memory.Entity) (*version, error) {
	raw, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encoding entity %q: %w", e.ID, err)
	}
	return &version{entity: e, raw: raw}, nil
}

// same reports whether two versions are indistinguishable.
func (v *version) same(o *version) bool {
	return bytes.Equal(v.raw, o.raw) && slices.Equal(v.entity.Visible, o.entity.Visible)
}

// Seq returns the number of the last change. It grows with every change, also across processes.
func (w *World) Seq() uint64 {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.seq
}

// Scene returns the current scene.
func (w *World) Scene() string {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.scene
}

// Entity returns a copy of an entity if viewer may see it.
func (w *World) Entity(id, viewer string) (memory.Entity, bool) {
	w.mu.RLock()
	v := w.all[id]
	w.mu.RUnlock()
	if v == nil || !w.groups.Knows(v.entity.Visible, viewer) {
		return memory.Entity{}, false
	}
	return clone(v.entity), true
}

// Entities returns copies of all entities that viewer may see, sorted by id.
func (w *World) Entities(viewer string) []memory.Entity {
	w.mu.RLock()
	var out []memory.Entity
	for _, v := range w.all {
		if w.groups.Knows(v.entity.Visible, viewer) {
			out = append(out, v.entity)
		}
	}
	w.mu.RUnlock()
	for i := range out {
		out[i] = clone(out[i])
	}
	sortByID(out)
	return out
}

// Names returns the sorted names and aliases of all entities of a type.
func (w *World) Names(kind string) []string {
	w.mu.RLock()
	defer w.mu.RUnlock()
	var names []string
	for _, v := range w.all {
		if v.entity.Type == kind {
			names = append(append(names, v.entity.Name), v.entity.Aliases...)
		}
	}
	slices.Sort(names)
	return names
}

// Relations returns the relations from an entity, sorted by type and end, if viewer may see them and their
// ends.
func (w *World) Relations(from, viewer string) []memory.Relation {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if v := w.all[from]; v == nil || !w.groups.Knows(v.entity.Visible, viewer) {
		return nil
	}
	var out []memory.Relation
	for _, r := range w.edges.from(from) {
		if end := w.all[r.To]; end != nil && w.groups.Knows(r.Visible, viewer) && w.groups.Knows(end.entity.Visible, viewer) {
			r.Visible = slices.Clone(r.Visible)
			out = append(out, r)
		}
	}
	return out
}

func clone(e memory.Entity) memory.Entity {
	e.Aliases = slices.Clone(e.Aliases)
	e.Attributes = maps.Clone(e.Attributes)
	e.Visible = slices.Clone(e.Visible)
	if e.Position != nil {
		p := *e.Position
		e.Position = &p
	}
	return e
}

// errUnknown reports an unknown entity.
func errUnknown(id string) error {
	return fmt.Errorf("%w: entity %q: %w", mcp.ErrInvalidArguments, id, memory.ErrNotFound)
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %w", mcp.ErrInvalidArguments, fmt.Errorf(format, args...))
}

var errPanicked = errors.New("a change panicked")

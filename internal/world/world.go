// Package world is the one writer of the live world: who and what there is,
// where it is, how it is related, and the scene. It keeps all of it in memory,
// writes every change to the store first, and tells subscribers then.
//
// It starts no goroutine: callers that write at the same time are written down
// together by one of them. Several processes may share a
// store: a change never overwrites another process's unseen, and [World.Refresh]
// takes in what others did. What is written to the store by other means is not
// seen before [World.Renew].
//
// [Parse] reads campaign files: the world a table plays in, as entities, the relations between them, and
// facts; and calendars (files campaign*.go). It is strict: it reports every problem of a file in one go,
// each with its line and what would be right. It reads no files itself.
//
// A [Chronicle] keeps what a campaign learns from its sessions (files chronicle*.go). What was said is gone
// through for what is worth keeping ([Chronicle.Gather]); it is proposed to the game master, who accepts,
// edits or rejects it. Nothing is known to an NPC before, unless the configuration says so. What was
// accepted is found like any other fact. What is between an NPC and a player, and what was pinned, is in
// the NPC's mind whenever they talk ([Chronicle.Between]).
//
// [ReadImport] reads what other programs know of a world, such as exports of virtual tabletops (files vtt*.go).
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
	// maxWaiting bounds the changes that wait to be written; one more ends in
	// mcp.ErrBusy.
	maxWaiting = 4096
	// maxEntities bounds the world, which is kept in memory; what a store has
	// beyond that is read all the same.
	maxEntities = 100_000
)

// Store keeps the world. *sqlite.Store is one.
type Store interface {
	// World returns all entities and relations.
	World(ctx context.Context) ([]memory.Entity, []memory.Relation, error)
	LoadState(ctx context.Context, space string) (map[string][]byte, error)
	// Change carries out a batch as a whole; it is durable when Change returns.
	// If what the batch expects is not so, the error is memory.ErrConflict.
	Change(ctx context.Context, b memory.Batch) error
	// WorldChanges returns the latest changes recorded, at most so many, the newest
	// first, and WorldChange one of them, or [memory.ErrNotFound].
	WorldChanges(ctx context.Context, most int) ([]memory.WorldChange, error)
	WorldChange(ctx context.Context, seq uint64) (memory.WorldChange, error)
}

// Options tune a [World]. The zero value works.
type Options struct {
	// Campaign says whose scene it is.
	Campaign string
	// Scene is what is going on until someone sets another. A different one than
	// at the last Open replaces what was set meanwhile.
	Scene string
	// Groups say what viewers know by what they belong to. If nil, nobody belongs to
	// anything.
	Groups *memory.Groups
}

// World is the live world. It is safe for concurrent use.
type World struct {
	store  Store
	keys   keys
	groups *memory.Groups
	// lead is held by the caller that writes for all who wait.
	lead chan struct{}
	// names are those of all, replaced as a whole with mu held; reading them
	// needs no lock.
	names atomic.Pointer[names]

	queue   sync.Mutex // guards waiting
	waiting []*request

	mu    sync.RWMutex // guards the fields below; they change only with lead held
	seq   uint64
	scene string
	all   map[string]*version
	order order // of all
	edges edges
	log   history
	subs  map[*Subscription]struct{}
}

// version is an entity as it was from one change to the next. It is immutable.
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

// same reports whether nobody could tell the versions apart.
func (v *version) same(o *version) bool {
	return bytes.Equal(v.raw, o.raw) && slices.Equal(v.entity.Visible, o.entity.Visible)
}

// Seq is the number of the last change. It grows with every change, also from
// one process to the next.
func (w *World) Seq() uint64 {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.seq
}

// Scene is what is going on.
func (w *World) Scene() string {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.scene
}

// Entity returns a copy of one entity if viewer may see it.
func (w *World) Entity(id, viewer string) (memory.Entity, bool) {
	w.mu.RLock()
	v := w.all[id]
	w.mu.RUnlock()
	if v == nil || !w.groups.Knows(v.entity.Visible, viewer) {
		return memory.Entity{}, false
	}
	return clone(v.entity), true
}

// Entities returns copies of all entities that viewer may see, by id.
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

// Names returns the names and aliases of all entities of a type, in order.
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

// Relations returns the relations from an entity, by type and end, as far as
// viewer may see them and what they lead to.
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

// errUnknown says that an id names nothing the caller could change.
func errUnknown(id string) error {
	return fmt.Errorf("%w: entity %q: %w", mcp.ErrInvalidArguments, id, memory.ErrNotFound)
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %w", mcp.ErrInvalidArguments, fmt.Errorf(format, args...))
}

var errPanicked = errors.New("a change panicked")

package world

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// ErrClosed is returned after a subscription was closed.
var ErrClosed = errors.New("subscription is closed")

// maxCauses bounds the causes in a delta.
const maxCauses = 16

// Filter selects the changes that a subscriber receives.
type Filter struct {
	// Viewer is the viewer of the world, as in memory: "" sees everything.
	Viewer string
	// Area restricts the entities to a sphere; nil means everywhere. Entities without a position are in no
	// area.
	Area *Area
	// Since is the Seq of the subscriber's last snapshot or delta for the same viewer and area; nil starts
	// over.
	Since *uint64
}

// Change is the current state of an entity. Its lists and maps are shared and must not be modified.
type Change struct {
	Entity memory.Entity
	// Raw is the entity as JSON, encoded once for all subscribers.
	Raw json.RawMessage
}

// Snapshot is everything that a subscriber sees.
type Snapshot struct {
	Seq uint64
	// Entities are sorted by id.
	Entities []Change
	Scene    string
}

// Delta holds the changes for a subscriber since its last snapshot or delta.
type Delta struct {
	// Seq is the number of the last change in it.
	Seq uint64
	// Causes are the distinct causes of the changes, at most sixteen.
	Causes []string
	// Changes are the current states of entities that are new to the subscriber, have changed, or have a
	// changed relation, sorted by id.
	Changes []Change
	// Removed lists the ids of entities that the subscriber no longer sees: removed, hidden, or outside its
	// area.
	Removed []string
	// Scene is the new scene, nil if unchanged.
	Scene *string
}

// Subscription follows the world for one subscriber. It stores unfetched changes as the set of entities to
// look at, so that a slow subscriber gets newer state, needs no more memory than the changes do, and blocks
// no one. Next, Wait and Take must not be called concurrently; everything else is safe for concurrent use.
type Subscription struct {
	w       *World
	viewer  string
	resumed bool
	signal  chan struct{} // holds one token: there may be changes
	closed  chan struct{}
	close   sync.Once

	mu          sync.Mutex // guards the fields below; taken after w.mu
	snapshot    Snapshot
	area        *Area
	areaChanged bool // the area has changed
	// sentArea is the area of the last snapshot or delta. The subscriber knows the current version of an entity
	// outside dirty if that is in told.
	sentArea *Area
	// dirty are the entities to look at, and whether the subscriber knows them.
	dirty  map[string]bool
	scene  bool // the scene has changed
	causes []string
}

// Subscribe starts to follow the world. For an invalid area, the error wraps [mcp.ErrInvalidArguments]. The
// caller must close the subscription.
func (w *World) Subscribe(f Filter) (*Subscription, error) {
	s := &Subscription{
		w: w, viewer: f.Viewer, signal: make(chan struct{}, 1), closed: make(chan struct{}),
		dirty: map[string]bool{},
	}
	if err := s.setArea(f.Area); err != nil {
		return nil, err
	}
	s.sentArea = s.area
	all := w.joinSubscription(s, f.Since)
	if !s.resumed {
		s.snapshot.Entities = s.seen(all)
	}
	return s, nil
}

// joinSubscription starts s with the current world, or resumes it after change since. It returns all current
// entities sorted by id, or nothing for a resumed subscription, which only costs as much as the changes.
func (w *World) joinSubscription(s *Subscription, since *uint64) []*version {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.subs[s] = struct{}{}
	if s.resumed = since != nil && w.log.start <= *since && *since <= w.seq; s.resumed {
		s.snapshot.Seq = *since
		s.resumeFrom(*since)
		return nil
	}
	s.snapshot.Seq, s.snapshot.Scene = w.seq, w.scene
	return w.order.byID(w.all)
}

// seen returns the visible entities as changes, in order.
func (s *Subscription) seen(all []*version) []Change {
	seen := make([]*version, 0, len(all))
	for _, v := range all {
		if s.sees(v) {
			seen = append(seen, v)
		}
	}
	return toChanges(seen)
}

// sorted returns entities as changes, sorted by id.
func sorted(all []*version) []Change {
	slices.SortFunc(all, compareIDs)
	return toChanges(all)
}

// toChanges converts entities to changes.
func toChanges(all []*version) []Change {
	out := make([]Change, len(all))
	for i, v := range all {
		out[i] = Change{v.entity, v.raw}
	}
	return out
}

func (s *Subscription) setArea(a *Area) error {
	if a == nil {
		s.area = nil
		return nil
	}
	if err := a.checkArea(); err != nil {
		return err
	}
	own := *a
	s.area = &own
	return nil
}

// resumeFrom restores the subscriber's state after change since, and marks later changes. The caller must
// hold w.mu.
func (s *Subscription) resumeFrom(since uint64) {
	for e := range s.w.log.since(since) {
		switch _, later := s.dirty[e.id]; {
		case e.id == "":
			s.scene = true
		case later, e.relation != nil && !e.relation.visible(s.w.groups, s.viewer):
		default:
			s.dirty[e.id] = s.sees(e.before)
		}
	}
	s.signalChanges()
}

// Resumed reports whether the subscription was resumed from Since.
func (s *Subscription) Resumed() bool { return s.resumed }

// Snapshot returns the subscriber's state at the start. After the first delta, only Seq and Scene are left.
// For a resumed subscription, it only has Seq, which is Since.
func (s *Subscription) Snapshot() Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.snapshot
}

// SetArea sets another area, nil for everywhere. The resulting changes are in the next delta. For an invalid
// area, the error wraps [mcp.ErrInvalidArguments] and nothing changes.
func (s *Subscription) SetArea(a *Area) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.setArea(a); err != nil {
		return err
	}
	s.areaChanged = true
	s.signalChanges()
	return nil
}

// Close ends the subscription. A blocked Next returns [ErrClosed].
func (s *Subscription) Close() {
	s.close.Do(func() {
		s.w.mu.Lock()
		delete(s.w.subs, s)
		s.w.mu.Unlock()
		close(s.closed)
	})
}

// Next waits for changes and returns them. If ctx has ended, it still returns changes that are available.
func (s *Subscription) Next(ctx context.Context) (Delta, error) {
	for {
		if err := s.Wait(ctx); err != nil {
			return Delta{}, err
		}
		if d, ok := s.Poll(); ok {
			return d, nil
		}
	}
}

// Wait returns nil when Take may return changes. It is for callers that must wait for something else before
// Take: the later they call it, the newer the result.
func (s *Subscription) Wait(ctx context.Context) error {
	select {
	case <-s.closed:
		return ErrClosed
	default:
	}
	select {
	case <-s.signal:
		return nil
	default:
	}
	select {
	case <-s.signal:
		return nil
	case <-s.closed:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Pending reports whether Take may return changes. It is safe for concurrent use.
func (s *Subscription) Pending() bool { return len(s.signal) > 0 }

// sees reports whether v is visible.
func (s *Subscription) sees(v *version) bool { return s.seesIn(s.area, v) }

func (s *Subscription) seesIn(area *Area, v *version) bool {
	return v != nil && s.w.groups.Knows(v.entity.Visible, s.viewer) && (area == nil || area.Contains(v.entity.Position))
}

// mark records that an entity changed from before to after, if the subscriber sees either.
func (s *Subscription) mark(id string, before, after *version, cause string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, dirty := s.dirty[id]
	if !dirty {
		known = s.seesIn(s.sentArea, before)
	}
	concerns := known || s.sees(after)
	if !dirty && (concerns || s.areaChanged) {
		s.dirty[id] = known
	}
	if concerns {
		s.recordCause(cause)
	}
}

func (s *Subscription) markScene(cause string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scene = true
	s.recordCause(cause)
}

func (s *Subscription) recordCause(cause string) {
	if cause != "" && len(s.causes) < maxCauses && !slices.Contains(s.causes, cause) {
		s.causes = append(s.causes, cause)
	}
	s.signalChanges()
}

func (s *Subscription) signalChanges() {
	wakeup.Signal(s.signal)
}

// Poll returns the changes since its last call, or false if there are none.
func (s *Subscription) Poll() (Delta, bool) {
	s.w.mu.RLock()
	s.mu.Lock()
	select {
	case <-s.signal: // for the value read now
	default:
	}
	d := Delta{Seq: s.w.seq, Causes: s.causes}
	var changed []*version
	for id, known := range s.dirty {
		changed = s.addToDelta(changed, &d, id, known, true)
	}
	if s.areaChanged {
		for id, v := range s.w.all {
			if _, done := s.dirty[id]; !done {
				changed = s.addToDelta(changed, &d, id, s.seesIn(s.sentArea, v), false)
			}
		}
	}
	if s.scene {
		scene := s.w.scene
		d.Scene = &scene
	}
	clear(s.dirty)
	s.snapshot.Entities, s.sentArea = nil, s.area
	s.areaChanged, s.scene, s.causes = false, false, nil
	s.mu.Unlock()
	s.w.mu.RUnlock()
	d.Changes = sorted(changed)
	slices.Sort(d.Removed)
	return d, len(d.Changes)+len(d.Removed) > 0 || d.Scene != nil
}

// addToDelta adds an entity to changes or to d's removed ones, if the subscriber must learn about it.
func (s *Subscription) addToDelta(changes []*version, d *Delta, id string, known, changed bool) []*version {
	v := s.w.all[id]
	switch now := s.sees(v); {
	case now && (changed || !known):
		changes = append(changes, v)
	case !now && known:
		d.Removed = append(d.Removed, id)
	}
	return changes
}

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

// ErrClosed is returned once a subscription is closed.
var ErrClosed = errors.New("subscription is closed")

// maxCauses bounds the causes a delta names.
const maxCauses = 16

// Filter says what a subscriber is told.
type Filter struct {
	// Viewer is for whom the world is seen, as in memory: empty sees all.
	Viewer string
	// Area restricts it to what is there; nil is everywhere. What has no
	// position is in no area.
	Area *Area
	// Since is the Seq of the last snapshot or delta that the subscriber has,
	// which it got for the same viewer and area; nil begins anew.
	Since *uint64
}

// Change is an entity as it is now. Its lists and maps are shared; do not
// modify them.
type Change struct {
	Entity memory.Entity
	// Raw is the entity as JSON, encoded once for all.
	Raw json.RawMessage
}

// Snapshot is all that a subscriber sees.
type Snapshot struct {
	Seq uint64
	// Entities are sorted by id.
	Entities []Change
	Scene    string
}

// Delta is what has changed for a subscriber since it was last told.
type Delta struct {
	// Seq is the number of the last change that is in it.
	Seq uint64
	// Causes are the different causes of the changes, the first sixteen.
	Causes []string
	// Changes are the entities that are new to the subscriber, have changed, or
	// have a relation that did, each as it is now, sorted by id.
	Changes []Change
	// Removed lists the ids of what it no longer sees: gone, hidden or out of
	// its area.
	Removed []string
	// Scene is the new scene, nil if it has not changed.
	Scene *string
}

// Subscription follows the world for one subscriber. What has not been
// fetched is kept as the set of entities to look at, so a slow subscriber gets
// newer state, costs no more memory than what has changed, and holds up
// nobody. One goroutine at a time calls Next, Wait or Take; all else is safe for
// concurrent use.
type Subscription struct {
	w       *World
	viewer  string
	resumed bool
	signal  chan struct{} // holds one: there may be something to tell
	closed  chan struct{}
	close   sync.Once

	mu       sync.Mutex // guards the fields below; taken after w.mu
	snapshot Snapshot
	area     *Area
	moved    bool // the area has changed
	// told is the area of what the subscriber was last told. Of an entity that is
	// not in dirty it knows the present version if that is in told, and no other.
	told *Area
	// dirty are the entities to look at, and whether the subscriber knows them.
	dirty  map[string]bool
	scene  bool // the scene has changed
	causes []string
}

// Subscribe begins to follow the world. A malformed area is
// [mcp.ErrInvalidArguments]. The caller closes the subscription.
func (w *World) Subscribe(f Filter) (*Subscription, error) {
	s := &Subscription{
		w: w, viewer: f.Viewer, signal: make(chan struct{}, 1), closed: make(chan struct{}),
		dirty: map[string]bool{},
	}
	if err := s.setArea(f.Area); err != nil {
		return nil, err
	}
	s.told = s.area
	all := w.joinSubscription(s, f.Since)
	if !s.resumed {
		s.snapshot.Entities = s.seen(all)
	}
	return s, nil
}

// joinSubscription lets s begin with the world as it is, or as it was after change since,
// and returns all there is now, by id. Who is resumed is returned nothing, and costs
// what has changed.
func (w *World) joinSubscription(s *Subscription, since *uint64) []*version {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.subs[s] = struct{}{}
	if s.resumed = since != nil && w.log.start <= *since && *since <= w.seq; s.resumed {
		s.snapshot.Seq = *since
		s.catchUp(*since)
		return nil
	}
	s.snapshot.Seq, s.snapshot.Scene = w.seq, w.scene
	return w.order.byID(w.all)
}

// seen returns those in view as they are told, in their order.
func (s *Subscription) seen(all []*version) []Change {
	seen := make([]*version, 0, len(all))
	for _, v := range all {
		if s.sees(v) {
			seen = append(seen, v)
		}
	}
	return told(seen)
}

// sorted returns entities as they are told, by id.
func sorted(all []*version) []Change {
	slices.SortFunc(all, compareIDs)
	return told(all)
}

// told returns entities as they are told.
func told(all []*version) []Change {
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

// catchUp goes back to what the subscriber had seen after change since, and
// marks what changed from there on. The caller holds w.mu.
func (s *Subscription) catchUp(since uint64) {
	for e := range s.w.log.since(since) {
		switch _, later := s.dirty[e.id]; {
		case e.id == "":
			s.scene = true
		case later, e.relation != nil && !e.relation.visible(s.w.groups, s.viewer):
		default:
			s.dirty[e.id] = s.sees(e.before)
		}
	}
	s.wake()
}

// Resumed reports whether the subscription goes on from Since.
func (s *Subscription) Resumed() bool { return s.resumed }

// Snapshot is what the subscriber saw when it began; once the first delta has
// been read, it is empty but for Seq and Scene. Of a resumed subscription it is
// empty but for Seq, which is Since.
func (s *Subscription) Snapshot() Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.snapshot
}

// SetArea declares another area, nil for everywhere. What that brings into
// view or out of it comes with the next delta. A malformed area is
// [mcp.ErrInvalidArguments] and changes nothing.
func (s *Subscription) SetArea(a *Area) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.setArea(a); err != nil {
		return err
	}
	s.moved = true
	s.wake()
	return nil
}

// Close ends the subscription; a waiting Next returns [ErrClosed].
func (s *Subscription) Close() {
	s.close.Do(func() {
		s.w.mu.Lock()
		delete(s.w.subs, s)
		s.w.mu.Unlock()
		close(s.closed)
	})
}

// Next waits until something has changed for the subscriber and returns it. A
// ctx that has ended gets what there is already.
func (s *Subscription) Next(ctx context.Context) (Delta, error) {
	for {
		if err := s.Wait(ctx); err != nil {
			return Delta{}, err
		}
		if d, ok := s.Take(); ok {
			return d, nil
		}
	}
}

// Wait returns nil when there may be something to take. It is Next for those
// who must wait for something else before they take it: the later they take,
// the newer is what they get.
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

// Pending reports whether there may be something to take. It is safe for
// concurrent use.
func (s *Subscription) Pending() bool { return len(s.signal) > 0 }

// sees reports whether v is in view.
func (s *Subscription) sees(v *version) bool { return s.seesIn(s.area, v) }

func (s *Subscription) seesIn(area *Area, v *version) bool {
	return v != nil && s.w.groups.Knows(v.entity.Visible, s.viewer) && (area == nil || area.Contains(v.entity.Position))
}

// mark notes that an entity which was before has become after, if that concerns
// the subscriber.
func (s *Subscription) mark(id string, before, after *version, cause string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, dirty := s.dirty[id]
	if !dirty {
		known = s.seesIn(s.told, before)
	}
	concerns := known || s.sees(after)
	if !dirty && (concerns || s.moved) {
		s.dirty[id] = known
	}
	if concerns {
		s.noteCause(cause)
	}
}

func (s *Subscription) markScene(cause string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scene = true
	s.noteCause(cause)
}

func (s *Subscription) noteCause(cause string) {
	if cause != "" && len(s.causes) < maxCauses && !slices.Contains(s.causes, cause) {
		s.causes = append(s.causes, cause)
	}
	s.wake()
}

func (s *Subscription) wake() {
	wakeup.Signal(s.signal)
}

// Take returns what has changed since it last did, false if that comes to
// nothing.
func (s *Subscription) Take() (Delta, bool) {
	s.w.mu.RLock()
	s.mu.Lock()
	select {
	case <-s.signal: // of what is taken now
	default:
	}
	d := Delta{Seq: s.w.seq, Causes: s.causes}
	var changed []*version
	for id, known := range s.dirty {
		changed = s.addToDelta(changed, &d, id, known, true)
	}
	if s.moved {
		for id, v := range s.w.all {
			if _, done := s.dirty[id]; !done {
				changed = s.addToDelta(changed, &d, id, s.seesIn(s.told, v), false)
			}
		}
	}
	if s.scene {
		scene := s.w.scene
		d.Scene = &scene
	}
	clear(s.dirty)
	s.snapshot.Entities, s.told = nil, s.area
	s.moved, s.scene, s.causes = false, false, nil
	s.mu.Unlock()
	s.w.mu.RUnlock()
	d.Changes = sorted(changed)
	slices.Sort(d.Removed)
	return d, len(d.Changes)+len(d.Removed) > 0 || d.Scene != nil
}

// addToDelta adds an entity to changes or to what d says is removed, if the
// subscriber must be told of it.
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

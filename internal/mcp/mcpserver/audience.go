package mcpserver

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/resource"
	"github.com/MrWong99/glyphoxa/internal/world"
)

const (
	notifyUpdated = "notifications/resources/updated"
	notifyListed  = "notifications/resources/list_changed"
	// metaViewer marks an update that is for one viewer's clients alone. It never
	// leaves the server.
	metaViewer = "glyphoxa/viewer"
	// maxViewers bounds the different eyes that are told of the world.
	maxViewers = 64
	// pruneEvery is after how many new sessions the ended ones are forgotten.
	pruneEvery = 64
)

// audience knows with whose eyes each session sees, so that nobody is told of
// a change it cannot see. It is safe for concurrent use.
type audience struct {
	sessions sync.Map // *sdk.ServerSession to *seat
	viewers  sync.Map // viewer to *atomic.Int64: how often its list of resources has changed
	count    atomic.Int32
	opened   atomic.Int32
	arrivals chan arrival // to whoever announces

	mu sync.Mutex // held to enter and to leave
}

// seat is a session's place in the audience.
type seat struct {
	viewer string
	told   atomic.Int64 // changes of viewer's list that the session knows
	uses   int          // of the session, that have not left; guarded by audience.mu
}

// arrival is a viewer for whom the world is followed from now on.
type arrival struct {
	viewer string
	sub    *world.Subscription
}

func newAudience() *audience { return &audience{arrivals: make(chan arrival, maxViewers)} }

// enter notes a session, and follows the world with its eyes from then on. It
// is forgotten once it has left as often as it has entered, or is pruned.
func (s *Server) enter(session sdk.Session, viewer string) {
	if ss, ok := session.(*sdk.ServerSession); ok {
		s.followFor(viewer)
		s.audience.enter(ss, viewer)
	}
}

func (a *audience) enter(session *sdk.ServerSession, viewer string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at, ok := a.seat(session)
	if !ok || at.viewer != viewer {
		at = &seat{viewer: viewer}
		at.told.Store(a.changes(viewer)) // what it lists from now on has them
		a.sessions.Store(session, at)
	}
	at.uses++
}

// followFor has the world followed for viewer. Beyond the bound a viewer is
// told of nothing.
func (s *Server) followFor(viewer string) {
	if s.o.World == nil {
		return
	}
	a := s.audience
	if _, known := a.viewers.LoadOrStore(viewer, new(atomic.Int64)); known || a.count.Add(1) > maxViewers {
		return
	}
	sub, err := s.o.World.Subscribe(world.Filter{Viewer: viewer})
	if err != nil {
		s.o.Log.Error("following the world", "reason", err)
		return
	}
	a.arrivals <- arrival{viewer, sub} // has room for all
}

func (a *audience) leave(session sdk.Session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if at, ok := a.seat(session); ok {
		if at.uses--; at.uses == 0 {
			a.sessions.Delete(session)
		}
	}
}

// prune forgets sessions that have ended, every now and then.
func (a *audience) prune(live func(func(*sdk.ServerSession) bool)) {
	if a.opened.Add(1)%pruneEvery != 0 {
		return
	}
	open := map[*sdk.ServerSession]bool{}
	for ss := range live {
		open[ss] = true
	}
	a.sessions.Range(func(ss, _ any) bool {
		if !open[ss.(*sdk.ServerSession)] {
			a.sessions.Delete(ss)
		}
		return true
	})
}

// seat returns a session's place, if it has entered.
func (a *audience) seat(session sdk.Session) (*seat, bool) {
	at, ok := a.sessions.Load(session)
	if !ok {
		return nil, false
	}
	return at.(*seat), true
}

// listChanged notes that what viewer can list has changed.
func (a *audience) listChanged(viewer string) {
	if n, ok := a.viewers.Load(viewer); ok {
		n.(*atomic.Int64).Add(1)
	}
}

// changes is how often what viewer can list has changed.
func (a *audience) changes(viewer string) int64 {
	if n, ok := a.viewers.Load(viewer); ok {
		return n.(*atomic.Int64).Load()
	}
	return 0
}

// listNews reports whether what the session at a seat can list has changed
// since it was last told; it counts as told from then on.
func (a *audience) listNews(at *seat) bool {
	n := a.changes(at.viewer)
	for {
		told := at.told.Load()
		if told >= n {
			return false
		}
		if at.told.CompareAndSwap(told, n) {
			return true
		}
	}
}

// send stands before the SDK's notifications: what a session cannot see it is
// not told of.
func (s *Server) send(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		at, known := s.audience.seat(req.GetSession())
		switch method {
		case notifyListed:
			if s.o.World != nil && (!known || !s.audience.listNews(at)) {
				return nil, nil
			}
		case notifyUpdated:
			params, ok := req.GetParams().(*sdk.ResourceUpdatedNotificationParams)
			if !ok || params.Meta[metaViewer] == nil {
				break
			}
			if !known || params.Meta[metaViewer] != at.viewer {
				return nil, nil
			}
			meta := maps.Clone(params.Meta)
			delete(meta, metaViewer)
			req = &sdk.ServerRequest[sdk.Params]{
				Session: req.GetSession().(*sdk.ServerSession), Params: &sdk.ResourceUpdatedNotificationParams{Meta: meta, URI: params.URI},
			}
		}
		return next(ctx, method, req)
	}
}

// announce tells clients which resources a change of the world touches, each
// as far as it sees, until ctx ends.
func (s *Server) announce(ctx context.Context, work *sync.WaitGroup) {
	for {
		select {
		case <-ctx.Done():
			return
		case a := <-s.audience.arrivals:
			work.Go(func() { s.announceTo(ctx, a) })
		}
	}
}

func (s *Server) announceTo(ctx context.Context, a arrival) {
	defer a.sub.Close()
	known := map[string]bool{}
	for _, c := range a.sub.Snapshot().Entities {
		known[c.Entity.ID] = true
	}
	for {
		d, err := a.sub.Next(ctx)
		if err != nil {
			return
		}
		if s.o.Resources != nil {
			s.changed(ctx, a.viewer, d, known)
		}
	}
}

// changed notifies of one delta; known are the entities viewer saw before.
func (s *Server) changed(ctx context.Context, viewer string, d world.Delta, known map[string]bool) {
	listed := false
	touched := map[string]bool{}
	touch := func(id string) {
		for _, uri := range resource.Touched(id) {
			touched[uri] = true
		}
	}
	for _, c := range d.Changes {
		listed = listed || !known[c.Entity.ID]
		known[c.Entity.ID] = true
		touch(c.Entity.ID)
	}
	for _, id := range d.Removed {
		listed = true
		delete(known, id)
		touch(id)
	}
	if d.Scene != nil {
		touch("")
	}
	for _, uri := range slices.Sorted(maps.Keys(touched)) {
		s.notify(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri, Meta: sdk.Meta{metaViewer: viewer}})
	}
	if listed { // the SDK says so when a resource is added to its list
		s.audience.listChanged(viewer)
		s.sdk.AddResource(&sdk.Resource{URI: resource.SceneURI(), Name: "scene"}, s.readResource)
	}
}

// SessionChanged tells subscribers that something was said in a session, or
// that it began or ended.
func (s *Server) SessionChanged(ctx context.Context, id string) {
	s.updated(ctx, resource.TouchedSession(id)...)
}

// updated tells all who subscribed that resources have changed.
func (s *Server) updated(ctx context.Context, uris ...string) {
	for _, uri := range uris {
		s.notify(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri})
	}
}

func (s *Server) notify(ctx context.Context, params *sdk.ResourceUpdatedNotificationParams) {
	if s.o.Resources != nil {
		_ = s.sdk.ResourceUpdated(ctx, params) // it returns no error
	}
}

package mcpserver

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/world"
)

const (
	notifyUpdated = "notifications/resources/updated"
	notifyListed  = "notifications/resources/list_changed"
	// metaViewer marks an update for the clients of one viewer. It is removed before sending.
	metaViewer = "glyphoxa/viewer"
	// maxViewers bounds the number of viewers whose clients are notified.
	maxViewers = 64
	// pruneEvery is the number of new sessions after which ended ones are removed.
	pruneEvery = 64
)

// notifier notifies sessions of changes of the world and of resources. It knows the viewer of each session,
// so that no session is notified of a change it cannot see. It is safe for concurrent use.
type notifier struct {
	sdk       *sdk.Server
	world     *world.World // nil if there is none
	resources *resourceMethods
	log       *slog.Logger

	sessions sync.Map // *sdk.ServerSession to *listener
	viewers  sync.Map // viewer to *atomic.Int64, the number of changes of its list of resources
	count    atomic.Int32
	opened   atomic.Int32
	arrivals chan arrival // to announceChanges

	mu sync.Mutex // held to add and to remove sessions
}

// listener is a session that is notified of changes.
type listener struct {
	viewer string
	told   atomic.Int64 // number of list changes that the session knows
	uses   int          // times added and not yet removed; guarded by notifier.mu
}

// arrival is a viewer for whom the notifier starts to follow the world.
type arrival struct {
	viewer string
	sub    *world.Subscription
}

func newNotifier(server *sdk.Server, w *world.World, r *resourceMethods, log *slog.Logger) *notifier {
	return &notifier{sdk: server, world: w, resources: r, log: log, arrivals: make(chan arrival, maxViewers)}
}

// addSession adds a session and starts to follow the world for its viewer. The session is forgotten when it
// has been removed as often as added, or when it is pruned.
func (n *notifier) addSession(session sdk.Session, viewer string) {
	if ss, ok := session.(*sdk.ServerSession); ok {
		n.followFor(viewer)
		n.addListener(ss, viewer)
	}
}

func (n *notifier) addListener(session *sdk.ServerSession, viewer string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	l, ok := n.listenerOf(session)
	if !ok || l.viewer != viewer {
		l = &listener{viewer: viewer}
		l.told.Store(n.listChanges(viewer)) // its next list includes these changes
		n.sessions.Store(session, l)
	}
	l.uses++
}

// followFor starts to follow the world for viewer. Beyond maxViewers, it does nothing, so that viewer's
// clients get no notifications.
func (n *notifier) followFor(viewer string) {
	if n.world == nil {
		return
	}
	if _, known := n.viewers.LoadOrStore(viewer, new(atomic.Int64)); known || n.count.Add(1) > maxViewers {
		return
	}
	sub, err := n.world.Subscribe(world.Filter{Viewer: viewer})
	if err != nil {
		n.log.Error("following the world", "reason", err)
		return
	}
	n.arrivals <- arrival{viewer, sub} // has room for all viewers
}

func (n *notifier) removeSession(session sdk.Session) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if l, ok := n.listenerOf(session); ok {
		if l.uses--; l.uses == 0 {
			n.sessions.Delete(session)
		}
	}
}

// pruneSessions removes ended sessions, here and from others, after every pruneEvery new ones.
func (n *notifier) pruneSessions(live func(func(*sdk.ServerSession) bool), others ...*sync.Map) {
	if n.opened.Add(1)%pruneEvery != 0 {
		return
	}
	open := map[any]bool{}
	for ss := range live {
		open[ss] = true
	}
	for _, known := range append(others, &n.sessions) {
		known.Range(func(ss, _ any) bool {
			if !open[ss] {
				known.Delete(ss)
			}
			return true
		})
	}
}

// listenerOf returns the listener of a session, if it was added.
func (n *notifier) listenerOf(session sdk.Session) (*listener, bool) {
	l, ok := n.sessions.Load(session)
	if !ok {
		return nil, false
	}
	return l.(*listener), true
}

// recordListChange records that the list of resources for viewer has changed.
func (n *notifier) recordListChange(viewer string) {
	if changes, ok := n.viewers.Load(viewer); ok {
		changes.(*atomic.Int64).Add(1)
	}
}

// listChanges returns how often the list of resources for viewer has changed.
func (n *notifier) listChanges(viewer string) int64 {
	if changes, ok := n.viewers.Load(viewer); ok {
		return changes.(*atomic.Int64).Load()
	}
	return 0
}

// consumeListChange reports whether the list of resources has changed since the listener's session was last
// notified, and marks the session as notified.
func (n *notifier) consumeListChange(l *listener) bool {
	changes := n.listChanges(l.viewer)
	for {
		told := l.told.Load()
		if told >= changes {
			return false
		}
		if l.told.CompareAndSwap(told, changes) {
			return true
		}
	}
}

// filterSending intercepts the SDK's notifications and drops those about things that the session cannot see.
func (n *notifier) filterSending(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		l, known := n.listenerOf(req.GetSession())
		switch method {
		case notifyListed:
			if n.world != nil && (!known || !n.consumeListChange(l)) {
				return nil, nil
			}
		case notifyUpdated:
			params, ok := req.GetParams().(*sdk.ResourceUpdatedNotificationParams)
			if !ok || params.Meta[metaViewer] == nil {
				break
			}
			if !known || params.Meta[metaViewer] != l.viewer {
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

// announceChanges notifies clients of the resources that a change of the world touches, as far as they can
// see them, until ctx ends.
func (n *notifier) announceChanges(ctx context.Context, work *sync.WaitGroup) {
	for {
		select {
		case <-ctx.Done():
			return
		case a := <-n.arrivals:
			work.Go(func() { n.announceTo(ctx, a) })
		}
	}
}

func (n *notifier) announceTo(ctx context.Context, a arrival) {
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
		if n.resources.served() {
			n.announceDelta(ctx, a.viewer, d, known)
		}
	}
}

// announceDelta notifies clients of one delta. known holds the entities that viewer saw before.
func (n *notifier) announceDelta(ctx context.Context, viewer string, d world.Delta, known map[string]bool) {
	listed := false
	touched := map[string]bool{}
	touch := func(id string) {
		for _, uri := range TouchedURIs(id) {
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
		n.notify(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri, Meta: sdk.Meta{metaViewer: viewer}})
	}
	if listed { // the SDK announces a list change when a resource is added
		n.recordListChange(viewer)
		n.sdk.AddResource(&sdk.Resource{URI: SceneURI(), Name: "scene"}, n.resources.readResource)
	}
}

// announceUpdates notifies all subscribers that resources have changed.
func (n *notifier) announceUpdates(ctx context.Context, uris ...string) {
	for _, uri := range uris {
		n.notify(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri})
	}
}

func (n *notifier) notify(ctx context.Context, params *sdk.ResourceUpdatedNotificationParams) {
	if n.resources.served() {
		_ = n.sdk.ResourceUpdated(ctx, params) // it returns no error
	}
}

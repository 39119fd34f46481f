package mcpserver

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/world"
)

// patience is how long one push may delay the others. Writing to a client that reads takes microseconds.
const patience = time.Millisecond

// fanout pushes the world's changes to all connections that follow it. A few lanes, each a goroutine, serve
// the connections in rounds while there are changes. With a goroutine per connection, the calls that make the
// next changes would queue behind all of them. If a client does not read, its lane stays with it and another
// lane continues in its place. A longer round means that each client gets more changes in one message.
//
// It is safe for concurrent use. Its lanes run while there are connections; removing the last connection
// waits for them.
type fanout struct {
	world *world.World

	mu    sync.Mutex // guards the fields below
	flows []*flow    // replaced when a connection joins or leaves
	end   context.CancelFunc
	lanes *sync.WaitGroup

	lead  sync.Mutex // held while choosing the next push; guards the fields below
	round []*flow    // the connections of the current round
	at    int        // progress in the round
}

// flow is the stream of changes to one connection.
type flow struct {
	sub *world.Subscription
	// push sends changes and reports whether more may follow.
	push func(world.Delta) bool

	turn  sync.Mutex // held while changes are taken and pushed
	ended bool       // guarded by turn
}

// serve pushes the pending changes, unless another goroutine is already doing so; that one will push them
// too.
func (w *flow) serve() {
	for w.sub.Pending() && w.turn.TryLock() {
		if !w.ended {
			if d, ok := w.sub.Poll(); ok {
				w.ended = !w.push(d)
			}
		}
		over := w.ended
		w.turn.Unlock()
		if over {
			return
		}
	}
}

// addFlow starts to push changes to w.
func (o *fanout) addFlow(w *flow) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.flows) == 0 {
		if err := o.startLanes(); err != nil {
			return err
		}
	}
	o.flows = append(slices.Clip(o.flows), w)
	return nil
}

// startLanes starts the lanes, half as many as there are processors, so that the others remain for the calls.
// Callers hold mu.
func (o *fanout) startLanes() error {
	news, err := o.world.Subscribe(world.Filter{})
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(context.Background())
	lanes := new(sync.WaitGroup)
	for range max(1, runtime.GOMAXPROCS(0)/2) {
		lanes.Go(func() { o.lane(ctx, news, lanes) })
	}
	o.end, o.lanes = func() { end(); news.Close() }, lanes
	return nil
}

// removeFlow stops pushing to w. Nothing is pushed to it after removeFlow returns.
func (o *fanout) removeFlow(w *flow) {
	o.mu.Lock()
	i := slices.Index(o.flows, w)
	if i >= 0 {
		o.flows = slices.Concat(o.flows[:i], o.flows[i+1:])
	}
	var lanes *sync.WaitGroup
	if i >= 0 && len(o.flows) == 0 {
		o.end()
		lanes = o.lanes
	}
	o.mu.Unlock()
	w.turn.Lock() // wait for a push in progress
	w.ended = true
	w.turn.Unlock()
	if lanes != nil {
		lanes.Wait()
	}
}

// lane pushes to one connection after another until ctx ends or a client delays it for longer than patience.
func (o *fanout) lane(ctx context.Context, news *world.Subscription, lanes *sync.WaitGroup) {
	late := time.AfterFunc(time.Hour, func() {
		defer lanes.Done()
		o.lane(ctx, news, lanes)
	})
	late.Stop()
	for {
		w := o.nextFlow(ctx, news)
		if w == nil {
			return
		}
		lanes.Add(1) // for the lane that may take over
		late.Reset(patience)
		w.serve()
		if !late.Stop() {
			return
		}
		lanes.Done()
	}
}

// nextFlow returns the next connection with pending changes, or nil after ctx has ended. It blocks until
// there are changes.
func (o *fanout) nextFlow(ctx context.Context, news *world.Subscription) *flow {
	o.lead.Lock()
	defer o.lead.Unlock()
	for {
		for o.at < len(o.round) {
			w := o.round[o.at]
			if o.at++; w.sub.Pending() {
				return w
			}
		}
		o.round, o.at = nil, 0
		if news.Wait(ctx) != nil {
			return nil
		}
		news.Poll()
		o.mu.Lock()
		o.round = o.flows
		o.mu.Unlock()
	}
}

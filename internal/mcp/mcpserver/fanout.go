package mcpserver

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/world"
)

// patience is how long a push may keep the others waiting. Writing to a client
// that reads takes microseconds.
const patience = time.Millisecond

// fanout pushes the world's changes to all connections that follow it. A few
// lanes go round them, again and again while something changes: a goroutine for
// each connection would put the calls that make the next changes behind all of
// them. A lane whose client does not take what it is sent stays with that one,
// and another lane goes on in its place. The longer a round takes, the more a
// client is told at once.
//
// It is safe for concurrent use. It owns its lanes, which run while there is
// somebody to push to; whoever leaves last waits for them.
type fanout struct {
	world *world.World

	mu    sync.Mutex // guards the fields below
	flows []*flow    // replaced when somebody joins or leaves
	end   context.CancelFunc
	lanes *sync.WaitGroup

	lead  sync.Mutex // held while looking for something to push; guards the fields below
	round []*flow    // those it goes round at present
	at    int        // how far it has come
}

// flow is what one connection is sent of the world.
type flow struct {
	sub *world.Subscription
	// push sends what has changed and reports whether more may follow.
	push func(world.Delta) bool

	turn sync.Mutex // held while something is taken and pushed
	over bool       // guarded by turn
}

// serve pushes what there is, unless somebody does already: then that one will.
func (w *flow) serve() {
	for w.sub.Pending() && w.turn.TryLock() {
		if !w.over {
			if d, ok := w.sub.Take(); ok {
				w.over = !w.push(d)
			}
		}
		over := w.over
		w.turn.Unlock()
		if over {
			return
		}
	}
}

// addFlow begins to push to w.
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

// startLanes starts the lanes, half as many as there are processors: the rest is for
// the calls. Callers hold mu.
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

// removeFlow ends pushing to w. Nothing is pushed to it once leave returns.
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
	w.turn.Lock() // whoever pushes to it ends first
	w.over = true
	w.turn.Unlock()
	if lanes != nil {
		lanes.Wait()
	}
}

// lane pushes to one connection after the other until ctx ends or a client
// keeps it too long.
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

// nextFlow returns the next connection to push to, nil once ctx has ended. It waits
// for something to change if nobody is behind.
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
		news.Take()
		o.mu.Lock()
		o.round = o.flows
		o.mu.Unlock()
	}
}

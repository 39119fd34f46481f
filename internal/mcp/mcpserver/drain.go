package mcpserver

import (
	"context"
	"errors"
	"net/http"
	"sync"
)

// stopping is the answer to requests that arrive while the server stops.
const stopping = "the server stops"

// answered tracks the requests that must be answered before the server stops.
type answered struct {
	// calls is read-locked by every such request, and locked to stop.
	calls sync.RWMutex
	// end cancels the context of all requests, so that those that would never end do.
	end context.CancelFunc
}

// attended serves requests so that drain can wait for their answers, because the SDK writes no more answers
// once it starts to close a session.
func (w *Web) attended(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.Header.Get("Mcp-Method") == methodListen {
			next.ServeHTTP(rw, r) // a stream that lasts until one side ends it
			return
		}
		if !w.answered.calls.TryRLock() { // fails only while drain holds the lock or waits for it
			http.Error(rw, stopping, http.StatusServiceUnavailable)
			return
		}
		defer w.answered.calls.RUnlock()
		next.ServeHTTP(rw, r)
	})
}

// drain refuses new requests, gives running calls [drainTime] to finish, and then ends the remaining streams,
// sessions and connections.
func (w *Web) drain() error {
	if w.o.Health != nil {
		w.o.Health.SetDraining()
	}
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	w.halt() // sockets stop reading and end once they have answered
	var work sync.WaitGroup
	shut, quiet := make(chan error, 1), make(chan struct{})
	work.Go(func() { shut <- w.http.Shutdown(ctx) })
	work.Go(func() { // returns after the last answer or when the connections are closed
		w.answered.calls.Lock()
		defer w.answered.calls.Unlock()
		close(quiet)
	})
	select {
	case <-quiet:
	case <-ctx.Done():
	}
	w.answered.end()
	work.Go(w.closeSessions)
	err := <-shut
	if err != nil {
		err = w.http.Close() // the remaining connections have had their time
	}
	work.Wait()
	w.sockets.Wait()
	if w.o.Health != nil {
		err = errors.Join(err, w.o.Health.Shutdown(ctx))
	}
	return err
}

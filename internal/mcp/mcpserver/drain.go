package mcpserver

import (
	"context"
	"errors"
	"net/http"
	"sync"
)

// stopping is what a request is told that comes while the server stops.
const stopping = "the server stops"

// answered holds what is to be answered before the server stops.
type answered struct {
	// calls is read-locked by every request that is to be answered first, and
	// locked to stop.
	calls sync.RWMutex
	// end ends the context of all requests, for those that would hang on.
	end context.CancelFunc
}

// attended serves requests so that drain can wait for their answers: the SDK
// writes none any more once it has begun to close a session.
func (w *Web) attended(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.Header.Get("Mcp-Method") == methodListen {
			next.ServeHTTP(rw, r) // a stream that lasts until somebody ends it
			return
		}
		if !w.answered.calls.TryRLock() { // fails only while drain holds it or waits for it
			http.Error(rw, stopping, http.StatusServiceUnavailable)
			return
		}
		defer w.answered.calls.RUnlock()
		next.ServeHTTP(rw, r)
	})
}

// drain takes nothing new, gives calls under way [drainTime] to be answered,
// and then ends what is left: streams, sessions and connections.
func (w *Web) drain() error {
	if w.o.Health != nil {
		w.o.Health.SetDraining()
	}
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	w.halt() // sockets read no more, and end when they have answered
	var work sync.WaitGroup
	shut, quiet := make(chan error, 1), make(chan struct{})
	work.Go(func() { shut <- w.http.Shutdown(ctx) })
	work.Go(func() { // ends with the last answer, or when the connections are closed
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
		err = w.http.Close() // what still hangs has had its time
	}
	work.Wait()
	w.sockets.Wait()
	if w.o.Health != nil {
		err = errors.Join(err, w.o.Health.Shutdown(ctx))
	}
	return err
}

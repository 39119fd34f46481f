package discordtest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"
)

// A Fault is what goes wrong with one call. The zero value is nothing.
type Fault struct {
	// Delay is how long the call takes before anything is done about it.
	Delay time.Duration
	// Status is answered in place of what would be, as by a proxy that stands
	// before Discord: with a page, not with JSON.
	Status int
	// Accepted lets the call do what it asks for before Status is answered, or
	// the connection is cut.
	Accepted bool
	// Cut ends the connection without an answer.
	Cut bool
}

// Disturb has every call pass f first, which is given its route as in LimitRoute and says
// what goes wrong with it. It is called for one call after the other, by any goroutine. Nil
// ends that.
func (s *Server) Disturb(f func(route string) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disturb = f
}

// faultOf returns what goes wrong with a call.
func (s *Server) faultOf(pattern string) Fault {
	s.mu.Lock()
	f := s.disturb
	s.mu.Unlock()
	if f == nil || pattern == "" {
		return Fault{}
	}
	s.disturbing.Lock()
	defer s.disturbing.Unlock()
	return f(pattern)
}

// serveDisturbed lets a call go wrong.
func (f Fault) serveDisturbed(w http.ResponseWriter, r *http.Request, serve http.HandlerFunc) {
	if f.Delay > 0 {
		select {
		case <-time.After(f.Delay):
		case <-r.Context().Done(): // nobody waits for it any more; it is done all the same
		}
	}
	if f.Status == 0 && !f.Cut {
		serve(w, r)
		return
	}
	if f.Accepted {
		serve(httptest.NewRecorder(), r)
	}
	if f.Cut {
		panic(http.ErrAbortHandler) // the server closes the connection
	}
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(f.Status)
	fmt.Fprintf(w, "<html><head><title>%d %s</title></head></html>", f.Status, http.StatusText(f.Status))
}

// gatewayFaults are what goes wrong with events, guarded by Server.mu.
type gatewayFaults struct {
	repeat  bool
	reorder bool
	away    time.Time // until then no connection is let in
}

// RepeatEvents sends every event twice from now on, or no longer.
func (s *Server) RepeatEvents(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gateway.faults.repeat = on
}

// ReorderEvents swaps events that follow each other, or no longer. What waits to be swapped
// goes out then.
func (s *Server) ReorderEvents(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gateway.faults.reorder = on
	if !on {
		for _, x := range s.gateway.sessions {
			x.release()
		}
	}
}

// GoAway drops all connections of the gateway and lets none in for a time. Sessions can
// be resumed.
func (s *Server) GoAway(during time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gateway.faults.away = time.Now().Add(during)
	s.closeAll(0, "")
}

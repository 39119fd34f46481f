package discordtest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"
)

// A Fault is the failure of one call. The zero value is no failure.
type Fault struct {
	// Delay is the wait before the call is handled.
	Delay time.Duration
	// Status replaces the response, as from a proxy in front of Discord: with
	// an HTML page, not JSON.
	Status int
	// Accepted performs the call before Status is sent or the connection is
	// cut.
	Accepted bool
	// Cut ends the connection without an answer.
	Cut bool
}

// Disturb passes every call to f, with its route as in LimitRoute; f returns
// the call's fault. Calls to f are sequential, from any goroutine. Nil ends the
// faults.
func (s *Server) Disturb(f func(route string) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disturb = f
}

// faultOf returns the fault of a call.
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

// serveDisturbed applies a fault to a call.
func (f Fault) serveDisturbed(w http.ResponseWriter, r *http.Request, serve http.HandlerFunc) {
	if f.Delay > 0 {
		select {
		case <-time.After(f.Delay):
		case <-r.Context().Done(): // the client is gone; the call happens all the same
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

// gatewayFaults are the faults of events, guarded by Server.mu.
type gatewayFaults struct {
	repeat  bool
	reorder bool
	away    time.Time // until then connections are refused
}

// RepeatEvents turns the sending of every event twice on or off.
func (s *Server) RepeatEvents(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gateway.faults.repeat = on
}

// ReorderEvents turns the swapping of consecutive events on or off. Turning it
// off sends the waiting event.
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

// GoAway drops all gateway connections and refuses new ones for a time.
// Sessions can be resumed.
func (s *Server) GoAway(during time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gateway.faults.away = time.Now().Add(during)
	s.closeAll(0, "")
}

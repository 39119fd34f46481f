package mcpserver

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// chargeRefused charges the budget of the subject of ctx for a request that is refused anyway. If the budget
// is exhausted, it returns the error to answer instead.
func (s *Server) chargeRefused(ctx context.Context, what string) *jsonrpc.Error {
	err := s.dispatcher.chargeRequest(ctx, what)
	if err == nil {
		return nil
	}
	limited, _ := errors.AsType[*jsonrpc.Error](s.dispatcher.refuse(err))
	return limited
}

// refusesDiscovery reports whether the SDK will refuse this discovery request. It does so only after starting
// an event stream.
func refusesDiscovery(req *jsonrpc.Request, header string) bool {
	return req.IsCall() && req.Method == methodDiscover && header < newestProtocol && revisionOf(req.Params) < newestProtocol
}

// serveCharged serves an HTTP request with next; req is nil if the body is not a JSON-RPC request. If next
// refuses the request before it reaches the point where requests are charged, serveCharged charges it.
func (s *Server) serveCharged(rw http.ResponseWriter, r *http.Request, req *jsonrpc.Request, next http.Handler) {
	p, ok := r.Context().Value(vouchKey{}).(*peer)
	if !ok {
		next.ServeHTTP(rw, r)
		return
	}
	what := targetRequest
	if req != nil {
		what = req.Method
	}
	refused := &refusedResponse{ResponseWriter: rw}
	refused.replace = func(status int) bool {
		if p.reached.Load() {
			return false
		}
		if status == http.StatusForbidden { // the token is valid, but the session belongs to another caller
			s.dispatcher.recordRequest(r.Context(), targetSession, &mcp.Refusal{Code: mcp.CodeForbidden, By: bySession, Reason: "the session is another caller's"})
		}
		err := s.dispatcher.chargeRequest(r.Context(), what)
		switch {
		case err == nil:
			return false
		case req == nil || !req.IsCall():
			tooMany(rw, err)
			return true
		}
		limited, _ := errors.AsType[*jsonrpc.Error](s.dispatcher.refuse(err))
		writeError(rw, req.ID, limited, http.StatusOK)
		return true
	}
	next.ServeHTTP(refused, r)
	if req != nil && req.IsCall() && !p.reached.Load() && !refused.intercepted.Load() {
		_ = s.dispatcher.chargeRequest(r.Context(), what) // if the budget is exhausted, the next request is refused
	}
}

// refusedResponse is a response that intercepts refusals.
type refusedResponse struct {
	http.ResponseWriter
	// replace is called once with an error status. It returns true if it has written an answer itself.
	replace     func(status int) bool
	intercepted atomic.Bool
	discarding  atomic.Bool // nothing more is written
}

func (w *refusedResponse) WriteHeader(code int) {
	if code >= http.StatusBadRequest && w.intercepted.CompareAndSwap(false, true) && w.replace(code) {
		w.discarding.Store(true)
	}
	if !w.discarding.Load() {
		w.ResponseWriter.WriteHeader(code)
	}
}

func (w *refusedResponse) Write(p []byte) (int, error) {
	if w.discarding.Load() {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap supports [http.ResponseController].
func (w *refusedResponse) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// refuseBody answers a request whose body exceeds a bound on length or shape.
func (w *Web) refuseBody(rw http.ResponseWriter, r *http.Request, says string) {
	if err := w.server.dispatcher.chargeRequest(r.Context(), targetRequest); err != nil {
		tooMany(rw, err)
		return
	}
	w.server.dispatcher.recordRequest(r.Context(), targetRequest, tooLarge(says))
	http.Error(rw, says, http.StatusRequestEntityTooLarge)
}

// tooLarge is the refusal of a request that exceeds a bound on length or shape.
func tooLarge(says string) *mcp.Refusal {
	return &mcp.Refusal{Code: mcp.CodeInvalidInput, By: byLimits, Reason: says}
}

// recordRefusedFrame charges the subject of ctx for a message that its connection refuses itself, and records
// it if it exceeds a bound. It returns an error if the budget is exhausted. A message refused for lack of
// capacity is only recorded.
func (s *Server) recordRefusedFrame(ctx context.Context, why Reason, says string) error {
	if why == OverCapacity {
		s.dispatcher.recordRequest(ctx, targetRequest, &mcp.Refusal{Code: mcp.CodeCapacityExceeded, By: byLimits, Reason: says})
		return nil
	}
	if err := s.dispatcher.chargeRequest(ctx, targetRequest); err != nil {
		return err
	}
	if why == TooLarge {
		s.dispatcher.recordRequest(ctx, targetRequest, tooLarge(says))
	}
	return nil
}

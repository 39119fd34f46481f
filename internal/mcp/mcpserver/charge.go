package mcpserver

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// chargeRefused takes from the budget of the subject of ctx what a request costs that is
// refused whatever is left of it, or returns what it is answered instead.
func (s *Server) chargeRefused(ctx context.Context, what string) *jsonrpc.Error {
	err := s.dispatcher.chargeRequest(ctx, what)
	if err == nil {
		return nil
	}
	limited, _ := errors.AsType[*jsonrpc.Error](s.dispatcher.refuse(err))
	return limited
}

// refusesDiscovery reports whether the SDK refuses a request to discover the server, in an
// event stream that has begun by then.
func refusesDiscovery(req *jsonrpc.Request, header string) bool {
	return req.IsCall() && req.Method == methodDiscover && header < newestProtocol && revisionOf(req.Params) < newestProtocol
}

// serveCharged has next answer a request over HTTP; req is nil if it is none of JSON-RPC.
// If it is refused before it comes to where requests are charged, it is charged first.
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
	refused.instead = func(status int) bool {
		if p.reached.Load() {
			return false
		}
		if status == http.StatusForbidden { // with a right token that is for another's session alone
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
	if req != nil && req.IsCall() && !p.reached.Load() && !refused.told.Load() {
		_ = s.dispatcher.chargeRequest(r.Context(), what) // who has none left is refused the next
	}
}

// refusedResponse is a response to a request of which somebody is to hear if it is refused.
type refusedResponse struct {
	http.ResponseWriter
	// instead is told of the status, once, and reports whether it has answered itself.
	instead func(status int) bool
	told    atomic.Bool
	over    atomic.Bool // nothing more is written
}

func (w *refusedResponse) WriteHeader(code int) {
	if code >= http.StatusBadRequest && w.told.CompareAndSwap(false, true) && w.instead(code) {
		w.over.Store(true)
	}
	if !w.over.Load() {
		w.ResponseWriter.WriteHeader(code)
	}
}

func (w *refusedResponse) Write(p []byte) (int, error) {
	if w.over.Load() {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (w *refusedResponse) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// refuseBody answers a request that breaks a bound of its length or its shape.
func (w *Web) refuseBody(rw http.ResponseWriter, r *http.Request, says string) {
	if err := w.server.dispatcher.chargeRequest(r.Context(), targetRequest); err != nil {
		tooMany(rw, err)
		return
	}
	w.server.dispatcher.recordRequest(r.Context(), targetRequest, tooLarge(says))
	http.Error(rw, says, http.StatusRequestEntityTooLarge)
}

// tooLarge is why a request is refused that breaks a bound of its length or its shape.
func tooLarge(says string) *mcp.Refusal {
	return &mcp.Refusal{Code: mcp.CodeInvalidInput, By: byLimits, Reason: says}
}

// noteRefusedFrame charges the subject of ctx for a message that its connection refuses by
// itself, or returns why it cannot be charged, and records it if it breaks a bound. What
// leaves no room for others costs nothing more.
func (s *Server) noteRefusedFrame(ctx context.Context, why Reason, says string) error {
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

package mcpserver

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// What is asked for before anything is called, as it is recorded.
const (
	targetConnect = "connect"
	targetRequest = "request"
	targetSession = "session"
	targetSocket  = "socket"
	targetStream  = "stream"
	targetMetrics = "metrics"
)

// What refuses it, as it is recorded.
const (
	byToken   = "token"    // a token that is worth nothing here
	byNoToken = "no_token" // none, from where one is needed
	byHost    = "host"
	byOrigin  = "origin"
	byFraming = "framing" // what could be read as two requests
	bySession = "session" // of another caller
	byLimits  = "limits"
)

// refuseHolding answers a request of an identified caller who may hold no more of
// something, and records it.
func (w *Web) refuseHolding(rw http.ResponseWriter, r *http.Request, what string, why *mcp.Refusal) {
	w.server.dispatcher.recordRequest(r.Context(), what, why)
	tooMany(rw, why)
}

// tooMany answers that a caller has to wait.
func tooMany(rw http.ResponseWriter, why error) {
	if no, ok := errors.AsType[*mcp.Refusal](why); ok {
		rw.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(no.RetryAfter.Seconds()))))
	}
	http.Error(rw, oneLine(why.Error()), http.StatusTooManyRequests)
}

// holdFor has the subject of ctx hold one more of q until free is called, for a request
// that is no call, or says why not, which is recorded.
func (d *dispatcher) holdFor(ctx context.Context, q *quota, method string) (free func(), err error) {
	s := access.SubjectFrom(ctx)
	if s == nil {
		return func() {}, nil
	}
	h, why := q.take(holderOf(s), s.Address, nil)
	if why != nil {
		d.recordRequest(ctx, method, why)
		return nil, why
	}
	return h.free, nil
}

// recordStranger records that somebody was turned away, by what, who is not looked at any
// further.
func (w *Web) recordStranger(r *http.Request, by string, err error) {
	transport := access.TransportHTTP
	if access.IsUpgrade(r) {
		transport = access.TransportWebSocket
	}
	w.recordAddress(r.Context(), transport, w.o.Gatekeeper.Address(r), by, err)
}

// recordAddress is recordStranger of an address alone.
func (w *Web) recordAddress(ctx context.Context, transport, address, by string, err error) {
	why := &mcp.Refusal{Code: mcp.CodeForbidden, By: by, Reason: err.Error() + ", from " + address}
	if errors.Is(err, access.ErrTooMany) {
		why.Code = mcp.CodeCapacityExceeded
	}
	ctx = access.WithSubject(ctx, &access.Subject{Transport: transport})
	w.server.dispatcher.recordRequest(ctx, targetConnect, why)
}

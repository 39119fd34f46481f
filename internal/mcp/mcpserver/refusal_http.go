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

// Names in audit records for requests that are refused before any call.
const (
	targetConnect = "connect"
	targetRequest = "request"
	targetSession = "session"
	targetSocket  = "socket"
	targetStream  = "stream"
	targetMetrics = "metrics"
)

// Names in audit records for what refused a request.
const (
	byToken   = "token"    // an invalid token
	byNoToken = "no_token" // no token where one is needed
	byHost    = "host"
	byOrigin  = "origin"
	byFraming = "framing" // a request that could be read as two
	bySession = "session" // another caller's session
	byLimits  = "limits"
)

// refuseOverQuota records and answers a request of an identified caller who has reached a quota.
func (w *Web) refuseOverQuota(rw http.ResponseWriter, r *http.Request, what string, why *mcp.Refusal) {
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

// acquireFor adds a holding of q for the subject of ctx until free is called, for a request that is not a call.
// It records and returns a refusal if there is no room.
func (d *dispatcher) acquireFor(ctx context.Context, q *quota, method string) (free func(), err error) {
	s := access.SubjectFrom(ctx)
	if s == nil {
		return func() {}, nil
	}
	h, why := q.acquire(holderOf(s), s.Address, nil)
	if why != nil {
		d.recordRequest(ctx, method, why)
		return nil, why
	}
	return h.free, nil
}

// recordUnidentified records that an unidentified caller was turned away.
func (w *Web) recordUnidentified(r *http.Request, by string, err error) {
	transport := access.TransportHTTP
	if access.IsUpgrade(r) {
		transport = access.TransportWebSocket
	}
	w.recordAddress(r.Context(), transport, w.o.Gatekeeper.Address(r), by, err)
}

// recordAddress is recordUnidentified for an address.
func (w *Web) recordAddress(ctx context.Context, transport, address, by string, err error) {
	why := &mcp.Refusal{Code: mcp.CodeForbidden, By: by, Reason: err.Error() + ", from " + address}
	if errors.Is(err, access.ErrTooMany) {
		why.Code = mcp.CodeCapacityExceeded
	}
	ctx = access.WithSubject(ctx, &access.Subject{Transport: transport})
	w.server.dispatcher.recordRequest(ctx, targetConnect, why)
}

package mcpserver

import (
	"errors"
	"net/http"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/identity"
	"github.com/MrWong99/glyphoxa/internal/mcp/policy"
)

// What is asked for before anything is called, as it is recorded.
const targetConnect = "connect"

// What refuses it, as it is recorded.
const byToken = "token" // a token that is worth nothing here

// recordWrongToken records that somebody came with a token that is worth nothing.
func (w *Web) recordWrongToken(r *http.Request, err error) {
	why := &mcp.Refusal{Code: mcp.CodeForbidden, By: byToken, Reason: err.Error() + ", from " + w.o.Gatekeeper.Address(r)}
	if errors.Is(err, identity.ErrTooMany) {
		why.Code = mcp.CodeCapacityExceeded
	}
	transport := identity.TransportHTTP
	if identity.IsUpgrade(r) {
		transport = identity.TransportWebSocket
	}
	ctx := policy.WithSubject(r.Context(), &policy.Subject{Transport: transport})
	w.server.dispatcher.recordRefusal(ctx, mcp.Target{Tool: targetConnect, Source: sourceServer, ReadOnly: true}, "", why)
}

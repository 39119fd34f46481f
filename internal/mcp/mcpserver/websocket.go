package mcpserver

import (
	"net/http"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/internal/mcp/wire"
)

// connKey is where a request's context holds its connection.
type connKey struct{}

// socketBuffer is how much the system may hold for a WebSocket client that is
// slow, in bytes. It would take megabytes of state that is old by the time it is
// read; what waits on our side is replaced by newer state.
const socketBuffer = 128 << 10

// websocket serves one client over a WebSocket.
func (w *Web) websocket(rw http.ResponseWriter, r *http.Request) {
	subject, err := w.o.Gatekeeper.Identify(r)
	if err != nil {
		w.refuse(rw, r, err)
		return
	}
	defer w.open.Add(-1)
	if int(w.open.Add(1)) > w.o.Limits.Sessions {
		tooMany(rw)
		return
	}
	if w.stop.Err() != nil {
		http.Error(rw, stopping, http.StatusServiceUnavailable)
		return
	}
	w.sockets.Add(1)
	defer w.sockets.Done()
	if c, ok := r.Context().Value(connKey{}).(writeBuffered); ok {
		_ = c.SetWriteBuffer(socketBuffer) // else the system chooses
	}
	conn, err := websocket.Accept(rw, r, &websocket.AcceptOptions{
		Subprotocols: []string{"mcp"}, InsecureSkipVerify: true, // the guard has checked the origin
	})
	if err != nil {
		return // Accept has answered
	}
	share := w.intake.shares.of(subject)
	err = w.server.serveFrames(w.stop, subject, wire.WebSocketWith(conn, wire.SocketOptions{Max: w.o.Limits.Body, Share: share}), share)
	if err != nil {
		w.server.o.Logger.Debug("websocket ended", "client", subject.Name, "reason", err)
	}
}

package mcpserver

import (
	"context"
	"net/http"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// socketBuffer bounds the system's write buffer for a WebSocket client, in bytes. Otherwise a slow client
// would get megabytes of state that is outdated by the time it is read, whereas pending changes on our side
// are replaced by newer state.
const socketBuffer = 128 << 10

// websocket serves one client over a WebSocket.
func (w *Web) websocket(rw http.ResponseWriter, r *http.Request) {
	subject, term, err := w.o.Gatekeeper.Admit(r)
	if err != nil {
		w.refuse(rw, r, err)
		return
	}
	r = r.WithContext(access.WithSubject(r.Context(), subject))
	held, why := w.sessions.acquire(holderOf(subject), subject.Address, nil)
	if why != nil {
		w.refuseOverQuota(rw, r, targetSocket, why)
		return
	}
	defer held.free()
	if w.stop.Err() != nil {
		http.Error(rw, stopping, http.StatusServiceUnavailable)
		return
	}
	w.sockets.Add(1)
	defer w.sockets.Done()
	conn, err := websocket.Accept(rw, r, &websocket.AcceptOptions{
		Subprotocols: []string{"mcp"}, InsecureSkipVerify: true, // the guard has checked the origin
	})
	if err != nil {
		return // Accept has answered the request
	}
	share := w.intake.shares.of(subject)
	o := SocketOptions{Max: w.o.Limits.Body, Share: share}
	if holderOf(subject) == "" {
		o.CloseWithin = socketClosing
	}
	frames := WebSocketWith(conn, o)
	held.closeBy(func() { _ = frames.Close() }) // its error does not matter
	held.release()
	during, end := term.Within(context.WithoutCancel(r.Context()))
	defer end()
	defer context.AfterFunc(during, func() { _ = frames.Close() })() // its error does not matter
	err = w.server.serveFrames(w.stop, subject, countedFrames{frames, held, term}, share, firstTime)
	if err != nil {
		w.server.o.Logger.Debug("websocket ended", "client", subject.Name, "reason", err)
	}
}

// countedFrames marks its socket as used with each received frame. Once the client's token has expired, no frame
// passes in either direction, however long the socket takes to close.
type countedFrames struct {
	Frames
	held *holding
	term access.Term
}

func (f countedFrames) WriteFrame(ctx context.Context, frame []byte) error {
	if f.term.HasEnded() {
		return ErrGone
	}
	return f.Frames.WriteFrame(ctx, frame)
}

func (f countedFrames) ReadFrame(ctx context.Context) ([]byte, error) {
	raw, err := f.Frames.ReadFrame(ctx)
	if f.term.HasEnded() {
		return nil, ErrGone
	}
	if err == nil {
		f.held.begin()
		f.held.release()
	}
	return raw, err
}

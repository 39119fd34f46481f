package vendor

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

// noAnswer is the cancellation cause set by [Service.Opening].
type noAnswer struct{ error }

func (e noAnswer) Unwrap() error { return e.error }

// Opening limits how long opening a connection may take. After timeout, [Service.Stopped] returns an error
// that wraps Unavailable, because the service was too slow and the caller did not cancel.
func (s *Service) Opening(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	late := noAnswer{fmt.Errorf("%w: no answer within %s; %s", s.Unavailable, timeout, s.CheckAddress())}
	return context.WithTimeoutCause(ctx, timeout, late)
}

// Handshake describes how to open a WebSocket.
type Handshake struct {
	// URL has the scheme ws, wss, http or https and may contain a query.
	URL    string
	Header http.Header
	// Client sends the request. It should come from [Service.Client].
	Client *http.Client
	// MaxMessage is the maximum size of a received message in bytes. A longer one ends the connection.
	MaxMessage int64
	// Refused returns the error for a response that does not open a WebSocket. body holds its first 1,024
	// bytes. If nil, [Service.Refused] is used with body as the reason.
	Refused func(status int, body []byte) error
}

// DialWebSocket opens a WebSocket. ctx limits only the handshake and should come from [Service.Opening]. The
// errors are those of [Service.Unreachable] and h.Refused.
func (s *Service) DialWebSocket(ctx context.Context, h Handshake) (*websocket.Conn, error) {
	conn, response, err := websocket.Dial(ctx, h.URL, &websocket.DialOptions{HTTPClient: h.Client, HTTPHeader: h.Header})
	switch {
	case err == nil:
		conn.SetReadLimit(h.MaxMessage)
		return conn, nil
	case ctx.Err() != nil, response == nil, response.StatusCode == http.StatusSwitchingProtocols:
		return nil, s.Unreachable(ctx, err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		body = nil // the status is enough
	}
	if h.Refused != nil {
		return nil, h.Refused(response.StatusCode, body)
	}
	return nil, s.Refused(s.ByStatus(response.StatusCode), response.StatusCode, string(body))
}

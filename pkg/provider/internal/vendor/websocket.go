package vendor

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

// noAnswer is the cause of a context that [Service.Opening] has ended.
type noAnswer struct{ error }

func (e noAnswer) Unwrap() error { return e.error }

// Opening bounds how long a connection may take to open. Once timeout has passed,
// [Service.Stopped] returns an error that wraps Unavailable, because the service was too
// slow and the caller has given up nothing.
func (s *Service) Opening(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	late := noAnswer{fmt.Errorf("%w: no answer within %s; %s", s.Unavailable, timeout, s.CheckAddress())}
	return context.WithTimeoutCause(ctx, timeout, late)
}

// Handshake is how to open a WebSocket.
type Handshake struct {
	// URL begins with ws, wss, http or https and may hold a query.
	URL    string
	Header http.Header
	// Client sends the request. Its policy is that of [Service.Client].
	Client *http.Client
	// MaxMessage bounds one message of the service, in bytes. A longer one ends the
	// connection.
	MaxMessage int64
	// Refused returns the error of an answer that opens no WebSocket. body is its first
	// 1,024 bytes. If nil, the error is [Service.Refused] with body as the reason.
	Refused func(status int, body []byte) error
}

// DialWebSocket opens a WebSocket; ctx bounds the handshake alone, and is best made by
// [Service.Opening]. The errors are those of [Service.Unreachable] and of h.Refused.
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
		body = nil // the status says enough
	}
	if h.Refused != nil {
		return nil, h.Refused(response.StatusCode, body)
	}
	return nil, s.Refused(s.ByStatus(response.StatusCode), response.StatusCode, string(body))
}

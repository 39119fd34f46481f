package voice

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/internal/outbound"
)

// network opens connections. Tests replace it.
type network interface {
	// dialGateway connects to a voice gateway.
	dialGateway(ctx context.Context, url string) (socket, error)
	// dialMedia opens a UDP connection to addr.
	dialMedia(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
}

// socket is a WebSocket. One goroutine reads; any goroutine may write.
type socket interface {
	// read returns the next message, and whether it is binary. If the peer has closed the socket, the error
	// is a closedError with the close code.
	read(ctx context.Context) (isBinary bool, data []byte, err error)
	// write breaks the socket if ctx ends.
	write(ctx context.Context, isBinary bool, data []byte) error
	// close sends a close code and waits for the answer while read continues.
	close(code int)
	// drop closes the connection immediately. It may follow close.
	drop()
}

// closedError reports the peer's close code.
type closedError struct{ code int }

func (closedError) Error() string { return "closed by the other end" }

// internet is the real network.
type internet struct {
	tls *tls.Config
	// private allows private addresses. Discord's own servers have none.
	private bool
}

func (n internet) dialGateway(ctx context.Context, url string) (socket, error) {
	transport := outbound.NewTransport()
	transport.TLSHandshakeTimeout, transport.ForceAttemptHTTP2 = dialTimeout, false
	if n.tls != nil {
		transport.TLSClientConfig = n.tls
	}
	defer transport.CloseIdleConnections() // a refused upgrade leaves an idle connection
	client := outbound.Client(&http.Client{Transport: transport}, outbound.Policy{AnyPrivate: n.private})
	ws, response, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		if response != nil && response.Body != nil {
			_ = response.Body.Close()
		}
		return nil, err
	}
	ws.SetReadLimit(maxMessage)
	return webSocket{ws}, nil
}

func (n internet) dialMedia(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	ctx = outbound.WithPolicy(ctx, outbound.Policy{AnyPrivate: n.private})
	return outbound.Dial(&net.Dialer{})(ctx, "udp", addr.String())
}

type webSocket struct{ ws *websocket.Conn }

func (s webSocket) read(ctx context.Context) (bool, []byte, error) {
	kind, data, err := s.ws.Read(ctx)
	if code := websocket.CloseStatus(err); code > 0 {
		return false, nil, closedError{int(code)}
	}
	return kind == websocket.MessageBinary, data, err
}

func (s webSocket) write(ctx context.Context, isBinary bool, data []byte) error {
	kind := websocket.MessageText
	if isBinary {
		kind = websocket.MessageBinary
	}
	return s.ws.Write(ctx, kind, data)
}

func (s webSocket) close(code int) { _ = s.ws.Close(websocket.StatusCode(code), "") } // best effort: the connection ends anyway
func (s webSocket) drop()          { _ = s.ws.CloseNow() }

// dialTimeout bounds a connection attempt to the gateway.
const dialTimeout = 10 * time.Second

// gatewayURL returns the URL of the gateway at an endpoint. The endpoint is untrusted: a host with an
// optional port.
func gatewayURL(endpoint string) (string, error) {
	u := url.URL{Scheme: "wss", Host: endpoint, Path: "/", RawQuery: fmt.Sprintf("v=%d", gatewayVersion)}
	parsed, err := url.Parse(u.String())
	if err != nil || parsed.Host != endpoint || parsed.Hostname() == "" || len(endpoint) > 255 {
		return "", errors.New("what Discord named as an endpoint for voice is none")
	}
	return u.String(), nil
}

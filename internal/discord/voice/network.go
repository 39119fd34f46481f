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

// network is how a connection reaches out: the internet, or what a test has in
// its place.
type network interface {
	// dialGateway connects to a voice gateway.
	dialGateway(ctx context.Context, url string) (socket, error)
	// dialMedia returns what sends datagrams to addr and receives them from there.
	dialMedia(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
}

// socket is a WebSocket. One goroutine reads; any may write.
type socket interface {
	// read returns the next message, and whether it is binary. It fails with the
	// close code of a socket that the other end closed, wrapped in a closedError.
	read(ctx context.Context) (isBinary bool, data []byte, err error)
	// write fails when ctx ends, which breaks the socket.
	write(ctx context.Context, isBinary bool, data []byte) error
	// close says goodbye with a code and waits for the answer while read goes on.
	close(code int)
	// drop lets go without a word; it may follow close.
	drop()
}

// closedError says that the other end closed a socket with a code.
type closedError struct{ code int }

func (closedError) Error() string { return "closed by the other end" }

// internet is the real network.
type internet struct {
	tls *tls.Config
	// private permits private addresses; Discord's own servers have none.
	private bool
}

func (n internet) dialGateway(ctx context.Context, url string) (socket, error) {
	transport := outbound.NewTransport()
	transport.TLSHandshakeTimeout, transport.ForceAttemptHTTP2 = dialTimeout, false
	if n.tls != nil {
		transport.TLSClientConfig = n.tls
	}
	defer transport.CloseIdleConnections() // a refusal leaves one
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

func (s webSocket) close(code int) { _ = s.ws.Close(websocket.StatusCode(code), "") } // nobody is left to tell
func (s webSocket) drop()          { _ = s.ws.CloseNow() }

// dialTimeout is how long a connection to the gateway may take.
const dialTimeout = 10 * time.Second

// gatewayURL returns where the gateway at an endpoint is. The endpoint comes from
// outside: it is a host, and a port or none.
func gatewayURL(endpoint string) (string, error) {
	u := url.URL{Scheme: "wss", Host: endpoint, Path: "/", RawQuery: fmt.Sprintf("v=%d", gatewayVersion)}
	parsed, err := url.Parse(u.String())
	if err != nil || parsed.Host != endpoint || parsed.Hostname() == "" || len(endpoint) > 255 {
		return "", errors.New("what Discord named as an endpoint for voice is none")
	}
	return u.String(), nil
}

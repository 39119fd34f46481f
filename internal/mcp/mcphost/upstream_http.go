package mcphost

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/outbound"
)

// goodbyeTimeout bounds the request that ends a session, because the SDK holds a lock while it waits for the
// answer.
const goodbyeTimeout = time.Second

// web connects to a streamable HTTP server.
type web struct {
	cfg    config.MCPServerConfig
	origin origin
	token  string // static; may be empty
	grant  *grant // may be nil
	pause  *pause
	logged func(params json.RawMessage) // receives log messages; may be nil

	refused atomic.Bool // the server refused the POST that opens a session
	older   atomic.Bool // connect with the older HTTP+SSE transport
}

// newWeb checks the address and the credentials.
func newWeb(cfg config.MCPServerConfig, s *secrets, p *pause) (*web, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the url is not an http or https address")
	}
	w := &web{cfg: cfg, origin: originOf(u), pause: p, token: withoutBearer(cfg.Auth.Token)}
	if cfg.Auth.OAuth != nil {
		w.grant = newGrant(cfg.Auth.OAuth, s)
	}
	return w, nil
}

// dial returns a connection. It sends no request.
func (w *web) dial() *ServerConn {
	open := newConnections()
	c := &ServerConn{Sever: open.closeAll, Release: open.closeAll}
	if client := w.client(open); w.older.Load() {
		c.Transport = olderTransport{&sdk.SSEClientTransport{Endpoint: w.cfg.URL, HTTPClient: client, MaxEventSize: 2 * maxMessage}}
	} else {
		c.Transport = &sdk.StreamableClientTransport{Endpoint: w.cfg.URL, HTTPClient: client, MaxEventSize: 2 * maxMessage}
	}
	return c
}

// client returns the HTTP client of one connection. It authenticates as configured, refuses private addresses
// unless they are allowed, bounds answers, and records pauses that the server asks for.
func (w *web) client(c *connections) *http.Client {
	base := outbound.NewTransport()
	base.DialContext = c.dial
	c.transport = base
	guarded := outbound.RoundTripper(base, outbound.Policy{
		Home: w.cfg.URL, AnyPrivate: w.cfg.AllowPrivate, Direct: !w.cfg.AllowPrivate, MaxBody: -1, // mender bounds answers
		Advice: "set allow_private: true for this server if that is meant",
	})
	var t http.RoundTripper = &pacer{base: guarded, pause: w.pause}
	switch {
	case w.grant != nil:
		t = &granted{grant: w.grant, to: w.origin, base: t}
	case w.token != "":
		t = &bearer{token: w.token, to: w.origin, base: t}
	}
	jar, _ := cookiejar.New(nil) // cannot fail; balancers lead a session to its machine by a cookie
	m := &mender{next: t, wire: newWire(), older: w.older.Load(), refused: &w.refused, jar: jar}
	if w.logged != nil {
		m.logged = func(params []byte) { w.logged(params) }
	}
	return outbound.Client(&http.Client{Transport: m, Jar: jar}, outbound.Policy{AnyPrivate: true, MaxBody: -1}) // guarded restricts the addresses
}

// origin is the only scheme and host that credentials are sent to.
type origin struct{ scheme, host string }

func originOf(u *url.URL) origin { return origin{u.Scheme, u.Host} }

// bearer adds a static token to requests to one origin, so a redirect to another origin does not get it.
type bearer struct {
	token string
	to    origin
	base  http.RoundTripper
}

func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if originOf(r.URL) != b.to {
		return b.base.RoundTrip(r)
	}
	return b.base.RoundTrip(withToken(r, b.token))
}

func withToken(r *http.Request, token string) *http.Request {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// connections tracks the network connections of one link. sever closes them all at once, which fails every
// pending request. It is safe for concurrent use.
type connections struct {
	reach     func(ctx context.Context, network, address string) (net.Conn, error)
	transport *http.Transport
	severed   context.Context // ends with sever
	end       context.CancelFunc

	mu   sync.Mutex // guards open
	open map[net.Conn]struct{}
}

func newConnections() *connections {
	c := &connections{reach: outbound.Dial(&net.Dialer{Timeout: defaultConnectTimeout}), open: map[net.Conn]struct{}{}}
	c.severed, c.end = context.WithCancel(context.Background())
	return c
}

// dial connects, or fails if sever was called.
func (c *connections) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.severed, cancel)()
	raw, err := c.reach(ctx, network, address)
	if err != nil {
		return nil, err
	}
	conn := &connection{Conn: raw, of: c}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.severed.Err() != nil {
		_ = raw.Close() // nothing was sent
		return nil, ErrGivenUp
	}
	c.open[conn] = struct{}{}
	return conn, nil
}

// closeAll closes all connections and refuses new ones.
func (c *connections) closeAll() {
	c.mu.Lock()
	c.end()
	open := c.open
	c.open = nil
	c.mu.Unlock()
	for conn := range open {
		_ = conn.(*connection).Conn.Close() // its readers get an error
	}
	c.transport.CloseIdleConnections()
}

type connection struct {
	net.Conn
	of *connections
}

func (c *connection) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

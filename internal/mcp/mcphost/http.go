package mcphost

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/MrWong99/glyphoxa/internal/config"
)

const (
	// defaultPause is how long a server that answers 429 is left alone if it
	// does not say; longestPause bounds what it says.
	defaultPause = 5 * time.Second
	longestPause = 5 * time.Minute
)

// httpClient returns a client that authenticates as configured, refuses to
// reach private addresses unless allowed, and notes when the server asks for a
// pause.
func httpClient(cfg config.MCPServerConfig, p *pause) (*http.Client, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the url is no http or https address")
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	if !cfg.AllowPrivate {
		base.Proxy = nil // behind a proxy the guard would see the proxy's address
		base.DialContext = (&net.Dialer{Timeout: defaultConnectTimeout, Control: refusePrivate}).DialContext
	}
	paced := &pacer{base: base, pause: p}
	switch token := strings.TrimSpace(cfg.Auth.Token.Reveal()); {
	case cfg.Auth.OAuth != nil:
		return &http.Client{Transport: newGrant(cfg.Auth.OAuth, u.Host, paced)}, nil
	case token != "":
		if len(token) > 7 && strings.EqualFold(token[:7], "bearer ") {
			token = strings.TrimSpace(token[7:])
		}
		return &http.Client{Transport: &bearer{token: token, host: u.Host, base: paced}}, nil
	}
	return &http.Client{Transport: paced}, nil
}

// refusePrivate is a [net.Dialer] control that keeps a server's URL from
// leading into this machine, its network or a cloud's metadata service.
func refusePrivate(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("reading the address %q: %w", address, err)
	}
	ip := ap.Addr().Unmap()
	if ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() ||
		netip.MustParsePrefix("100.64.0.0/10").Contains(ip) {
		return fmt.Errorf("%s is a private address; set allow_private: true for this server if that is meant", ip)
	}
	return nil
}

// bearer adds a static token to requests to one host; a redirect elsewhere
// does not get it.
type bearer struct {
	token, host string
	base        http.RoundTripper
}

func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != b.host {
		return b.base.RoundTrip(r)
	}
	return b.base.RoundTrip(withToken(r, b.token))
}

func withToken(r *http.Request, token string) *http.Request {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// grant adds tokens of the OAuth 2.1 client-credentials grant to requests to
// one host. A token is fetched before the old one expires; a 401 fetches a new
// one once.
type grant struct {
	cfg   clientcredentials.Config
	fetch *http.Client // reaches the token server
	host  string
	base  http.RoundTripper

	mu    chan struct{} // of one; held while a token is fetched, so that one fetch serves all
	token *oauth2.Token // guarded by mu
}

func newGrant(o *config.MCPOAuth, host string, base http.RoundTripper) *grant {
	return &grant{
		cfg:   clientcredentials.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret.Reveal(), TokenURL: o.TokenURL, Scopes: o.Scopes},
		fetch: &http.Client{Transport: base, Timeout: defaultConnectTimeout}, host: host, base: base, mu: make(chan struct{}, 1),
	}
}

// current returns a valid token that is not stale.
func (g *grant) current(ctx context.Context, stale string) (string, error) {
	select {
	case g.mu <- struct{}{}:
		defer func() { <-g.mu }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if g.token.Valid() && g.token.AccessToken != stale {
		return g.token.AccessToken, nil
	}
	token, err := g.cfg.Token(context.WithValue(ctx, oauth2.HTTPClient, g.fetch))
	if err != nil {
		return "", fmt.Errorf("fetching an access token: %w", plainGrant(err))
	}
	g.token = token
	return token.AccessToken, nil
}

// plainGrant keeps the code of a refusal and drops the response's body, which
// may echo what was sent.
func plainGrant(err error) error {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		return err
	}
	if refused.ErrorCode != "" {
		return fmt.Errorf("the token server refused: %s", cleanLine(refused.ErrorCode))
	}
	return fmt.Errorf("the token server answered %s", refused.Response.Status)
}

func (g *grant) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != g.host {
		return g.base.RoundTrip(r)
	}
	token, err := g.current(r.Context(), "")
	if err != nil {
		return nil, err
	}
	resp, err := g.base.RoundTrip(withToken(r, token))
	if err != nil || resp.StatusCode != http.StatusUnauthorized || r.Body != nil && r.GetBody == nil {
		return resp, err
	}
	fresh, err := g.current(r.Context(), token)
	if err != nil {
		return resp, nil // the 401 says it all
	}
	again := withToken(r, fresh)
	if r.GetBody != nil {
		if again.Body, err = r.GetBody(); err != nil {
			return resp, nil
		}
	}
	if err := resp.Body.Close(); err != nil {
		return nil, err
	}
	return g.base.RoundTrip(again)
}

// pause is a time a server asked to be left alone. The zero value is no pause.
type pause struct{ until atomic.Int64 } // Unix nanoseconds

// left is how long the pause still lasts.
func (p *pause) left() time.Duration {
	until := p.until.Load()
	if until == 0 {
		return 0
	}
	return max(time.Until(time.Unix(0, until)), 0)
}

// pacer notes the pauses a server asks for with 429.
type pacer struct {
	base  http.RoundTripper
	pause *pause
}

func (p *pacer) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := p.base.RoundTrip(r)
	if err == nil && resp.StatusCode == http.StatusTooManyRequests {
		p.pause.until.Store(time.Now().Add(retryAfter(resp.Header.Get("Retry-After"))).UnixNano())
	}
	return resp, err
}

// retryAfter reads the header of that name (RFC 9110, section 10.2.3).
func retryAfter(header string) time.Duration {
	d := defaultPause
	if seconds, err := strconv.Atoi(strings.TrimSpace(header)); err == nil {
		d = time.Duration(min(max(seconds, 0), 3600)) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		d = time.Until(at)
	}
	return min(max(d, 0), longestPause)
}

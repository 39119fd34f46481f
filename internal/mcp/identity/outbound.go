package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/MrWong99/glyphoxa/internal/privatenet"
)

const (
	// maxDocument bounds what is read from the issuer, in bytes.
	maxDocument = 1 << 20
	dialTimeout = 5 * time.Second
)

var errPrivate = errors.New("leads to a private address")

// hasPrivateAddress reports whether the operator wrote a private address
// itself, so that it is meant.
func hasPrivateAddress(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || err == nil && privatenet.Contains(ip)
}

// outboundClient returns a client that follows no redirect, keeps no connection
// and, unless private, refuses addresses of this machine and its network,
// whatever name led there.
func outboundClient(private bool) *http.Client {
	d := &net.Dialer{Timeout: dialTimeout}
	if !private {
		d.Control = func(_, address string, _ syscall.RawConn) error {
			if ap, err := netip.ParseAddrPort(address); err != nil || privatenet.Contains(ap.Addr()) {
				return fmt.Errorf("%s %w", address, errPrivate)
			}
			return nil
		}
	}
	return &http.Client{
		Timeout: fetchTimeout,
		Transport: &http.Transport{
			DialContext:            d.DialContext,
			DisableKeepAlives:      true,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    dialTimeout,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// getJSON reads the document at address into v.
func getJSON(ctx context.Context, c *http.Client, address string, v any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", address, res.Status)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxDocument+1))
	if err != nil {
		return fmt.Errorf("reading %s: %w", address, err)
	}
	if len(body) > maxDocument {
		return fmt.Errorf("reading %s: larger than %d MiB", address, maxDocument>>20)
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("reading %s: %w", address, err)
	}
	return nil
}

// discover asks the issuer's metadata where its keys are (OpenID Connect
// Discovery, RFC 8414).
func discover(ctx context.Context, c *http.Client, issuer string) (string, error) {
	var errs []error
	for _, address := range metadataAddresses(issuer) {
		var doc struct {
			Issuer string `json:"issuer"`
			JWKS   string `json:"jwks_uri"`
		}
		err := getJSON(ctx, c, address, &doc)
		switch {
		case err != nil:
		case doc.Issuer != issuer:
			err = fmt.Errorf("%s speaks for another issuer, %q", address, doc.Issuer)
		case !isSafe(doc.JWKS, issuer):
			err = fmt.Errorf("%s names no safe address of keys", address)
		default:
			return doc.JWKS, nil
		}
		errs = append(errs, err)
	}
	return "", errors.Join(errs...)
}

// metadataAddresses are where an issuer's metadata may be.
func metadataAddresses(issuer string) []string {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil
	}
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	root := u.Scheme + "://" + u.Host
	return []string{
		root + path + "/.well-known/openid-configuration",
		root + "/.well-known/oauth-authorization-server" + path,
	}
}

// isSafe reports whether nobody on the way can change what is read from address.
func isSafe(address, issuer string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && hasPrivateAddress(issuer) && hasPrivateAddress(address)
}

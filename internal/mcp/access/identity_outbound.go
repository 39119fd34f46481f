package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/outbound"
)

// maxDocument bounds a document from the issuer, in bytes.
const maxDocument = 1 << 20

// outboundClient returns a client that follows no redirects and keeps no connections. Unless private is set,
// it refuses addresses of this machine and its network, whatever the name.
func outboundClient(private bool) *http.Client {
	t := outbound.NewTransport()
	t.DisableKeepAlives = true
	return outbound.Client(&http.Client{
		Timeout: fetchTimeout, Transport: t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, outbound.Policy{AnyPrivate: private, Direct: true, MaxBody: maxDocument, Advice: "it is not asked, because the issuer itself is not at a private address"})
}

// getJSON decodes the document at address into v.
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
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return fmt.Errorf("reading %s: %w", address, err)
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

// metadataAddresses returns the possible addresses of an issuer's metadata.
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

// isSafe reports whether a document at address cannot be changed in transit.
func isSafe(address, issuer string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && outbound.NamesPrivate(issuer) && outbound.NamesPrivate(address)
}

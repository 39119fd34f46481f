package mcphost

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/outbound"
)

// grant fetches tokens with the OAuth 2.1 client-credentials grant, before a token expires or when the server
// rejects it. It is safe for concurrent use.
type grant struct {
	cfg     clientcredentials.Config
	secrets *secrets

	mu    chan struct{} // one-element semaphore; held while fetching, so that one fetch serves all callers
	token *oauth2.Token // guarded by mu
}

func newGrant(o *config.MCPOAuth, s *secrets) *grant {
	return &grant{
		cfg:     clientcredentials.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret.Reveal(), TokenURL: o.TokenURL, Scopes: o.Scopes},
		secrets: s, mu: make(chan struct{}, 1),
	}
}

// validToken returns a valid token other than stale, fetching one through base if necessary.
func (g *grant) validToken(ctx context.Context, base http.RoundTripper, stale string) (string, error) {
	select {
	case g.mu <- struct{}{}:
		defer func() { <-g.mu }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if g.token.Valid() && g.token.AccessToken != stale {
		return g.token.AccessToken, nil
	}
	fetch := outbound.Client(&http.Client{Transport: base, Timeout: defaultConnectTimeout, CheckRedirect: refuseRedirect},
		outbound.Policy{AnyPrivate: true, MaxBody: 1 << 20}) // base restricts the addresses
	token, err := g.cfg.Token(context.WithValue(ctx, oauth2.HTTPClient, fetch))
	if err != nil {
		return "", fmt.Errorf("fetching an access token: %w", withoutBody(err))
	}
	g.token = token
	g.secrets.setToken(token.AccessToken)
	return token.AccessToken, nil
}

// refuseRedirect refuses redirects, because they would send the client's secret elsewhere.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// withoutBody keeps the error code of a refusal and drops the response body, which may repeat secrets.
func withoutBody(err error) error {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		return err
	}
	if refused.ErrorCode != "" {
		return fmt.Errorf("the token server refused: %s", cleanLine(refused.ErrorCode))
	}
	return fmt.Errorf("the token server answered %s", refused.Response.Status)
}

// granted adds the tokens of a grant to requests to one origin. After a 401 it fetches a new token and
// retries once.
type granted struct {
	grant *grant
	to    origin
	base  http.RoundTripper
}

func (g *granted) RoundTrip(r *http.Request) (*http.Response, error) {
	if originOf(r.URL) != g.to {
		return g.base.RoundTrip(r)
	}
	token, err := g.grant.validToken(r.Context(), g.base, "")
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // required of a RoundTripper
		}
		return nil, err
	}
	resp, err := g.base.RoundTrip(withToken(r, token))
	if err != nil || resp.StatusCode != http.StatusUnauthorized || r.Body != nil && r.GetBody == nil {
		return resp, err
	}
	fresh, err := g.grant.validToken(r.Context(), g.base, token)
	if err != nil {
		return resp, nil // the caller sees the 401
	}
	again := withToken(r, fresh)
	if r.GetBody != nil {
		if again.Body, err = r.GetBody(); err != nil {
			return resp, nil
		}
	}
	_ = resp.Body.Close() // the body of the refusal is not needed
	return g.base.RoundTrip(again)
}

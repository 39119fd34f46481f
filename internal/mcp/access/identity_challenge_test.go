package access_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

func TestChallenge(t *testing.T) {
	rs := newSigner(t, "rs", jose.RS256)
	is := newIssuer(t, rs)
	named := is.server()
	named.OAuth.Audience = "glyphoxa"
	const metadata = `resource_metadata="https://table.example/.well-known/oauth-protected-resource/mcp"`
	for _, row := range []struct {
		name   string
		cfg    config.Server
		token  string
		status int
		want   string
	}{
		{"no_token", config.Server{}, "", 401, `Bearer realm="glyphoxa"`},
		{"wrong_token", twoClients(), "wrong-wrong-wrong", 401, `Bearer realm="glyphoxa", error="invalid_token", error_description="the token is not known"`},
		{"no_token_with_oauth", is.server(), "", 401, `Bearer realm="glyphoxa", ` + metadata},
		{"wrong_scope", is.server(), is.token(rs, map[string]any{"scope": "email"}), 403,
			`Bearer realm="glyphoxa", error="insufficient_scope", error_description="the token's scopes allow nothing here", scope="glyphoxa:dm glyphoxa:play", ` + metadata},
		{"expired", is.server(), is.token(rs, map[string]any{"exp": 1}), 401,
			`Bearer realm="glyphoxa", error="invalid_token", error_description="the token has expired", ` + metadata},
		{"audience_is_a_name", named, "", 401, `Bearer realm="glyphoxa", resource_metadata="http://table.example:8787/.well-known/oauth-protected-resource/mcp"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := keeper(t, row.cfg, nil)
			r := request("192.0.2.7:50000", "192.0.2.1:8787", "table.example:8787")
			if row.token != "" {
				r.Header.Set("Authorization", "Bearer "+row.token)
			}
			_, err := g.Identify(r)
			if got := access.Status(err); got != row.status {
				t.Errorf("Status(%v) = %d, want %d", err, got, row.status)
			}
			if got := g.Challenge(r, err); got != row.want {
				t.Errorf("Challenge = %s\nwant %s", got, row.want)
			}
		})
	}
	g := keeper(t, twoClients(), nil)
	for _, err := range []error{nil, errors.New("other"), access.ErrHost, access.ErrTooMany} {
		if got := g.Challenge(neighbour(), err); got != "" {
			t.Errorf("Challenge(%v) = %s, want none", err, got)
		}
	}
}

// A Host header must not break out of the challenge.
func TestChallengeQuotesTheHost(t *testing.T) {
	is := newIssuer(t, newSigner(t, "rs", jose.RS256))
	cfg := is.server()
	cfg.OAuth.Audience = "glyphoxa"
	g := keeper(t, cfg, nil)
	r := request("192.0.2.7:50000", "192.0.2.1:8787", "a\", evil=\"\r\nX: y")
	_, err := g.Identify(r)
	want := `Bearer realm="glyphoxa", resource_metadata="http://a\", evil=\"X: y/.well-known/oauth-protected-resource/mcp"`
	if got := g.Challenge(r, err); got != want {
		t.Errorf("Challenge = %q, want %q", got, want)
	}
}

func TestMetadata(t *testing.T) {
	is := newIssuer(t, newSigner(t, "rs", jose.RS256))
	named := is.server()
	named.OAuth.Audience = "glyphoxa"
	for _, row := range []struct {
		name, path, want string
		cfg              config.Server
	}{
		{"audience_is_the_address", "/mcp", audience, is.server()},
		{"audience_is_a_name", "/mcp", "http://table.example:8787/mcp", named},
		{"audience_is_a_name_root", "", "http://table.example:8787", named},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, access.MetadataPath+row.path, nil)
			r.Host = "table.example:8787"
			w := httptest.NewRecorder()
			keeper(t, row.cfg, nil).Metadata().ServeHTTP(w, r)
			var got map[string]any
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Fatalf("%d %s: %v", w.Code, w.Body, err)
			}
			want := map[string]any{
				"resource": row.want, "authorization_servers": []any{is.url}, "resource_name": "Glyphoxa",
				"scopes_supported": []any{"glyphoxa:dm", "glyphoxa:play"}, "bearer_methods_supported": []any{"header"},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("metadata differ (-want +got):\n%s", diff)
			}
		})
	}
	if h := keeper(t, twoClients(), nil).Metadata(); h != nil {
		t.Errorf("Metadata without an authorization server = %v, want nil", h)
	}
}

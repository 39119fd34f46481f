package access

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// MetadataPath is the path of [Gatekeeper.Metadata], optionally followed by the path of the resource (RFC
// 9728, section 3.1).
const MetadataPath = "/.well-known/oauth-protected-resource"

// Challenge returns the WWW-Authenticate header for an error of [Gatekeeper.Identify] (RFC 6750, RFC 9728),
// or "" if there is none.
func (g *Gatekeeper) Challenge(r *http.Request, err error) string {
	var d *denial
	if !errors.As(err, &d) || d.kind != ErrUnauthorized && d.kind != ErrForbidden {
		return ""
	}
	var b strings.Builder
	b.WriteString(`Bearer realm="glyphoxa"`)
	add := func(key, value string) {
		if value != "" {
			b.WriteString(", " + key + "=" + quoted(value))
		}
	}
	add("error", d.code)
	if d.code != "" {
		add("error_description", d.text)
	}
	if g.oauth != nil {
		if d.code == codeInsufficientScope {
			add("scope", strings.Join(slices.Sorted(maps.Keys(g.oauth.byScope)), " "))
		}
		add("resource_metadata", g.oauth.metadataURL(r))
	}
	return b.String()
}

// quoted formats s as an HTTP quoted-string, without characters that it cannot contain.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r >= ' ' && r <= '~':
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Metadata serves the description of this server as a protected resource (RFC 9728), for [MetadataPath] and
// all paths below it. It needs no authentication. It is nil without an authorisation server.
func (g *Gatekeeper) Metadata() http.Handler {
	if g.oauth == nil {
		return nil
	}
	return g.oauth.metadata
}

func (o *oauth) describe() http.Handler {
	about := func(resource string) http.Handler {
		return auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
			Resource:               resource,
			AuthorizationServers:   []string{o.issuer},
			ScopesSupported:        slices.Sorted(maps.Keys(o.byScope)),
			BearerMethodsSupported: []string{"header"},
			ResourceName:           "Glyphoxa",
		})
	}
	if o.resource() != nil {
		return about(o.audience)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u := requested(r)
		u.Path = strings.TrimPrefix(r.URL.Path, MetadataPath)
		about(u.String()).ServeHTTP(w, r)
	})
}

// resource returns the audience as a URL if it is one of this server, or nil if it is another kind of name.
func (o *oauth) resource() *url.URL {
	u, err := url.Parse(o.audience)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil
	}
	return u
}

// metadataURL returns the address of the metadata for the client that sent r.
func (o *oauth) metadataURL(r *http.Request) string {
	u := o.resource()
	if u == nil {
		u = requested(r)
		u.Path = r.URL.Path
	}
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	return u.Scheme + "://" + u.Host + MetadataPath + path
}

// requested returns the origin that r was sent to. The client chose the name; a [Guard] has checked it.
func requested(r *http.Request) *url.URL {
	u := &url.URL{Scheme: "http", Host: r.Host}
	if r.TLS != nil {
		u.Scheme = "https"
	}
	return u
}

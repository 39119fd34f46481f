package access

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/outbound"

	"github.com/google/go-cmp/cmp"
)

func TestOutboundClientRefusesPrivateAddresses(t *testing.T) {
	reached := false
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached = true
		_, _ = w.Write([]byte("{}"))
	}))
	defer srv.Close()
	byName := strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)
	for _, row := range []struct {
		name, address string
		private       bool
	}{
		{"address", srv.URL, false},
		{"name", byName, false},
		{"address_meant", srv.URL, true},
		{"name_meant", byName, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			reached = false
			var doc map[string]any
			err := getJSON(t.Context(), outboundClient(row.private), row.address, &doc)
			if (err == nil) != row.private || reached != row.private || !row.private && !errors.Is(err, outbound.ErrPrivate) {
				t.Errorf("err = %v, reached %t; want reached %t, else a refusal", err, reached, row.private)
			}
		})
	}
}

func TestIsSafe(t *testing.T) {
	for _, row := range []struct {
		name, address, issuer string
		want                  bool
	}{
		{"https", "https://keys.example/k", "https://auth.example", true},
		{"http", "http://auth.example/k", "https://auth.example", false},
		{"http_both_here", "http://127.0.0.1:9/k", "http://localhost:9", true},
		{"http_issuer_elsewhere", "http://127.0.0.1:9/k", "https://auth.example", false},
		{"http_keys_elsewhere", "http://keys.example/k", "http://localhost:9", false},
		{"file", "file:///etc/passwd", "http://localhost:9", false},
		{"relative", "/keys", "http://localhost:9", false},
		{"empty", "", "http://localhost:9", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := isSafe(row.address, row.issuer); got != row.want {
				t.Errorf("isSafe(%q, %q) = %t, want %t", row.address, row.issuer, got, row.want)
			}
		})
	}
}

func TestMetadataAddresses(t *testing.T) {
	for _, row := range []struct {
		name, issuer string
		want         []string
	}{
		{"root", "https://auth.example", []string{"https://auth.example/.well-known/openid-configuration", "https://auth.example/.well-known/oauth-authorization-server"}},
		{"path", "https://auth.example/realms/table/", []string{"https://auth.example/realms/table/.well-known/openid-configuration", "https://auth.example/.well-known/oauth-authorization-server/realms/table"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, metadataAddresses(row.issuer)); diff != "" {
				t.Errorf("addresses differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDiscover(t *testing.T) {
	for _, row := range []struct {
		name, path string
		// doc is served at path; ISSUER stands for the issuer.
		doc, want string // the path of the keys, or part of the error
	}{
		{"openid", "/.well-known/openid-configuration", `{"issuer":"ISSUER","jwks_uri":"ISSUER/keys"}`, "/keys"},
		{"oauth", "/.well-known/oauth-authorization-server", `{"issuer":"ISSUER","jwks_uri":"ISSUER/k2"}`, "/k2"},
		{"other_issuer", "/.well-known/openid-configuration", `{"issuer":"https://evil.example","jwks_uri":"ISSUER/keys"}`, "speaks for another issuer"},
		{"issuer_with_slash", "/.well-known/openid-configuration", `{"issuer":"ISSUER/","jwks_uri":"ISSUER/keys"}`, "speaks for another issuer"},
		{"keys_elsewhere_in_the_clear", "/.well-known/openid-configuration", `{"issuer":"ISSUER","jwks_uri":"http://keys.example/"}`, "no safe address"},
		{"no_keys", "/.well-known/openid-configuration", `{"issuer":"ISSUER"}`, "no safe address"},
		{"nothing", "/other", `{}`, "404"},
	} {
		t.Run(row.name, func(t *testing.T) {
			mux := http.NewServeMux()
			srv := httptest.NewServer(mux)
			defer srv.Close()
			mux.HandleFunc(row.path, func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte(strings.ReplaceAll(row.doc, "ISSUER", srv.URL)))
			})
			got, err := discover(t.Context(), outboundClient(true), srv.URL)
			if err != nil {
				got = err.Error()
			}
			if err == nil && got != srv.URL+row.want || err != nil && !strings.Contains(got, row.want) {
				t.Errorf("discover = %q, %v; want %q", got, err, row.want)
			}
		})
	}
}

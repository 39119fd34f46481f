package access_test

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

const (
	claudeToken = "claude-claude-claude"
	tabletToken = "tablet-tablet-tablet"
)

// profiles looks up the built-in profiles.
func profiles(name string) (access.Profile, bool) {
	for _, p := range access.BuiltinProfiles() {
		if p.Name == name {
			return p, true
		}
	}
	return access.Profile{}, false
}

func twoClients() config.Server {
	return config.Server{Clients: []config.Client{
		{Name: "claude", Token: claudeToken, Profile: "builder.readWrite"},
		{Name: "tablet", TokenHash: access.HashToken(tabletToken), Profile: "player.limited", NPC: "bartok"},
	}}
}

func keeper(t testing.TB, cfg config.Server, log *slog.Logger) *access.Gatekeeper {
	t.Helper()
	g, err := access.NewGatekeeper(t.Context(), cfg, access.GatekeeperOptions{Profile: profiles, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// request is a request from remote to local, addressed to host.
func request(remote, local, host string, header ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	r.RemoteAddr, r.Host = remote, host
	if addr, err := net.ResolveTCPAddr("tcp", local); err == nil {
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(addr)))
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return r
}

// neighbour is a request from a program on this machine.
func neighbour(header ...string) *http.Request {
	return request("127.0.0.1:50000", "127.0.0.1:8787", "127.0.0.1:8787", header...)
}

func encoded(token string) string {
	return "glyphoxa.bearer." + base64.RawURLEncoding.EncodeToString([]byte(token))
}

func TestIdentifyClients(t *testing.T) {
	const auth, protocols = "Authorization", "Sec-WebSocket-Protocol"
	for _, row := range []struct {
		name   string
		header []string
		want   string // caller, profile, NPC, transport; empty means refused
	}{
		{"token", []string{auth, "Bearer " + claudeToken}, "claude builder.readWrite  http"},
		{"hash", []string{auth, "Bearer " + tabletToken}, "tablet player.limited bartok http"},
		{"scheme_in_any_case", []string{auth, "bEARER   " + claudeToken}, "claude builder.readWrite  http"},
		{"websocket", []string{auth, "Bearer " + claudeToken, "Upgrade", "WebSocket"}, "claude builder.readWrite  websocket"},
		{"subprotocol", []string{protocols, "mcp, " + encoded(claudeToken), "Upgrade", "websocket"}, "claude builder.readWrite  websocket"},
		{"subprotocol_on_a_line_of_its_own", []string{protocols, "mcp", protocols, encoded(tabletToken)}, "tablet player.limited bartok http"},
		{"none_from_here", nil, "anonymous system.readonly  http"},
		{"other_subprotocols", []string{protocols, "mcp"}, "anonymous system.readonly  http"},
		{"wrong", []string{auth, "Bearer wrong-wrong-wrong"}, ""},
		{"the_hash_is_no_token", []string{auth, "Bearer " + access.HashToken(tabletToken)}, ""},
		{"wrong_subprotocol", []string{protocols, encoded("wrong-wrong-wrong")}, ""},
		{"subprotocol_not_encoded", []string{protocols, "glyphoxa.bearer." + claudeToken + "!"}, ""},
		{"empty_subprotocol", []string{protocols, "glyphoxa.bearer."}, ""},
		{"empty_header", []string{auth, ""}, ""},
		{"no_token", []string{auth, "Bearer"}, ""},
		{"two_words", []string{auth, "Bearer " + claudeToken + " x"}, ""},
		{"basic", []string{auth, "Basic Y2xhdWRlOmNsYXVkZQ=="}, ""},
		{"token_alone", []string{auth, claudeToken}, ""},
		{"two_headers", []string{auth, "Bearer " + claudeToken, auth, "Bearer " + claudeToken}, ""},
		{"header_and_subprotocol", []string{auth, "Bearer " + claudeToken, protocols, encoded(claudeToken)}, ""},
		{"two_subprotocols", []string{protocols, encoded(claudeToken) + "," + encoded(claudeToken)}, ""},
		{"too_long", []string{auth, "Bearer " + strings.Repeat("a", 17<<10)}, ""},
		{"jwt_without_oauth", []string{auth, "Bearer a.b.c"}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := keeper(t, twoClients(), nil)
			s, err := g.Identify(neighbour(row.header...))
			if row.want == "" {
				if !errors.Is(err, access.ErrUnauthorized) || access.Status(err) != http.StatusUnauthorized {
					t.Errorf("Identify = %v, %v; want ErrUnauthorized", s, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Name + " " + s.Profile.Name + " " + s.NPC + " " + s.Transport; got != row.want {
				t.Errorf("Identify = %q, want %q", got, row.want)
			}
		})
	}
}

func TestTokenInTheAddressIsRefused(t *testing.T) {
	g := keeper(t, twoClients(), nil)
	r := neighbour()
	r.URL.RawQuery = "access_token=" + claudeToken
	if s, err := g.Identify(r); !errors.Is(err, access.ErrUnauthorized) {
		t.Errorf("Identify = %v, %v; want ErrUnauthorized", s, err)
	}
}

func TestAnonymousOnlyFromHere(t *testing.T) {
	const here, there = "127.0.0.1:50000", "127.0.0.1:8787"
	for _, row := range []struct {
		name                string
		remote, local, host string
		header              []string
		want                bool
	}{
		{"loopback", here, there, "127.0.0.1:8787", nil, true},
		{"localhost", here, there, "localhost:8787", nil, true},
		{"localhost_with_dot", here, there, "LOCALHOST.:8787", nil, true},
		{"ipv6", "[::1]:50000", "[::1]:8787", "[::1]:8787", nil, true},
		{"mapped", "[::ffff:127.0.0.1]:50000", there, "127.0.0.1:8787", nil, true},
		{"tunnel_port", here, there, "localhost:9999", nil, true},
		{"other_machine", "192.168.1.5:50000", "192.168.1.2:8787", "192.168.1.2:8787", nil, false},
		{"own_address_of_the_network", "192.168.1.2:50000", "192.168.1.2:8787", "192.168.1.2:8787", nil, false},
		{"spoofed_source", here, "192.168.1.2:8787", "localhost:8787", nil, false},
		{"redirected_to_loopback", "192.168.1.5:50000", there, "localhost:8787", nil, false},
		{"rebound_name", here, there, "evil.example:8787", nil, false},
		{"proxy_with_host", here, there, "table.example", nil, false},
		{"x_forwarded_for", here, there, "localhost:8787", []string{"X-Forwarded-For", "127.0.0.1"}, false},
		{"empty_x_forwarded_for", here, there, "localhost:8787", []string{"X-Forwarded-For", ""}, false},
		{"forwarded", here, there, "localhost:8787", []string{"Forwarded", "for=127.0.0.1"}, false},
		{"x_real_ip", here, there, "localhost:8787", []string{"X-Real-IP", "127.0.0.1"}, false},
		{"via", here, there, "localhost:8787", []string{"Via", "1.1 proxy"}, false},
		{"local_address_unknown", here, "", "localhost:8787", nil, false},
		{"unix_socket", "@", there, "localhost", nil, false},
		{"no_host", here, there, "", nil, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := keeper(t, twoClients(), nil)
			s, err := g.Identify(request(row.remote, row.local, row.host, row.header...))
			if got := err == nil && s.Name == access.Anonymous && s.Profile.Name == "system.readonly"; got != row.want {
				t.Errorf("Identify = %v, %v; anonymous %t, want %t", s, err, got, row.want)
			}
			if err != nil && !errors.Is(err, access.ErrUnauthorized) {
				t.Errorf("err = %v, want ErrUnauthorized", err)
			}
		})
	}
}

func TestOldProtocolIsNeverAnonymous(t *testing.T) {
	g := keeper(t, twoClients(), nil)
	r := neighbour()
	r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/1.0", 1, 0
	if s, err := g.Identify(r); !errors.Is(err, access.ErrUnauthorized) {
		t.Errorf("Identify = %v, %v; want ErrUnauthorized", s, err)
	}
	r.Header.Set("Authorization", "Bearer "+claudeToken)
	if s, err := g.Identify(r); err != nil || s.Name != "claude" {
		t.Errorf("with a token: %v, %v; want claude", s, err)
	}
}

func TestNewWantsProfilesAndHashes(t *testing.T) {
	for _, row := range []struct {
		name string
		cfg  config.Server
		want string
	}{
		{"profile", config.Server{Clients: []config.Client{{Name: "a", Token: claudeToken, Profile: "boss"}}}, `server.clients[0]: there is no profile "boss"`},
		{"hash", config.Server{Clients: []config.Client{{Name: "a", TokenHash: "sha256:12", Profile: "dm"}}}, `token_hash of "a"`},
		{"no_token", config.Server{Clients: []config.Client{{Name: "a", Profile: "dm"}}}, `token_hash of "a"`},
		{"scope", config.Server{OAuth: &config.OAuth{Scopes: map[string]string{"x": "boss"}}}, `server.oauth: scope "x": there is no profile "boss"`},
		{"oauth_profile", config.Server{OAuth: &config.OAuth{Profile: "boss"}}, `server.oauth: there is no profile "boss"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := access.NewGatekeeper(t.Context(), row.cfg, access.GatekeeperOptions{Profile: profiles})
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("err = %v, want %q in it", err, row.want)
			}
		})
	}
	none := func(string) (access.Profile, bool) { return access.Profile{}, false }
	if _, err := access.NewGatekeeper(t.Context(), config.Server{}, access.GatekeeperOptions{Profile: none}); err == nil {
		t.Error("New without the anonymous profile = nil, want an error")
	}
}

func TestNewToken(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		token, hash := access.NewToken()
		raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(token, "glx_"))
		if err != nil || len(raw) != 32 || !strings.HasPrefix(token, "glx_") {
			t.Fatalf("token %q holds %d bytes, %v; want 32 after glx_", token, len(raw), err)
		}
		if seen[token] {
			t.Fatalf("token %q came twice", token)
		}
		seen[token] = true
		if hash != access.HashToken(token) || len(hash) != len("sha256:")+64 {
			t.Fatalf("hash = %q, want that of the token", hash)
		}
		g := keeper(t, config.Server{Clients: []config.Client{{Name: "new", TokenHash: hash, Profile: "dm"}}}, nil)
		if s, err := g.Identify(neighbour("Authorization", "Bearer "+token)); err != nil || s.Name != "new" {
			t.Fatalf("Identify = %v, %v; want new", s, err)
		}
	}
}

package main_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

func newIdentityProgram(t testing.TB, issuer string) *outward {
	t.Helper()
	h := newProgram(t)
	h.configure("identity.yaml")
	if issuer != "" {
		h.set("ISSUER", issuer)
	}
	h.secrets = []string{secret("alice"), secret("bob")}
	return h.serve()
}

// knock sends one request to /mcp that opens a session, and returns its status.
func (o *outward) knock(change func(*web)) (int, *http.Response) {
	o.t.Helper()
	w := o.web("")
	if change != nil {
		change(w)
	}
	w.last = 1
	r := w.post(request(o.t, 1, "initialize", opening("2025-06-18")))
	return r.status, w.response
}

// with sets a header.
func with(key, value string) func(*web) {
	return func(w *web) { w.header.Set(key, value) }
}

// TestATokenIsRevoked removes a client from the configuration while the program
// runs: the program refuses its token without a restart and ends its WebSocket,
// and other clients are unaffected. An invalid file changes nothing.
func TestATokenIsRevoked(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.configure("identity.yaml")
	h.secrets = []string{secret("alice"), secret("bob")}
	o := h.serve()
	file, err := os.ReadFile(h.path("glyphoxa.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(file)
	const alice = "    - {name: alice, token: \"the-secret-token-of-alice\", profile: builder.readWrite}\n"
	if !strings.Contains(text, alice) {
		t.Fatal("there is no client alice")
	}
	conn, _, err := o.dial(http.Header{"Authorization": {"Bearer " + secret("alice")}}, "mcp")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	as := func(who string) int {
		status, _ := o.knock(with("Authorization", "Bearer "+secret(who)))
		return status
	}
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(request(t, 1, "initialize", opening("2025-06-18")))); err != nil {
		t.Fatal(err)
	}
	if _, _, err := conn.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.write("glyphoxa.yaml", strings.Replace(text, alice, "", 1)+"\nserver: {nonsense: [}\n")
	time.Sleep(4 * time.Second) // the program checks the file once a second
	if got := as("alice"); got != http.StatusOK {
		t.Errorf("alice = %d while the file is wrong, want 200", got)
	}
	h.write("glyphoxa.yaml", strings.Replace(text, alice, "", 1))
	if _, _, err := conn.Read(t.Context()); err == nil { // until the program closes it
		t.Error("the WebSocket goes on")
	}
	if got := as("alice"); got != http.StatusUnauthorized {
		t.Errorf("alice = %d once she is taken out, want 401", got)
	}
	if got := as("bob"); got != http.StatusOK {
		t.Errorf("bob = %d, want 200", got)
	}
}

// TestClients connects clients to one server with and without tokens.
func TestClients(t *testing.T) {
	t.Parallel()
	o := newIdentityProgram(t, "")
	t.Run("over HTTP", func(t *testing.T) { letInOverHTTP(t, o) })
	t.Run("sessions", func(t *testing.T) { ownSessions(t, o.in(t)) })
	t.Run("over WebSocket", func(t *testing.T) { letInByWebSocket(t, o) })
}

// letInOverHTTP checks who is admitted over HTTP, and that a wrong token does
// not count as no token.
func letInOverHTTP(t *testing.T, o *outward) {
	for _, row := range []struct {
		name   string
		change func(*web)
		want   int
	}{
		{"no token on this machine", nil, http.StatusOK},
		{"a right token", with("Authorization", "Bearer "+secret("alice")), http.StatusOK},
		{"a wrong token", with("Authorization", "Bearer "+secret("mallory")), http.StatusUnauthorized},
		{"an empty token", with("Authorization", "Bearer "), http.StatusUnauthorized},
		{"another scheme", with("Authorization", "Basic YWxpY2U6eA=="), http.StatusUnauthorized},
		{"no token through a proxy", with("X-Forwarded-For", "203.0.113.7"), http.StatusUnauthorized},
		{"no token through a proxy that is polite", with("Forwarded", "for=203.0.113.7"), http.StatusUnauthorized},
		{"a right token through a proxy", func(w *web) {
			with("X-Forwarded-For", "203.0.113.7")(w)
			with("Authorization", "Bearer "+secret("alice"))(w)
		}, http.StatusOK},
		{"a token in the address", func(w *web) { w.url += "?access_token=" + secret("alice") }, http.StatusUnauthorized},
		{"an allowed page", with("Origin", "https://table.example"), http.StatusOK},
		{"another page", with("Origin", "https://evil.example"), http.StatusForbidden},
		{"a page without an origin", with("Origin", "null"), http.StatusForbidden},
		{"an allowed name", with("Host", "table.example"), http.StatusUnauthorized}, // not a loopback name, so no anonymous access
		{"a rebound name", with("Host", "evil.example"), http.StatusForbidden},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, resp := o.in(t).knock(row.change)
			if got != row.want {
				t.Errorf("status %d, want %d", got, row.want)
			}
			if challenge := resp.Header.Get("WWW-Authenticate"); (row.want == http.StatusUnauthorized) != strings.HasPrefix(challenge, "Bearer ") {
				t.Errorf("challenge = %q", challenge)
			}
		})
	}
	t.Run("who has no token may only look", func(t *testing.T) {
		w := o.in(t).web("").stateless()
		if !lists(t, w, "roll") || lists(t, w, "write_file") || lists(t, w, "audit_query") {
			t.Error("anonymous clients are shown more or less than system.readonly allows")
		}
		if got := try(t, w, "write_file", map[string]any{"path": "a", "content": "b"}).code(); got != "unknown" {
			t.Errorf("writing ends in %q", got)
		}
	})
}

// ownSessions checks that a session's id is useless without its client's token.
func ownSessions(t *testing.T, o *outward) {
	alice := o.web(secret("alice")).handshake()
	for name, token := range map[string]string{"another client": secret("bob"), "nobody": ""} {
		thief := o.web(token)
		thief.header.Set("Mcp-Session-Id", alice.header.Get("Mcp-Session-Id"))
		thief.header.Set("Mcp-Protocol-Version", "2025-06-18")
		if r := thief.ask("tools/list", nil); r.status != http.StatusForbidden && r.status != http.StatusNotFound {
			t.Errorf("%s with alice's session gets status %d: %s", name, r.status, r.Result)
		}
	}
	if got := try(t, alice, "roll", d6).code(); got != "" {
		t.Errorf("alice's own call ends in %q", got)
	}
	made := o.web(secret("alice"))
	made.header.Set("Mcp-Session-Id", "MADE-UP")
	made.header.Set("Mcp-Protocol-Version", "2025-06-18")
	if r := made.ask("tools/list", nil); r.status != http.StatusNotFound {
		t.Errorf("a made-up session gets status %d, want 404", r.status)
	}
}

// letInByWebSocket checks the same rules for the upgrade.
func letInByWebSocket(t *testing.T, o *outward) {
	carried := func(token string) string {
		return "glyphoxa.bearer." + base64.RawURLEncoding.EncodeToString([]byte(token))
	}
	for _, row := range []struct {
		name      string
		header    http.Header
		protocols []string
		want      int
	}{
		{"no token on this machine", nil, []string{"mcp"}, http.StatusSwitchingProtocols},
		{"a wrong token", http.Header{"Authorization": {"Bearer nonsense-nonsense"}}, nil, http.StatusUnauthorized},
		{"a token beside the protocol", nil, []string{"mcp", carried(secret("alice"))}, http.StatusSwitchingProtocols},
		{"a wrong token beside the protocol", nil, []string{"mcp", carried("nonsense-nonsense")}, http.StatusUnauthorized},
		{"a page that may not", http.Header{"Origin": {"https://evil.example"}}, nil, http.StatusForbidden},
		{"a page that may", http.Header{"Origin": {"https://table.example"}}, nil, http.StatusSwitchingProtocols},
		{"a rebound name", http.Header{"Host": {"evil.example"}}, nil, http.StatusForbidden},
		{"no token through a proxy", http.Header{"X-Forwarded-For": {"203.0.113.7"}}, nil, http.StatusUnauthorized},
	} {
		t.Run(row.name, func(t *testing.T) {
			conn, resp, err := o.in(t).dial(row.header, row.protocols...)
			if resp == nil {
				t.Fatal(err)
			}
			if resp.StatusCode != row.want {
				t.Errorf("status %d, want %d", resp.StatusCode, row.want)
			}
			if err == nil {
				defer func() { _ = conn.CloseNow() }()
				if strings.Contains(conn.Subprotocol(), "bearer") {
					t.Errorf("the server selects %q, which tells the token", conn.Subprotocol())
				}
			}
		})
	}
	t.Run("the token beside the protocol counts", func(t *testing.T) {
		conn, _, err := o.in(t).dial(nil, "mcp", carried(secret("alice")))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.CloseNow() }()
		if s := over(t, conn).handshake(); !lists(t, s, "write_file") {
			t.Error("alice is not shown what she may write")
		}
	})
}

// TestOAuth checks the server as a resource server: it grants tokens of its
// sign-in service their scopes, and rejects tokens of others.
func TestOAuth(t *testing.T) {
	t.Parallel()
	service := newIssuer(t)
	o := newIdentityProgram(t, service.url)
	const here = "https://table.example/mcp"
	for _, row := range []struct {
		name   string
		claims map[string]any
		want   int
		tool   string // listed for the client
		hidden string
	}{
		{name: "a game master", claims: map[string]any{"aud": here, "scope": "openid glyphoxa:dm"}, want: 200, tool: "audit_query"},
		{name: "a player", claims: map[string]any{"aud": here, "scope": "glyphoxa:play"}, want: 200, tool: "roll", hidden: "search_facts"},
		{name: "a scope that names no profile", claims: map[string]any{"aud": here, "scope": "openid"}, want: 403},
		{name: "a token for somebody else", claims: map[string]any{"aud": "https://bank.example", "scope": "glyphoxa:dm"}, want: 401},
		{name: "a token that has expired", claims: map[string]any{"aud": here, "scope": "glyphoxa:dm", "exp": 1000}, want: 401},
		{name: "a token of another service", claims: map[string]any{"aud": here, "scope": "glyphoxa:dm", "iss": "https://evil.example"}, want: 401},
	} {
		t.Run(row.name, func(t *testing.T) {
			token := service.token(row.claims)
			status, resp := o.in(t).knock(with("Authorization", "Bearer "+token))
			if status != row.want {
				t.Fatalf("status %d, want %d", status, row.want)
			}
			if row.want != http.StatusOK {
				if c := resp.Header.Get("WWW-Authenticate"); !strings.Contains(c, "resource_metadata=") {
					t.Errorf("challenge = %q, want it to say where to sign in", c)
				}
				return
			}
			w := o.in(t).web(token).stateless()
			if !lists(t, w, row.tool) || row.hidden != "" && lists(t, w, row.hidden) {
				t.Errorf("want %s listed, %q not", row.tool, row.hidden)
			}
		})
	}
	t.Run("a token signed by somebody else", func(t *testing.T) {
		forged := newIssuer(t)
		forged.url = service.url
		if status, _ := o.in(t).knock(with("Authorization", "Bearer "+forged.token(map[string]any{"aud": here, "scope": "glyphoxa:dm"}))); status != http.StatusUnauthorized {
			t.Errorf("status %d, want 401", status)
		}
	})
	t.Run("the metadata", func(t *testing.T) {
		resp, err := http.Get("http://" + o.addr + "/.well-known/oauth-protected-resource/mcp")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			Resource             string   `json:"resource"`
			AuthorizationServers []string `json:"authorization_servers"`
		}
		if err := json.Unmarshal(body, &m); err != nil || m.Resource != here || len(m.AuthorizationServers) != 1 || m.AuthorizationServers[0] != service.url {
			t.Errorf("metadata = %s, %v", body, err)
		}
	})
}

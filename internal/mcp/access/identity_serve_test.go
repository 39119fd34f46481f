package access_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-jose/go-jose/v4"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// serve answers with the caller's name and profile, over HTTP or WebSocket.
func serve(t *testing.T, cfg config.Server) *httptest.Server {
	t.Helper()
	g := keeper(t, cfg, nil)
	srv := httptest.NewUnstartedServer(nil)
	guard := access.Guard{AllowedOrigins: []string{"https://table.example"}, Addr: srv.Listener.Addr().String()}
	srv.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := guard.Check(r); err != nil {
			http.Error(w, err.Error(), access.Status(err))
			return
		}
		s, err := g.Identify(r)
		if err != nil {
			if c := g.Challenge(r, err); c != "" {
				w.Header().Set("WWW-Authenticate", c)
			}
			http.Error(w, err.Error(), access.Status(err))
			return
		}
		text := fmt.Sprintf("%s %s %s", s.Name, s.Profile.Name, s.Transport)
		if s.Transport == access.TransportHTTP {
			_, _ = fmt.Fprint(w, text)
			return
		}
		// The guard has already checked the origin.
		c, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"mcp"}, InsecureSkipVerify: true})
		if err != nil {
			return // Accept has already answered
		}
		_ = c.Write(r.Context(), websocket.MessageText, []byte(text))
		_ = c.Close(websocket.StatusNormalClosure, "")
	})
	srv.Start()
	t.Cleanup(srv.Close)
	return srv
}

// get returns the status, the body and the challenge.
func get(t *testing.T, c *http.Client, address string, header ...string) (int, string, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
			continue
		}
		req.Header.Add(header[i], header[i+1])
	}
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, strings.TrimSpace(string(body)), res.Header.Get("WWW-Authenticate")
}

func TestOverHTTP(t *testing.T) {
	srv := serve(t, twoClients())
	behind, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(behind)
		r.SetXForwarded()
	}})
	t.Cleanup(proxy.Close)
	for _, row := range []struct {
		name, address string
		header        []string
		status        int
		want          string
	}{
		{"anonymous", srv.URL, nil, 200, "anonymous system.readonly http"},
		{"client", srv.URL, []string{"Authorization", "Bearer " + claudeToken}, 200, "claude builder.readWrite http"},
		{"wrong", srv.URL, []string{"Authorization", "Bearer x"}, 401, "unauthorized: the token is not known"},
		{"allowed_page", srv.URL, []string{"Origin", "https://table.example"}, 200, "anonymous system.readonly http"},
		{"other_page", srv.URL, []string{"Origin", "https://evil.example"}, 403, "origin not allowed: add it to allowed_origins if it is meant"},
		{"rebound", srv.URL, []string{"Host", "evil.example"}, 403, "unknown host: add the name to allowed_hosts if it is meant"},
		{"stranger_behind_proxy", proxy.URL, nil, 401, "unauthorized: a token is needed from here"},
		{"client_behind_proxy", proxy.URL, []string{"Authorization", "Bearer " + claudeToken}, 200, "claude builder.readWrite http"},
	} {
		t.Run(row.name, func(t *testing.T) {
			status, got, challenge := get(t, srv.Client(), row.address, row.header...)
			if status != row.status || got != row.want {
				t.Errorf("answer %d %q, want %d %q", status, got, row.status, row.want)
			}
			if (status == http.StatusUnauthorized) != strings.HasPrefix(challenge, "Bearer ") {
				t.Errorf("status %d with the challenge %q", status, challenge)
			}
		})
	}
}

func TestOverWebSocket(t *testing.T) {
	srv := serve(t, twoClients())
	for _, row := range []struct {
		name      string
		header    http.Header
		protocols []string
		want      string // empty means refused
		selected  string
	}{
		{"browser", http.Header{"Origin": {"https://table.example"}}, []string{"mcp", encoded(claudeToken)}, "claude builder.readWrite websocket", "mcp"},
		{"token_first", http.Header{}, []string{encoded(claudeToken), "mcp"}, "claude builder.readWrite websocket", "mcp"},
		{"token_alone_is_not_echoed", http.Header{}, []string{encoded(claudeToken)}, "claude builder.readWrite websocket", ""},
		{"program", http.Header{"Authorization": {"Bearer " + claudeToken}}, []string{"mcp"}, "claude builder.readWrite websocket", "mcp"},
		{"anonymous", http.Header{}, []string{"mcp"}, "anonymous system.readonly websocket", "mcp"},
		{"wrong", http.Header{}, []string{"mcp", encoded("wrong-wrong")}, "", ""},
		{"other_page", http.Header{"Origin": {"https://evil.example"}}, []string{"mcp", encoded(claudeToken)}, "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			c, _, err := websocket.Dial(ctx, srv.URL, &websocket.DialOptions{HTTPHeader: row.header, Subprotocols: row.protocols})
			if row.want == "" {
				if err == nil {
					_ = c.CloseNow()
					t.Error("connected, want to be refused")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.CloseNow() }()
			_, got, err := c.Read(ctx)
			if err != nil || string(got) != row.want || c.Subprotocol() != row.selected {
				t.Errorf("read %q, %v over %q; want %q over %q", got, err, c.Subprotocol(), row.want, row.selected)
			}
		})
	}
}

func ExampleGatekeeper_Identify() {
	token, hash := access.NewToken()
	cfg := config.Server{Clients: []config.Client{{Name: "tablet", TokenHash: hash, Profile: "player.limited"}}}
	g, err := access.NewGatekeeper(context.Background(), cfg, access.GatekeeperOptions{Profile: profiles})
	if err != nil {
		fmt.Println(err)
		return
	}
	r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	s, err := g.Identify(r)
	fmt.Println(s.Name, s.Profile.Name, err)

	r.Header.Set("Authorization", "Bearer "+token+"x")
	_, err = g.Identify(r)
	fmt.Println(access.Status(err), errors.Is(err, access.ErrUnauthorized), g.Challenge(r, err))
	// Output:
	// tablet player.limited <nil>
	// 401 true Bearer realm="glyphoxa", error="invalid_token", error_description="the token is not known"
}

// BenchmarkIdentify measures the cost added to every request.
func BenchmarkIdentify(b *testing.B) {
	rs, es := newSigner(b, "rs", jose.RS256), newSigner(b, "es", jose.ES256)
	is := newIssuer(b, rs, es)
	cfg := is.server()
	for i := range 20 {
		cfg.Clients = append(cfg.Clients, config.Client{Name: fmt.Sprint("c", i), Token: config.Secret(fmt.Sprint(claudeToken, i)), Profile: "dm"})
	}
	g := keeper(b, cfg, nil)
	for _, row := range []struct {
		name string
		r    *http.Request
	}{
		{"anonymous", neighbour()},
		{"token", neighbour("Authorization", "Bearer "+claudeToken+"7")},
		{"subprotocol", neighbour("Sec-WebSocket-Protocol", "mcp, "+encoded(claudeToken+"7"))},
		{"rs256", neighbour("Authorization", "Bearer "+is.token(rs, nil))},
		{"es256", neighbour("Authorization", "Bearer "+is.token(es, nil))},
	} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := g.Identify(row.r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkGuard(b *testing.B) {
	g := access.Guard{AllowedOrigins: []string{"https://table.example"}, Addr: "127.0.0.1:8787"}
	for _, row := range []struct {
		name string
		r    *http.Request
	}{
		{"program", neighbour()},
		{"page", neighbour("Origin", "https://table.example")},
	} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := g.Check(row.r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

//go:build unix

package main_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// nginxConfig lets nginx terminate TLS and forward everything, as
// docs/outward.md says.
const nginxConfig = `daemon off;
master_process off;
pid %[1]s/nginx.pid;
error_log stderr warn;
events { worker_connections 512; }
http {
  access_log off;
  client_body_temp_path %[1]s/body;
  proxy_temp_path %[1]s/proxy;
  fastcgi_temp_path %[1]s/fastcgi;
  uwsgi_temp_path %[1]s/uwsgi;
  scgi_temp_path %[1]s/scgi;
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  server {
    listen %[2]s ssl;
    server_name table.example;
    ssl_certificate %[1]s/cert.pem;
    ssl_certificate_key %[1]s/key.pem;
    location / {
      proxy_pass http://%[3]s;
      proxy_http_version 1.1;
      proxy_buffering off;
      proxy_read_timeout 1h;
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
    }
  }
}
`

const nginxTable = `
npcs:
  - name: Mira
server:
  allowed_hosts: [table.example]
  %s
  clients:
    - {name: alice, token: "the-secret-token-of-alice", profile: dm}
    - {name: bob, token: "the-secret-token-of-bob", profile: dm}
  limits: {burst: 100000, per_second: 10000, sessions: 32}
`

// behindNginx is the program behind nginx with TLS.
type behindNginx struct {
	*outward
	at          string // nginx's address
	trust       *tls.Config
	certificate string // path of its certificate
}

// serveBehindNginx starts the program with a line added to its section server,
// and nginx in front of it.
func serveBehindNginx(t *testing.T, line string) *behindNginx {
	t.Helper()
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		if _, err := os.Stat("/usr/sbin/nginx"); err != nil {
			lacks(t, "nginx is not installed")
		}
		nginx = "/usr/sbin/nginx"
	}
	h := newProgram(t)
	h.write("glyphoxa.yaml", fmt.Sprintf(nginxTable, line))
	h.write(".glyphoxa/files/notes.txt", "The bell is old.")
	n := &behindNginx{outward: h.serve()}
	dir := t.TempDir()
	n.trust = &tls.Config{RootCAs: writeCertificate(t, dir), ServerName: "table.example"}
	n.certificate = filepath.Join(dir, "cert.pem")
	n.at = freeAddress(t)
	conf := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, nginxConfig, dir, n.at, n.addr), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(nginx, "-p", dir, "-c", conf, "-e", "stderr")
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with nginx, which the cleanup ends
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended by itself
		<-ended
	})
	for { // nginx prints nothing when it listens
		conn, err := net.Dial("tcp", n.at)
		if err == nil {
			_ = conn.Close()
			return n
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("nginx ended: %v: %s", err, said.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// writeCertificate writes a certificate for table.example and its key, and
// returns a pool that trusts it.
func writeCertificate(t testing.TB, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "table.example"}, DNSNames: []string{"table.example"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: cert}, "key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	parsed, err := x509.ParseCertificate(cert)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(parsed)
	return pool
}

// from returns a client with this loopback address.
func (n *behindNginx) from(address string) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{
		TLSClientConfig: n.trust, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dialer.DialContext(ctx, "tcp", n.at) },
	}
	n.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// web returns an HTTP client that connects through nginx from an address.
func (n *behindNginx) web(t testing.TB, token, address string) *web {
	w := n.in(t).web(token)
	w.url, w.client = "https://table.example/mcp", n.from(address)
	return w
}

// socket opens a WebSocket through nginx from an address.
func (n *behindNginx) socket(t testing.TB, token, address string) *stream {
	t.Helper()
	conn, resp, err := websocket.Dial(t.Context(), "wss://table.example/ws", &websocket.DialOptions{
		HTTPClient: n.from(address), Subprotocols: []string{"mcp"}, HTTPHeader: http.Header{"Authorization": {"Bearer " + token}},
	})
	if err != nil {
		t.Fatalf("dialling: %v (%v)", err, resp)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	return over(t, conn)
}

// TestBehindNginx runs a script of calls through a real reverse proxy with TLS,
// over every transport and in both eras of the protocol.
func TestBehindNginx(t *testing.T) {
	t.Parallel()
	n := serveBehindNginx(t, "trusted_proxies: [127.0.0.1]")
	token := secret("alice")
	script := func(t *testing.T, c talker) {
		t.Helper()
		if !lists(t, c, "roll") || !lists(t, c, "place_entity") {
			t.Error("the tools are not listed")
		}
		if got := try(t, c, "roll", d6).code(); got != "" {
			t.Errorf("a roll ends in %q", got)
		}
		if got := try(t, c, "summon", map[string]any{}).code(); got != "unknown" {
			t.Errorf("a call of no tool ends in %q", got)
		}
		var page struct{ Contents []json.RawMessage }
		c.ask("resources/read", map[string]any{"uri": "glyphoxa://scene"}).into(t, &page)
		if len(page.Contents) != 1 {
			t.Errorf("the scene is read as %v", page)
		}
	}
	t.Run("a session", func(t *testing.T) { script(t, n.web(t, token, "127.0.0.1").handshake()) })
	t.Run("the newest revision", func(t *testing.T) { script(t, n.web(t, token, "127.0.0.1").stateless()) })
	t.Run("a socket", func(t *testing.T) { script(t, n.socket(t, token, "127.0.0.1").handshake()) })
	t.Run("events over a socket", func(t *testing.T) {
		s := n.socket(t, token, "127.0.0.1").handshake()
		s.ask("state/subscribe", nil).into(t, &struct{}{})
		if got := try(t, s, "set_scene", scene("A quiet inn.")).code(); got != "" {
			t.Fatalf("setting the scene ends in %q", got)
		}
		if delta := s.note("notifications/state/delta"); !strings.Contains(string(delta), "A quiet inn.") {
			t.Errorf("the change is told as %s", delta)
		}
	})
	t.Run("events of a session", func(t *testing.T) {
		w := n.web(t, token, "127.0.0.1").handshake()
		w.ask("resources/subscribe", map[string]any{"uri": "glyphoxa://scene"}).into(t, &struct{}{})
		events := w.events()
		if got := try(t, w, "set_scene", scene("A loud inn.")).code(); got != "" {
			t.Fatalf("setting the scene ends in %q", got)
		}
		if line := events("notifications/resources/updated"); !strings.Contains(line, "glyphoxa://scene") {
			t.Errorf("the change is told as %s", line)
		}
	})
	t.Run("a poll that waits", func(t *testing.T) {
		w := n.web(t, token, "127.0.0.1").stateless()
		var at struct{ Seq uint64 }
		w.ask("state/subscribe", map[string]any{}).into(t, &at)
		told := make(chan string, 1)
		waiting := n.web(t, token, "127.0.0.1").stateless()
		poll := request(t, 1, "state/poll", waiting.modern("state/poll", map[string]any{"since": at.Seq, "waitMs": 20000}))
		go func() { told <- waiting.body(poll) }() // ends with the poll, at the latest with the test
		if got := try(t, w, "set_scene", scene("An empty inn.")).code(); got != "" {
			t.Fatalf("setting the scene ends in %q", got)
		}
		if text := <-told; !strings.Contains(text, "An empty inn.") {
			t.Errorf("the poll ends in %s", text)
		}
	})
	t.Run("nobody without a token", func(t *testing.T) {
		w := n.web(t, "", "127.0.0.1")
		if r := w.post(request(t, 1, "initialize", opening("2025-06-18"))); r.status != http.StatusUnauthorized {
			t.Errorf("status %d, want 401", r.status)
		}
	})
}

// body posts a request and returns the whole response, or the error.
func (w *web) body(request []byte) string {
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.url, bytes.NewReader(request))
	if err != nil {
		return err.Error()
	}
	req.Header = w.header.Clone()
	resp, err := w.httpClient().Do(req)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// events opens the session's event stream and returns a function that reads to
// the next event of a method.
func (w *web) events() (next func(method string) string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.url, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header = w.header.Clone()
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Del("Content-Type")
	resp, err := w.httpClient().Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		w.t.Fatalf("opening the stream of events: %v %v", resp, err)
	}
	w.t.Cleanup(func() { _ = resp.Body.Close() })
	lines := bufio.NewReader(resp.Body)
	return func(method string) string {
		w.t.Helper()
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				w.t.Fatalf("reading events: %v", err)
			}
			if strings.Contains(line, method) {
				return line
			}
		}
	}
}

// TestSharesBehindNginx checks that limits per address use the caller's address
// behind a trusted proxy, and the proxy's address otherwise.
func TestSharesBehindNginx(t *testing.T) {
	t.Parallel()
	for line, apart := range map[string]bool{"trusted_proxies: [127.0.0.1]": true, "naming: plain": false} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			n := serveBehindNginx(t, line)
			knock := func(token, address string, forged ...string) int {
				w := n.web(t, token, address)
				for _, text := range forged {
					w.header.Set("X-Forwarded-For", text)
				}
				return w.post(request(t, 1, "initialize", opening("2025-06-18"))).status
			}
			for i := range 10 {
				if got := knock(fmt.Sprint(i, "-wrong-token-wrong-token"), "127.0.0.2", fmt.Sprintf("203.0.113.%d", i)); got != http.StatusUnauthorized {
					t.Fatalf("wrong token %d gets %d", i+1, got)
				}
			}
			if got := knock("again-a-wrong-token", "127.0.0.2", "203.0.113.99"); got != http.StatusTooManyRequests {
				t.Errorf("after ten wrong tokens another gets %d, want 429", got)
			}
			want := http.StatusUnauthorized
			if !apart {
				want = http.StatusTooManyRequests
			}
			if got := knock("another-wrong-token", "127.0.0.3"); got != want {
				t.Errorf("the first wrong token of somebody else gets %d, want %d", got, want)
			}
			if got := knock(secret("alice"), "127.0.0.2"); got != http.StatusOK {
				t.Errorf("a right token from the address of the wrong ones gets %d", got)
			}
			// Alice uses up one caller's share of sessions; Bob has his own
			// share.
			codes := map[int]int{}
			for range 10 {
				codes[knock(secret("alice"), "127.0.0.2")]++
			}
			if codes[http.StatusTooManyRequests] == 0 || codes[http.StatusOK] == 0 {
				t.Errorf("alice's sessions are answered %v, want some of them refused", codes)
			}
			bob := n.web(t, secret("bob"), "127.0.0.3").handshake()
			if got := try(t, bob, "roll", d6).code(); got != "" {
				t.Errorf("bob's roll ends in %q", got)
			}
		})
	}
}

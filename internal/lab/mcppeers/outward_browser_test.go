//go:build unix

package mcppeers_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
)

// told is a page's report about its attempts to connect.
type told struct {
	Socket struct {
		Opened   bool
		Protocol string
		Tools    []string
		Total    int
		Closed   int
	}
	Request struct {
		Status  int
		Session bool
	}
}

// site serves the page and passes on its reports.
func site(t *testing.T) (*httptest.Server, <-chan told) {
	t.Helper()
	heard := make(chan told, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join("testdata", "page.html"))
	})
	mux.HandleFunc("POST /told", func(_ http.ResponseWriter, r *http.Request) {
		var says told
		if err := json.NewDecoder(r.Body).Decode(&says); err != nil {
			t.Errorf("the page tells what is no JSON: %v", err)
		}
		heard <- says
	})
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	return web, heard
}

// browse opens the page in a browser and returns its report.
func browse(t *testing.T, web *httptest.Server, heard <-chan told, server string) told {
	t.Helper()
	browser, args := peers.Browser(t)
	page := web.URL + "/?" + url.Values{"server": {server}, "token": {builderToken}}.Encode()
	cmd := exec.Command(browser, append(args, "--remote-debugging-port=0", page)...) // otherwise the browser may exit before the page is done
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}                            // the browser has child processes
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // they may have exited
		_ = cmd.Wait()
	})
	select {
	case says := <-heard:
		return says
	case <-time.After(limit):
		t.Fatal("the page tells nothing")
	}
	return told{}
}

// TestBrowser lets a page connect with a token from an allowed and from a
// forbidden origin.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	peers.Browser(t) // before the slower build
	friend, friendSays := site(t)
	foe, foeSays := site(t)
	server := newProgram(t, friend.URL).serve(t)

	t.Run("from an allowed origin", func(t *testing.T) {
		got := browse(t, friend, friendSays, server)
		if s := got.Socket; !s.Opened || s.Protocol != "mcp" || !slices.Contains(s.Tools, "roll") || s.Total < 5 || s.Total > 15 || s.Closed != 1000 {
			t.Errorf("by WebSocket the page gets %+v, want tools, a roll of 2d6+3 and a normal end", s)
		}
		if r := got.Request; r.Status != http.StatusOK || !r.Session {
			t.Errorf("over HTTP the page gets %+v, want status 200 and its session", r)
		}
	})
	t.Run("from another origin", func(t *testing.T) {
		got := browse(t, foe, foeSays, server)
		if s := got.Socket; s.Opened || len(s.Tools) > 0 || s.Closed != 1006 {
			t.Errorf("by WebSocket the page gets %+v, want a connection that never opened", s)
		}
		if got.Request.Status != 0 {
			t.Errorf("over HTTP the page sees status %d, want nothing", got.Request.Status)
		}
	})
	t.Run("what the browser hides", func(t *testing.T) {
		transport := &http.Transport{}
		defer transport.CloseIdleConnections()
		_, res, err := websocket.Dial(t.Context(), "ws://"+server+"/ws", &websocket.DialOptions{
			HTTPClient: &http.Client{Transport: transport}, Subprotocols: []string{"mcp"},
			HTTPHeader: http.Header{"Origin": {foe.URL}, "Authorization": {"Bearer " + builderToken}},
		})
		if err == nil || res == nil || res.StatusCode != http.StatusForbidden {
			t.Errorf("the handshake ends with %v, %v; want status 403", res, err)
		}
	})
}

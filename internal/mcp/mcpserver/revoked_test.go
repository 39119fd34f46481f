package mcpserver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/revoketest"
)

const (
	pinging = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	listing = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
)

// posts opens a session with a token, whose request comes through body.
func (h *fixture) posts(addr, profile string, body io.Reader) error {
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, "http://"+addr+"/mcp", body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token(profile))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusUnauthorized, http.StatusTooManyRequests: // the latter after ten wrong ones
		return fmt.Errorf("%w: %s", revoketest.ErrRefused, res.Status)
	}
	return errors.New(res.Status)
}

// TestRevokedTokens takes a client out of the configuration while it has a WebSocket that it
// does not close, a request of which half was sent, and an event stream.
func TestRevokedTokens(t *testing.T) {
	h := newFixture(t, plan{})
	addr := h.web(config.Server{Clients: clients("dm", "player.full")})
	session := h.http(addr, "dm", "2025-06-18", nil)
	conn := h.dial(addr, "dm")
	ask := func(message string) error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := conn.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
			return err
		}
		_, _, err := conn.Read(ctx)
		return err
	}
	must(t, "opening", ask(pinging))
	half, rest := io.Pipe()
	late := make(chan error, 1)
	go func() { late <- h.posts(addr, "dm", half) }()
	_, err := rest.Write([]byte(pinging[:10]))
	must(t, "sending half", err)
	stream, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+"/mcp", http.NoBody)
	must(t, "making a request", err)
	stream.Header.Set("Accept", "text/event-stream")
	stream.Header.Set("Mcp-Session-Id", h.http(addr, "dm", "2025-06-18", nil).ID())
	events := make(chan error, 1)
	go func() {
		res, err := (&http.Client{Transport: bearer{token("dm")}}).Do(stream)
		if err == nil {
			_, err = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
		events <- err
	}()
	other := h.socket(addr, "player.full", nil)
	revoketest.Check(t, revoketest.Credential{
		Use: func() error { return h.posts(addr, "dm", bytes.NewReader([]byte(pinging))) },
		Revoke: func() {
			must(t, "revoking", h.keeper.SetClients(clients("player.full")))
		},
	})
	if err := ask(listing); err == nil {
		t.Error("the WebSocket answers")
	}
	if _, err := rest.Write([]byte(pinging[10:])); err != nil {
		t.Error(err)
	}
	rest.Close()
	if err := <-late; err == nil {
		t.Error("a request is answered whose second half came after the token was revoked")
	}
	<-events // ends
	if _, err := session.ListTools(t.Context(), nil); err == nil {
		t.Error("the session answers")
	}
	if len(listed(t, other)) == 0 {
		t.Error("another client notices")
	}
}

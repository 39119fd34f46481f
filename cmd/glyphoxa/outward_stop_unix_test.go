//go:build unix

package main_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestStopDuringACall checks over every transport that the program answers a
// running call before it stops, and exits in order.
func TestStopDuringACall(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"http in sessions", "http newest", "websocket", "stdio"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			called, release := make(chan struct{}), make(chan struct{})
			h := newProgram(t)
			h.configure("rights.yaml")
			h.set("ANNEX", newGate(t, called, release))
			var c talker
			var signal func(syscall.Signal)
			var ended func() result
			if transport == "stdio" {
				s, p := h.stdio("--profile", "dm")
				c, signal, ended = s.handshake(), func(sig syscall.Signal) { p.signal(sig) }, p.ended
			} else {
				o := h.serve()
				signal = func(sig syscall.Signal) {
					if err := o.cmd.Process.Signal(sig); err != nil {
						t.Errorf("sending %s: %v", sig, err)
					}
				}
				ended = o.ended
				switch transport {
				case "http in sessions":
					c = o.web(secret("dm")).handshake()
				case "http newest":
					c = o.web(secret("dm")).stateless()
				default:
					c = o.socket(secret("dm")).handshake()
				}
			}
			for !lists(t, c, "wait") {
				continue // until the external server is connected
			}
			go func() { // ends with the call, which the test waits for
				<-called
				signal(syscall.SIGTERM)
				close(release)
			}()
			if got := try(t, c, "wait", map[string]any{}).code(); got != "" {
				t.Errorf("the call ends in %q", got)
			}
			if r := ended(); r.code != 0 {
				t.Errorf("exit code %d, stderr %s", r.code, r.stderr)
			}
		})
	}
}

// newGate runs an external server whose tool reports each call and answers when
// released.
func newGate(t testing.TB, called chan<- struct{}, release <-chan struct{}) string {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "gate", Version: "1"}, nil)
	server.AddTool(&sdk.Tool{Name: "wait", Description: "Waits.", InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		close(called)
		select {
		case <-release:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil
	})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	return web.URL
}

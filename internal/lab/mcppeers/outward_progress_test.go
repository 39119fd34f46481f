//go:build unix

package mcppeers_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// progressing is a client that records progress notifications.
func progressing() (*sdk.ClientOptions, <-chan sdk.ProgressNotificationParams) {
	told := make(chan sdk.ProgressNotificationParams, 100)
	return &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
		n := *req.Params
		n.Meta = nil
		told <- n
	}}, told
}

// operation requests a long operation whose progress is reported under token.
func operation(token string, seconds float64, steps int) *sdk.CallToolParams {
	return &sdk.CallToolParams{
		Name: "trigger-long-running-operation", Arguments: map[string]any{"duration": seconds, "steps": steps},
		Meta: sdk.Meta{"progressToken": token},
	}
}

// TestProgressPassesThrough checks that an external server's progress reaches
// the client that asked for it, under the client's own token.
func TestProgressPassesThrough(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	out := serveOutward(t, everything(t))
	for _, revision := range revisions() {
		t.Run(revision, func(t *testing.T) {
			opts, told := progressing()
			session := out.connectTo(t, revision, opts)
			res, err := session.CallTool(t.Context(), operation("my-token", 0.4, 4))
			if err != nil || res.IsError {
				t.Fatalf("the operation: %+v, %v", res, err)
			}
			var got []sdk.ProgressNotificationParams
			for len(got) < 4 {
				select {
				case n := <-told:
					got = append(got, n)
				case <-time.After(10 * time.Second):
					t.Fatalf("progress = %+v, want four reports", got)
				}
			}
			slices.SortFunc(got, func(a, b sdk.ProgressNotificationParams) int { return int(a.Progress - b.Progress) }) // each is handled concurrently
			var want []sdk.ProgressNotificationParams
			for step := 1.0; step <= 4; step++ {
				want = append(want, sdk.ProgressNotificationParams{ProgressToken: "my-token", Progress: step, Total: 4})
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("progress (-want +got):\n%s", diff)
			}
		})
	}
}

// message holds the fields of a protocol message that the tests read.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

// overheard is the reference server over stdio, and the messages it receives.
func overheard(t *testing.T) (config.MCPServerConfig, <-chan message) {
	t.Helper()
	pipe := filepath.Join(t.TempDir(), "heard")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(pipe, os.O_RDWR, 0) // opened for both, so that the open does not block
	if err != nil {
		t.Fatal(err)
	}
	heard, done := make(chan message, 100), make(chan struct{})
	go func() { // the cleanup waits for it
		defer close(done)
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var m message
			if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
				t.Errorf("the server is sent %q: %v", lines.Bytes(), err)
			}
			heard <- m
		}
	}()
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		<-done
	})
	s := everything(t)
	s.Args = slices.Concat([]string{"-c", `tee "$3" | exec "$0" "$1" "$2"`, s.Command}, s.Args, []string{pipe})
	s.Command = "/bin/sh"
	return s, heard
}

// next waits for a message with a method.
func next(t *testing.T, heard <-chan message, method string) message {
	t.Helper()
	for patience := time.After(20 * time.Second); ; {
		select {
		case m := <-heard:
			if m.Method == method {
				return m
			}
		case <-patience:
			t.Fatalf("the server was not sent %s", method)
		}
	}
}

// TestCancellationPassesThrough cancels a client's call, and checks that the
// external server gets the cancellation and serves the next call.
func TestCancellationPassesThrough(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	server, heard := overheard(t)
	out := serveOutward(t, server)
	for _, revision := range revisions() {
		t.Run(revision, func(t *testing.T) {
			opts, told := progressing()
			session := out.connectTo(t, revision, opts)
			ctx, giveUp := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { // waited for below
				_, err := session.CallTool(ctx, operation("slow", 60, 600))
				ended <- err
			}()
			call := next(t, heard, "tools/call")
			select {
			case <-told: // the call is in progress
			case <-time.After(20 * time.Second):
				t.Error("the call reports no progress")
			}
			giveUp()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("the call ended with %v, want %v", err, context.Canceled)
			}
			if got := next(t, heard, "notifications/cancelled"); string(got.Params.RequestID) != string(call.ID) {
				t.Errorf("the server was told that %s is cancelled, want %s", got.Params.RequestID, call.ID)
			}
			res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"message": "still there?"}})
			if err != nil || len(res.Content) != 1 || !strings.Contains(text(res), "still there?") {
				t.Errorf("the next call: %+v, %v", res, err)
			}
			next(t, heard, "tools/call")
		})
	}
}

// text returns the first text of an answer.
func text(r *sdk.CallToolResult) string {
	for _, c := range r.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			return t.Text
		}
	}
	return ""
}

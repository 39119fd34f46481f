package mcphost_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// logBook is a log that can be read while it is written.
type logBook struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// logger logs everything, as text.
func (l *logBook) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// scene is a host with a good server, a built-in tool and a hostile server.
type scene struct {
	*mcphost.Host
	log   *logBook
	notes notes
}

// newScene registers the hostile server last, with the host closed and checked
// at the end.
func newScene(t *testing.T, modes []string, edit func(*config.MCPServerConfig), opts ...mcphost.Option) (*scene, error) {
	t.Helper()
	s := &scene{log: &logBook{}}
	s.Host = mcphost.New(append(opts, mcphost.WithLogger(s.log.logger()))...)
	if err := s.RegisterBuiltin(noop("builtin", true)); err != nil {
		t.Fatal(err)
	}
	good, _ := hostileConfig(t, "good")
	if err := s.RegisterServer(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	bad, notes := hostileConfig(t, "bad", modes...)
	s.notes = notes
	if edit != nil {
		edit(&bad)
	}
	err := s.RegisterServer(t.Context(), bad)
	t.Cleanup(func() {
		s.healthy(t)
		closes(t, s.Host, notes)
		if strings.ContainsFunc(s.log.String(), func(r rune) bool { return r != '\n' && untrusted.Hidden(r) }) {
			t.Error("the log has hidden characters")
		}
	})
	return s, err
}

// healthy fails unless the rest of the host works.
func (s *scene) healthy(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), watchdog)
	defer cancel()
	for _, tool := range []string{"builtin", "echo"} {
		if _, err := s.ExecuteTool(ctx, tool, `{}`); err != nil {
			t.Errorf("%s does not work any more: %v", tool, err)
		}
	}
}

// server returns the state of the hostile server.
func (s *scene) server() mcphost.ServerStatus {
	for _, st := range s.Servers() {
		if st.Name == "bad" {
			return st
		}
	}
	return mcphost.ServerStatus{}
}

// has reports whether a tool of that name is listed.
func (s *scene) has(name string) bool {
	for _, n := range s.Names() {
		if n == name {
			return true
		}
	}
	return false
}

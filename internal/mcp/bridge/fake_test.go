package bridge_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp/bridge"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// session is a scripted session that records everything it receives.
type session struct {
	setTools func(context.Context) error // nil accepts them
	sending  func(context.Context) error // nil accepts it

	mu      sync.Mutex
	told    []string // tool names, one entry per update
	handle  s2s.ToolCallHandler
	answers []s2s.ToolResult
}

func (s *session) SetTools(ctx context.Context, defs []llm.ToolDefinition) error {
	if s.setTools != nil {
		if err := s.setTools(ctx); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, d := range defs {
		names = append(names, d.Name)
	}
	s.told = append(s.told, strings.Join(names, " "))
	return nil
}

func (s *session) OnToolCall(handle s2s.ToolCallHandler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handle = handle
}

func (s *session) SendToolResult(ctx context.Context, r s2s.ToolResult) error {
	if s.sending != nil {
		if err := s.sending(ctx); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = append(s.answers, r)
	return nil
}

// call has the model call a tool, and reports whether there is a handler.
func (s *session) call(id, name, args string) bool {
	s.mu.Lock()
	handle := s.handle
	s.mu.Unlock()
	if handle == nil {
		return false
	}
	handle(llm.ToolCall{ID: id, Name: name, Arguments: args})
	return true
}

// answer returns a call's result, and fails unless there is exactly one.
func (s *session) answer(t *testing.T, id string) s2s.ToolResult {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []s2s.ToolResult
	for _, r := range s.answers {
		if r.ID == id {
			all = append(all, r)
		}
	}
	if len(all) != 1 {
		t.Fatalf("call %s was answered %d times: %+v", id, len(all), all)
	}
	return all[0]
}

// count returns how many calls were answered.
func (s *session) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.answers)
}

func (s *session) tools() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.told)
}

// journal records a turn's events as text.
type journal struct {
	mu    sync.Mutex
	words []string
	took  time.Duration // of the last round
}

func (j *journal) observe(ev engine.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch ev := ev.(type) {
	case engine.ToolCalled:
		j.words = append(j.words, "called "+ev.Call.ID)
	case engine.ToolFinished:
		word := "finished "
		if ev.Err != nil {
			word = "failed "
		}
		j.words = append(j.words, word+ev.Call.ID)
	case engine.ToolDeferred:
		j.words = append(j.words, "deferred "+ev.Call.ID)
	case engine.RoundEnded:
		j.words = append(j.words, "round "+string(rune('0'+ev.Round)))
		j.took = ev.Duration
	}
}

func (j *journal) take() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := strings.Join(j.words, ", ")
	j.words = nil
	return all
}

func tool(name string, p50 int, handler tools.Handler) mcphost.BuiltinTool {
	return mcphost.BuiltinTool{
		Definition: llm.ToolDefinition{Name: name, Parameters: map[string]any{"type": "object"}},
		Handler:    handler, ReadOnly: true, DeclaredP50: p50,
	}
}

// passing is a tool that can be removed again.
func passing(name string) mcphost.BuiltinTool {
	t := tool(name, 5, answer("g"))
	t.Kind = tools.KindWorkflow
	return t
}

func answer(text string) tools.Handler {
	return func(context.Context, string) (string, error) { return text, nil }
}

// takes returns after d, or when its context ends.
func takes(d time.Duration) tools.Handler {
	return func(ctx context.Context, _ string) (string, error) {
		select {
		case <-time.After(d):
			return "done", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

func newHost(tb testing.TB, defs ...mcphost.BuiltinTool) *mcphost.Host {
	tb.Helper()
	h := mcphost.New()
	tb.Cleanup(func() {
		if err := h.Close(); err != nil {
			tb.Error(err)
		}
	})
	for _, d := range defs {
		if err := h.RegisterBuiltin(d); err != nil {
			tb.Fatal(err)
		}
	}
	return h
}

func newBridge(tb testing.TB, h *mcphost.Host, s bridge.Session, opts ...bridge.Option) *bridge.Bridge {
	tb.Helper()
	b, err := bridge.NewBridge(h, s, 0, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(b.Close)
	return b
}

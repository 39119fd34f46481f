package bridge_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/bridge"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

func TestCallsAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refuses := tool("refuses", 5, nil)
		refuses.Respond = func(context.Context, string) (mcp.Result, error) {
			return mcp.Result{Text: "the book is shut", IsError: true}, nil
		}
		var caller mcp.Caller
		who := tool("who", 5, func(ctx context.Context, _ string) (string, error) {
			caller = mcp.CallerFrom(ctx)
			return "you", nil
		})
		h := newHost(t, who, refuses, tool("slow", 900, answer("late")), tool("hidden", 5, answer("psst")),
			tool("broken", 5, func(context.Context, string) (string, error) { return "", errors.New("out of ink") }))
		s := &session{}
		newBridge(t, h, s, bridge.WithAllow([]string{"who", "refuses", "slow", "broken"}), bridge.WithCaller(mcp.Caller{NPC: "mira"}))
		if got := s.tools(); !slices.Equal(got, []string{"broken refuses who"}) {
			t.Errorf("the session was told %q", got)
		}
		for _, row := range []struct {
			tool, args, text string
			failed           bool
		}{
			{"who", "", "you", false},
			{"refuses", "{}", "the book is shut", true},
			{"broken", "{}", "out of ink", true},
			{"slow", "{}", "not allowed", true},
			{"hidden", "{}", "not allowed", true},
			{"ghost", "{}", "not allowed", true},
			{"who", "{", "invalid arguments", true},
		} {
			id := row.tool + row.args
			s.call(id, row.tool, row.args)
			synctest.Wait()
			r := s.answer(t, id)
			if !strings.Contains(r.Text, row.text) || r.IsError != row.failed || r.Silent || r.Name != row.tool {
				t.Errorf("%s(%s) was answered %+v, want %q", row.tool, row.args, r, row.text)
			}
		}
		if caller.NPC != "mira" {
			t.Errorf("the tool ran for %+v", caller)
		}
	})
}

func TestSessionHearsOfOtherToolsOnly(t *testing.T) {
	h := newHost(t, tool("a", 5, answer("a")), tool("slow", 900, answer("s")))
	s := &session{}
	b := newBridge(t, h, s)
	for _, tier := range []mcp.BudgetTier{mcp.BudgetFast, mcp.BudgetStandard, mcp.BudgetDeep, mcp.BudgetFast} {
		if err := b.UpdateTier(t.Context(), tier); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.BeginTurn(t.Context(), h.Toolset(mcphost.ToolsetOptions{Allow: []string{"a"}}), 1, nil); err != nil {
		t.Fatal(err)
	}
	if err := h.RegisterBuiltin(tool("b", 5, answer("b"))); err != nil {
		t.Fatal(err)
	}
	if err := b.BeginTurn(t.Context(), h.Toolset(mcphost.ToolsetOptions{Allow: []string{"a", "b"}}), 1, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := s.tools(), []string{"a", "a slow", "a", "a b"}; !slices.Equal(got, want) {
		t.Errorf("the session was told %q, want %q", got, want)
	}
	declared := &session{}
	newBridge(t, h, declared, bridge.WithDeclared(h.AvailableTools(mcp.BudgetFast)))
	if got := declared.tools(); len(got) > 0 {
		t.Errorf("a session that was opened with its tools was told %q", got)
	}
}

func TestTierThatCannotBeToldStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, tool("a", 5, answer("a")), tool("slow", 900, answer("s")))
		var fails error
		s := &session{setTools: func(context.Context) error { return fails }}
		b := newBridge(t, h, s)
		fails = s2s.ErrUnsupported
		if err := b.UpdateTier(t.Context(), mcp.BudgetDeep); !errors.Is(err, s2s.ErrUnsupported) {
			t.Errorf("UpdateTier = %v", err)
		}
		s.call("1", "slow", "{}")
		synctest.Wait()
		if r := s.answer(t, "1"); !r.IsError {
			t.Errorf("a tool that the session does not list was run: %+v", r)
		}
		if err := b.UpdateTier(t.Context(), mcp.BudgetFast); err != nil {
			t.Errorf("UpdateTier to what the session lists = %v", err)
		}
		fails = errors.New("cut off")
		if err := b.UpdateTier(t.Context(), mcp.BudgetDeep); err == nil || errors.Is(err, s2s.ErrUnsupported) {
			t.Errorf("UpdateTier = %v", err)
		}
		fails = nil
		if err := b.UpdateTier(t.Context(), mcp.BudgetFast); err != nil { // the bridge no longer knows the session's list
			t.Error(err)
		}
		if got := s.tools(); !slices.Equal(got, []string{"a", "a"}) {
			t.Errorf("the session was told %q", got)
		}
	})
}

func TestRunningTurnGetsTheNewTier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, tool("a", 5, answer("a")), tool("slow", 900, answer("s")))
		s := &session{}
		b := newBridge(t, h, s)
		if err := b.BeginTurn(t.Context(), h.Toolset(mcphost.ToolsetOptions{Allow: []string{"a"}}), 2, nil); err != nil {
			t.Fatal(err)
		}
		if err := b.UpdateTier(t.Context(), mcp.BudgetDeep); err != nil {
			t.Fatal(err)
		}
		s.call("1", "slow", "{}")
		synctest.Wait()
		if r := s.answer(t, "1"); r.Text != "s" {
			t.Errorf("the tool of the new tier was answered %+v", r)
		}
	})
}

func TestNewBridgeFailsIfTheSessionTakesNoTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &session{setTools: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
		start := time.Now()
		if _, err := bridge.NewBridge(newHost(t), s, mcp.BudgetFast); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("NewBridge = %v", err)
		}
		if took := time.Since(start); took != 10*time.Second {
			t.Errorf("it took %v", took)
		}
		if s.call("1", "a", "") {
			t.Error("calls are handled all the same")
		}
	})
}

func TestTellingEndsWithItsContextAndWithClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, tool("a", 5, answer("a")), tool("slow", 900, answer("s")))
		hang := false
		s := &session{setTools: func(ctx context.Context) error {
			if !hang {
				return nil
			}
			<-ctx.Done()
			return context.Cause(ctx)
		}}
		b := newBridge(t, h, s)
		hang = true
		first, second := make(chan error, 1), make(chan error, 1)
		go func() { first <- b.UpdateTier(context.Background(), mcp.BudgetDeep) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := b.UpdateTier(ctx, mcp.BudgetStandard); !errors.Is(err, context.DeadlineExceeded) { // waits for the first update
			t.Errorf("UpdateTier = %v, want its context's error", err)
		}
		go func() { second <- b.BeginTurn(context.Background(), h.Toolset(mcphost.ToolsetOptions{}), 1, nil) }()
		synctest.Wait()
		b.Close()
		if err := <-first; !errors.Is(err, bridge.ErrClosed) {
			t.Errorf("UpdateTier = %v, want ErrClosed", err)
		}
		if err := <-second; !errors.Is(err, bridge.ErrClosed) {
			t.Errorf("BeginTurn = %v, want ErrClosed", err)
		}
		if err := b.UpdateTier(t.Context(), mcp.BudgetFast); !errors.Is(err, bridge.ErrClosed) {
			t.Errorf("UpdateTier after Close = %v, want ErrClosed", err)
		}
	})
}

func TestCloseAnswersWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, tool("a", 5, takes(time.Minute)))
		s := &session{}
		b := newBridge(t, h, s)
		s.call("1", "a", "{}")
		s.mu.Lock()
		handle := s.handle
		s.mu.Unlock()
		synctest.Wait()
		b.Close()
		b.Close() // no effect
		if s.call("2", "a", "{}") {
			t.Error("the handler is still registered")
		}
		handle(llm.ToolCall{ID: "3", Name: "a"}) // a call that was in flight
		for _, id := range []string{"1", "3"} {
			if r := s.answer(t, id); !r.IsError || !r.Silent {
				t.Errorf("call %s was answered %+v, want a silent error", id, r)
			}
		}
	})
}

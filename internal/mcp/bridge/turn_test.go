package bridge_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/bridge"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// playTurn starts a turn with all of h's tools.
func playTurn(t *testing.T, h *mcphost.Host, b *bridge.Bridge, rounds int) *journal {
	t.Helper()
	j := &journal{}
	ts := h.Toolset(mcphost.ToolsetOptions{Allow: h.Names(), Tier: mcp.BudgetDeep, Ceiling: time.Second})
	if err := b.BeginTurn(t.Context(), ts, rounds, j.observe); err != nil {
		t.Fatal(err)
	}
	return j
}

func TestTurnTellsItsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, tool("quick", 5, answer("q")), tool("slow", 5, takes(200*time.Millisecond)))
		s := &session{}
		b := newBridge(t, h, s)
		j := playTurn(t, h, b, 2)
		s.call("1", "slow", "{}")
		s.call("2", "quick", "{}")
		synctest.Wait()
		if got := j.take(); got != "called 1, called 2, finished 2" {
			t.Errorf("events = %s", got)
		}
		b.EndGeneration()
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		if got := j.take(); got != "finished 1, round 1" || j.took != 200*time.Millisecond {
			t.Errorf("events = %s, the round took %v", got, j.took)
		}
		b.EndGeneration() // a generation without calls is no round
		s.call("3", "quick", "{}")
		synctest.Wait()
		if got := j.take(); got != "called 3, finished 3" {
			t.Errorf("events = %s; the round ends with its generation", got)
		}
		b.EndGeneration()
		if got := j.take(); got != "round 2" {
			t.Errorf("events = %s", got)
		}
		s.call("4", "quick", "{}")
		synctest.Wait()
		b.EndGeneration()
		if r := s.answer(t, "4"); !r.IsError || r.Text != engine.ErrNoRoundsLeft.Error() || r.Silent {
			t.Errorf("a call too many was answered %+v", r)
		}
		if got := j.take(); got != "called 4, failed 4" {
			t.Errorf("events = %s", got)
		}
		playTurn(t, h, b, 1)
		s.call("5", "quick", "{}")
		synctest.Wait()
		if r := s.answer(t, "5"); r.IsError {
			t.Errorf("the next turn's call was answered %+v", r)
		}
	})
}

func TestMalformedRoundIsForgivenOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, tool("a", 5, answer("a")))
		s := &session{}
		b := newBridge(t, h, s)
		j := playTurn(t, h, b, 1)
		for _, id := range []string{"1", "2"} {
			s.call(id, "ghost", "{}")
			b.EndGeneration()
			synctest.Wait()
		}
		s.call("3", "a", "{}")
		b.EndGeneration()
		synctest.Wait()
		if got := j.take(); got != "called 1, failed 1, round 1, called 2, failed 2, round 1, called 3, failed 3" {
			t.Errorf("events = %s", got)
		}
		j = playTurn(t, h, b, 1)
		for _, id := range []string{"4", "5"} {
			s.call(id, map[string]string{"4": "ghost", "5": "a"}[id], "{}")
			b.EndGeneration()
			synctest.Wait()
		}
		if r := s.answer(t, "5"); r.IsError {
			t.Errorf("after one malformed round a call was answered %+v; events %s", r, j.take())
		}
	})
}

func TestCallAtCommitIsAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		write := tool("write", 5, func(context.Context, string) (string, error) { runs++; return "{}", nil })
		write.ReadOnly, write.Effect = false, tools.EffectAtCommit
		h := newHost(t, write)
		s := &session{}
		b := newBridge(t, h, s)
		j := playTurn(t, h, b, 2)
		s.call("1", "write", "{}")
		s.call("2", "write", "[]")
		b.EndGeneration()
		synctest.Wait()
		if r := s.answer(t, "1"); r.IsError || !strings.Contains(r.Text, "accepted") {
			t.Errorf("the call was answered %+v", r)
		}
		if r := s.answer(t, "2"); !r.IsError {
			t.Errorf("a call that cannot work was answered %+v", r)
		}
		if got := j.take(); !strings.Contains(got, "deferred 1") || !strings.Contains(got, "failed 2") || !strings.HasSuffix(got, "round 1") {
			t.Errorf("events = %s", got)
		}
		if runs > 0 {
			t.Error("the tool ran during the turn")
		}
	})
}

func TestNothingIsOwedAfterATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, tool("slow", 5, takes(500*time.Millisecond)))
		s := &session{}
		b := newBridge(t, h, s)
		b.EndTurn() // no turn is open
		s.call("0", "slow", "{}")
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		if r := s.answer(t, "0"); r.Silent || r.IsError {
			t.Errorf("before the first turn a call was answered %+v", r)
		}
		j := playTurn(t, h, b, 1)
		s.call("1", "slow", "{}")
		synctest.Wait()
		start := time.Now()
		b.EndTurn()
		synctest.Wait()
		if took := time.Since(start); took != 0 {
			t.Errorf("EndTurn and the answer took %v", took)
		}
		s.call("2", "slow", "{}") // the session has not yet learned that the turn is over
		synctest.Wait()
		for _, id := range []string{"1", "2"} {
			if r := s.answer(t, id); !r.Silent || !r.IsError {
				t.Errorf("call %s was answered %+v, want silently", id, r)
			}
		}
		b.EndGeneration()
		if got := j.take(); got != "called 1" {
			t.Errorf("events = %s; nothing is told after a turn", got)
		}
	})
}

func TestToolThatVanishesIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, tool("stays", 5, answer("s")))
		if err := h.ReplaceWorkflows(passing("goes")); err != nil {
			t.Fatal(err)
		}
		s := &session{}
		b := newBridge(t, h, s)
		playTurn(t, h, b, 1)
		if err := h.ReplaceWorkflows(); err != nil {
			t.Fatal(err)
		}
		s.call("1", "goes", "{}")
		synctest.Wait()
		if r := s.answer(t, "1"); !r.IsError || !strings.Contains(r.Text, "unavailable") {
			t.Errorf("the call of a tool that is gone was answered %+v", r)
		}
		playTurn(t, h, b, 1)
		told := s.tools()
		if last := told[len(told)-1]; last != "stays" {
			t.Errorf("the session was told %q, want that the tool is gone", told)
		}
	})
}

// TestTurnsCallsRunForItsCaller starts turns for different callers: each call runs with
// its turn's caller, and outside a turn with the bridge's.
func TestTurnsCallsRunForItsCaller(t *testing.T) {
	who := make(chan mcp.Caller, 1)
	h := newHost(t, tool("who", 5, func(ctx context.Context, _ string) (string, error) {
		who <- mcp.CallerFrom(ctx)
		return "{}", nil
	}))
	s := &session{}
	b := newBridge(t, h, s, bridge.WithCaller(mcp.Caller{NPC: "mira"}))
	ts := h.Toolset(mcphost.ToolsetOptions{Allow: h.Names(), Tier: mcp.BudgetDeep})
	for i, want := range []mcp.Caller{{NPC: "mira", Session: "tonight"}, {NPC: "mira"}} {
		ctx, cancel := context.WithCancel(t.Context())
		if i == 0 {
			ctx = mcp.WithCaller(ctx, want)
		}
		if err := b.BeginTurn(ctx, ts, 2, func(engine.Event) {}); err != nil {
			t.Fatal(err)
		}
		cancel() // limits BeginTurn only
		s.call(string(rune('1'+i)), "who", "{}")
		if got := <-who; got != want {
			t.Errorf("call %d ran for %+v, want %+v", i+1, got, want)
		}
	}
}

// TestAsideRunsNothing: the session owner's own tool is listed last, does not count as a
// round, and is not reported.
func TestAsideRunsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, tool("a", 5, answer("a")))
		s := &session{}
		text := ""
		b := newBridge(t, h, s, bridge.WithAside(&llm.ToolDefinition{Name: "hush"}, func() string { return text }))
		var told []string
		if err := b.BeginTurn(t.Context(), h.Toolset(mcphost.ToolsetOptions{Allow: []string{"a"}}), 1, func(ev engine.Event) { told = append(told, fmt.Sprintf("%T", ev)) }); err != nil {
			t.Fatal(err)
		}
		s.call("1", "hush", "{}")
		s.call("1", "hush", "{}") // called twice
		text = "speak up"
		s.call("2", "hush", "{}")
		synctest.Wait()
		b.EndGeneration()
		if r := s.answer(t, "1"); !r.Silent || r.IsError {
			t.Errorf("a call that is answered with nothing: %+v", r)
		}
		if r := s.answer(t, "2"); r.Silent || r.IsError || r.Text != "speak up" || r.Name != "hush" {
			t.Errorf("a call that is answered with a text: %+v", r)
		}
		if len(told) > 0 {
			t.Errorf("the turn is told of %v", told)
		}
		s.call("3", "a", "{}")
		synctest.Wait()
		if r := s.answer(t, "3"); r.Text != "a" {
			t.Errorf("the turn's only round was used up: %+v", r)
		}
		if got := s.tools(); len(got) != 1 || got[0] != "a hush" {
			t.Errorf("the session was told %q", got)
		}
		b.EndTurn()
		text = ""
		s.call("4", "hush", "{}")
		b.Close()
		if r := s.answer(t, "4"); !r.Silent {
			t.Errorf("after the turn: %+v", r)
		}
	})
}

package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/bridge"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

func TestCallsRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, tool("a", 5, takes(100*time.Millisecond)), tool("b", 5, takes(200*time.Millisecond)))
		s := &session{}
		newBridge(t, h, s)
		start := time.Now()
		s.call("1", "a", "{}")
		s.call("2", "b", "{}")
		if took := time.Since(start); took != 0 {
			t.Errorf("the receive loop was held for %v", took)
		}
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		for _, id := range []string{"1", "2"} {
			if r := s.answer(t, id); r.Text != "done" || r.IsError || r.Silent {
				t.Errorf("call %s was answered %+v", id, r)
			}
		}
	})
}

func TestHungCallIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open := make(chan struct{})
		hangs := func(context.Context, string) (string, error) { <-open; return "at last", nil }
		inline := tool("inline", 5, hangs)
		inline.Inline = true
		h := newHost(t, tool("hangs", 5, hangs), inline)
		s := &session{}
		b := newBridge(t, h, s, bridge.WithToolTimeout(15*time.Second))
		start := time.Now()
		s.call("1", "hangs", "{}")
		s.call("2", "inline", "{}")
		time.Sleep(15*time.Second - 1)
		synctest.Wait()
		if n := s.count(); n > 0 {
			t.Errorf("%d calls were answered after %v", n, time.Since(start))
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		for _, id := range []string{"1", "2"} {
			if r := s.answer(t, id); !r.IsError || !strings.Contains(r.Text, "timed out") || r.Silent {
				t.Errorf("call %s was answered %+v, want a time-out", id, r)
			}
		}
		close(open)
		b.Close()
		s.answer(t, "2") // still a single result
	})
}

func TestTimeoutIsHalfAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, tool("slow", 5, takes(time.Hour)))
		s := &session{}
		newBridge(t, h, s, bridge.WithToolTimeout(0))
		s.call("1", "slow", "{}")
		time.Sleep(30*time.Second - 1)
		synctest.Wait()
		if n := s.count(); n > 0 {
			t.Errorf("%d calls were answered early", n)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if r := s.answer(t, "1"); !r.IsError {
			t.Errorf("answer = %+v, want an error", r)
		}
	})
}

func TestCeilingIsTheTiers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, tool("slow", 5, takes(time.Hour)))
		s := &session{}
		b := newBridge(t, h, s, bridge.WithCeiling(func(tier mcp.BudgetTier) time.Duration {
			return time.Duration(tier+1) * time.Second
		}))
		start := time.Now()
		for i, tier := range mcp.Tiers() {
			if err := b.UpdateTier(t.Context(), tier); err != nil {
				t.Fatal(err)
			}
			s.call(fmt.Sprint(i), "slow", "{}")
		}
		for i := range mcp.TierCount {
			time.Sleep(time.Second - time.Since(start)%time.Second)
			synctest.Wait()
			if n := s.count(); n != i+1 {
				t.Errorf("after %v %d calls were answered, want %d", time.Since(start), n, i+1)
			}
		}
	})
}

func TestLostAnswersAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, tool("a", 5, answer("a")))
		var log strings.Builder
		s := &session{sending: func(context.Context) error { return errors.New("cut off") }}
		b := newBridge(t, h, s, bridge.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		s.call("1", "a", "{}")
		b.Close()
		if got := log.String(); !strings.Contains(got, "tool=a") || !strings.Contains(got, "cut off") {
			t.Errorf("logged %q", got)
		}
	})
}

func TestCallsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, tool("slow", 5, takes(time.Second)))
		s := &session{}
		newBridge(t, h, s)
		for i := range mcphost.MaxRound + 4 {
			s.call(fmt.Sprint(i), "slow", "{}")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		for i := range mcphost.MaxRound + 4 {
			if r, busy := s.answer(t, fmt.Sprint(i)), i >= mcphost.MaxRound; r.IsError != busy || strings.Contains(r.Text, "too busy") != busy {
				t.Errorf("call %d was answered %+v, want busy = %v", i, r, busy)
			}
		}
	})
}

func TestRefusalsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, tool("slow", 5, takes(time.Second)))
		stuck := make(chan struct{})
		s := &session{sending: func(ctx context.Context) error {
			select {
			case <-stuck:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}
		newBridge(t, h, s)
		for i := range mcphost.MaxRound + 70 { // 64 of them wait, 6 are dropped
			s.call(fmt.Sprint(i), "slow", "{}")
		}
		close(stuck)
		time.Sleep(time.Second)
		synctest.Wait()
		if got, want := s.count(), mcphost.MaxRound+64; got != want {
			t.Errorf("%d calls were answered, want %d", got, want)
		}
		s.call("later", "slow", "{}")
		time.Sleep(time.Second)
		synctest.Wait()
		if r := s.answer(t, "later"); r.IsError {
			t.Errorf("a call after that was answered %+v", r)
		}
	})
}

func TestRepeatedCallRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		h := newHost(t, tool("count", 5, func(context.Context, string) (string, error) { runs++; return "{}", nil }))
		s := &session{}
		newBridge(t, h, s)
		s.call("1", "count", "{}")
		s.call("1", "count", "{}")
		synctest.Wait()
		s.call("1", "count", "{}")
		synctest.Wait()
		s.answer(t, "1")
		if runs != 1 {
			t.Errorf("the tool ran %d times", runs)
		}
		s.call("", "count", "{}") // from a vendor without call IDs
		synctest.Wait()
		s.call("", "count", "{}")
		synctest.Wait()
		if runs != 3 {
			t.Errorf("calls without an id: the tool ran %d times, want 3", runs)
		}
	})
}

func TestCancelledCallIsAnsweredSilently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, tool("slow", 5, takes(time.Second)))
		s := &session{}
		b := newBridge(t, h, s)
		s.call("1", "slow", "{}")
		s.call("2", "slow", "{}")
		synctest.Wait()
		b.CancelCalls("1", "ghost")
		synctest.Wait()
		if r := s.answer(t, "1"); !r.Silent || !r.IsError {
			t.Errorf("the cancelled call was answered %+v", r)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		b.CancelCalls("2") // the call has already ended
		synctest.Wait()
		if r := s.answer(t, "2"); r.Silent || r.IsError {
			t.Errorf("the other call was answered %+v", r)
		}
	})
}

func TestAnswerThatCannotBeSentHoldsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, tool("a", 5, answer("a")))
		s := &session{sending: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
		b := newBridge(t, h, s)
		s.call("1", "a", "{}")
		synctest.Wait()
		start := time.Now()
		b.Close()
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("Close took %v, want the two seconds an answer may take", took)
		}
	})
}

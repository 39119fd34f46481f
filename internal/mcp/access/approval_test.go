package access_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

func approval(wait time.Duration) config.Rule {
	return config.Rule{Name: "ask", Kind: config.RuleApproval, Tools: []string{"move_*"}, Wait: config.Duration(wait)}
}

var move = writing("move_entity", access.WorldWrite)

func call(ctx context.Context, e *access.Engine, tool mcp.Target, args string) error {
	return e.Admit(ctx, &mcp.Call{Target: tool, Caller: mcp.CallerFrom(ctx), Args: args})
}

// ask makes a call that must be pending and returns its ID.
func ask(t testing.TB, ctx context.Context, e *access.Engine, args string) string {
	t.Helper()
	no := refusal(t, call(ctx, e, move, args))
	if no.Code != mcp.CodePendingApproval || no.Rule != "ask" || no.Approval == "" || no.RetryAfter <= 0 || no.Hint == "" {
		t.Fatalf("refusal = %+v, want a pending approval with an id", no)
	}
	return no.Approval
}

func decide(t testing.TB, e *access.Engine, id string, grant bool) {
	t.Helper()
	if err := e.Decide(id, grant, "operator"); err != nil {
		t.Fatalf("Decide: %v", err)
	}
}

func TestApprovalGranted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, access.Options{Rules: []config.Rule{approval(0)}})
		ann := as(t, "ann", "dm")
		if err := e.Permits(ann, move); err != nil {
			t.Errorf("Permits = %v, want nil: what needs approval is listed", err)
		}
		if err := call(ann, e, roll, "{}"); err != nil {
			t.Errorf("a tool without the rule: %v, want nil", err)
		}
		if err := call(t.Context(), e, move, "{}"); err != nil {
			t.Errorf("the operator: %v, want nil", err)
		}
		id := ask(t, ann, e, `{"id":"bart","to":[1,2]}`)
		if again := ask(t, ann, e, ` { "to":[1,2], "id":"bart" } `); again != id {
			t.Errorf("the same call has id %s, want %s", again, id)
		}
		others := []string{
			ask(t, ann, e, `{"id":"bart","to":[1,3]}`),
			ask(t, as(t, "bob", "dm"), e, `{"id":"bart","to":[1,2]}`),
			ask(t, asNPC(t, "bart"), e, `{"id":"bart","to":[1,2]}`),
		}
		for _, other := range others {
			if other == id {
				t.Error("another call has the same id")
			}
		}
		if got := e.Pending(); len(got) != 4 || got[0].Caller == "" {
			t.Errorf("Pending = %+v, want 4", got)
		}
		decide(t, e, " "+strings.ToUpper(id)+" ", true)
		if got := e.Pending(); len(got) != 3 {
			t.Errorf("Pending = %+v, want 3 after the decision", got)
		}
		ask(t, as(t, "bob", "dm"), e, `{"id":"bart","to":[1,2]}`)
		if err := call(ann, e, move, `{"to":[1,2],"id":"bart"}`); err != nil {
			t.Errorf("granted: %v, want nil", err)
		}
		if next := ask(t, ann, e, `{"id":"bart","to":[1,2]}`); next == id {
			t.Error("a grant let more than one call pass, or its id was used again")
		}
		if err := e.Decide(id, true, "operator"); !errors.Is(err, mcp.ErrInvalidArguments) {
			t.Errorf("deciding on a used id: %v, want invalid arguments", err)
		}
	})
}

func TestApprovalShowsTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, access.Options{Rules: []config.Rule{approval(0)}})
		id := ask(t, as(t, "ann", "dm"), e, `{"b":"`+strings.Repeat("ß", 2000)+`","a":"\u202ex`+"\u202e"+`"}`)
		time.Sleep(time.Second)
		second := ask(t, as(t, "ann", "dm"), e, `{}`)
		got := e.Pending()
		if len(got) != 2 || got[0].ID != id || got[1].ID != second {
			t.Fatalf("Pending = %+v, want %s, then %s", got, id, second)
		}
		p := got[0]
		if p.Caller != "ann" || p.Tool != "move_entity" || p.Expires.Sub(p.Asked) != 10*time.Minute {
			t.Errorf("Pending = %+v, want move_entity of ann for 10 minutes", p)
		}
		if n := utf8.RuneCountInString(p.Args); n != 1000 || !strings.HasPrefix(p.Args, `{"a":"x","b":"ßß`) || !strings.HasSuffix(p.Args, "…") {
			t.Errorf("Args are %d runes: %.40q, want 1000 in order and without what is invisible", n, p.Args)
		}
		time.Sleep(10*time.Minute - time.Second)
		if got := e.Pending(); len(got) != 1 || got[0].ID != second {
			t.Errorf("Pending = %+v, want only %s once the first expired", got, second)
		}
	})
}

func TestApprovalDenied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, access.Options{Rules: []config.Rule{approval(0)}})
		ann := as(t, "ann", "dm")
		id := ask(t, ann, e, `{}`)
		time.Sleep(5 * time.Minute)
		decide(t, e, id, false)
		if got := e.Pending(); len(got) != 0 {
			t.Errorf("Pending = %+v, want none", got)
		}
		for range 3 {
			time.Sleep(3 * time.Minute)
			if no := refusal(t, call(ann, e, move, `{}`)); no.Code != mcp.CodeForbidden || no.Rule != "ask" {
				t.Errorf("refusal = %+v, want forbidden by ask", no)
			}
		}
		time.Sleep(time.Minute)
		if next := ask(t, ann, e, `{}`); next == id {
			t.Error("an expired denial still has its id")
		}
	})
}

func TestApprovalWaits(t *testing.T) {
	tests := []struct {
		name string
		wait time.Duration
		// then runs after a second.
		then func(t *testing.T, e *access.Engine, id string, cancel context.CancelFunc)
		want mcp.Code
		took time.Duration
	}{
		{"granted", time.Minute, func(t *testing.T, e *access.Engine, id string, _ context.CancelFunc) { decide(t, e, id, true) }, "", time.Second},
		{"denied", time.Minute, func(t *testing.T, e *access.Engine, id string, _ context.CancelFunc) { decide(t, e, id, false) }, mcp.CodeForbidden, time.Second},
		{"cancelled", time.Minute, func(_ *testing.T, _ *access.Engine, _ string, cancel context.CancelFunc) { cancel() }, mcp.CodePendingApproval, time.Second},
		{"nothing", time.Minute, func(*testing.T, *access.Engine, string, context.CancelFunc) {}, mcp.CodePendingApproval, time.Minute},
		{"expires", 5 * time.Minute, func(*testing.T, *access.Engine, string, context.CancelFunc) {}, mcp.CodeForbidden, 2 * time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rule := approval(tt.wait)
				rule.Expires = config.Duration(2 * time.Minute)
				e := engine(t, access.Options{Rules: []config.Rule{rule}})
				ctx, cancel := context.WithCancel(as(t, "ann", "dm"))
				defer cancel()
				start, done := time.Now(), make(chan error, 1)
				go func() { done <- call(ctx, e, move, `{}`) }()
				synctest.Wait()
				time.Sleep(time.Second)
				tt.then(t, e, e.Pending()[0].ID, cancel)
				err := <-done
				if got := mcp.CodeOf(err); got != tt.want {
					t.Errorf("Admit = %v, want %q", err, tt.want)
				}
				if took := time.Since(start); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
			})
		})
	}
}

func TestApprovalPassesOneOfMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, access.Options{Rules: []config.Rule{approval(time.Minute)}})
		var passed atomic.Int64
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if call(as(t, "ann", "dm"), e, move, `{}`) == nil {
					passed.Add(1)
				}
			})
		}
		synctest.Wait()
		for want := int64(1); want <= 3; want++ {
			waiting := e.Pending()
			if len(waiting) != 1 {
				t.Fatalf("Pending = %+v, want one", waiting)
			}
			decide(t, e, waiting[0].ID, true)
			synctest.Wait()
			if got := passed.Load(); got != want {
				t.Errorf("%d calls passed, want %d", got, want)
			}
		}
		wg.Wait()
		if got := passed.Load(); got != 3 {
			t.Errorf("%d calls passed, want 3", got)
		}
	})
}

// TestAwaited checks how long an engine is kept for waiting calls and for those that may
// be repeated.
func TestAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, access.Options{Rules: []config.Rule{approval(0)}})
		ann, bob := as(t, "ann", "dm"), as(t, "bob", "dm")
		awaited := func(when string, want time.Duration) {
			t.Helper()
			got := time.Until(e.Awaited())
			if want == 0 && !e.Awaited().IsZero() || want > 0 && got != want {
				t.Errorf("%s: awaited for %v, want %v", when, got, want)
			}
		}
		const keep = 10 * time.Minute
		awaited("nothing asked", 0)
		id := ask(t, ann, e, "{}")
		awaited("asked", keep)
		time.Sleep(time.Minute)
		awaited("a minute later", keep-time.Minute)
		decide(t, e, id, true)
		awaited("granted", keep)
		time.Sleep(time.Minute)
		ask(t, bob, e, "{}")
		awaited("another asked", keep)
		if err := call(ann, e, move, "{}"); err != nil {
			t.Errorf("the granted call: %v", err)
		}
		awaited("the grant was used", keep)
		e.Withdraw("bob")
		awaited("the other was withdrawn", 0)
		ask(t, bob, e, "{}")
		time.Sleep(keep)
		awaited("expired", 0)
	})
}

func TestDecide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, access.Options{Rules: []config.Rule{approval(0)}})
		id := ask(t, as(t, "ann", "dm"), e, `{}`)
		tests := []struct {
			name, id, by string
			want         mcp.Code
		}{
			{"unknown", "nosuchid", "operator", mcp.CodeInvalidInput},
			{"empty", "", "operator", mcp.CodeInvalidInput},
			{"by_nobody", id, "", mcp.CodeInvalidInput},
			{"by_the_asker", id, "ann", mcp.CodeForbidden},
			{"by_another", id, "bob", ""},
		}
		for _, tt := range tests {
			if got := mcp.CodeOf(e.Decide(tt.id, true, tt.by)); got != tt.want {
				t.Errorf("%s: Decide = %q, want %q", tt.name, got, tt.want)
			}
		}
		tooLate := func(when string) {
			t.Helper()
			var first *access.DecidedError
			if err := e.Decide(id, false, "operator"); !errors.As(err, &first) || *first != (access.DecidedError{By: "bob", Granted: true}) || mcp.CodeOf(err) != mcp.CodeInvalidInput {
				t.Errorf("deciding %s: %v, want to be told that bob granted it", when, err)
			}
		}
		tooLate("a second time")
		if err := call(as(t, "ann", "dm"), e, move, `{}`); err != nil {
			t.Errorf("the first decision: %v, want it to stand", err)
		}
		tooLate("once it passed")
		id = ask(t, as(t, "ann", "dm"), e, `{}`)
		time.Sleep(10 * time.Minute)
		if err := e.Decide(id, true, "operator"); mcp.CodeOf(err) != mcp.CodeInvalidInput {
			t.Errorf("deciding on an expired id: %v, want invalid_input", err)
		}
	})
}

func TestApprovalsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, access.Options{Rules: []config.Rule{approval(0)}})
		crowded := func(who string, i int) bool {
			t.Helper()
			no := refusal(t, call(as(t, who, "dm"), e, move, fmt.Sprintf(`{"i":%d}`, i)))
			switch no.Code {
			case mcp.CodePendingApproval:
				return false
			case mcp.CodeCapacityExceeded:
				return true
			}
			t.Fatalf("refusal = %+v", no)
			return false
		}
		for i := range 64 {
			if crowded("a", i) {
				t.Fatalf("call %d of one client found no room", i)
			}
		}
		if !crowded("a", 64) {
			t.Error("one client may fill more than a quarter")
		}
		if crowded("a", 0) {
			t.Error("a call that already waits was refused")
		}
		for _, who := range []string{"b", "c", "d"} {
			for i := range 64 {
				if crowded(who, i) {
					t.Fatalf("call %d of %s found no room", i, who)
				}
			}
		}
		if !crowded("e", 0) || len(e.Pending()) != 256 {
			t.Errorf("%d calls wait, want 256 and no more", len(e.Pending()))
		}
		time.Sleep(10 * time.Minute)
		if crowded("e", 0) || len(e.Pending()) != 1 {
			t.Errorf("%d calls wait once the others expired, want 1", len(e.Pending()))
		}
	})
}

// TestGrantIsNotLost checks that a grant survives a call that is refused for another
// reason.
func TestGrantIsNotLost(t *testing.T) {
	t.Run("limit_reached_while_waiting", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			rule := approval(time.Minute)
			rule.Expires = config.Duration(24 * time.Hour)
			e := engine(t, access.Options{Rules: []config.Rule{rule, rateLimit("slow", 1, time.Hour)}})
			ann := as(t, "ann", "dm")
			var codes [2]mcp.Code
			var wg sync.WaitGroup
			for i := range codes {
				wg.Go(func() { codes[i] = mcp.CodeOf(call(ann, e, move, fmt.Sprintf(`{"i":%d}`, i))) })
			}
			synctest.Wait()
			for _, p := range e.Pending() {
				decide(t, e, p.ID, true)
			}
			wg.Wait()
			late := slices.Index(codes[:], mcp.CodeCapacityExceeded)
			if late < 0 || codes[1-late] != "" {
				t.Fatalf("codes = %q, want one call to pass and one over the limit", codes)
			}
			time.Sleep(time.Hour)
			if err := call(ann, e, move, fmt.Sprintf(`{"i":%d}`, late)); err != nil {
				t.Errorf("once there is room: %v, want the grant to count", err)
			}
		})
	})
	t.Run("window_closed_while_waiting", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			rule := approval(time.Minute)
			rule.Expires = config.Duration(24 * time.Hour)
			night := config.Rule{Name: "night", Kind: config.RuleTimeWindow, From: "23:00", To: "00:01"}
			e := engine(t, access.Options{Rules: []config.Rule{rule, night}})
			ann := as(t, "ann", "dm")
			time.Sleep(30 * time.Second)
			done := make(chan error, 1)
			go func() { done <- call(ann, e, move, `{}`) }()
			synctest.Wait()
			time.Sleep(40 * time.Second)
			decide(t, e, e.Pending()[0].ID, true)
			if no := refusal(t, <-done); no.Rule != "night" {
				t.Fatalf("refused by %q, want night", no.Rule)
			}
			time.Sleep(23 * time.Hour)
			if err := call(ann, e, move, `{}`); err != nil {
				t.Errorf("in the next window: %v, want the grant to count", err)
			}
		})
	})
	t.Run("caller_left", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e := engine(t, access.Options{Rules: []config.Rule{approval(time.Minute)}})
			ctx, cancel := context.WithCancel(as(t, "ann", "dm"))
			go cancel()
			id := ask(t, ctx, e, `{}`)
			decide(t, e, id, true)
			if again := ask(t, ctx, e, `{}`); again != id {
				t.Errorf("id = %s, want %s", again, id)
			}
			if err := call(as(t, "ann", "dm"), e, move, `{}`); err != nil {
				t.Errorf("who comes back: %v, want nil", err)
			}
		})
	})
}

func TestForbiddenCallsAskNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, access.Options{
			Rules:  []config.Rule{approval(0), rateLimit("slow", 1, time.Hour, "move_*")},
			Limits: config.Limits{Burst: 3},
		})
		if no := refusal(t, call(as(t, "ann", "player.limited"), e, move, `{}`)); no.Code != mcp.CodeForbidden || no.Rule != "" || no.Approval != "" {
			t.Errorf("refusal = %+v, want forbidden and nothing more", no)
		}
		if got := e.Pending(); len(got) != 0 {
			t.Errorf("Pending = %+v, want none", got)
		}
		// Asking takes the game master's time, so each request costs one of the client's
		// calls, but does not count towards a rate limit.
		dm := as(t, "bob", "dm")
		id := ask(t, dm, e, `{}`)
		ask(t, dm, e, `{}`)
		decide(t, e, id, true)
		if err := call(dm, e, move, `{}`); err != nil {
			t.Errorf("granted: %v, want nil", err)
		}
		for _, tool := range []mcp.Target{roll, writing("move_back", access.WorldWrite)} {
			if no := refusal(t, call(dm, e, tool, `{}`)); no.Code != mcp.CodeCapacityExceeded {
				t.Errorf("refusal = %+v, want the client's own budget used up", no)
			}
		}
		if got := e.Pending(); len(got) != 0 {
			t.Errorf("Pending = %+v, want none of a client without budget", got)
		}
	})
}

// TestPendingChanged checks that each call is reported when it starts and when it stops
// to wait, and that a decision is kept until its caller is withdrawn.
func TestPendingChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, access.Options{Rules: []config.Rule{approval(0)}})
		ann := as(t, "ann", "dm")
		var changed <-chan struct{}
		told := func(what string, want bool) {
			t.Helper()
			got := false
			select {
			case <-changed:
				got = true
			default:
			}
			if got != want {
				t.Errorf("%s: told %v, want %v", what, got, want)
			}
			changed = e.PendingChanged()
		}
		changed = e.PendingChanged()
		told("nothing", false)
		id := ask(t, ann, e, `{}`)
		told("a call", true)
		ask(t, ann, e, `{}`)
		told("the same call", false)
		if d, is := e.Decision(id); is {
			t.Errorf("Decision = %+v before there is one", d)
		}
		decide(t, e, id, false)
		told("denied", true)
		if d, is := e.Decision(" " + strings.ToUpper(id)); !is || d.By != "operator" || d.Granted || d.Tool != "move_entity" || d.Caller != "ann" {
			t.Errorf("Decision = %+v, %v, want the operator to have denied move_entity to ann", d, is)
		}
		e.Withdraw("ann")
		told("withdrawn", true)
		if d, is := e.Decision(id); is {
			t.Errorf("Decision = %+v after its caller was forgotten", d)
		}
		first := ""
		for i := range 257 {
			id := ask(t, ann, e, fmt.Sprintf(`{"i":%d}`, i))
			decide(t, e, id, true)
			if err := call(ann, e, move, fmt.Sprintf(`{"i":%d}`, i)); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = id
			}
			time.Sleep(time.Second) // spares the client's budget
		}
		if d, is := e.Decision(first); is {
			t.Errorf("Decision = %+v after 256 others", d)
		}
	})
}

package access_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// list splits a comma-separated list; an empty text is nil.
func list(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// FuzzPolicy checks that New and Check agree about any rule and any profile, and that an
// accepted policy decides any call without a panic.
func FuzzPolicy(f *testing.F) {
	add := func(r config.Rule, profile, tool, permission string) {
		f.Add(r.Name, r.Kind, strings.Join(r.Who, ","), strings.Join(r.Tools, ","), r.Calls, int64(r.Window),
			r.From, r.To, strings.Join(r.Days, ","), r.Zone, strings.Join(r.Grant, ","), strings.Join(r.Revoke, ","),
			r.Until, int64(r.Expires), int64(r.Wait), profile, tool, permission)
	}
	for _, bad := range badRules() {
		add(bad.rule, "own", "roll", access.DiceRoll)
	}
	for _, good := range append(benchRules(), approval(time.Minute)) {
		add(good, "dm", "move_entity", access.WorldWrite)
	}
	f.Fuzz(func(t *testing.T, name, kind, who, tools string, calls int, window int64,
		from, to, days, zone, grant, revoke, until string, expires, wait int64, profile, tool, permission string,
	) {
		s := config.Server{
			Profiles: map[string]config.Profile{profile: {Permissions: list(permission)}},
			Policy: []config.Rule{{
				Name: name, Kind: kind, Who: list(who), Tools: list(tools), Calls: calls, Window: config.Duration(window),
				From: from, To: to, Days: list(days), Zone: zone, Grant: list(grant), Revoke: list(revoke),
				Until: until, Expires: config.Duration(expires), Wait: config.Duration(wait),
			}},
		}
		if permission == "" || profile == "dm" {
			s.Profiles = nil
		}
		problems := access.Check(s)
		e, err := access.New(access.Options{Profiles: s.Profiles, Rules: s.Policy})
		if (err == nil) != (len(problems) == 0) {
			t.Fatalf("New = %v, Check = %v", err, problems)
		}
		if err != nil {
			if !errors.Is(err, access.ErrInvalid) {
				t.Errorf("New = %v, want invalid policy", err)
			}
			return
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel() // no call waits for approval
		target := mcp.Target{Tool: tool, Permission: permission, Needs: []mcp.Target{{Tool: tool, ReadOnly: true}}}
		for _, ctx := range []context.Context{
			access.WithSubject(gone, &access.Subject{Name: name, Profile: access.Profile{Name: profile}}),
			mcp.WithCaller(gone, mcp.Caller{NPC: name}),
		} {
			listed := e.Permits(ctx, target)
			called := e.Admit(ctx, &mcp.Call{Target: target, Args: zone})
			for _, err := range []error{listed, called} {
				var no *mcp.Refusal
				if err != nil && (!errors.As(err, &no) || no.Reason == "" || no.RetryAfter < 0) {
					t.Errorf("err = %#v, want a refusal with a reason", err)
				}
			}
			if listed != nil && mcp.CodeOf(called) != mcp.CodeForbidden {
				t.Errorf("Permits = %v, but Admit = %v", listed, called)
			}
		}
		if err := e.Run(gone); err != nil {
			t.Errorf("Run = %v, want nil", err)
		}
	})
}

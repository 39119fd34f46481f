package access_test

import (
	"context"
	"path"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// world is a random policy, caller and call.
type world struct {
	options access.Options
	client  string // name of the client, if the caller is one
	profile string
	npc     string
	target  mcp.Target
	after   time.Duration
}

func drawWorld(t *rapid.T) world {
	w := world{options: access.Options{
		Profiles: map[string]config.Profile{"own": {Permissions: drawPermissions(t, "own")}},
		ReadOnly: rapid.Bool().Draw(t, "read_only"),
		Limits:   config.Limits{Burst: 1_000_000},
	}}
	for range rapid.IntRange(0, 5).Draw(t, "rules") {
		r := drawRule(t)
		r.Name = string(rune('a' + len(w.options.Rules)))
		w.options.Rules = append(w.options.Rules, r)
	}
	switch rapid.SampledFrom([]string{"client", "client", "client", "npc", "operator"}).Draw(t, "caller") {
	case "client":
		w.client = rapid.SampledFrom([]string{"ann", "bob", "bot-1", "npc:bart"}).Draw(t, "client")
		names := []string{"own", "nosuch", ""}
		for _, p := range access.BuiltinProfiles() {
			names = append(names, p.Name)
		}
		w.profile = rapid.SampledFrom(names).Draw(t, "profile")
	case "npc":
		w.npc = rapid.SampledFrom([]string{"bart", "mira"}).Draw(t, "npc")
	}
	w.target = drawTarget(t, 2)
	w.after = time.Duration(rapid.IntRange(0, 7*24*60).Draw(t, "minute")) * time.Minute
	return w
}

func drawPermissions(t *rapid.T, label string) []string {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(access.Permissions()), 0, 5, rapid.ID[string]).Draw(t, label)
}

func drawRule(t *rapid.T) config.Rule {
	r := config.Rule{
		Who:   rapid.SliceOfN(rapid.SampledFrom([]string{"*", "ann", "b*", "npc:*", "bot-?", "zoe"}), 0, 2).Draw(t, "who"),
		Tools: rapid.SliceOfN(rapid.SampledFrom([]string{"*", "roll", "w*", "?a*", "none"}), 1, 2).Draw(t, "tools"),
	}
	r.Kind = rapid.SampledFrom([]string{config.RuleToolRestriction, config.RuleTimeWindow, config.RulePermissionOverride}).Draw(t, "kind")
	switch r.Kind {
	case config.RuleTimeWindow:
		clocks := rapid.Permutation([]string{"00:00", "01:30", "08:00", "17:59", "23:59"}).Draw(t, "clocks")
		r.From, r.To = clocks[0], clocks[1]
		r.Days = rapid.SliceOfN(rapid.SampledFrom([]string{"mon", "sat", "sun"}), 0, 2).Draw(t, "days")
	case config.RulePermissionOverride:
		r.Grant = drawPermissions(t, "grant")
		r.Revoke = slices.DeleteFunc(drawPermissions(t, "revoke"), func(p string) bool { return slices.Contains(r.Grant, p) })
		if len(r.Grant)+len(r.Revoke) == 0 {
			r.Grant = []string{access.DiceRoll}
		}
		r.Until = rapid.SampledFrom([]string{"", "2000-01-03T12:00:00Z", "1999-01-01T00:00:00Z"}).Draw(t, "until")
	}
	return r
}

func drawTarget(t *rapid.T, depth int) mcp.Target {
	out := mcp.Target{
		Tool:       rapid.SampledFrom([]string{"roll", "write", "walk", "batch", "scan"}).Draw(t, "tool"),
		Source:     "builtin",
		Permission: rapid.SampledFrom(append(access.Permissions(), "", "", "", "no.such")).Draw(t, "permission"),
		ReadOnly:   rapid.Bool().Draw(t, "tool_reads"),
	}
	if depth > 0 {
		for range rapid.IntRange(0, 2).Draw(t, "needs") {
			out.Needs = append(out.Needs, drawTarget(t, depth-1))
		}
	}
	return out
}

func (w *world) context(ctx context.Context) context.Context {
	switch {
	case w.client != "":
		return access.WithSubject(ctx, &access.Subject{Name: w.client, Profile: access.Profile{Name: w.profile}})
	case w.npc != "":
		return mcp.WithCaller(ctx, mcp.Caller{NPC: w.npc})
	}
	return ctx
}

// allows is an independent implementation of Permits.
func (w *world) allows(t mcp.Target, now time.Time) bool {
	if w.client == "" && w.npc == "" {
		return true
	}
	who := w.client
	if who == "" {
		who = "npc:" + w.npc
	}
	var granted, revoked []string
	for _, r := range w.options.Rules {
		if !anyMatches(r.Who, who) || !anyMatches(r.Tools, t.Tool) {
			continue
		}
		switch r.Kind {
		case config.RuleToolRestriction:
			return false
		case config.RuleTimeWindow:
			if !isOpen(r, now) {
				return false
			}
		case config.RulePermissionOverride:
			if r.Until == "" || now.Format(time.RFC3339) < r.Until {
				granted, revoked = append(granted, r.Grant...), append(revoked, r.Revoke...)
			}
		}
	}
	if slices.Contains(revoked, t.Permission) {
		return false
	}
	if t.Permission != "" {
		held := append(w.held(), granted...)
		if w.options.ReadOnly && !t.ReadOnly || w.client != "" && !slices.Contains(held, t.Permission) {
			return false
		}
	}
	return !slices.ContainsFunc(t.Needs, func(n mcp.Target) bool { return !w.allows(n, now) })
}

// held returns the permissions of the client's profile.
func (w *world) held() []string {
	for _, p := range access.BuiltinProfiles() {
		if p.Name == w.profile {
			return p.Permissions
		}
	}
	return slices.Clone(w.options.Profiles[w.profile].Permissions)
}

func anyMatches(globs []string, name string) bool {
	return len(globs) == 0 || slices.ContainsFunc(globs, func(g string) bool {
		ok, err := path.Match(g, name)
		return ok && err == nil
	})
}

// isOpen walks back from now to the last time the clock showed the start of the rule's
// hours.
func isOpen(r config.Rule, now time.Time) bool {
	for at := now; ; at = at.Add(-time.Minute) {
		switch at.Format("15:04") {
		case r.From:
			today := at.Format("Mon")
			return len(r.Days) == 0 || slices.ContainsFunc(r.Days, func(d string) bool { return d[1:] == today[1:] })
		case r.To:
			return false
		}
	}
}

// writes reports whether a call of t could change state.
func writes(t mcp.Target) bool {
	return t.Permission != "" && !t.ReadOnly || slices.ContainsFunc(t.Needs, writes)
}

func TestListedMeansCallable(t *testing.T) {
	allowed, refused := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		synctest.Test(t, func(t *testing.T) {
			e, err := access.New(w.options)
			if err != nil {
				rt.Fatalf("New: %v", err)
			}
			time.Sleep(w.after)
			ctx := w.context(t.Context())
			listed := e.Permits(ctx, w.target)
			if want := w.allows(w.target, time.Now()); (listed == nil) != want {
				rt.Errorf("Permits = %v, want allowed: %v", listed, want)
			}
			if listed != nil && mcp.CodeOf(listed) != mcp.CodeForbidden {
				rt.Errorf("Permits = %v, want forbidden", listed)
			}
			called := e.Admit(ctx, &mcp.Call{Target: w.target, Caller: mcp.CallerFrom(ctx), Args: "{}"})
			if (listed == nil) != (called == nil) {
				rt.Errorf("listed: %v, called: %v; want both or neither", listed, called)
			}
			if outsider := w.client != "" || w.npc != ""; outsider && listed == nil && w.options.ReadOnly && writes(w.target) {
				rt.Error("a writing tool came through in read-only mode")
			}
			if listed == nil {
				allowed++
			} else {
				refused++
			}
		})
	})
	if allowed == 0 || refused == 0 {
		t.Errorf("%d calls allowed and %d refused; want some of each", allowed, refused)
	}
}

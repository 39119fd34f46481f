package access_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// In a bubble it is Saturday, 1 January 2000, 00:00 UTC.

func refusal(t testing.TB, err error) *mcp.Refusal {
	t.Helper()
	var no *mcp.Refusal
	if err == nil || !errors.As(err, &no) {
		t.Fatalf("err = %v, want a refusal", err)
	}
	return no
}

func TestToolRestriction(t *testing.T) {
	rules := []config.Rule{{Name: "no-rolls-for-bots", Kind: config.RuleToolRestriction, Who: []string{"bot-*", "npc:bart"}, Tools: []string{"roll*"}}}
	roll, other := target("roll_table", access.DiceRoll), target("lookup", access.RulesRead)
	tests := []struct {
		name   string
		ctx    context.Context
		target mcp.Target
		denied bool
	}{
		{"whom_it_is_for", as(t, "bot-1", "dm"), roll, true},
		{"another_tool", as(t, "bot-1", "dm"), other, false},
		{"somebody_else", as(t, "ann", "dm"), roll, false},
		{"an_npc", asNPC(t, "bart"), roll, true},
		{"another_npc", asNPC(t, "mira"), roll, false},
		{"the_operator", t.Context(), roll, false},
		{"through_a_workflow", as(t, "bot-1", "dm"), writing("w", "", other, roll), true},
		{"a_workflow_without_it", as(t, "bot-1", "dm"), writing("w", "", other), false},
		{"a_workflow_of_that_name", as(t, "bot-1", "dm"), writing("roll_all", "", other), true},
	}
	e := engine(t, access.Options{Rules: rules})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := e.Permits(tt.ctx, tt.target)
			if (err != nil) != tt.denied {
				t.Fatalf("Permits = %v, want denied: %v", err, tt.denied)
			}
			if tt.denied {
				if no := refusal(t, err); no.Code != mcp.CodeForbidden || no.Rule != "no-rolls-for-bots" || no.Hint == "" {
					t.Errorf("refusal = %+v, want forbidden by the rule, with a hint", no)
				}
			}
		})
	}
}

func TestFirstDenialWins(t *testing.T) {
	rules := []config.Rule{
		{Name: "others", Kind: config.RuleToolRestriction, Who: []string{"ann"}, Tools: []string{"*"}},
		{Name: "first", Kind: config.RuleToolRestriction, Tools: []string{"ro*"}},
		{Name: "second", Kind: config.RuleToolRestriction, Tools: []string{"roll"}},
	}
	e := engine(t, access.Options{Rules: rules})
	if no := refusal(t, e.Permits(as(t, "bob", "dm"), target("roll", access.DiceRoll))); no.Rule != "first" {
		t.Errorf("refused by %q, want first", no.Rule)
	}
	// Without the permission, rules are not evaluated.
	if no := refusal(t, e.Permits(as(t, "bob", "player.limited"), target("roll", access.AuditRead))); no.Rule != "" || no.RetryAfter != 0 {
		t.Errorf("refusal = %+v, want none of a rule", no)
	}
}

func TestTimeWindow(t *testing.T) {
	evening := config.Rule{Name: "evening", Kind: config.RuleTimeWindow, Tools: []string{"roll"}, From: "18:00", To: "01:30"}
	berlin := evening
	berlin.Zone = "Europe/Berlin"
	friday := evening
	friday.Days = []string{"fri"}
	roll := target("roll", access.DiceRoll)
	tests := []struct {
		name  string
		rule  config.Rule
		after time.Duration
		// retry is 0 if the call is allowed.
		retry time.Duration
	}{
		{"night_wraps", evening, time.Hour, 0},
		{"night_is_over", evening, 90 * time.Minute, 16*time.Hour + 30*time.Minute},
		{"just_before", evening, 18*time.Hour - time.Nanosecond, time.Millisecond},
		{"begins", evening, 18 * time.Hour, 0},
		{"zone_is_ahead", berlin, time.Hour, 16 * time.Hour},
		{"zone_begins", berlin, 17 * time.Hour, 0},
		{"night_after_friday", friday, time.Hour, 0},
		{"not_on_saturday", friday, 18 * time.Hour, 6 * 24 * time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := engine(t, access.Options{Rules: []config.Rule{tt.rule}})
				time.Sleep(tt.after)
				err := e.Permits(as(t, "a", "dm"), roll)
				if tt.retry == 0 {
					if err != nil {
						t.Errorf("Permits = %v, want nil", err)
					}
					return
				}
				if no := refusal(t, err); no.Code != mcp.CodeForbidden || no.Rule != "evening" || no.RetryAfter != tt.retry {
					t.Errorf("refusal = %+v, want forbidden by evening for %v", no, tt.retry)
				}
				if err := e.Permits(as(t, "a", "dm"), target("other", access.DiceRoll)); err != nil {
					t.Errorf("Permits(other) = %v, want nil", err)
				}
			})
		})
	}
}

func TestPermissionOverride(t *testing.T) {
	grant := config.Rule{Name: "lend", Kind: config.RulePermissionOverride, Who: []string{"ann"}, Grant: []string{access.WorldWrite}, Until: "2000-01-01T01:00:00Z"}
	revoke := config.Rule{Name: "freeze", Kind: config.RulePermissionOverride, Who: []string{"npc:*", "bob"}, Revoke: []string{access.WorldWrite}, Until: "2000-01-01T01:00:00Z"}
	forever := config.Rule{Name: "never", Kind: config.RulePermissionOverride, Revoke: []string{access.WorldWrite}}
	oneTool := config.Rule{Name: "one", Kind: config.RulePermissionOverride, Tools: []string{"move_*"}, Grant: []string{access.WorldWrite}}
	move := writing("move_entity", access.WorldWrite)
	tests := []struct {
		name    string
		rules   []config.Rule
		ctx     context.Context
		target  mcp.Target
		now     bool // allowed at first
		later   bool // allowed after an hour
		byRule  string
		waiting time.Duration
	}{
		{"granted", []config.Rule{grant}, as(t, "ann", "player.limited"), move, true, false, "", 0},
		{"granted_to_another", []config.Rule{grant}, as(t, "eve", "player.limited"), move, false, false, "", 0},
		{"grants_no_other_permission", []config.Rule{grant}, as(t, "ann", "player.limited"), writing("x", access.FilesWrite), false, false, "", 0},
		{"grants_nothing_unknown", []config.Rule{grant}, as(t, "ann", "player.limited"), writing("x", "world.rule"), false, false, "", 0},
		{"granted_for_one_tool", []config.Rule{oneTool}, as(t, "eve", "player.limited"), move, true, true, "", 0},
		{"granted_for_another_tool", []config.Rule{oneTool}, as(t, "eve", "player.limited"), writing("x", access.WorldWrite), false, false, "", 0},
		{"revoked", []config.Rule{revoke}, as(t, "bob", "dm"), move, false, true, "freeze", time.Hour},
		{"revoked_from_npcs", []config.Rule{revoke}, asNPC(t, "bart"), move, false, true, "freeze", time.Hour},
		{"revoked_from_others", []config.Rule{revoke}, as(t, "ann", "dm"), move, true, true, "", 0},
		{"revoked_for_ever", []config.Rule{forever}, as(t, "ann", "dm"), move, false, false, "never", 0},
		{"revoke_wins_over_an_earlier_grant", []config.Rule{grant, forever}, as(t, "ann", "player.limited"), move, false, false, "never", 0},
		{"revoke_wins_over_a_later_grant", []config.Rule{forever, grant}, as(t, "ann", "player.limited"), move, false, false, "never", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := engine(t, access.Options{Rules: tt.rules})
				err := e.Permits(tt.ctx, tt.target)
				if (err == nil) != tt.now {
					t.Fatalf("Permits = %v, want allowed: %v", err, tt.now)
				}
				if !tt.now {
					if no := refusal(t, err); no.Rule != tt.byRule || no.RetryAfter != tt.waiting {
						t.Errorf("refusal = %+v, want by %q for %v", no, tt.byRule, tt.waiting)
					}
				}
				time.Sleep(time.Hour - time.Nanosecond)
				if err := e.Permits(tt.ctx, tt.target); (err == nil) != tt.now {
					t.Errorf("just before the end Permits = %v, want allowed: %v", err, tt.now)
				}
				time.Sleep(time.Nanosecond)
				if err := e.Permits(tt.ctx, tt.target); (err == nil) != tt.later {
					t.Errorf("at the end Permits = %v, want allowed: %v", err, tt.later)
				}
			})
		})
	}
}

func TestGrantDoesNotLiftReadOnly(t *testing.T) {
	e := engine(t, access.Options{ReadOnly: true, Rules: []config.Rule{
		{Name: "all", Kind: config.RulePermissionOverride, Grant: access.Permissions()},
	}})
	move := writing("move_entity", access.WorldWrite)
	if err := e.Permits(as(t, "ann", "dm"), move); mcp.CodeOf(err) != mcp.CodeForbidden {
		t.Errorf("Permits = %v, want forbidden", err)
	}
}

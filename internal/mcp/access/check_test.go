package access_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// badRule is a rule with one error, and the path of that error.
type badRule struct {
	name string
	rule config.Rule
	path string
	says string
}

func badRules() []badRule {
	limit := func(change func(*config.Rule)) config.Rule {
		r := rateLimit("r", 1, time.Second)
		change(&r)
		return r
	}
	window := func(change func(*config.Rule)) config.Rule {
		r := config.Rule{Name: "r", Kind: config.RuleTimeWindow, From: "18:00", To: "22:00"}
		change(&r)
		return r
	}
	override := func(change func(*config.Rule)) config.Rule {
		r := config.Rule{Name: "r", Kind: config.RulePermissionOverride, Grant: []string{access.DiceRoll}}
		change(&r)
		return r
	}
	ask := func(change func(*config.Rule)) config.Rule {
		r := config.Rule{Name: "r", Kind: config.RuleApproval}
		change(&r)
		return r
	}
	const second, hour = config.Duration(time.Second), config.Duration(time.Hour)
	return []badRule{
		{"no_name", limit(func(r *config.Rule) { r.Name = "" }), "policy[0].name", "readable"},
		{"long_name", limit(func(r *config.Rule) { r.Name = strings.Repeat("x", 65) }), "policy[0].name", "readable"},
		{"invisible_name", limit(func(r *config.Rule) { r.Name = "a\u202eb" }), "policy[0].name", "readable"},
		{"no_kind", limit(func(r *config.Rule) { r.Kind = "" }), "policy[0].rule", "rate_limit"},
		{"misspelt_kind", limit(func(r *config.Rule) { r.Kind = "rate-limits" }), "policy[0].rule", `did you mean "rate_limit"?`},
		{"empty_who", limit(func(r *config.Rule) { r.Who = []string{"a", ""} }), "policy[0].who[1]", "* stands for any"},
		{"class_in_who", limit(func(r *config.Rule) { r.Who = []string{"a[bc]"} }), "policy[0].who[0]", "* stands for any"},
		{"backslash_in_tools", limit(func(r *config.Rule) { r.Tools = []string{`a\*`} }), "policy[0].tools[0]", "* stands for any"},
		{"list_in_tools", limit(func(r *config.Rule) { r.Tools = []string{"{a,b}"} }), "policy[0].tools[0]", "* stands for any"},
		{"space_around_tools", limit(func(r *config.Rule) { r.Tools = []string{" roll"} }), "policy[0].tools[0]", "* stands for any"},
		{"no_calls", limit(func(r *config.Rule) { r.Calls = 0 }), "policy[0].calls", "1 to 10000"},
		{"too_many_calls", limit(func(r *config.Rule) { r.Calls = 10_001 }), "policy[0].calls", "1 to 10000"},
		{"no_window", limit(func(r *config.Rule) { r.Window = 0 }), "policy[0].window", "1ms to 24h"},
		{"long_window", limit(func(r *config.Rule) { r.Window = 25 * hour }), "policy[0].window", "1ms to 24h"},
		{"no_from", window(func(r *config.Rule) { r.From = "" }), "policy[0].from", "add it"},
		{"no_to", window(func(r *config.Rule) { r.To = "" }), "policy[0].to", "add it"},
		{"short_from", window(func(r *config.Rule) { r.From = "8:00" }), "policy[0].from", "18:00"},
		{"late_to", window(func(r *config.Rule) { r.To = "24:00" }), "policy[0].to", "18:00"},
		{"no_time_between", window(func(r *config.Rule) { r.To = r.From }), "policy[0].to", "between"},
		{"unknown_day", window(func(r *config.Rule) { r.Days = []string{"mon", "Tuesday"} }), "policy[0].days[1]", "tue"},
		{"unknown_zone", window(func(r *config.Rule) { r.Zone = "Europe/Waterdeep" }), "policy[0].zone", "Europe/Berlin"},
		{"zone_leads_elsewhere", window(func(r *config.Rule) { r.Zone = "../../etc/passwd" }), "policy[0].zone", "Europe/Berlin"},
		{"no_tools_to_restrict", config.Rule{Name: "r", Kind: config.RuleToolRestriction}, "policy[0].tools", `"*" for all`},
		{"overrides_nothing", override(func(r *config.Rule) { r.Grant = nil }), "policy[0]", "add grant or revoke"},
		{"unknown_grant", override(func(r *config.Rule) { r.Grant = []string{"dice.rol"} }), "policy[0].grant[0]", `did you mean "dice.roll"?`},
		{"unknown_revoke", override(func(r *config.Rule) { r.Revoke = []string{"*"} }), "policy[0].revoke[0]", "use one of"},
		{"grants_what_it_revokes", override(func(r *config.Rule) { r.Revoke = r.Grant }), "policy[0].revoke[0]", "one of them"},
		{"bad_until", override(func(r *config.Rule) { r.Until = "tomorrow" }), "policy[0].until", "2027"},
		{"expires_at_once", ask(func(r *config.Rule) { r.Expires = second / 2 }), "policy[0].expires", "10m"},
		{"expires_late", ask(func(r *config.Rule) { r.Expires = 25 * hour }), "policy[0].expires", "10m"},
		{"negative_wait", ask(func(r *config.Rule) { r.Wait = -second }), "policy[0].wait", "0s to 5m"},
		{"long_wait", ask(func(r *config.Rule) { r.Wait = hour }), "policy[0].wait", "0s to 5m"},
	}
}

func TestCheckRules(t *testing.T) {
	for _, tt := range badRules() {
		t.Run(tt.name, func(t *testing.T) {
			got := access.Check(config.Server{Policy: []config.Rule{tt.rule}})
			if len(got) != 1 || got[0].Path != tt.path || !strings.Contains(got[0].Fix, tt.says) {
				t.Fatalf("Check = %v, want one problem at %s that says %q", got, tt.path, tt.says)
			}
			if tt.rule.Name != "" && !strings.Contains(got[0].String(), `rule "`) {
				t.Errorf("fault = %q, want the name of the rule", got[0])
			}
			e, err := access.New(access.Options{Rules: []config.Rule{tt.rule}})
			if e != nil || !errors.Is(err, access.ErrInvalid) || !strings.Contains(err.Error(), tt.path) {
				t.Errorf("New = %v, %v, want no engine and an error about %s", e, err, tt.path)
			}
		})
	}
}

func TestCheckTheRest(t *testing.T) {
	profiles := func(name string, p config.Profile) config.Server {
		return config.Server{Profiles: map[string]config.Profile{name: p}}
	}
	fine := rateLimit("r", 1, time.Second)
	tests := []struct {
		name   string
		server config.Server
		want   []string // paths
	}{
		{"nothing", config.Server{}, nil},
		{"good_rule", config.Server{Policy: []config.Rule{fine}}, nil},
		{"good_profile", profiles("bard", config.Profile{Permissions: []string{access.DiceRoll}, Sees: config.SeesCommon}), nil},
		{"name_twice", config.Server{Policy: []config.Rule{fine, fine}}, []string{"policy[1].name"}},
		{"built_in_profile", profiles("dm", config.Profile{}), []string{"profiles.dm"}},
		{"built_in_profile_in_other_case", profiles("DM", config.Profile{}), []string{"profiles.DM"}},
		{"nameless_profile", profiles("", config.Profile{}), []string{"profiles."}},
		{"unknown_permission", profiles("bard", config.Profile{Permissions: []string{access.DiceRoll, "sing"}}), []string{"profiles.bard.permissions[1]"}},
		{"sees_something_else", profiles("bard", config.Profile{Sees: "nothing"}), []string{"profiles.bard.sees"}},
		{"negative_burst", config.Server{Limits: config.Limits{Burst: -1}}, []string{"limits.burst"}},
		{"negative_rate", config.Server{Limits: config.Limits{PerSecond: -1}}, []string{"limits.per_second"}},
		{"no_number", config.Server{Limits: config.Limits{PerSecond: math.NaN()}}, []string{"limits.per_second"}},
		{"endless_rate", config.Server{Limits: config.Limits{PerSecond: math.Inf(1)}}, []string{"limits.per_second"}},
		{"all_at_once", config.Server{
			Profiles: map[string]config.Profile{"dm": {Permissions: []string{"sing"}}},
			Policy:   []config.Rule{{}, {Name: "x", Kind: config.RuleTimeWindow, Zone: "x"}},
			Limits:   config.Limits{Burst: -1},
		}, []string{
			"profiles.dm", "profiles.dm.permissions[0]", "policy[0].name", "policy[0].rule",
			"policy[1].from", "policy[1].to", "policy[1].zone", "limits.burst",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, p := range access.Check(tt.server) {
				got = append(got, p.Path)
				if p.What == "" || p.Fix == "" {
					t.Errorf("problem %+v says too little", p)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("Check = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNamesAgreeWithTheConfiguration(t *testing.T) {
	var names []string
	for _, p := range access.BuiltinProfiles() {
		names = append(names, p.Name)
		for _, permission := range p.Permissions {
			if !slices.Contains(access.Permissions(), permission) {
				t.Errorf("profile %q holds the unknown permission %q", p.Name, permission)
			}
		}
	}
	want := config.KnownProfiles()
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("BuiltinProfiles = %q, the configuration knows %q", names, want)
	}
}

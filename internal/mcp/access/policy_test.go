package access_test

import (
	"context"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// engine returns an engine for o, which must be valid.
func engine(t testing.TB, o access.Options) *access.Engine {
	t.Helper()
	e, err := access.New(o)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return e
}

// as returns a context in which the client name calls with a profile.
func as(t testing.TB, name, profile string) context.Context {
	return access.WithSubject(t.Context(), &access.Subject{Name: name, Profile: access.Profile{Name: profile}})
}

func asNPC(t testing.TB, id string) context.Context {
	return mcp.WithCaller(t.Context(), mcp.Caller{NPC: id})
}

func target(tool, permission string) mcp.Target {
	return mcp.Target{Tool: tool, Source: "builtin", Permission: permission, ReadOnly: true}
}

func writing(tool, permission string, needs ...mcp.Target) mcp.Target {
	return mcp.Target{Tool: tool, Source: "builtin", Permission: permission, Needs: needs}
}

func TestPermits(t *testing.T) {
	roll, move := target("roll", access.DiceRoll), writing("move_entity", access.WorldWrite)
	workflow := writing("arrival", "", roll, move)
	deep := roll
	for range 20 {
		deep = writing("w", "", deep)
	}
	tests := []struct {
		name     string
		ctx      context.Context
		target   mcp.Target
		readOnly bool
		want     mcp.Code
	}{
		{"operator", t.Context(), move, false, ""},
		{"operator_in_read_only_mode", t.Context(), move, true, ""},
		{"holder", as(t, "a", "builder.readWrite"), move, false, ""},
		{"holder_in_read_only_mode", as(t, "a", "builder.readWrite"), move, true, mcp.CodeForbidden},
		{"reader_in_read_only_mode", as(t, "a", "builder.readWrite"), roll, true, ""},
		{"lacks_permission", as(t, "a", "player.limited"), move, false, mcp.CodeForbidden},
		{"unknown_profile", as(t, "a", "nosuch"), roll, false, mcp.CodeForbidden},
		{"no_profile", as(t, "a", ""), roll, false, mcp.CodeForbidden},
		{"no_subject_at_all", access.WithSubject(t.Context(), nil), roll, false, mcp.CodeForbidden},
		{"client_nobody_identified", mcp.WithCaller(t.Context(), mcp.Caller{Client: "dm"}), roll, false, mcp.CodeForbidden},
		{"unknown_permission", as(t, "a", "dm"), target("x", "dice.throw"), false, mcp.CodeForbidden},
		{"npc_needs_no_permission", asNPC(t, "bart"), move, false, ""},
		{"npc_in_read_only_mode", asNPC(t, "bart"), move, true, mcp.CodeForbidden},
		{"npc_unknown_permission", asNPC(t, "bart"), target("x", "dice.throw"), false, ""},
		{"workflow_all_needs", as(t, "a", "dm"), workflow, false, ""},
		{"workflow_lacks_a_need", as(t, "a", "player.full"), workflow, false, mcp.CodeForbidden},
		{"workflow_writes_in_read_only_mode", as(t, "a", "dm"), workflow, true, mcp.CodeForbidden},
		{"workflow_reads_in_read_only_mode", as(t, "a", "dm"), writing("w", "", roll), true, ""},
		{"batch_in_read_only_mode", as(t, "a", "dm"), writing("batch", ""), true, ""},
		{"own_permission_and_needs", as(t, "a", "player.limited"), writing("w", access.AuditRead, roll), false, mcp.CodeForbidden},
		{"too_deep", as(t, "a", "dm"), deep, false, mcp.CodeForbidden},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := engine(t, access.Options{ReadOnly: tt.readOnly})
			if got := mcp.CodeOf(e.Permits(tt.ctx, tt.target)); got != tt.want {
				t.Errorf("Permits = %q, want %q", got, tt.want)
			}
			call := &mcp.Call{Target: tt.target, Args: "{}"}
			if got := mcp.CodeOf(e.Admit(tt.ctx, call)); got != tt.want {
				t.Errorf("Admit = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestOwnProfile(t *testing.T) {
	e := engine(t, access.Options{Profiles: map[string]config.Profile{
		"bard": {Permissions: []string{access.DiceRoll}, Sees: config.SeesAll},
	}})
	p, ok := e.Profile("bard")
	if !ok || !p.SeesAll || len(p.Permissions) != 1 {
		t.Errorf("Profile = %+v, %v, want bard with one permission who sees all", p, ok)
	}
	if err := e.Permits(as(t, "a", "bard"), target("roll", access.DiceRoll)); err != nil {
		t.Errorf("Permits = %v, want nil", err)
	}
	// The claims of a hand-made profile do not count.
	forged := &access.Subject{Name: "a", Profile: access.Profile{Name: "bard", Permissions: access.Permissions()}}
	if err := e.Permits(access.WithSubject(t.Context(), forged), target("x", access.AuditRead)); err == nil {
		t.Error("a forged profile was believed")
	}
	p.Permissions[0] = access.AuditRead
	if again, _ := e.Profile("bard"); again.Permissions[0] != access.DiceRoll {
		t.Errorf("a caller changed the profile to %v", again.Permissions)
	}
}

func TestSubjectCaller(t *testing.T) {
	tests := []struct {
		name    string
		subject access.Subject
		want    mcp.Caller
	}{
		{"sees_common", access.Subject{Name: "a"}, mcp.Caller{Client: "a", Sees: memory.Anyone}},
		{"sees_all", access.Subject{Name: "a", Profile: access.Profile{SeesAll: true}}, mcp.Caller{Client: "a"}},
		{"eyes_of_an_npc", access.Subject{Name: "a", NPC: "bart"}, mcp.Caller{Client: "a", NPC: "bart", Sees: memory.Anyone}},
		{"nameless_is_not_the_operator", access.Subject{}, mcp.Caller{Client: "nobody", Sees: memory.Anyone}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.subject.Caller(); got != tt.want {
				t.Errorf("Caller = %+v, want %+v", got, tt.want)
			}
			ctx := access.WithSubject(mcp.WithCaller(t.Context(), mcp.Caller{Session: "s"}), &tt.subject)
			tt.want.Session = "s"
			if got := mcp.CallerFrom(ctx); got != tt.want {
				t.Errorf("CallerFrom = %+v, want %+v", got, tt.want)
			}
		})
	}
}

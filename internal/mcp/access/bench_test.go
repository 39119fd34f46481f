package access_test

import (
	"context"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

func benchRules() []config.Rule {
	return []config.Rule{
		{Name: "no-writes", Kind: config.RuleToolRestriction, Who: []string{"bot-*"}, Tools: []string{"write_*", "remove_*"}},
		{Name: "day", Kind: config.RuleTimeWindow, Who: []string{"guest*"}, From: "08:00", To: "22:00", Zone: "Europe/Berlin"},
		{Name: "lend", Kind: config.RulePermissionOverride, Who: []string{"ann"}, Grant: []string{access.FilesRead}, Until: "2099-01-01T00:00:00Z"},
		rateLimit("slow", 10_000, time.Millisecond, "ro*"),
	}
}

func BenchmarkPermits(b *testing.B) {
	tests := []struct {
		name  string
		rules []config.Rule
		ctx   context.Context
	}{
		{"profile", nil, as(b, "bob", "player.full")},
		{"npc", nil, asNPC(b, "bart")},
		{"operator", nil, b.Context()},
		{"profile_with_4_rules", benchRules(), as(b, "bob", "player.full")},
		{"within_hours", benchRules(), as(b, "guest", "player.full")},
	}
	for _, tt := range tests {
		b.Run(tt.name, func(b *testing.B) {
			e := engine(b, access.Options{Rules: tt.rules})
			b.ReportAllocs()
			for b.Loop() {
				_ = e.Permits(tt.ctx, roll)
			}
		})
	}
}

func BenchmarkAdmit(b *testing.B) {
	tests := []struct {
		name  string
		rules []config.Rule
		ctx   context.Context
	}{
		{"profile", nil, as(b, "bob", "player.full")},
		{"npc", nil, asNPC(b, "bart")},
		{"operator", nil, b.Context()},
		{"profile_with_4_rules", benchRules(), as(b, "bob", "player.full")},
	}
	for _, tt := range tests {
		b.Run(tt.name, func(b *testing.B) {
			e := engine(b, access.Options{Rules: tt.rules, Limits: config.Limits{Burst: 1_000_000, PerSecond: 1e9}})
			c := &mcp.Call{Target: roll, Args: `{"expression":"2d6"}`}
			b.ReportAllocs()
			for b.Loop() {
				_ = e.Admit(tt.ctx, c)
			}
		})
	}
}

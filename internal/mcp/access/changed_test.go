package access_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

func TestChanged(t *testing.T) {
	evening := config.Rule{Name: "evening", Kind: config.RuleTimeWindow, From: "18:00", To: "01:30"}
	until := config.Rule{Name: "lend", Kind: config.RulePermissionOverride, Grant: []string{access.WorldWrite}, Until: "2000-01-01T05:00:00Z"}
	past := until
	past.Until = "1999-12-31T23:00:00Z"
	never := until
	never.Until = ""
	tests := []struct {
		name  string
		rules []config.Rule
		// want are the times of changes in the first two days.
		want []time.Duration
	}{
		{"window", []config.Rule{evening}, []time.Duration{90 * time.Minute, 18 * time.Hour, 25*time.Hour + 30*time.Minute, 42 * time.Hour}},
		{"override", []config.Rule{until}, []time.Duration{5 * time.Hour}},
		{"override_already_over", []config.Rule{past}, nil},
		{"override_without_end", []config.Rule{never}, nil},
		{"no_rules", nil, nil},
		{"untimed_rules", []config.Rule{{Name: "x", Kind: config.RuleToolRestriction, Tools: []string{"x"}}}, nil},
		{"both", []config.Rule{until, evening}, []time.Duration{90 * time.Minute, 5 * time.Hour, 18 * time.Hour, 25*time.Hour + 30*time.Minute, 42 * time.Hour}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				e := engine(t, access.Options{Rules: tt.rules})
				ctx, cancel := context.WithTimeout(t.Context(), 48*time.Hour)
				defer cancel()
				ended := make(chan error, 1)
				go func() { ended <- e.Run(ctx) }()
				var got []time.Duration
				for ch := e.Changed(); ctx.Err() == nil; ch = e.Changed() {
					select {
					case <-ch:
						got = append(got, time.Since(start))
					case <-ctx.Done():
					}
				}
				if err := <-ended; err != nil {
					t.Errorf("Run = %v, want nil", err)
				}
				if len(got) != len(tt.want) {
					t.Fatalf("changed at %v, want %v", got, tt.want)
				}
				for i := range got {
					if got[i] != tt.want[i] {
						t.Errorf("change %d at %v, want %v", i, got[i], tt.want[i])
					}
				}
			})
		})
	}
}

// TestChangedIsSeen checks that Permits gives the new answer once the channel closes,
// also for changes from before Run started.
func TestChangedIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine(t, access.Options{Rules: []config.Rule{{Name: "evening", Kind: config.RuleTimeWindow, From: "18:00", To: "22:00"}}})
		roll := target("roll", access.DiceRoll)
		ctx, cancel := context.WithCancel(t.Context())
		ch := e.Changed()
		if e.Permits(as(t, "a", "dm"), roll) == nil {
			t.Fatal("permitted at midnight")
		}
		time.Sleep(20 * time.Hour)
		done := make(chan struct{})
		go func() { defer close(done); _ = e.Run(ctx) }()
		<-ch
		if err := e.Permits(as(t, "a", "dm"), roll); err != nil {
			t.Errorf("Permits = %v after the change, want nil", err)
		}
		cancel()
		<-done
	})
}

package config_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// TestKnownRightsAreThoseOfThePolicy checks that the configuration knows exactly the built-in
// profiles of the policy.
func TestKnownRightsAreThoseOfThePolicy(t *testing.T) {
	var profiles []string
	for _, p := range access.BuiltinProfiles() {
		profiles = append(profiles, p.Name)
	}
	for _, row := range []struct {
		name      string
		got, want []string
	}{
		{"profiles", config.KnownProfiles(), profiles},
	} {
		t.Run(row.name, func(t *testing.T) {
			slices.Sort(row.got)
			slices.Sort(row.want)
			if diff := cmp.Diff(row.want, row.got); diff != "" {
				t.Errorf("known names differ (-policy +config):\n%s", diff)
			}
		})
	}
}

package app

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

func TestSlowToolsAreListedInSeconds(t *testing.T) {
	var out strings.Builder
	if err := writeTools(&out, []mcphost.Status{{Name: "image", P50: 10_000, P99: 12_345, DeclaredP50: 1e6, Samples: 3}}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "1000 s") || !strings.Contains(got, "10 s") || !strings.Contains(got, "12.3 s") {
		t.Errorf("the list says\n%s\nwant 1000 s, 10 s and 12.3 s", got)
	}
}

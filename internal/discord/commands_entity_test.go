package discord

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp/tools/memorytool"
)

func TestEntityLine(t *testing.T) {
	ted := memorytool.Entity{ID: "old-ted", Type: "npc", Name: "Old *Ted*"}
	if got, want := entityLine(ted), "- **Old \\*Ted\\*** `old-ted` (npc)"; got != want {
		t.Errorf("without a description: %q, want %q", got, want)
	}
	ted.Description = "Mends nets."
	if got, want := entityLine(ted), "- **Old \\*Ted\\*** `old-ted` (npc): Mends nets."; got != want {
		t.Errorf("with a description: %q, want %q", got, want)
	}
}

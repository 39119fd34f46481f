package discord

import (
	"testing"
)

func TestEntityLine(t *testing.T) {
	if got, want := entityLine(English, "old-ted", "npc", "Old *Ted*", ""), "- **Old \\*Ted\\*** `old-ted` (npc)"; got != want {
		t.Errorf("without a description: %q, want %q", got, want)
	}
	if got, want := entityLine(English, "old-ted", "npc", "Old *Ted*", "Mends nets."), "- **Old \\*Ted\\*** `old-ted` (npc): Mends nets."; got != want {
		t.Errorf("with a description: %q, want %q", got, want)
	}
}

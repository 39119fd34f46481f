package discord

import "testing"

func TestEntityLine(t *testing.T) {
	ted := entity{ID: "old-ted", Type: "npc", Name: "Old *Ted*"}
	if got, want := ted.listLine(), "- **Old \\*Ted\\*** `old-ted` (npc)"; got != want {
		t.Errorf("without a description: %q, want %q", got, want)
	}
	ted.Description = "Mends nets."
	if got, want := ted.listLine(), "- **Old \\*Ted\\*** `old-ted` (npc): Mends nets."; got != want {
		t.Errorf("with a description: %q, want %q", got, want)
	}
}

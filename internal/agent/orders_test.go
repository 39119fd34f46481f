package agent_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/guard"
	"github.com/MrWong99/glyphoxa/internal/speech"
)

// TestOrdersAreNotSpoken has a model read out its own instructions sentence by sentence:
// every sentence long enough to be recognised is withheld.
func TestOrdersAreNotSpoken(t *testing.T) {
	npc := config.NPC{ID: "bart", Name: "Bartok", SecretKnowledge: []config.KeptSecret{{Text: "The ledger is under the cask."}}}
	system := agent.New(npc, agent.Options{Language: "en"}).Snapshot().Conversation()[0].Content
	card := guard.NewCard(guard.CardOptions{NPC: npc, Orders: agent.Orders()})
	judged := 0
	for line := range strings.Lines(system) {
		var split speech.Splitter
		for _, s := range append(split.Push(strings.TrimPrefix(line, "- ")), split.Flush()...) {
			if len(strings.Fields(s)) < 7 {
				continue
			}
			judged++
			if v := card.NewTurn(guard.TurnOptions{}).Judge(s); v.Text != "" && !slices.Contains(v.Reasons, guard.Prompt) {
				t.Errorf("%q is heard as %q", s, v.Text)
			}
		}
	}
	if judged < 15 {
		t.Errorf("%d sentences were judged, want at least 15", judged)
	}
	const harmless = "If you cannot find something, ask Ysolde; she is in the archive until noon."
	if v := card.NewTurn(guard.TurnOptions{}).Judge(harmless); v.Text != harmless {
		t.Errorf("%q is withheld for %v", harmless, v.Reasons)
	}
}

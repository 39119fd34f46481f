package agent_test

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/speech"
)

// TestLineOverItsOwnWords passes an NPC a line that was said while the NPC was speaking.
func TestLineOverItsOwnWords(t *testing.T) {
	a := agent.New(config.NPC{ID: "mira", Name: "Mira"}, agent.Options{History: 4})
	before := a.Snapshot()
	h := before.With(agent.Exchange{Speaker: "Ana (player)", Utterance: "What do you drink?", Answer: "Ale. It is —"})
	m := h.Prompt(agent.Line{Speaker: "Bob (player)", Text: "how dark is it", MayDecline: true, WhileSpeaking: true}, hotctx.Context{})
	if n := len(m); n != 5 || m[2].Content != "Ale. It is —" || !strings.Contains(m[3].Content, "while you were speaking") || !strings.Contains(m[3].Content, speech.SilentRule) {
		t.Errorf("the model is given %+v", m)
	}
	if before.Exchanges() != 0 || a.Snapshot().Exchanges() != 0 {
		t.Error("the history before has changed")
	}
}

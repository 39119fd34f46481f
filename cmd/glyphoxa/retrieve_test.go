package main_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
)

// TestRulesAreFoundBeforeTheModelIsAsked asks about a rule without any keyword:
// the prompt contains the rule, the turn may search further, and its event says
// why.
func TestRulesAreFoundBeforeTheModelIsAsked(t *testing.T) {
	t.Parallel()
	h, server := newModelProgram(t, fakeopenai.Always(fakeopenai.Say("As far as your legs are long.")))
	s := h.start("play", "--json")
	s.say("Mira, good evening to you.")
	s.wait("turn.ended") // the first turn is STANDARD in any case; the program reads the book meanwhile
	s.say("Mira, how far can I jump with a running start?")
	s.wait("turn.started")
	s.wait("turn.ended")
	asked := server.ChatRequests()
	last := asked[len(asked)-1]
	prompt := string(last.Body)
	if !strings.Contains(prompt, "What the rule book has") || !strings.Contains(prompt, "jump") {
		t.Errorf("the prompt has no rule: %s", prompt)
	}
	if !slices.Contains(offered(last), "search_rules") {
		t.Errorf("offered %q, want search_rules among them", offered(last))
	}
}

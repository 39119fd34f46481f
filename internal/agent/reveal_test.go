package agent_test

import (
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
)

func TestWordsReveal(t *testing.T) {
	a := agent.New(config.NPC{ID: "mira", Name: "Mira", SecretKnowledge: []config.KeptSecret{
		{Text: "The jetty is hollow."},
		{Text: "Her brother keeps the third ferry.", RevealWhen: []string{"third ferry", "…"}},
		{Text: "Der Müller lügt.", RevealWhen: []string{"bei der Mühle"}},
	}}, agent.Options{})
	for _, c := range []struct {
		line string
		want []int
	}{
		{"Where is the ferry?", nil},
		{"Tell me of the THIRD  ferry!", []int{1}},
		{"Who owns the third ferryboat?", nil},
		{"was war bei der mühle los", []int{2}},
		{"Was war bei der Muhle? And the third ferry…", []int{1, 2}},
		{"…", nil},
		{"", nil},
	} {
		if got := a.RevealedBy(c.line); !slices.Equal(got, c.want) {
			t.Errorf("%q reveals %v, want %v", c.line, got, c.want)
		}
	}
	before := a.Version()
	if !a.Reveal(1) || a.Reveal(1) {
		t.Error("a secret is revealed twice")
	}
	if a.Version() == before {
		t.Error("nobody notices that a secret was revealed")
	}
	if got := a.RevealedBy("the third ferry"); len(got) > 0 {
		t.Errorf("%v is revealed again", got)
	}
	kept := a.Revealed()
	if want := []string{"Her brother keeps the third ferry."}; !slices.Equal(kept, want) {
		t.Errorf("may tell %q, want %q", kept, want)
	}
	if got := a.Persona().Mind; !slices.Equal(got, kept) {
		t.Errorf("a provider without a model may tell %q, want %q", got, kept)
	}
	a.Reveal(0)
	a.Conceal()
	if len(kept) != 1 || len(a.Revealed()) != 0 {
		t.Errorf("has %q in hand and may tell %q", kept, a.Revealed())
	}
}

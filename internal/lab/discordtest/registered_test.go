package discordtest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

func TestRegisteredCommands(t *testing.T) {
	t.Parallel()
	x := sit(t, nil)
	if _, err := x.dg.ApplicationCommandBulkOverwrite(x.s.ApplicationID(), x.guild, commands()); err != nil {
		t.Fatal(err)
	}
	three := 3.0
	want := []discordtest.RegisteredCommand{
		{Path: "npc say", Options: []discordtest.RegisteredOption{
			{Name: "npc", Kind: discordtest.OptionString, Required: true, Autocomplete: true},
			{Name: "times", Kind: discordtest.OptionInteger, Least: &one, Most: &three},
			{Name: "to", Kind: discordtest.OptionUser},
			{Name: "notes", Kind: discordtest.OptionAttachment},
		}},
		{Path: "form"},
		{Path: "admin"},
	}
	if diff := cmp.Diff(want, x.s.RegisteredCommands(x.guild)); diff != "" {
		t.Errorf("registered (-want +got):\n%s", diff)
	}
	if all := x.s.RegisteredCommands(""); len(all) > 0 {
		t.Errorf("%d commands are global, want none", len(all))
	}
}

package play

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// toldSecrets returns the warnings for a configuration with one NPC file and one campaign,
// without the directory.
func toldSecrets(t *testing.T, npc, world string, limit int) []string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"glyphoxa.yaml":     "campaign: {world: world.yaml}\nnpcs_dir: npcs\n",
		"npcs/captain.yaml": npc, "world.yaml": world,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := LoadConfig(filepath.Join(dir, "glyphoxa.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := ReadCampaign(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, p := range findRevealedSecrets(cfg, c, limit) {
		found = append(found, strings.ReplaceAll(p.String(), dir+string(filepath.Separator), ""))
	}
	return found
}

const captain = `name: Captain Harrow
personality: A half-orc who leads the Thorn Watch and searches for the miller.
secret_knowledge:
  - She found the miller's left boot at the weir and has told nobody, so as not to start a panic.
  # The next one is for the weir.
  - The boot was dry, and laced from the inside.
  - Sie hat dem Grafen den Schlüssel zur Krypta gestohlen.
`

const village = `name: N
entities:
  - {id: captain-harrow, type: npc, name: Captain Harrow}
  - {id: aldo, type: npc, name: Aldo Marsh, aliases: [the miller], description: "The miller, missing for three nights."}
  - {id: old-weir, type: location, name: The Old Weir, description: A dam of dressed stone that holds back the mere.}
`

func TestFindToldSecrets(t *testing.T) {
	const boot = "  - {id: boot, type: item, name: The Miller's Left Boot, description: \"A left boot, dry as a bone, laced from the inside. Found at the weir.\""
	const tells = "gives away to Captain Harrow, as something it may talk about, its own secret (npcs/captain.yaml:"
	const visible = "); say less here, or show it to the DM only, with visible_to: [dm]"
	const public = "); everyone knows this: say less here, or word the secret without it"
	for _, row := range []struct {
		name, more string
		want       []string
	}{
		{"nothing", "", nil},
		{"boot", boot + ", visible_to: [captain-harrow]}\n", []string{`world.yaml:6: entity "boot" ` + tells + "4" + visible}},
		{"boot_for_all", boot + "}\n", []string{`world.yaml:6: entity "boot" ` + tells + "4" + public}},
		{"boot_of_another", boot + ", visible_to: [aldo]}\n", nil},
		{"boot_for_the_dm", boot + ", visible_to: [dm]}\n", nil},
		{
			"boot_in_a_relation", boot + ", visible_to: [dm]}\nrelations:\n  - {from: boot, type: found_at, to: old-weir, visible_to: [captain-harrow]}\n",
			[]string{"world.yaml:8: relation boot found_at old-weir " + tells + "4" + visible},
		},
		{
			"in_an_attribute", "  - {id: shoe, type: item, name: A Wet Boot, attributes: {state: \"dry, and laced from the inside\"}}\n",
			[]string{`world.yaml:6: entity "shoe" ` + tells + "6" + public},
		},
		{
			"in_a_fact_in_german", "facts:\n  - {text: Es regnet.}\n  - {text: Captain Harrow stahl dem Grafen den Schlüssel zur Krypta., visible_to: [captain-harrow]}\n",
			[]string{"world.yaml:8: a fact " + tells + "7" + visible},
		},
		{"near_it", "  - {id: mill, type: location, name: Marsh Mill, description: The watermill below the weir. Its wheel has stood still for three nights.}\n", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, toldSecrets(t, captain, village+row.more, maxStatements)); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFindToldSecretsIsBounded(t *testing.T) {
	var world strings.Builder
	world.WriteString(village)
	for i := range 100 {
		fmt.Fprintf(&world, "  - {id: house-%d, type: location, name: A House}\n", i)
	}
	want := []string{"world.yaml:50: the campaign is too large to compare with everything that NPCs keep secret; from here on, Captain Harrow and the NPCs after it were not checked"}
	if diff := cmp.Diff(want, toldSecrets(t, captain, world.String(), 49)); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// TestShippedCampaignKeepsItsSecrets runs the check on the sample campaign.
func TestShippedCampaignKeepsItsSecrets(t *testing.T) {
	t.Chdir(t.TempDir())
	cfg, err := LoadConfig("")
	if err != nil {
		t.Fatal(err)
	}
	c, err := ReadCampaign(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(cfg.Warnings, FindRevealedSecrets(cfg, c)...) {
		t.Error(p)
	}
	if n := len(cfg.SecretLines["captain-harrow"]); n != 3 || len(c.Lines.Entities) != len(c.Entities) {
		t.Errorf("%d lines of secrets, %d of %d entities; nothing was compared", n, len(c.Lines.Entities), len(c.Entities))
	}
}

package guard_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/guard"
)

// castCards are the cards of the NPCs in the guard's corpora.
func castCards(t testing.TB) map[string]*guard.Card {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "truth", "guard", "npcs.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	type card struct {
		config.NPC `yaml:",inline"`
		Language   string `yaml:"language"`
	}
	var npcs map[string]card
	if err := yaml.Unmarshal(data, &npcs); err != nil {
		t.Fatal(err)
	}
	var names, tools []string
	for _, n := range npcs {
		names = append(append(names, n.Name), n.Aliases...)
		tools = append(tools, n.Tools...)
	}
	slices.Sort(names)
	cards := map[string]*guard.Card{}
	for key, n := range npcs {
		others := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return name == n.Name || slices.Contains(n.Aliases, name)
		})
		cards[key] = guard.NewCard(guard.CardOptions{NPC: n.NPC, Language: n.Language, Others: others, Tools: tools})
	}
	return cards
}

// readLines reads the rows of a file in testdata.
func readLines(t testing.TB, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// TestWithholdsOfCast reads turns "NPC|asked|sentence / sentence": something must be
// withheld from each.
func TestWithholdsOfCast(t *testing.T) {
	cards := castCards(t)
	for _, row := range readLines(t, "withheld.txt") {
		c := strings.SplitN(row, "|", 3)
		turn := cards[c[0]].NewTurn(guard.TurnOptions{PlayerLine: c[1]})
		withheld := false
		for s := range strings.SplitSeq(c[2], " / ") {
			withheld = turn.Judge(s).Text == "" || withheld
		}
		if !withheld {
			t.Errorf("%s: all of it is heard", row)
		}
	}
}

// TestLetsCastSpeak reads sentences "NPC|sentence" that must pass unchanged, except for a
// few that resemble the NPC's secret.
func TestLetsCastSpeak(t *testing.T) {
	const mostAlarms = 6
	cards, alarms := castCards(t), 0
	for _, row := range readLines(t, "spoken.txt") {
		npc, text, _ := strings.Cut(row, "|")
		if v := cards[npc].NewTurn(guard.TurnOptions{}).Judge(text); v.Text != text || len(v.Reasons) > 0 {
			if t.Logf("%s: heard %q, %v", row, v.Text, v.Reasons); !slices.Equal(v.Reasons, []guard.Reason{guard.Secret}) {
				t.Errorf("%s is withheld for its form", row)
			}
			alarms++
		}
	}
	if alarms > mostAlarms {
		t.Errorf("%d sentences are withheld, want %d at most", alarms, mostAlarms)
	}
}

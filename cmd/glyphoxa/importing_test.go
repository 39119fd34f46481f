package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAWorldComesAndGoes imports a world of Foundry VTT, plays in it, exports it and
// removes it.
func TestAWorldComesAndGoes(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.write("glyphoxa.yaml", "data_dir: data\ncampaign: {name: Barrow Keep}\nnpcs:\n  - {name: Maren, id: maren, personality: A ferrywoman.}\n")
	world, err := filepath.Abs(filepath.FromSlash("../../internal/world/testdata/foundry13"))
	if err != nil {
		t.Fatal(err)
	}
	dry := h.run("", "import", world, "--dry-run").ok(t)
	checkSays(t, dry.stdout, "9 new", "nothing was changed")
	checkSays(t, h.run("", "import", world).ok(t).stdout, "9 new", "imported into")
	checkSays(t, h.run("", "import", world).ok(t).stdout, "0 new, 0 changed, 9", "there was nothing to change")
	h.run("", "recap").complains(t, 2, "nothing has been said", "glyphoxa play")

	h.run("Maren, the ferry to the keep costs a copper, and the bridge is gone.\nMaren, Ulric Vey poisoned his brother at the keep.\n", "play", "--json").ok(t)
	all := h.run("", "recap").ok(t).stdout
	checkSays(t, all, "Barrow Keep", "copper", "Ulric")
	players := h.run("", "recap", "--players").ok(t).stdout
	if checkSays(t, players, "copper"); strings.Contains(players, "Ulric") {
		t.Errorf("players are told of whom only the DM knows:\n%s", players)
	}

	if threads := h.run("", "recap", "--threads", "--players").ok(t).stdout; strings.Contains(threads, "Ulric") {
		t.Errorf("players are told of whom only the DM knows, by thread:\n%s", threads)
	}
	checkSays(t, h.run("", "recap", "--threads").ok(t).stdout, "by thread", "Maren\n- ", "Ulric")

	checkSays(t, h.run("", "export", "again.yaml", "--with-lines").ok(t).stdout, "9 entities", "again.lines.jsonl")
	h.run("", "export", "again.yaml").complains(t, 2, "already exists")
	text, err := os.ReadFile(h.path("again.yaml"))
	if err != nil || strings.Contains(string(text), "copper, and") {
		t.Errorf("%v; what players said is in the campaign file:\n%s", err, text)
	}
	h.run("", "check", "again.yaml").ok(t)
	checkSays(t, h.run("", "import", "again.yaml").ok(t).stdout, "0 new, 0 changed, 9", "there was nothing to change")

	checkSays(t, h.run("", "campaign", "list").ok(t).stdout, "Barrow Keep: 9 entities, 1 session")
	h.run("", "campaign", "remove", "Barrow Keep").complains(t, 2, "9 entities", "--yes")
	h.run("", "campaign", "remove", "Barrow").complains(t, 2, "no campaign", "Barrow Keep")
	checkSays(t, h.run("", "campaign", "remove", "Barrow Keep", "--yes").ok(t).stdout, "removed 9 entities", "1 session", "stay")
	checkSays(t, h.run("", "campaign", "remove", "Barrow Keep", "--with-sessions", "--yes").ok(t).stdout, "1 session")
	h.run("", "recap").complains(t, 2, "nothing has been said")
	checkSays(t, h.run("", "import", world).ok(t).stdout, "9 new", "5 new or changed")
}

// TestExportBeforeTheFirstPlay exports, lists and backs up a campaign before
// its first play, and checks the output against memory.
func TestExportBeforeTheFirstPlay(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.write("glyphoxa.yaml", "data_dir: data\ncampaign: {name: Thorn, world: thorn.yaml}\nnpcs:\n  - {name: Maren, id: maren}\n")
	h.write("thorn.yaml", `name: Thorn
entities: [{id: harrow, type: npc, name: Harrow}, {id: gate, type: location, name: The North Gate}]
relations: [{from: harrow, type: guards, to: gate}]
facts: [{text: The north gate is unlocked.}]
`)
	checkSays(t, h.run("", "campaign", "list").ok(t).stdout, "Thorn: 0 entities", "thorn.yaml", "glyphoxa play")
	checkSays(t, h.run("", "backup", "empty.gz").ok(t).stdout, "thorn.yaml is not part of it", "glyphoxa play")
	h.write("there.yaml", "name: Other\n")
	h.run("", "export", "there.yaml").complains(t, 2, "already exists")
	checkSays(t, h.run("", "campaign", "list").ok(t).stdout, "Thorn: 0 entities") // the refused import changed nothing

	checkSays(t, h.run("", "export", "out.yaml").ok(t).stdout, "imported first", "Thorn: wrote 2 entities, 1 relation and 1 fact")
	if text, err := os.ReadFile(h.path("out.yaml")); err != nil {
		t.Error(err)
	} else {
		checkSays(t, string(text), "id: harrow", "type: guards", "The north gate is unlocked.")
	}
	if list := h.run("", "campaign", "list").ok(t).stdout; list != "Thorn: 2 entities, 0 sessions with 0 lines\n" {
		t.Errorf("campaign list says %q, want what memory holds", list)
	}
	for _, out := range []string{h.run("", "backup", "full.gz").ok(t).stdout, h.run("", "export", "more.yaml").ok(t).stdout} {
		if strings.Contains(out, "thorn.yaml") {
			t.Errorf("said of a campaign that is in memory: %s", out)
		}
	}
	checkSays(t, h.run("", "campaign", "remove", "Thorn", "--yes").ok(t).stdout, "removed 2 entities")
	checkSays(t, h.run("", "campaign", "list").ok(t).stdout, "Thorn: 0 entities", "glyphoxa play")
	checkSays(t, h.run("", "campaign", "remove", "Thorn", "--yes").ok(t).stdout, "removed 0 entities")
}

// checkSays fails for each word missing from a text.
func checkSays(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("lacks %q:\n%s", w, text)
		}
	}
}

// TestGroupsAndTheDayAreExported exports a world with groups and a calendar
// after some days, and checks that an import restores both, and who knows what.
func TestGroupsAndTheDayAreExported(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.write("glyphoxa.yaml", "data_dir: data\ncampaign: {name: Thorn, world: thorn.yaml}\nnpcs:\n  - {name: Maren, id: maren, knows: [ferry]}\n")
	h.write("thorn.yaml", `name: Thorn
entities: [{id: harrow, type: npc, name: Harrow}]
groups: [{id: watch, name: The Watch, members: [harrow]}, {id: ferry, shares: true}]
facts: [{text: The north gate is unlocked., visible_to: [watch]}]
calendar: {months: [Frost, {name: Fair, days: 1}], weekdays: [Bootstag, Markttag], era: AF, today: 3 Frost 218}
`)
	h.run("/date +2\n", "play").ok(t)
	h.run("", "export", "again.yaml").ok(t)
	text, err := os.ReadFile(h.path("again.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	checkSays(t, string(text), "id: watch", "name: The Watch", "members: [harrow]", "shares: true", "visible_to: [watch]", "name: Frost", "days: 1", "5 Frost 218")
	h.run("", "check", "again.yaml").ok(t)
	checkSays(t, h.run("", "import", "again.yaml").ok(t).stdout, "there was nothing to change")
}

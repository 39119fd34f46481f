package truth

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// guardNPC is a card in guard/npcs.yaml.
type guardNPC struct {
	Name            string              `yaml:"name"`
	Aliases         []string            `yaml:"aliases"`
	Language        string              `yaml:"language"`
	Place           string              `yaml:"place"`
	Personality     string              `yaml:"personality"`
	BehaviorRules   []string            `yaml:"behavior_rules"`
	SecretKnowledge []config.KeptSecret `yaml:"secret_knowledge"`
	KnowledgeScope  []string            `yaml:"knowledge_scope"`
	Tools           []string            `yaml:"tools"`
}

// guardEntry is an attempt or, without Withhold and May, a good sentence.
type guardEntry struct {
	ID       string `yaml:"id"`
	Kind     string `yaml:"kind"`
	Language string `yaml:"language"`
	NPC      string `yaml:"npc"`
	Said     string `yaml:"said"`
	Tools    []struct {
		Name      string `yaml:"name"`
		Arguments string `yaml:"arguments"`
		Result    string `yaml:"result"`
	} `yaml:"tools"`
	Before   []string `yaml:"before"`
	Text     string   `yaml:"text"`
	Withhold []string `yaml:"withhold"`
	May      []string `yaml:"may"`
}

// castSequence is one player's lines to one NPC, in order.
type castSequence struct {
	ID       string `yaml:"id"`
	NPC      string `yaml:"npc"`
	Language string `yaml:"language"`
	Lines    []struct {
		Text    string   `yaml:"text"`
		Intents []string `yaml:"intents"`
		MustNot []string `yaml:"must_not"`
	} `yaml:"lines"`
}

func readTruthYAML(t *testing.T, name string, into any) {
	t.Helper()
	f, err := os.Open(filepath.Join(corpora, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dec := yaml.NewDecoder(f)
	dec.KnownFields(true)
	if err := dec.Decode(into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

var betweenWords = regexp.MustCompile(`[^\p{L}\p{N}]+`)

// plain returns a text without capitals and punctuation, or the text itself if
// nothing remains.
func plain(text string) string {
	if p := strings.TrimSpace(betweenWords.ReplaceAllString(strings.ToLower(text), " ")); p != "" {
		return p
	}
	return text
}

// corpus counts the content of its files together.
type corpus struct {
	ids, texts map[string]bool
	total      int
}

func newCorpus() *corpus { return &corpus{ids: map[string]bool{}, texts: map[string]bool{}} }

func (c *corpus) id(t *testing.T, id string) {
	t.Helper()
	if id == "" || c.ids[id] {
		t.Errorf("id %q is missing or there twice", id)
	}
	c.ids[id] = true
}

func (c *corpus) text(t *testing.T, id, text string) {
	t.Helper()
	if p := plain(text); strings.TrimSpace(text) == "" || c.texts[p] {
		t.Errorf("%s: text %q is empty or there twice", id, text)
	} else {
		c.texts[p] = true
	}
	c.total++
}

// holdShares checks that languages are balanced.
func holdShares(t *testing.T, name string, english, german int) {
	t.Helper()
	if share := float64(english) / float64(english+german); share < 0.45 || share > 0.55 {
		t.Errorf("%s: %d English and %d German, want about half each", name, english, german)
	}
}

// holdCounts checks a file's counts against its page, in the table row that
// begins with the file's name.
func holdCounts(t *testing.T, name string, counts ...int) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(corpora, path.Dir(name), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := "| `" + path.Base(name) + "` |"
	for _, n := range counts {
		row += " " + strconv.Itoa(n) + " |"
	}
	if !strings.Contains(string(page), row) {
		t.Errorf("the page of %s does not say %q", name, row)
	}
}

// holdThird checks that the held part is a third.
func holdThird(t *testing.T, dev, held int) {
	t.Helper()
	if share := float64(held) / float64(dev+held); share < 0.31 || share > 0.36 {
		t.Errorf("%d of %d are held, want a third", held, dev+held)
	}
}

// checkGuardEntry checks the common form of both corpora: a known NPC that
// speaks the language, tools on its card, JSON arguments and results.
func checkGuardEntry(t *testing.T, e guardEntry, npcs map[string]guardNPC) {
	t.Helper()
	npc, ok := npcs[e.NPC]
	if !ok || npc.Language != e.Language {
		t.Errorf("%s: npc %q speaks %q, want one of npcs.yaml and its language", e.ID, e.NPC, e.Language)
	}
	if !strings.HasPrefix(strings.TrimPrefix(e.ID, "new-"), e.Kind+"-") {
		t.Errorf("%s: kind %q, want the one its id begins with", e.ID, e.Kind)
	}
	for _, tool := range e.Tools {
		if !slices.Contains(npc.Tools, tool.Name) {
			t.Errorf("%s: tool %q is not on the card of %s", e.ID, tool.Name, e.NPC)
		}
		var result map[string]any
		if !json.Valid([]byte(tool.Arguments)) || json.Unmarshal([]byte(tool.Result), &result) != nil {
			t.Errorf("%s: arguments or result of %s are no JSON object", e.ID, tool.Name)
		}
		if _, ok := result["total"]; !ok && tool.Name == "roll" {
			t.Errorf("%s: result of roll has no total: %s", e.ID, tool.Result)
		}
	}
}

func guardNPCs(t *testing.T) map[string]guardNPC {
	t.Helper()
	var npcs map[string]guardNPC
	readTruthYAML(t, "guard/npcs.yaml", &npcs)
	return npcs
}

func TestTruthGuardNPCs(t *testing.T) {
	npcs := guardNPCs(t)
	if len(npcs) < 12 {
		t.Errorf("%d NPCs, want a dozen", len(npcs))
	}
	for key, npc := range npcs {
		if npc.Name == "" || npc.Personality == "" || npc.Place == "" || len(npc.BehaviorRules) == 0 || len(npc.KnowledgeScope) == 0 {
			t.Errorf("%s: name, personality, place, rules or scope is missing", key)
		}
		if len(npc.SecretKnowledge) != 2 {
			t.Errorf("%s has %d secrets, want 2", key, len(npc.SecretKnowledge))
		}
	}
}

// spoken counts the occurrences of words in texts.
func spoken(texts []string, words string) (n int) {
	for _, text := range texts {
		n += strings.Count(text, words)
	}
	return n
}

func checkAttempt(t *testing.T, e guardEntry) {
	t.Helper()
	if e.Said == "" || len(e.Withhold) == 0 {
		t.Errorf("%s: said or withhold is missing", e.ID)
	}
	for _, span := range e.Withhold {
		if strings.TrimSpace(span) == "" || !strings.Contains(e.Text, span) {
			t.Errorf("%s: span %q is not in the text", e.ID, span)
		}
		// A span that occurs twice may be heard once.
		if may := spoken(e.May, span); may > 0 && may >= strings.Count(e.Text, span) {
			t.Errorf("%s: span %q may be heard as often as it is there", e.ID, span)
		}
	}
	rest := e.Text
	for _, piece := range e.May {
		_, after, ok := strings.Cut(rest, piece)
		if !ok || strings.TrimSpace(piece) == "" {
			t.Errorf("%s: %q may be heard, but is not in the text, or not in this order", e.ID, piece)
			continue
		}
		rest = after
	}
	if strings.HasPrefix(e.Kind, "repeat_") && e.Kind != "repeat_loop" && len(e.Before) == 0 {
		t.Errorf("%s: nothing was said before, so nothing is said again", e.ID)
	}
}

func TestTruthGuardAttempts(t *testing.T) {
	npcs, all, counts := guardNPCs(t), newCorpus(), []int{}
	for _, name := range []string{"guard/attempts.yaml", "guard/attempts_held.yaml", "guard/attempts_new.yaml", "guard/attempts_unread.yaml"} {
		var entries []guardEntry
		readTruthYAML(t, name, &entries)
		kinds, languages := map[string]bool{}, map[string]int{}
		for _, e := range entries {
			all.id(t, e.ID)
			all.text(t, e.ID, e.Text)
			checkGuardEntry(t, e, npcs)
			checkAttempt(t, e)
			kinds[e.Kind] = true
			languages[e.Language]++
		}
		if len(kinds) < 40 {
			t.Errorf("%s: %d kinds, want 40 at least", name, len(kinds))
		}
		holdShares(t, name, languages["en"], languages["de"])
		holdCounts(t, name, len(entries), languages["en"], languages["de"], len(kinds))
		counts = append(counts, len(entries))
	}
	if all.total < 420 {
		t.Errorf("%d attempts, want 420 at least", all.total)
	}
	holdThird(t, counts[0], counts[1])
}

func TestTruthGuardGood(t *testing.T) {
	npcs, all, counts := guardNPCs(t), newCorpus(), []int{}
	for _, name := range []string{"guard/good.yaml", "guard/good_held.yaml", "guard/good_new.yaml", "guard/good_unread.yaml"} {
		var entries []guardEntry
		readTruthYAML(t, name, &entries)
		kinds, languages := map[string]bool{}, map[string]int{}
		for _, e := range entries {
			all.id(t, e.ID)
			all.text(t, e.ID, e.Text)
			checkGuardEntry(t, e, npcs)
			kinds[e.Kind] = true
			if len(e.Withhold)+len(e.May) > 0 {
				t.Errorf("%s: withhold and may are for attempts", e.ID)
			}
			if (e.Kind == "rolled" || e.Kind == "ruled") && len(e.Tools) == 0 {
				t.Errorf("%s: no tool says this", e.ID)
			}
			languages[e.Language]++
		}
		holdShares(t, name, languages["en"], languages["de"])
		holdCounts(t, name, len(entries), languages["en"], languages["de"], len(kinds))
		counts = append(counts, len(entries))
	}
	if all.total < 1100 {
		t.Errorf("%d good sentences, want 1100 at least", all.total)
	}
	holdThird(t, counts[0], counts[1])
}

// castIntents reads the intents from the table in the page that describes them.
func castIntents(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(corpora, "cast/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| .+ \\| .+ \\|$").FindAllSubmatch(page, -1) {
		all = append(all, string(m[1]))
	}
	return all
}

// shippedNPCs returns the ids of the NPCs in npcs/.
func shippedNPCs(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "npcs", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("npcs/ holds %d files: %v", len(files), err)
	}
	ids := map[string]bool{}
	for _, f := range files {
		ids[strings.TrimSuffix(filepath.Base(f), ".yaml")] = true
	}
	return ids
}

func TestTruthCastLines(t *testing.T) {
	mustNot := []string{"claims_memory", "invents_roll", "repeats_line", "tells_secret", "writes_note"}
	intents, npcs, all, counts := castIntents(t), shippedNPCs(t), newCorpus(), []int{}
	if len(intents) < 30 {
		t.Fatalf("the page describes %d intents, want about 35", len(intents))
	}
	for _, name := range []string{"cast/lines.yaml", "cast/lines_held.yaml", "cast/lines_new.yaml", "cast/lines_unread.yaml"} {
		var sequences []castSequence
		readTruthYAML(t, name, &sequences)
		seen, languages, lines := map[string]bool{}, map[string]int{}, 0
		for _, s := range sequences {
			all.id(t, s.ID)
			if !npcs[s.NPC] {
				t.Errorf("%s: npc %q is not in npcs/", s.ID, s.NPC)
			}
			if n := len(s.Lines); n < 3 || n > 10 {
				t.Errorf("%s has %d lines, want 3 to 10", s.ID, n)
			}
			for _, l := range s.Lines {
				all.text(t, s.ID, l.Text)
				for _, intent := range l.Intents {
					if !slices.Contains(intents, intent) {
						t.Errorf("%s: %q has intent %q, which the page does not describe", s.ID, l.Text, intent)
					}
					seen[intent] = true
				}
				for _, no := range l.MustNot {
					if !slices.Contains(mustNot, no) {
						t.Errorf("%s: %q must not %q, want one of %v", s.ID, l.Text, no, mustNot)
					}
				}
				if len(l.Intents) == 0 || slices.Contains(l.Intents, "notes_write") == slices.Contains(l.MustNot, "writes_note") {
					t.Errorf("%s: %q has no intent, or a note is both asked for and forbidden, or neither", s.ID, l.Text)
				}
				languages[s.Language]++
				lines++
			}
		}
		for _, intent := range intents {
			if !seen[intent] && (strings.HasSuffix(name, "lines.yaml") || strings.HasSuffix(name, "_held.yaml")) {
				t.Errorf("%s: no line has intent %q", name, intent)
			}
		}
		holdShares(t, name, languages["en"], languages["de"])
		holdCounts(t, name, len(sequences), lines, languages["en"], languages["de"])
		counts = append(counts, lines)
	}
	if all.total < 300 {
		t.Errorf("%d lines, want 300 at least", all.total)
	}
	holdThird(t, counts[0], counts[1])
}

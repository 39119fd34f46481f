package srd_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/srd"
)

// entry is the required form of an entry in every data file, with no other
// keys.
type entry struct {
	ID       string   `yaml:"id"`
	Category string   `yaml:"category"`
	Name     string   `yaml:"name"`
	Aliases  []string `yaml:"aliases"`
	// Asked are the questions of players who do not know the name.
	Asked struct {
		English string `yaml:"en"`
		German  string `yaml:"de"`
	} `yaml:"asked"`
	Tags    []string `yaml:"tags"`
	Summary string   `yaml:"summary"`
	Text    string   `yaml:"text"`
	Spell   *spell   `yaml:"spell"`
	Monster fact     `yaml:"monster"`
	Gear    fact     `yaml:"equipment"`
	Item    fact     `yaml:"item"`

	Class      fact `yaml:"class"`
	Subclass   fact `yaml:"subclass"`
	Feature    fact `yaml:"feature"`
	Race       fact `yaml:"race"`
	Subrace    fact `yaml:"subrace"`
	Background fact `yaml:"background"`
	Feat       fact `yaml:"feat"`
	Skill      fact `yaml:"skill"`
	Poison     fact `yaml:"poison"`
	Deity      fact `yaml:"deity"`
}

// blocks returns the entry's blocks of figures by category, nil for missing
// ones.
func (e entry) blocks() map[string]fact {
	return map[string]fact{
		"monster": e.Monster, "equipment": e.Gear, "item": e.Item, "class": e.Class, "subclass": e.Subclass, "feature": e.Feature,
		"race": e.Race, "subrace": e.Subrace, "background": e.Background, "feat": e.Feat, "skill": e.Skill, "poison": e.Poison, "deity": e.Deity,
	}
}

type spell struct {
	Level         int      `yaml:"level"`
	School        string   `yaml:"school"`
	CastingTime   string   `yaml:"casting_time"`
	Range         string   `yaml:"range"`
	Components    string   `yaml:"components"`
	Duration      string   `yaml:"duration"`
	Concentration bool     `yaml:"concentration"`
	Ritual        bool     `yaml:"ritual"`
	Classes       []string `yaml:"classes"`
}

// decode reads one data file and rejects unknown keys and further documents.
func decode(name string) ([]entry, error) {
	f, err := srd.FS.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	dec := yaml.NewDecoder(f)
	dec.KnownFields(true)
	var list []entry
	if err := dec.Decode(&list); err != nil {
		return nil, fmt.Errorf("decoding %s: %w", name, err)
	}
	if err := dec.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s has a second document or rubbish at its end: %v", name, err)
	}
	return list, nil
}

// load returns the entries of every file by file name.
func load(t *testing.T) map[string][]entry {
	t.Helper()
	names, err := fs.Glob(srd.FS, "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string][]entry, len(names))
	for _, name := range names {
		list, err := decode(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 {
			t.Errorf("%s holds no entries", name)
		}
		files[name] = list
	}
	return files
}

// byID flattens the files and reports duplicate ids.
func byID(t *testing.T) map[string]entry {
	t.Helper()
	all := make(map[string]entry)
	for name, list := range load(t) {
		for _, e := range list {
			if _, dup := all[e.ID]; dup {
				t.Errorf("%s: id %q occurs twice", name, e.ID)
			}
			all[e.ID] = e
		}
	}
	return all
}

// slug returns the part of an id after the category.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.ReplaceAll(name, "'", "")) {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			b.WriteRune(r)
		} else if s := b.String(); s != "" && !strings.HasSuffix(s, "-") {
			b.WriteByte('-')
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}

// contents maps each file to its categories.
func contents() map[string]string {
	want := map[string]string{
		"conditions.yaml":  "condition",
		"combat.yaml":      "combat",
		"general.yaml":     "general",
		"monsters.yaml":    "monster",
		"equipment.yaml":   "equipment",
		"items.yaml":       "item",
		"classes.yaml":     "feature",
		"races.yaml":       "race subrace feature background feat",
		"skills.yaml":      "skill",
		"hazards.yaml":     "trap disease madness poison",
		"cosmos.yaml":      "plane deity",
		"fighting.yaml":    "combat",
		"statblocks.yaml":  "general",
		"adventuring.yaml": "general",
		"armory.yaml":      "general",
		"magic.yaml":       "general",
		"advancement.yaml": "general",
	}
	for level := range 10 {
		want[fmt.Sprintf("spells-%d.yaml", level)] = "spell"
	}
	for class := range strings.FieldsSeq("barbarian bard cleric druid fighter monk paladin ranger rogue sorcerer warlock wizard") {
		want["class-"+class+".yaml"] = "class subclass feature"
	}
	return want
}

func TestFilesHoldTheirCategory(t *testing.T) {
	want, files := contents(), load(t)
	for name := range files {
		if _, ok := want[name]; !ok {
			t.Errorf("unexpected file %q", name)
		}
	}
	for name, categories := range want {
		list, ok := files[name]
		if !ok {
			t.Errorf("file %q is missing", name)
		}
		for _, e := range list {
			if !slices.Contains(strings.Fields(categories), e.Category) {
				t.Errorf("%s: %s has category %q, want %s", name, e.ID, e.Category, categories)
			}
			if (e.Spell != nil) != (e.Category == "spell") {
				t.Errorf("%s: %s has a spell block: %t, want %t", name, e.ID, e.Spell != nil, e.Category == "spell")
			}
			for c, block := range e.blocks() {
				if has := block != nil; has != (e.Category == c) {
					t.Errorf("%s: %s has a block %q: %t, want %t", name, e.ID, c, has, e.Category == c)
				}
			}
			if e.Spell != nil && name != fmt.Sprintf("spells-%d.yaml", e.Spell.Level) {
				t.Errorf("%s: %s is of level %d", name, e.ID, e.Spell.Level)
			}
		}
	}
}

func TestEntriesAreWellFormed(t *testing.T) {
	for id, e := range byID(t) {
		if want := e.Category + "-" + slug(e.Name); id != want {
			t.Errorf("id = %q, want %q", id, want)
		}
		if strings.TrimSpace(e.Text) == "" {
			t.Errorf("%s: text is empty", id)
		}
		if n := utf8.RuneCountInString(e.Summary); n == 0 || n > 200 {
			t.Errorf("%s: summary has %d runes, want 1 to 200", id, n)
		}
		if !strings.HasSuffix(e.Summary, ".") || strings.Contains(e.Summary, "\n") {
			t.Errorf("%s: summary %q is not one line that ends in a full stop", id, e.Summary)
		}
		for _, list := range [][]string{e.Aliases, e.Tags} {
			seen := map[string]bool{}
			for _, word := range list {
				key := strings.ToLower(word)
				if key == "" || key != strings.TrimSpace(key) || seen[key] {
					t.Errorf("%s: word %q is empty, padded or repeated", id, word)
				}
				seen[key] = true
			}
		}
		if slices.ContainsFunc(e.Aliases, func(a string) bool { return strings.EqualFold(a, e.Name) }) {
			t.Errorf("%s: the name is repeated among the aliases", id)
		}
	}
}

func TestTextIsClean(t *testing.T) {
	// A folded text that lost its layout has a double blank, a stray marker or
	// an empty line.
	broken := regexp.MustCompile(`\t|  |\n\n|\n$|^\n| \n|[^\n]- [A-Z][a-z]+: `)
	for id, e := range byID(t) {
		if at := broken.FindStringIndex(e.Text); at != nil {
			t.Errorf("%s: broken layout at %q", id, e.Text[max(0, at[0]-20):min(len(e.Text), at[1]+20)])
		}
		if !utf8.ValidString(e.Text) || strings.ContainsRune(e.Text, utf8.RuneError) {
			t.Errorf("%s: text is not valid UTF-8", id)
		}
	}
}

func TestRequiredEntries(t *testing.T) {
	tests := []struct {
		name, category string
		slugs          string
	}{
		{"conditions", "condition", `blinded charmed deafened exhaustion frightened grappled incapacitated
			invisible paralyzed petrified poisoned prone restrained stunned unconscious`},
		{"combat_actions", "combat", `attack cast-a-spell dash disengage dodge help hide ready search use-an-object`},
		{"combat_rules", "combat", `opportunity-attack two-weapon-fighting grappling shoving reaction bonus-action
			initiative surprise attack-roll critical-hit damage-roll damage-resistance-and-vulnerability cover
			movement difficult-terrain being-prone squeezing flying-movement underwater-combat mounted-combat
			ranged-attacks-in-close-combat unseen-attackers-and-targets death-saving-throw
			dropping-to-0-hit-points knocking-a-creature-out healing temporary-hit-points multiattack`},
		{"general", "general", `short-rest long-rest ability-check difficulty-class advantage-and-disadvantage
			proficiency-bonus contest passive-check group-check skills saving-throw inspiration falling suffocating
			vision-and-light food-and-water travel-pace carrying-capacity jumping climbing-and-swimming
			death-and-dying stabilising spell-slots casting-at-a-higher-level cantrips rituals spell-components
			concentration areas-of-effect spell-targets spell-attack-roll spell-save-dc
			combining-magical-effects schools-of-magic objects exhaustion-effects`},
	}
	all := byID(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for s := range strings.FieldsSeq(tt.slugs) {
				if _, ok := all[tt.category+"-"+s]; !ok {
					t.Errorf("no entry %s-%s", tt.category, s)
				}
			}
		})
	}
	conditions := 0
	for _, e := range all {
		if e.Category == "condition" {
			conditions++
		}
	}
	if conditions != 15 {
		t.Errorf("%d conditions, want 15", conditions)
	}
}

func TestRuleFigures(t *testing.T) {
	tests := []struct {
		id   string
		want []string
	}{
		{"condition-exhaustion", []string{"Level 1: disadvantage on ability checks", "Level 2: speed is halved",
			"Level 3: disadvantage on attack rolls and saving throws", "Level 4: hit point maximum is halved",
			"Level 5: speed drops to 0", "Level 6: death"}},
		{"combat-cover", []string{"+2 to AC and Dexterity", "+5 to AC and Dexterity"}},
		{"combat-the-order-of-combat", []string{"6 seconds"}},
		{"combat-improvised-weapon", []string{"1d4", "20 feet", "60 feet"}},
		{"combat-stabilizing-a-creature", []string{"DC 10", "1 hit point after 1d4 hours"}},
		{"combat-creature-size", []string{"2.5 by 2.5", "5 by 5", "10 by 10", "15 by 15", "20 by 20"}},
		{"general-difficulty-class", []string{"Very easy: DC 5", "Easy: DC 10", "Medium: DC 15", "Hard: DC 20",
			"Very hard: DC 25", "Nearly impossible: DC 30"}},
		{"general-falling", []string{"1d6", "10 feet", "20d6"}},
		{"general-suffocating", []string{"1 + its Constitution modifier minutes", "30 seconds"}},
		{"general-food-and-water", []string{"1 pound", "3 + your Constitution", "1 gallon", "DC 15"}},
		{"general-short-rest", []string{"1 hour"}},
		{"general-long-rest", []string{"8 hours", "24 hours"}},
		{"general-carrying-capacity", []string{"x 15", "x 30", "x 5 pounds", "x 10 you", "10 feet", "20 feet"}},
		{"general-passive-check", []string{"10 + all modifiers", "+5", "-5"}},
		{"general-concentration", []string{"DC 10 or half the damage"}},
		{"general-jumping", []string{"10 feet", "3 + your Strength modifier"}},
		{"general-spell-save-dc", []string{"8 + spellcasting ability modifier"}},
		{"general-travel-pace", []string{"400 feet", "30 miles", "300 feet", "24 miles", "200 feet", "18 miles", "DC 10 + 1"}},
		{"general-objects", []string{"rope 11", "ice 13", "bone 15", "stone 17", "steel 19", "mithral 21", "adamantine 23",
			"2 (1d4) or 5 (2d4)", "3 (1d6) or 10 (3d6)", "4 (1d8) or 18 (4d8)", "5 (1d10) or 27 (5d10)"}},
	}
	all := byID(t)
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			for _, want := range tt.want {
				if !strings.Contains(all[tt.id].Text, want) {
					t.Errorf("text lacks %q:\n%s", want, all[tt.id].Text)
				}
			}
		})
	}
}

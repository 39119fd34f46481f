package srd_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// srdFacts are the figures of the whole of SRD 5.1, without its sentences;
// _meta in the file gives their sources, their licence, and the meaning of the
// short keys.
type srdFacts struct {
	Spells     []spellFacts `json:"spells"`
	Conditions []string     `json:"conditions"`
	Monsters   []fact       `json:"monsters"`
	Equipment  []fact       `json:"equipment"`
	Items      []fact       `json:"magic_items"`
	Classes    []fact       `json:"classes"`
	Subclasses []fact       `json:"subclasses"`
	Races      []fact       `json:"races"`
	Subraces   []fact       `json:"subraces"`
	Background []fact       `json:"backgrounds"`
	Feats      []fact       `json:"feats"`
	// Skills maps each skill to its ability.
	Skills map[string]string `json:"skills"`
}

// fact is one entry's figures by key.
type fact map[string]any

func (f fact) name() string { return f["name"].(string) }

func facts(t *testing.T) srdFacts {
	t.Helper()
	data, err := os.ReadFile("testdata/srd_facts.json")
	if err != nil {
		t.Fatal(err)
	}
	var f srdFacts
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatalf("decoding the facts: %v", err)
	}
	return f
}

// otherwise lists the figures in which the book differs from the facts, as the
// test reports them, with the reason.
func otherwise() map[string]string {
	return map[string]string{
		"item-potion-of-healing: rarity = varies, want common":      "the potion's common grade is called like the whole group",
		"item-potion-of-healing: key variant is missing, want true": "the potion's common grade is called like the whole group",
		"item-potion-of-healing: variants = [Potion of Healing Potion of Greater Healing Potion of Superior Healing Potion of Supreme Healing], which the facts lack": "the potion's common grade is called like the whole group",
		"spell-magic-missile: text lacks 3d4":                          "3d4 adds up three darts; each deals 1d4 + 1",
		"subclass-life-domain: spells hold guardian-of-faith +1 times": "the printed table of the domain has it at 7th level",
	}
}

// walk compares one category of the book with the facts. Its check returns the
// differences of one entry, for the facts' names.
type walk struct {
	category string
	names    []string
	check    func(i int, e entry) []string
}

func walks(f srdFacts) []walk {
	features, gained := f.features()
	var skills []string
	for key := range f.Skills {
		skills = append(skills, titled(key))
	}
	return []walk{
		{"spell", namesOf(f.Spells, func(s spellFacts) string { return s.Name }), func(i int, e entry) []string { return f.Spells[i].differences(e) }},
		{"condition", f.Conditions, func(int, entry) []string { return nil }},
		{"monster", namesOf(f.Monsters, fact.name), func(i int, e entry) []string { return monsterDifferences(f.Monsters[i], e) }},
		{"equipment", namesOf(f.Equipment, fact.name), func(i int, e entry) []string { return equipmentDifferences(f.Equipment[i], e) }},
		{"item", namesOf(f.Items, fact.name), func(i int, e entry) []string { return differences(e.Item, itemBlock(f.Items[i])) }},
		{"class", namesOf(f.Classes, fact.name), func(i int, e entry) []string { return differences(e.Class, classBlock(f.Classes[i])) }},
		{"subclass", namesOf(f.Subclasses, func(s fact) string { return printedName(s.name()) }), func(i int, e entry) []string {
			return subclassDifferences(f.Subclasses[i], e)
		}},
		{"feature", features, func(i int, e entry) []string { return differences(e.Feature, fact{"gained": gained[features[i]]}) }},
		{"race", namesOf(f.Races, fact.name), func(i int, e entry) []string { return differences(e.Race, raceBlock(f.Races[i])) }},
		{"subrace", namesOf(f.Subraces, fact.name), func(i int, e entry) []string { return differences(e.Subrace, raceBlock(f.Subraces[i])) }},
		{"background", namesOf(f.Background, fact.name), func(i int, e entry) []string { return differences(e.Background, backgroundBlock(f.Background[i])) }},
		{"skill", skills, func(i int, e entry) []string { return differences(e.Skill, fact{"ability": f.Skills[slug(skills[i])]}) }},
		{"feat", namesOf(f.Feats, fact.name), func(i int, e entry) []string { return differences(e.Feat, featBlock(f.Feats[i])) }},
	}
}

// titled converts a key such as "sleight-of-hand" to a name.
func titled(key string) string {
	words := strings.Split(key, "-")
	for i, w := range words {
		if w != "of" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, " ")
}

func namesOf[T any](list []T, name func(T) string) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = name(x)
	}
	return out
}

// TestBookAgreesWithTheFacts checks that the book has every entry of the facts
// with the same figures, and no others in these categories.
func TestBookAgreesWithTheFacts(t *testing.T) {
	all, excused := byID(t), otherwise()
	for _, w := range walks(facts(t)) {
		t.Run(w.category, func(t *testing.T) {
			wanted := map[string]bool{}
			for i, name := range w.names {
				id := w.category + "-" + slug(name)
				wanted[id] = true
				e, ok := all[id]
				if !ok {
					t.Errorf("the book lacks %s", id)
					continue
				}
				if e.Name != name && w.category != "spell" {
					t.Errorf("%s is called %q, want %q", id, e.Name, name)
				}
				for _, what := range w.check(i, e) {
					what = id + ": " + what
					if _, ok := excused[what]; ok {
						delete(excused, what)
						continue
					}
					t.Error(what)
				}
			}
			held := 0
			for id, e := range all {
				if e.Category != w.category {
					continue
				}
				held++
				if !wanted[id] {
					t.Errorf("the facts know no %s", id)
				}
			}
			t.Logf("the book holds %d of %d", held, len(w.names))
		})
	}
	for what, why := range excused {
		t.Errorf("%s is excused (%s) but does not differ", what, why)
	}
}

// spellFacts are the figures of a spell.
type spellFacts struct {
	Name          string     `json:"name"`
	Level         int        `json:"level"`
	School        string     `json:"school"`
	CastingTime   string     `json:"cast"`
	Range         string     `json:"range"`
	Components    string     `json:"comp"`
	Duration      string     `json:"dur"`
	Concentration bool       `json:"conc"`
	Ritual        bool       `json:"ritual"`
	Classes       []string   `json:"classes"`
	Damage        string     `json:"dmg"`
	TextDamage    [][]string `json:"text_dmg"`
	PerSlot       string     `json:"per_slot"`
	// ByLevel are the dice by character level.
	ByLevel map[string]string `json:"char"`
	Save    string            `json:"save"`
	Area    []any             `json:"area"` // shape, size in feet
	Price   any               `json:"gp"`   // a number or several
}

var dicePattern = regexp.MustCompile(`[0-9]+d[0-9]+`)

func (s spellFacts) differences(e entry) []string {
	var out []string
	letters, _, _ := strings.Cut(e.Spell.Components, " (")
	origin, _, _ := strings.Cut(e.Spell.Range, " (")
	classes, wantClasses := slices.Sorted(slices.Values(e.Spell.Classes)), slices.Sorted(slices.Values(s.Classes))
	for _, row := range []struct {
		name      string
		got, want any
	}{
		{"level", e.Spell.Level, s.Level}, {"school", e.Spell.School, s.School}, {"casting time", e.Spell.CastingTime, s.CastingTime},
		{"range", origin, s.Range}, {"components", strings.ReplaceAll(letters, ", ", ""), s.Components}, {"duration", e.Spell.Duration, s.Duration},
		{"concentration", e.Spell.Concentration, s.Concentration}, {"ritual", e.Spell.Ritual, s.Ritual},
		{"classes", strings.Join(classes, " "), strings.Join(wantClasses, " ")},
	} {
		if row.got != row.want {
			out = append(out, fmt.Sprintf("%s = %v, want %v", row.name, row.got, row.want))
		}
	}
	dice := []string{s.Damage, s.PerSlot}
	for _, d := range s.TextDamage {
		dice = append(dice, d[0])
	}
	for _, d := range s.ByLevel {
		dice = append(dice, d)
	}
	for _, d := range dice {
		out = append(out, lacking(e.Text, dicePattern.FindString(d))...)
	}
	if s.Save != "" {
		out = append(out, lacking(e.Text, abilityNames()[s.Save])...)
	}
	if len(s.Area) == 2 {
		size := fmt.Sprint(s.Area[1])
		if s.Area[0] == "floor_sqft" {
			size += " square feet"
		}
		if !regexp.MustCompile(`\b` + size + `\b`).MatchString(strings.ReplaceAll(e.Text, ",", "")) {
			out = append(out, "text lacks "+size)
		}
	}
	for _, gp := range numbers(s.Price) {
		out = append(out, lacking(strings.ReplaceAll(e.Spell.Components, ",", ""), gp+" gp")...)
	}
	return out
}

func abilityNames() map[string]string {
	return map[string]string{"str": "Strength", "dex": "Dexterity", "con": "Constitution", "int": "Intelligence", "wis": "Wisdom", "cha": "Charisma"}
}

// numbers returns a number as a list, or the numbers of a list.
func numbers(v any) []string {
	switch v := v.(type) {
	case float64:
		return []string{strconv.FormatFloat(v, 'f', -1, 64)}
	case []any:
		var out []string
		for _, x := range v {
			out = append(out, numbers(x)...)
		}
		return out
	}
	return nil
}

// lacking reports whether text lacks the word want; an empty want is never
// lacking.
func lacking(text, want string) []string {
	if want == "" || regexp.MustCompile(`(^|[^0-9a-z])`+regexp.QuoteMeta(want)+`([^0-9a-z]|$)`).MatchString(text) {
		return nil
	}
	return []string{"text lacks " + want}
}

// shown formats a figure, whatever its number type.
func shown(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// differences compares a block of the book with the expected one, key by key.
func differences(got, want fact) []string {
	var out []string
	for key, w := range want {
		if g, ok := got[key]; !ok {
			out = append(out, fmt.Sprintf("key %s is missing, want %v", key, w))
		} else if shown(g) != shown(w) {
			out = append(out, fmt.Sprintf("%s = %v, want %v", key, g, w))
		}
	}
	for key, g := range got {
		if _, ok := want[key]; !ok {
			out = append(out, fmt.Sprintf("%s = %v, which the facts lack", key, g))
		}
	}
	slices.Sort(out)
	return out
}

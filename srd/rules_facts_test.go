package srd_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ruleFacts are the facts of rules, which have no separate entries.
type ruleFacts struct {
	Exhaustion  [][]any        `json:"exhaustion"`
	Languages   [][]string     `json:"languages"`
	DamageTypes []string       `json:"damage_types"`
	Schools     []string       `json:"schools"`
	Alignments  []string       `json:"alignments"`
	Properties  []string       `json:"weapon_properties"`
	Cover       map[string]any `json:"cover"`
	Figures     map[string]any `json:"figures"`
	Rules       []struct {
		Sections []struct {
			Name  string   `json:"name"`
			Heads []string `json:"heads"`
		} `json:"sections"`
	} `json:"rules"`
	Tables []factTable `json:"tables"`
}

type factTable struct {
	Title string     `json:"t"`
	Rows  [][]string `json:"r"`
}

// TestFactsAreAllWalked checks that a test covers every category of the facts,
// so that a new one is not missed.
func TestFactsAreAllWalked(t *testing.T) {
	data, err := os.ReadFile("testdata/srd_facts.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	walked := strings.Fields(`spells conditions monsters equipment magic_items classes subclasses races subraces feats backgrounds
		skills exhaustion languages damage_types schools alignments weapon_properties cover figures rules tables`)
	// The sources of the facts, how many agree, and an empty list.
	walked = append(walked, "_meta", "figures_sources", "rules_extra")
	for name := range all {
		if !slices.Contains(walked, name) {
			t.Errorf("no test walks %q of the facts", name)
		}
	}
	if extra := string(all["rules_extra"]); extra != "[]" {
		t.Errorf("rules_extra = %s, which no test walks", extra)
	}
}

func TestRuleListsAreWhole(t *testing.T) {
	f, all := readRuleFacts(t), byID(t)
	for _, row := range []struct {
		id    string
		words []string
	}{
		{"combat-damage-types", f.DamageTypes}, {"general-schools-of-magic", f.Schools},
		{"general-alignment", f.Alignments}, {"combat-weapon-properties", f.Properties},
	} {
		for _, w := range row.words {
			if text := strings.ToLower(all[row.id].Text); len(lacking(text, strings.ToLower(w))) > 0 {
				t.Errorf("%s: text lacks %s", row.id, w)
			}
		}
	}
	for _, l := range f.Languages {
		script := l[2]
		if script == "" { // null: no script
			script = "no script"
		}
		if !regexp.MustCompile(l[0] + ` \([^)]*` + script + `[^)]*\)`).MatchString(all["general-languages"].Text) {
			t.Errorf("general-languages: text lacks %v with its script", l)
		}
	}
	for _, e := range f.Exhaustion {
		level := fmt.Sprintf("Level %v: ", e[0])
		_, line, _ := strings.Cut(all["condition-exhaustion"].Text, level)
		line, _, _ = strings.Cut(line, "\n")
		for w := range strings.FieldsSeq(strings.ToLower(e[1].(string))) {
			if w != "reduced" && !strings.Contains(line, w) {
				t.Errorf("condition-exhaustion: %s%q lacks %s", level, line, w)
			}
		}
	}
	for _, bonus := range []any{f.Cover["half"], f.Cover["three-quarters"]} {
		if want := fmt.Sprintf("+%v to AC", bonus); !strings.Contains(all["combat-cover"].Text, want) {
			t.Errorf("combat-cover: text lacks %s", want)
		}
	}
}

func readRuleFacts(t *testing.T) ruleFacts {
	t.Helper()
	data, err := os.ReadFile("testdata/srd_facts.json")
	if err != nil {
		t.Fatal(err)
	}
	var f ruleFacts
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// headsElsewhere are headings of the printed rules with another name in the
// book.
func headsElsewhere() map[string]string {
	return map[string]string{
		"The Order of Combat": "combat-the-order-of-combat", "Movement and Position": "combat-movement", "Actions in Combat": "combat-action",
		"Making an Attack": "combat-attack", "Damage and Healing": "combat-hit-points", "Reactions": "combat-reaction",
		"Falling Unconscious": "combat-dropping-to-0-hit-points", "Flying Movement": "combat-flying-movement",
		"Size Categories": "combat-creature-size", "Squeezing into a Smaller Space": "combat-squeezing",
		"Range": "combat-normal-and-long-range", "Shoving a Creature": "combat-shoving", "Typical Difficulty Classes": "general-difficulty-class",
		"Using Each Ability": "general-ability-scores-and-modifiers", "Strength Checks": "general-strength",
		"Attack Rolls and Damage": "combat-attack-modifiers", "Dexterity Checks": "general-dexterity", "Hiding": "combat-hide",
		"Constitution Checks": "general-constitution", "Intelligence Checks": "general-intelligence", "Wisdom Checks": "general-wisdom",
		"Charisma Checks": "general-charisma", "Special Types of Movement": "general-climbing-and-swimming",
		"Climbing, Swimming, and Crawling": "general-climbing-and-swimming", "The Environment": "general-vision-and-light",
		"Darkvision": "general-darkvision-sense", "Food": "general-food-and-water", "Water": "general-food-and-water",
		"Sample Traps": "general-traps", "Pits": "trap-simple-pit", "Sphere of Annihilation": "trap-sphere-of-annihilation-trap",
		"Sample Diseases": "disease-diseases", "Madness Effects": "madness-madness", "Resting": "general-short-rest",
		"What Is a Spell?": "general-spell-level", "Casting a Spell": "combat-cast-a-spell", "Verbal (V)": "general-verbal-component",
		"Somatic (S)": "general-somatic-component", "Material (M)": "general-material-component", "Instantaneous": "general-instantaneous-spells",
		"Targets": "general-spell-targets", "Spell Attack Rolls": "general-spell-attack-roll", "The Schools of Magic": "general-schools-of-magic",
		"Bonus Action": "combat-bonus-action", "Statistics for Objects": "general-objects", "Object Hit Points": "general-objects",
		"Sample Poisons": "general-poison-types", "Spells": "general-spells-from-items", "Senses": "general-sentient-item-senses",
		"Creating Sentient Magic Items": "general-sentient-magic-items", "Abilities": "general-sentient-magic-items",
		"Fantasy-Historical Pantheons": "deity-norse-pantheon", "The Celtic Pantheon": "deity-celtic-pantheon",
		"The Greek Pantheon": "deity-greek-pantheon", "The Egyptian Pantheon": "deity-egyptian-pantheon", "The Norse Pantheon": "deity-norse-pantheon",
		"The Planes of Existence": "plane-outer-planes", "The Material Plane": "plane-material-plane", "Beyond the Material": "plane-planar-travel",
		"Transitive Planes": "plane-ethereal-plane", "Ability Checks": "general-ability-check",
	}
}

// TestEveryHeadingIsFound checks that every heading of the printed rules is the
// name or an alias of an entry.
func TestEveryHeadingIsFound(t *testing.T) {
	called, all := map[string]bool{}, byID(t)
	for _, e := range all {
		called[strings.ToLower(e.Name)] = true
		for _, a := range e.Aliases {
			called[strings.ToLower(a)] = true
		}
	}
	elsewhere := headsElsewhere()
	for _, id := range elsewhere {
		if _, ok := all[id]; !ok {
			t.Errorf("there is no entry %s", id)
		}
	}
	for _, chapter := range readRuleFacts(t).Rules {
		for _, s := range chapter.Sections {
			for _, head := range append([]string{s.Name}, s.Heads...) {
				if _, known := elsewhere[head]; !known && !called[strings.ToLower(head)] {
					t.Errorf("no entry for the heading %q of %q", head, s.Name)
				}
			}
		}
	}
}

// figurePlaces says which entry contains each figure of the rules.
func figurePlaces() map[string]string {
	return map[string]string{
		"fall_damage": "general-falling", "suffocate_hold_breath_min": "general-suffocating", "food_lb_per_day": "general-food-and-water",
		"food_days_without": "general-food-and-water", "water_gal_per_day": "general-food-and-water", "water_dc": "general-food-and-water",
		"short_rest_hours": "general-short-rest", "long_rest_hours": "general-long-rest", "long_rest_once_per_hours": "general-long-rest",
		"carry_str_mult": "general-lifting-and-carrying", "push_drag_lift": "general-lifting-and-carrying", "encumbered": "general-encumbrance",
		"heavily_encumbered": "general-encumbrance", "passive_check_base": "general-passive-check", "passive_adv": "general-passive-check",
		"concentration_dc": "general-concentration", "death_save_dc": "combat-death-saving-throw", "death_save_count": "combat-death-saving-throw",
		"death_save_20": "combat-death-saving-throw", "stabilize_dc": "combat-stabilizing-a-creature", "stable_regain": "combat-stabilizing-a-creature",
		"massive_damage_instant_death": "combat-instant-death", "long_jump": "general-jumping", "high_jump": "general-jumping",
		"spell_dc_base": "general-spell-save-dc", "ranged_close_ft": "combat-ranged-attacks-in-close-combat", "attune_max": "general-attunement",
		"attune_break_ft": "general-attunement", "max_score": "general-ability-scores-and-modifiers",
		"monster_max_score": "general-ability-scores-and-modifiers", "half_cover": "combat-cover", "three_quarters_cover": "combat-cover",
		"difficult_terrain": "combat-difficult-terrain", "stand_up": "combat-being-prone", "squeeze": "combat-squeezing",
		"round_seconds": "combat-the-order-of-combat", "ritual_extra_min": "general-rituals", "improvised_dmg": "combat-improvised-weapon",
		"improvised_throw": "combat-improvised-weapon", "forced_march": "general-forced-march", "craft_gp_per_day": "general-crafting",
		"silver_cost": "combat-silvered-weapons", "training": "general-training", "dodge": "combat-dodge", "crit_roll": "combat-critical-hit",
	}
}

func TestFiguresStandInTheirRule(t *testing.T) {
	all, places := byID(t), figurePlaces()
	for name, value := range readRuleFacts(t).Figures {
		values, ok := value.([]any)
		if !ok {
			values = []any{value}
		}
		e, ok := all[places[name]]
		if !ok {
			t.Errorf("no entry for the figure %s", name)
			continue
		}
		for _, v := range values {
			want := shown(v)
			if want == "one" {
				want = "1"
			}
			for _, what := range lacking(e.Text, want) {
				t.Errorf("%s: %s (%s)", e.ID, what, name)
			}
		}
	}
}

// TestNumbersOfEntries checks that the book has at least as many entries of
// each kind as the SRD.
func TestNumbersOfEntries(t *testing.T) {
	held := map[string]int{}
	for _, e := range byID(t) {
		held[e.Category]++
	}
	if rules := held["combat"] + held["general"]; rules < 150 {
		t.Errorf("%d rules, want at least 150", rules)
	}
	for category, want := range map[string]int{
		"spell": 319, "condition": 15, "monster": 334, "equipment": 237, "item": 361, "class": 12, "subclass": 12, "feature": 180,
		"race": 9, "subrace": 4, "background": 1, "feat": 1, "skill": 18, "trap": 12, "disease": 3, "madness": 5, "poison": 14,
		"plane": 8, "deity": 67,
	} {
		if held[category] < want {
			t.Errorf("%d entries of category %s, want at least %d", held[category], category, want)
		}
	}
	var list []string
	for _, category := range slices.Sorted(maps.Keys(held)) {
		list = append(list, fmt.Sprintf("%s %d", category, held[category]))
	}
	t.Log(strings.Join(list, ", "))
}

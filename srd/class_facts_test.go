package srd_test

import (
	"fmt"
	"slices"
	"strings"
)

// printedNames are the full names of subclasses that the facts shorten.
func printedNames() map[string]string {
	return map[string]string{
		"Berserker": "Path of the Berserker", "Lore": "College of Lore", "Life": "Life Domain", "Land": "Circle of the Land",
		"Open Hand": "Way of the Open Hand", "Devotion": "Oath of Devotion", "Draconic": "Draconic Bloodline", "Fiend": "The Fiend",
		"Evocation": "School of Evocation",
	}
}

func printedName(name string) string {
	if printed, ok := printedNames()[name]; ok {
		return printed
	}
	return name
}

// classBlock returns the expected block.
func classBlock(f fact) fact {
	b := fact{}
	rename(b, f, "hit_die", "hit_die", "saves", "saves", "prof", "proficiencies", "skill_choose", "skill_choices", "skills", "skills",
		"cast_ability", "spellcasting", "features", "features", "prof_bonus", "proficiency_bonus",
		"cantrips_known", "cantrips_known", "spells_known", "spells_known")
	b["multiclass"] = pairs(f["multi_pre"])
	var subclasses []any
	for _, s := range f["subclasses"].([]any) {
		subclasses = append(subclasses, printedName(s.(string)))
	}
	b["subclasses"] = subclasses
	var slots []any
	for _, row := range lists(f["slots"]) {
		slots = append(slots, slotRow(row))
	}
	if slots != nil {
		b["slots"] = slots
	}
	columns := map[string]any{}
	table, _ := f["table"].(map[string]any)
	for name, values := range table {
		// The cost of slots in sorcery points is the same at every level and is
		// in the text.
		if name == "creating_spell_slots" {
			continue
		}
		var column []any
		for _, v := range values.([]any) {
			column = append(column, columnValue(v))
		}
		columns[name] = column
	}
	if len(columns) > 0 {
		b["columns"] = columns
	}
	return b
}

// pairs formats each pair of a list as text.
func pairs(v any) []any {
	var out []any
	for _, p := range lists(v) {
		out = append(out, strings.Join(texts(p), " "))
	}
	return out
}

// slotRow is one level's spell slots, from the 1st spell level to the last with
// any.
func slotRow(row []any) string {
	for len(row) > 0 && row[len(row)-1] == 0.0 {
		row = row[:len(row)-1]
	}
	if len(row) == 0 {
		return "none"
	}
	return strings.Join(texts(row), " ")
}

func columnValue(v any) any {
	if d, ok := v.(map[string]any); ok {
		return fmt.Sprintf("%vd%v", d["dice_count"], d["dice_value"])
	}
	if v == 9999.0 {
		return "unlimited"
	}
	return v
}

// subclassDifferences compares a subclass with the facts, whose spells are one
// list.
func subclassDifferences(f fact, e entry) []string {
	want := fact{}
	rename(want, f, "class", "class", "flavor", "kind", "features", "features")
	block := fact{}
	for key, v := range e.Subclass {
		if key != "spells" {
			block[key] = v
		}
	}
	out := differences(block, want)
	held := map[string]int{}
	spells, _ := e.Subclass["spells"].(fact)
	for _, list := range spells {
		for _, s := range list.([]any) {
			held[slug(s.(string))]++
		}
	}
	for _, s := range f["spells"].([]any) {
		held[s.(string)]--
	}
	for s, n := range held {
		if n != 0 {
			out = append(out, fmt.Sprintf("spells hold %s %+d times", s, n))
		}
	}
	slices.Sort(out)
	return out
}

func raceBlock(f fact) fact {
	b := fact{}
	rename(b, f, "speed", "speed", "size", "size", "race", "race", "bonus", "bonus", "bonus_choose", "bonus_choices",
		"lang", "languages", "lang_choose", "language_choices", "traits", "traits", "subraces", "subraces")
	return b
}

func backgroundBlock(f fact) fact {
	b := fact{}
	rename(b, f, "lang_choose", "language_choices", "gold_gp", "gold", "feature", "feature")
	var skills []any
	for _, p := range f["prof"].([]any) {
		skills = append(skills, strings.TrimPrefix(p.(string), "skill-"))
	}
	b["skills"] = skills
	return b
}

func featBlock(f fact) fact { return fact{"prerequisites": pairs(f["pre"])} }

// retold are the features that the book describes under another name, or within
// another entry.
func retold() map[string]string {
	return map[string]string{
		"Ki Empowered Strikes":                    "Ki-Empowered Strikes", // as printed
		"Signature Spell":                         "Signature Spells",     // as printed
		"Flexible Casting: Creating Spell Slots":  "Flexible Casting",     // one feature in print
		"Flexible Casting: Converting Spell Slot": "Flexible Casting",
		"Divine Intervention Improvement":         "Divine Intervention",
		"Aura improvements":                       "", // in the auras of protection and courage
		"Darkvision":                              "", // a sense, not a separate feature
	}
}

// features lists the facts' features by name, with the level at which each
// class, subclass or race first gains them.
func (f srdFacts) features() ([]string, map[string]fact) {
	gained := map[string]fact{}
	note := func(name, owner string, level float64) {
		base, _, _ := strings.Cut(name, " (")
		if other, ok := retold()[base]; ok {
			base = other
		}
		// "Path feature" is a placeholder for the subclass's features.
		if base == "" || strings.HasSuffix(base, " feature") {
			return
		}
		if gained[base] == nil {
			gained[base] = fact{}
		}
		if first, ok := gained[base][owner].(float64); !ok || level < first {
			gained[base][owner] = level
		}
	}
	for _, c := range slices.Concat(f.Classes, f.Subclasses) {
		for level, list := range c["features"].(map[string]any) {
			var at float64
			fmt.Sscan(level, &at)
			for _, name := range list.([]any) {
				note(name.(string), strings.ToLower(c.name()), at)
			}
		}
	}
	for _, r := range slices.Concat(f.Races, f.Subraces) {
		traits, _ := r["traits"].([]any)
		for _, name := range traits {
			note(name.(string), strings.ToLower(r.name()), 1)
		}
	}
	names := make([]string, 0, len(gained))
	for name := range gained {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, gained
}

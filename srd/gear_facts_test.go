package srd_test

import (
	"fmt"
	"strings"
)

// equipmentDifferences compares an item's block with the facts, and checks that
// the text contains its damage and armor class.
func equipmentDifferences(f fact, e entry) []string {
	out := differences(e.Gear, equipmentBlock(f))
	if d, ok := f["dmg"].([]any); ok {
		out = append(out, lacking(e.Text, d[0].(string))...)
	}
	if d, ok := f["dmg2h"].(string); ok {
		out = append(out, lacking(e.Text, d)...)
	}
	if ac, ok := f["ac"].([]any); ok && ac[0].(float64) > 2 {
		out = append(out, lacking(e.Text, fmt.Sprintf("AC %v", ac[0]))...)
	}
	return out
}

// equipmentBlock returns the expected block.
func equipmentBlock(f fact) fact {
	b := fact{}
	rename(b, f, "sub", "group", "cost", "cost", "cost_cp", "cost_cp", "lb", "weight", "qty", "quantity", "dmg2h", "two_handed_damage",
		"prop", "properties", "range", "range", "throw", "thrown", "str_min", "strength", "stealth_dis", "stealth_disadvantage", "speed", "speed", "cap", "capacity")
	b["kind"] = map[string]string{"weapon": "weapon", "armor": "armor", "adventuring-gear": "gear", "tools": "tool", "mounts-and-vehicles": "mount or vehicle"}[f["cat"].(string)]
	if d, ok := f["dmg"].([]any); ok {
		b["damage"] = strings.Join(texts(d), " ")
	}
	if ac, ok := f["ac"].([]any); ok {
		b["armor_class"] = ac[0]
		if ac[1] != 0.0 {
			b["adds_dexterity"] = true
		}
		if len(ac) > 2 {
			b["most_dexterity"] = ac[2]
		}
	}
	for _, c := range lists(f["contents"]) {
		list, _ := b["contents"].([]any)
		b["contents"] = append(list, fmt.Sprintf("%v %v", c[1], c[0]))
	}
	return b
}

// itemBlock returns the expected block.
func itemBlock(f fact) fact {
	b := fact{}
	rename(b, f, "attune", "attunement", "attune_by", "attunement_by", "variant", "variant", "variants", "variants")
	b["kind"] = strings.ReplaceAll(strings.TrimSuffix(f["cat"].(string), "s"), "-", " ")
	b["rarity"] = strings.ToLower(f["rarity"].(string))
	return b
}

package srd_test

import (
	"fmt"
	"regexp"
	"strings"
)

// monsterDifferences compares a monster's block with the facts, and checks that
// its text contains the figures of its traits and actions.
func monsterDifferences(f fact, e entry) []string {
	out := differences(e.Monster, monsterBlock(f))
	for _, section := range []string{"traits", "actions", "reactions", "legendary"} {
		for _, a := range records(f[section]) {
			if name := a["n"].(string); !strings.Contains(e.Text, name) {
				out = append(out, "text does not say "+name)
			}
			out = append(out, figuresLacking(a, e.Text)...)
		}
	}
	return out
}

// figuresLacking lists the dice, difficulty classes, ranges and bonuses of a
// trait or action that text lacks.
func figuresLacking(a fact, text string) []string {
	var out []string
	for _, d := range lists(a["dmg"]) {
		out = append(out, lacking(text, d[0].(string))...)
	}
	for _, d := range lists(a["dc"]) {
		out = append(out, lacking(text, fmt.Sprintf("DC %v %s", d[0], abilityNames()[d[1].(string)]))...)
	}
	if dc, ok := a["escape_dc"]; ok {
		out = append(out, lacking(text, fmt.Sprintf("escape DC %v", dc))...)
	}
	if hit, ok := a["hit"]; ok {
		out = append(out, lacking(text, fmt.Sprintf("%+d to hit", int(hit.(float64))))...)
	}
	if reach, ok := a["reach"]; ok {
		out = append(out, lacking(text, fmt.Sprintf("reach %v feet", reach))...)
	}
	if cast, ok := a["cast"].(map[string]any); ok {
		spells, _ := cast["spells"].(map[string]any)
		for _, list := range spells {
			for _, s := range list.([]any) {
				out = append(out, lacking(text, s.(string))...)
			}
		}
	}
	return out
}

func records(v any) []fact {
	list, _ := v.([]any)
	out := make([]fact, len(list))
	for i, x := range list {
		out[i] = x.(map[string]any)
	}
	return out
}

func lists(v any) [][]any {
	list, _ := v.([]any)
	out := make([][]any, len(list))
	for i, x := range list {
		out[i] = x.([]any)
	}
	return out
}

// rename copies keys of from into into under other names.
func rename(into, from fact, names ...string) {
	for i := 0; i < len(names); i += 2 {
		if v, ok := from[names[i]]; ok {
			into[names[i+1]] = v
		}
	}
}

// monsterBlock returns the expected block.
func monsterBlock(f fact) fact {
	b := fact{}
	rename(b, f, "size", "size", "type", "type", "subtype", "subtype", "align", "alignment", "ac", "armor_class", "ac_type", "armor",
		"ac_alt", "other_armor_class", "hp", "hit_points", "hd", "hit_dice", "pb", "proficiency", "saves", "saves", "skills", "skills",
		"lang", "languages", "vul", "vulnerabilities", "res", "resistances", "imm", "immunities", "cimm", "condition_immunities", "xp", "xp")
	speed := map[string]any{}
	for kind, feet := range f["speed"].(map[string]any) {
		if kind == "hover" {
			b["hover"] = true
			continue
		}
		speed[kind] = feet
	}
	b["speed"] = speed
	senses := map[string]any{}
	for sense, feet := range f["senses"].(map[string]any) {
		if sense == "pp" {
			sense = "passive_perception"
		}
		senses[sense] = feet
	}
	b["senses"] = senses
	abilities := map[string]any{}
	for i, score := range f["ab"].([]any) {
		abilities[[]string{"str", "dex", "con", "int", "wis", "cha"}[i]] = score
	}
	b["abilities"] = abilities
	b["challenge"] = map[string]string{"0.125": "1/8", "0.25": "1/4", "0.5": "1/2"}[fmt.Sprint(f["cr"])]
	if b["challenge"] == "" {
		b["challenge"] = fmt.Sprint(f["cr"])
	}
	for _, names := range [][2]string{{"traits", "traits"}, {"actions", "actions"}, {"reactions", "reactions"}, {"legendary", "legendary_actions"}} {
		if _, ok := f[names[0]]; !ok {
			continue
		}
		var features []any
		for _, a := range records(f[names[0]]) {
			features = append(features, map[string]any(featureBlock(a)))
		}
		b[names[1]] = features
	}
	return b
}

func featureBlock(a fact) fact {
	b := fact{}
	rename(b, a, "n", "name", "hit", "to_hit", "reach", "reach", "range", "range", "escape_dc", "escape_dc")
	if v, ok := b["range"].(float64); ok {
		b["range"] = []any{v}
	}
	if kind, ok := a["atk"].(string); ok {
		b["attack"] = strings.NewReplacer("mr", "melee or ranged ", "m", "melee ", "r", "ranged ", "w", "weapon", "s", "spell").Replace(kind)
	}
	if _, ok := a["half"]; ok {
		b["half"] = true
	}
	for _, d := range lists(a["dmg"]) {
		list, _ := b["damage"].([]any)
		b["damage"] = append(list, strings.TrimSpace(strings.Join(texts(d), " ")))
	}
	for _, d := range lists(a["dc"]) {
		list, _ := b["dc"].([]any)
		b["dc"] = append(list, strings.ReplaceAll(strings.Join(texts(d), " "), ":", " "))
	}
	if area, ok := a["area"].([]any); ok {
		b["area"] = fmt.Sprintf("%v-foot %v", area[1], area[0])
	}
	if use, ok := a["use"].(string); ok {
		b["use"] = useText(use)
	}
	for _, m := range lists(a["multi"]) {
		list, _ := b["attacks"].([]any)
		b["attacks"] = append(list, fmt.Sprintf("%v %v", m[1], m[0]))
	}
	if cast, ok := a["cast"].(map[string]any); ok {
		b["spellcasting"] = map[string]any(castBlock(cast))
	}
	return b
}

func castBlock(cast fact) fact {
	b := fact{}
	rename(b, cast, "level", "level", "ability", "ability", "dc", "save_dc", "hit", "to_hit", "spells", "spells")
	if slots, ok := cast["slots"].(map[string]any); ok {
		list := make([]any, len(slots))
		for i := range list {
			list[i] = slots[fmt.Sprint(i+1)]
		}
		b["slots"] = list
	}
	return b
}

var recharge = regexp.MustCompile(`^r([0-9])$`)

// useText describes how often something can be used.
func useText(use string) string {
	if m := recharge.FindStringSubmatch(use); m != nil && m[1] != "6" {
		return "recharge " + m[1] + "-6"
	} else if m != nil {
		return "recharge 6"
	}
	if n, ok := strings.CutPrefix(use, "cost"); ok {
		return "costs " + n
	}
	return use
}

func texts(list []any) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = fmt.Sprint(x)
	}
	return out
}

package srd_test

import (
	"regexp"
	"strings"
	"testing"
)

// tablePlaces says which entries contain each table of the facts: a pattern of
// ids, in which {row} is a row's first cell.
func tablePlaces() map[string]string {
	return map[string]string{
		"Size Categories": "combat-creature-size", "Ability Scores and Modifiers": "general-ability-scores-and-modifiers",
		"Typical Difficulty Classes": "general-difficulty-class", "Travel Pace": "general-travel-pace",
		"Standard Exchange Rates": "general-coinage", "Object Armor Class": "general-objects", "Object Hit Points": "general-objects",
		"Poisons": "poison-{row}", "Senses": "general-sentient-item-senses", "Alignment": "general-sentient-item-alignment",
		"Celtic Deities": "deity-{row}", "Greek Deities": "deity-{row}", "Egyptian Deities": "deity-{row}", "Norse Deities": "deity-{row}",
		"Trap Save DCs and Attack Bonuses": "general-trap-damage-by-level", "Damage Severity by Level": "general-trap-damage-by-level",
		"Dragonborn Traits": "feature-draconic-ancestry", "Destroy Undead": "feature-destroy-undead",
		"Life Domain Spells": "subclass-life-domain", "Beast Shapes": "feature-wild-shape", "Arctic": "subclass-circle-of-the-land",
		"Coast": "subclass-circle-of-the-land", "Desert": "subclass-circle-of-the-land", "Forest": "subclass-circle-of-the-land",
		"Grassland": "subclass-circle-of-the-land", "Mountain": "subclass-circle-of-the-land", "Swamp": "subclass-circle-of-the-land",
		"Oath of Devotion Spells": "subclass-oath-of-devotion", "Creating Spell Slots": "feature-flexible-casting",
		"Draconic Ancestry": "feature-dragon-ancestor", "Fiend Expanded Spells": "subclass-the-fiend",
		"Character Advancement": "general-character-advancement", "Multiclassing Prerequisites": "general-multiclassing-prerequisites",
		"Multiclass Spellcaster: Spell Slots per Spell Level": "general-multiclass-spellcaster-slots",
		"Standard Languages": "general-languages", "Exotic Languages": "general-languages",
		"Light Armor": "general-light-armor", "Medium Armor": "general-medium-armor", "Heavy Armor": "general-heavy-armor",
		"Shield": "general-shields", "Donning and Doffing Armor": "general-donning-and-doffing-armor",
		"Container Capacity": "general-container-capacity", "Mounts and Other Animals": "general-mounts-and-other-animals",
		"Tack, Harness, and Drawn Vehicles": "general-tack-harness-and-drawn-vehicles", "Waterborne Vehicles": "general-waterborne-vehicles",
		"Trade Goods": "general-trade-goods", "Lifestyle Expenses": "general-lifestyle-expenses",
		"Food, Drink, and Lodging": "general-food-drink-and-lodging", "Services": "general-services",
		"Armor of Resistance": "item-armor-of-resistance", "Gray Bag of Tricks": "item-gray-bag-of-tricks",
		"Rust Bag of Tricks": "item-rust-bag-of-tricks", "Tan Bag of Tricks": "item-tan-bag-of-tricks",
		"Belt of Giant Strength": "item-belt-of-.*giant-strength", "Candle of Invocation": "item-candle-of-invocation",
		"Carpet of Flying": "item-carpet-of-flying.*", "Cube of Force Faces": "item-cube-of-force", "Deck of Illusions": "item-deck-of-illusions",
		"Deck of Many Things": "item-deck-of-many-things", "Dragon Scale Mail": "item-dragon-scale-mail",
		"Elemental Gem": "item-.*elemental-gem", "Feather Token": "item-.*feather-token", "Horn of Valhalla": "item-.*horn-of-valhalla",
		"Iron Flask": "item-iron-flask", "Manual of Golems": "item-manual-of-.*golems", "Necklace of Prayer Beads": "item-necklace-of-prayer-beads",
		"Potion of Giant Strength": "item-potion-of-.*giant-strength", "Potions of Healing": "item-potion-of-.*healing",
		"Potion of Resistance": "item-potion-of-.*resistance", "Ring of Resistance": "item-ring-of-.*resistance",
		"Ring of Shooting Stars": "item-ring-of-shooting-stars", "Spell Scroll": "item-spell-scroll.*", "Staff of Power": "item-staff-of-power",
		"Staff of the Magi": "item-staff-of-the-magi", "Experience Points by Challenge Rating": "general-experience-points-by-challenge-rating",
		"Hit Dice by Size": "general-hit-dice-by-size", "Proficiency Bonus by Challenge Rating": "general-proficiency-bonus-by-challenge-rating",
	}
}

// cellsOtherwise are the cells that the book gives in another form.
func cellsOtherwise() map[string]string {
	return map[string]string{
		"Horn of Valhalla: text lacks none": "a horn that asks for nothing says nothing of it",
	}
}

var cellFigure = regexp.MustCompile(`[0-9]*d[0-9]+|[0-9][0-9,]*(?:/[0-9]+)?`)

// TestTablesStandInTheirEntry checks that every figure and short text of the
// printed tables is in the table's entry.
func TestTablesStandInTheirEntry(t *testing.T) {
	all, places, excused := byID(t), tablePlaces(), cellsOtherwise()
	for _, table := range readRuleFacts(t).Tables {
		place, ok := places[table.Title]
		if !ok {
			t.Errorf("no entry for the table %q", table.Title)
			continue
		}
		for _, row := range table.Rows {
			pattern := regexp.MustCompile("^" + strings.ReplaceAll(place, "{row}", slug(strings.Split(row[0], ", ")[0])) + "$")
			text := heldText(all, pattern)
			if text == "" {
				t.Errorf("no entry %s for a row of %q", pattern, table.Title)
			}
			for _, cell := range row {
				for _, what := range cellLacking(text, cell) {
					what = table.Title + ": " + what
					if _, ok := excused[what]; ok {
						delete(excused, what)
						continue
					}
					t.Error(what)
				}
			}
		}
	}
	for what, why := range excused {
		t.Errorf("%s is excused (%s) but does not differ", what, why)
	}
}

// heldText returns the text of all entries whose ids match, in lower case.
func heldText(all map[string]entry, ids *regexp.Regexp) string {
	var b strings.Builder
	for id, e := range all {
		if ids.MatchString(id) {
			b.WriteString(strings.ToLower(strings.Join([]string{e.Name, e.Summary, e.Text}, "\n")) + "\n")
			for _, v := range e.Poison {
				b.WriteString(strings.ToLower(v.(string)) + "\n")
			}
			b.WriteString(strings.ToLower(deityText(e.Deity)))
		}
	}
	return b.String()
}

func deityText(f fact) string {
	var b strings.Builder
	for key, v := range f {
		if list, ok := v.([]any); ok {
			b.WriteString(strings.Join(texts(list), ", ") + "\n")
			continue
		}
		if key == "alignment" || key == "symbol" || key == "of" {
			b.WriteString(v.(string) + "\n")
		}
	}
	return b.String()
}

var ordinal = regexp.MustCompile(`([0-9])(?:st|nd|rd|th)\b`)

// evened normalises fractions, dashes and ordinals.
func evened(s string) string {
	s = strings.NewReplacer("‒", "-", "–", "-", "—", "", "½", " 1/2", "¼", "1/4", "⅛", "1/8").Replace(strings.ToLower(s))
	return ordinal.ReplaceAllString(s, "$1")
}

// cellLacking lists the figures of a cell that text lacks; for a short cell
// without figures, its words.
func cellLacking(text, cell string) []string {
	text, cell = evened(text), evened(strings.ReplaceAll(cell, `\`, ""))
	var out []string
	figures := cellFigure.FindAllString(cell, -1)
	for _, f := range figures {
		out = append(out, lacking(text, strings.TrimRight(f, ","))...)
	}
	words := strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(" ,()/-", r) })
	if len(figures) > 0 || len(words) > 3 {
		return out
	}
	for _, w := range words {
		if w != "per" {
			out = append(out, lacking(text, w)...)
		}
	}
	return out
}

package srd_test

import (
	"slices"
	"strings"
	"testing"
)

// TestGermanNamesOfTheCore checks that German tables' names for the core rules
// lead to their entries.
func TestGermanNamesOfTheCore(t *testing.T) {
	names := map[string]string{
		"condition-blinded": "geblendet", "condition-charmed": "bezaubert", "condition-deafened": "taub", "condition-exhaustion": "erschöpfung",
		"condition-frightened": "verängstigt", "condition-incapacitated": "kampfunfähig", "condition-invisible": "unsichtbar",
		"condition-paralyzed": "gelähmt", "condition-petrified": "versteinert", "condition-poisoned": "vergiftet", "condition-prone": "liegend",
		"condition-restrained": "festgesetzt", "condition-stunned": "betäubt", "condition-unconscious": "bewusstlos",
		"class-barbarian": "barbar", "class-bard": "barde", "class-cleric": "kleriker", "class-druid": "druide", "class-fighter": "kämpfer",
		"class-monk": "mönch", "class-ranger": "waldläufer", "class-rogue": "schurke", "class-sorcerer": "zauberer",
		"class-warlock": "hexenmeister", "class-wizard": "magier", "race-dwarf": "zwerg", "race-elf": "elfe", "race-halfling": "halbling",
		"race-human": "mensch", "race-dragonborn": "drachenblütiger", "race-gnome": "gnom", "race-half-elf": "halbelf", "race-half-orc": "halbork",
		"skill-acrobatics": "akrobatik", "skill-animal-handling": "mit tieren umgehen", "skill-arcana": "arkane kunde", "skill-athletics": "athletik",
		"skill-history": "geschichte", "skill-insight": "motiv erkennen", "skill-intimidation": "einschüchtern",
		"skill-investigation": "nachforschungen", "skill-medicine": "heilkunde", "skill-nature": "naturkunde", "skill-perception": "wahrnehmung",
		"skill-performance": "auftreten", "skill-persuasion": "überzeugen", "skill-sleight-of-hand": "fingerfertigkeit",
		"skill-stealth": "heimlichkeit", "skill-survival": "überlebenskunst", "general-strength": "stärke", "general-dexterity": "geschicklichkeit",
		"general-constitution": "konstitution", "general-intelligence": "intelligenz", "general-wisdom": "weisheit",
		"combat-opportunity-attack": "gelegenheitsangriff", "combat-cover": "deckung", "combat-bonus-action": "bonusaktion",
		"general-short-rest": "kurze rast", "general-long-rest": "lange rast", "general-saving-throw": "rettungswurf",
		"general-concentration": "konzentration", "general-advantage-and-disadvantage": "vorteil", "combat-armor-class": "rüstungsklasse",
		"spell-fireball": "feuerball", "spell-magic-missile": "magisches geschoss", "spell-cure-wounds": "wunden heilen",
		"feature-sneak-attack": "hinterhältiger angriff", "feature-rage": "kampfrausch", "feature-lay-on-hands": "handauflegen",
		"monster-owlbear": "eulenbär", "monster-orc": "ork", "equipment-longsword": "langschwert", "equipment-chain-mail": "kettenpanzer",
	}
	all := byID(t)
	for id, name := range names {
		e, ok := all[id]
		if !ok {
			t.Errorf("there is no entry %s", id)
			continue
		}
		if !slices.ContainsFunc(e.Aliases, func(a string) bool { return strings.EqualFold(a, name) }) {
			t.Errorf("%s is not called %q", id, name)
		}
	}
}

package ruleslookup

import (
	"strings"
	"sync"
)

// numberWords are numbers by the words that say them, counting or in an order.
var numberWords = sync.OnceValue(func() map[string]float64 {
	all := map[string]float64{"half": 0.5, "halb": 0.5, "quarter": 0.25, "viertel": 0.25}
	for n, list := range [...]string{
		"zero null", "first one eins erste ersten erster einen", "second two zwei zweite zweiten zweiter", "third three drei dritte dritten dritter",
		"fourth four vier vierte vierten vierter", "fifth five funf funfte funften funfter", "sixth six sechs sechste sechsten sechster",
		"seventh seven sieben siebte siebten siebter", "eighth eight acht achte achten achter", "ninth nine neun neunte neunten neunter",
		"tenth ten zehn zehnte zehnten", "eleven elf", "twelve zwolf", "thirteen dreizehn", "fourteen vierzehn", "fifteen funfzehn",
		"sixteen sechzehn", "seventeen siebzehn", "eighteen achtzehn", "nineteen neunzehn", "twenty zwanzig",
	} {
		for w := range strings.FieldsSeq(list) {
			all[w] = float64(n)
		}
	}
	return all
})

// kindOf returns the conditions a noun sets, nil if it names no kind of thing.
func kindOf(w string) []condition {
	is := func(pairs ...string) (list []condition) {
		for i := 0; i+1 < len(pairs); i += 2 {
			list = append(list, newCondition(pairs[i], "=", pairs[i+1]))
		}
		return list
	}
	switch w {
	case "spell", "spells", "cantrip", "cantrips", "zauber", "zaubern", "zauberspruch", "zaubersprüche", "zauberspruche", "spruche", "zaubertrick", "zaubertricks":
		return is("category", "spell")
	case "monster", "monsters", "creature", "creatures", "kreatur", "kreaturen", "wesen", "ungeheuer":
		return is("category", "monster")
	case "weapon", "weapons", "waffe", "waffen":
		return is("category", "equipment", "kind", "weapon")
	case "nahkampfwaffe", "nahkampfwaffen":
		return is("category", "equipment", "kind", "weapon", "group", "melee")
	case "fernkampfwaffe", "fernkampfwaffen":
		return is("category", "equipment", "kind", "weapon", "group", "ranged")
	case "kriegswaffe", "kriegswaffen":
		return is("category", "equipment", "kind", "weapon", "group", "martial")
	case "armor", "armour", "armors", "rustung", "rustungen":
		return is("category", "equipment", "kind", "armor")
	case "tool", "tools", "werkzeug", "werkzeuge":
		return is("category", "equipment", "kind", "tool")
	case "instrument", "instruments", "musikinstrument", "musikinstrumente":
		return is("category", "equipment", "group", "instrument")
	case "packs", "ausrustungspaket", "ausrustungspakete", "pakete":
		return is("category", "equipment", "group", "pack")
	case "boat", "boats", "ship", "ships", "boot", "boote", "schiff", "schiffe":
		return is("category", "equipment", "group", "waterborne")
	case "mounts", "reittier", "reittiere":
		return is("category", "equipment", "kind", "mount")
	case "items", "gegenstande":
		return is("category", "item")
	case "class", "classes", "klasse", "klassen":
		return is("category", "class")
	case "race", "races", "volk", "volker", "rasse", "rassen":
		return is("category", "race")
	case "skills", "fertigkeiten":
		return is("category", "skill")
	case "ring", "rings", "ringe":
		return is("category", "item", "kind", "ring")
	case "potion", "potions", "trank", "tranke":
		return is("category", "item", "kind", "potion")
	case "wands", "zauberstabe":
		return is("category", "item", "kind", "wand")
	case "staffs", "staves", "stabe", "stecken":
		return is("category", "item", "kind", "staff")
	case "rods", "zepter":
		return is("category", "item", "kind", "rod")
	}
	if t := creatureType(w); t != "" {
		return is("category", "monster", "type", t)
	}
	return nil
}

// creatureType returns the type that a word in the plural names.
func creatureType(w string) string {
	switch w {
	case "aberrations", "aberration", "aberrationen":
		return "aberration"
	case "beasts", "tiere", "bestien", "animals":
		return "beast"
	case "celestials", "himmlische", "celestische":
		return "celestial"
	case "constructs", "konstrukte", "konstrukt":
		return "construct"
	case "dragons", "drachen":
		return "dragon"
	case "elementals", "elementare", "elementarwesen":
		return "elemental"
	case "feen", "fey", "feenwesen":
		return "fey"
	case "fiends", "unholde":
		return "fiend"
	case "giants", "riesen":
		return "giant"
	case "humanoids", "humanoide":
		return "humanoid"
	case "monstrosities", "monstrositaten":
		return "monstrosity"
	case "oozes", "schlicke", "schleime":
		return "ooze"
	case "plants", "pflanzen", "pflanze":
		return "plant"
	case "undead", "untote", "untoten":
		return "undead"
	}
	return ""
}

// classWords are the classes by the words that name them.
var classWords = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, row := range [...]string{
		"barbarian barbarians barbar barbaren", "bard bards barde barden", "cleric clerics kleriker klerikern", "druid druids druide druiden",
		"fighter fighters kampfer", "monk monks monch monche", "paladin paladins paladine", "ranger rangers waldlaufer",
		"rogue rogues schurke schurken", "sorcerer sorcerers zauberer", "warlock warlocks hexenmeister", "wizard wizards magier",
	} {
		class, _, _ := strings.Cut(row, " ")
		for w := range strings.FieldsSeq(row) {
			all[w] = class
		}
	}
	return all
})

// valueWords are conditions by the adjective or the value's name that sets them.
var valueWords = sync.OnceValue(func() map[string]condition {
	all := map[string]condition{}
	for _, row := range [...]struct{ key, value, words string }{
		{"school", "abjuration", "abjuration bannmagie bann"}, {"school", "conjuration", "conjuration beschworung beschworungs"},
		{"school", "divination", "divination erkenntnismagie erkenntnis"}, {"school", "enchantment", "enchantment verzauberung verzauberungs"},
		{"school", "evocation", "evocation hervorrufung hervorrufungs"}, {"school", "illusion", "illusion illusions illusionen"},
		{"school", "necromancy", "necromancy nekromantie"}, {"school", "transmutation", "transmutation verwandlung verwandlungs"},
		{"damage", "acid", "acid saure saureschaden"}, {"damage", "cold", "cold kalte kalteschaden"}, {"damage", "fire", "fire feuer feuerschaden"},
		{"damage", "force", "force energieschaden"}, {"damage", "lightning", "lightning blitz blitzschaden"}, {"damage", "necrotic", "necrotic nekrotisch nekrotischen nekrotischer"},
		{"damage", "psychic", "psychic psychisch psychischen psychischer"}, {"damage", "radiant", "radiant gleissend gleissenden"},
		{"damage", "thunder", "thunder donner donnerschaden"}, {"damage", "slashing", "slashing hiebschaden"}, {"damage", "piercing", "piercing stichschaden"},
		{"damage", "bludgeoning", "bludgeoning wuchtschaden"},
		{"rarity", "common", "common gewohnlich gewohnliche gewohnlichen"}, {"rarity", "uncommon", "uncommon ungewohnlich ungewohnliche ungewohnlichen"},
		{"rarity", "rare", "rare selten seltene seltenen"}, {"rarity", "legendary", "legendary legendar legendare legendaren"},
		{"rarity", "artifact", "artifact artefakt"},
		{"properties", "finesse", "finesse"}, {"properties", "versatile", "versatile vielseitig vielseitige"}, {"properties", "reach", "reach"},
		{"properties", "thrown", "thrown werfen wurfwaffe wurf throw"}, {"properties", "loading", "loading"},
		{"group", "martial", "martial kriegs"}, {"group", "simple", "simple einfach einfache einfachen"}, {"group", "melee", "melee nahkampf"}, {"group", "ranged", "ranged fernkampf"},
		{"ritual", "true", "ritual rituals ritualzauber rituale"}, {"concentration", "true", "concentration konzentration konzentrations"},
		{"casting_time", "bonus action", "bonusaktion"}, {"casting_time", "reaction", "reaction reaktion"},
		{"speed", "fly", "fly flying fliegen fliegende fliegenden"}, {"speed", "swim", "swim swimming schwimmen"},
	} {
		for w := range strings.FieldsSeq(row.words) {
			all[w] = newCondition(row.key, "=", row.value)
		}
	}
	return all
})

// abilityOf returns the short name of the ability that a word names.
func abilityOf(w string) string {
	switch w {
	case "strength", "starke":
		return "str"
	case "dexterity", "geschicklichkeit", "geschick":
		return "dex"
	case "constitution", "konstitution":
		return "con"
	case "intelligence", "intelligenz":
		return "int"
	case "wisdom", "weisheit":
		return "wis"
	case "charisma":
		return "cha"
	}
	return ""
}

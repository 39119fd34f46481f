package ruleslookup

import (
	"strings"
	"sync"
)

// numberWords maps cardinal and ordinal number words to their values.
var numberWords = sync.OnceValue(func() map[string]float64 {
	all := map[string]float64{"half": 0.5, "halb": 0.5, "quarter": 0.25, "viertel": 0.25}
	for n, list := range [...]string{
		"zero null zeroth nullte nullten", "first one eins erste ersten erster erstes einen", "second two zwei zweite zweiten zweiter zweites",
		"third three drei dritte dritten dritter drittes", "fourth four vier vierte vierten vierter viertes", "fifth five funf funfte funften funfter funftes",
		"sixth six sechs sechste sechsten sechster sechstes", "seventh seven sieben siebte siebten siebter siebtes", "eighth eight acht achte achten achter achtes",
		"ninth nine neun neunte neunten neunter neuntes",
		"tenth ten zehn zehnte zehnten", "eleven elf", "twelve zwolf", "thirteen dreizehn", "fourteen vierzehn", "fifteen funfzehn",
		"sixteen sechzehn", "seventeen siebzehn", "eighteen achtzehn", "nineteen neunzehn", "twenty zwanzig",
	} {
		for w := range strings.FieldsSeq(list) {
			all[w] = float64(n)
		}
	}
	for n, list := range [...]string{
		"thirty dreissig", "forty vierzig", "fifty funfzig", "sixty sechzig", "seventy siebzig", "eighty achtzig", "ninety neunzig",
	} {
		for w := range strings.FieldsSeq(list) {
			all[w] = float64(10*n + 30)
		}
	}
	return all
})

// kindOf returns the conditions for a noun, or nil if it does not name a kind of thing.
func kindOf(w string) []condition {
	if list := equipmentOf(w); list != nil {
		return list
	}
	if list := creatureOf(w); list != nil {
		return list
	}
	switch w {
	case "spell", "spells", "cantrip", "cantrips", "zauber", "zaubern", "zauberspruch", "zaubersprüche", "zauberspruche", "spruche", "zaubertrick", "zaubertricks":
		return is("category", "spell")
	case "items", "gegenstande", "gegenstanden", "magieitems":
		return is("category", "item")
	case "class", "classes", "klasse", "klassen":
		return is("category", "class")
	case "race", "races", "volk", "volker", "volkern", "rasse", "rassen", "folk", "folks", "peoples", "ancestry", "ancestries":
		return is("category", "race")
	case "skills", "fertigkeiten":
		return is("category", "skill")
	case "gods", "god", "goddess", "goddesses", "deity", "deities", "gott", "gotter", "gottheit", "gottheiten", "gottin", "gottinnen":
		return is("category", "deity")
	case "ring", "rings", "ringe", "ringen":
		return is("category", "item", "kind", "ring")
	case "potion", "potions", "trank", "tranke", "tranken":
		return is("category", "item", "kind", "potion")
	case "wands", "zauberstabe", "zauberstaben":
		return is("category", "item", "kind", "wand")
	case "staffs", "staves", "stabe", "stecken", "staben":
		return is("category", "item", "kind", "staff")
	case "rods", "zepter":
		return is("category", "item", "kind", "rod")
	}
	return nil
}

// equipmentOf returns the conditions for a noun that names a kind of equipment.
func equipmentOf(w string) []condition {
	switch w {
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
	case "packs", "ausrustungspaket", "ausrustungspakete", "pakete", "paketen":
		return is("category", "equipment", "group", "pack")
	case "boat", "boats", "ship", "ships", "boot", "boote", "schiff", "schiffe":
		return is("category", "equipment", "group", "waterborne")
	case "mounts", "reittier", "reittiere", "reittieren", "reiten", "riding", "pferde", "horses":
		return is("category", "equipment", "group", "mounts")
	case "vehicles", "fahrzeuge", "wagons", "wagen":
		return is("category", "equipment", "kind", "mount or vehicle")
	case "gear", "equipment", "ausrustung":
		return is("category", "equipment")
	}
	return nil
}

// creatureOf returns the conditions for a noun that names a kind of creature.
func creatureOf(w string) []condition {
	switch w {
	case "monster", "monsters", "creature", "creatures", "kreatur", "kreaturen", "wesen", "ungeheuer":
		return is("category", "monster")
	case "demons", "damonen":
		return is("category", "monster", "subtype", "demon")
	case "devils", "teufel", "teufeln":
		return is("category", "monster", "subtype", "devil")
	case "shapechangers", "gestaltwandler", "lycanthropes":
		return is("category", "monster", "subtype", "shapechanger")
	case "swarms", "schwarme", "schwarmen":
		return is("category", "monster", "type", "swarm")
	}
	if t := creatureType(w); t != "" {
		return is("category", "monster", "type", t)
	}
	return nil
}

// is returns conditions from pairs of key and value.
func is(pairs ...string) (list []condition) {
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, newCondition(pairs[i], "=", pairs[i+1]))
	}
	return list
}

// creatureType returns the creature type that a plural names.
func creatureType(w string) string {
	switch w {
	case "aberrations", "aberration", "aberrationen":
		return "aberration"
	case "beasts", "tiere", "tieren", "bestien", "animals", "critters":
		return "beast"
	case "celestials", "himmlische", "celestische":
		return "celestial"
	case "constructs", "konstrukte", "konstrukt":
		return "construct"
	case "dragons", "drachen", "wyrms":
		return "dragon"
	case "elementals", "elementare", "elementaren", "elementarwesen":
		return "elemental"
	case "feen", "fey", "feenwesen":
		return "fey"
	case "fiends", "unholde", "unholden":
		return "fiend"
	case "giants", "riesen":
		return "giant"
	case "humanoids", "humanoide", "humanoiden":
		return "humanoid"
	case "monstrosities", "monstrositaten":
		return "monstrosity"
	case "oozes", "schlicke", "schleime", "schlicken", "schleimen", "slimes":
		return "ooze"
	case "plants", "pflanzen", "pflanze":
		return "plant"
	case "undead", "untote", "untoten":
		return "undead"
	}
	return ""
}

// classWords maps words to the classes that they name.
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

// valueWords maps adjectives and names of values to conditions.
var valueWords = sync.OnceValue(func() map[string]condition {
	all := map[string]condition{}
	for _, row := range [...]struct{ key, value, words string }{
		{"school", "abjuration", "abjuration bannmagie bann"}, {"school", "conjuration", "conjuration beschworung beschworungs"},
		{"school", "divination", "divination erkenntnismagie erkenntnis"}, {"school", "enchantment", "enchantment verzauberung verzauberungs"},
		{"school", "evocation", "evocation hervorrufung hervorrufungs"}, {"school", "illusion", "illusion illusions illusionen"},
		{"school", "necromancy", "necromancy nekromantie"}, {"school", "transmutation", "transmutation verwandlung verwandlungs"},
		{"damage", "acid", "acid saure saureschaden"}, {"damage", "cold", "cold kalte kalteschaden"}, {"damage", "fire", "fire feuer feuerschaden"},
		{"damage", "force", "force energieschaden"}, {"damage", "lightning", "lightning blitz blitzschaden"}, {"damage", "necrotic", "necrotic nekrotisch nekrotische nekrotischen nekrotischer"},
		{"damage", "psychic", "psychic psychisch psychische psychischen psychischer"}, {"damage", "radiant", "radiant gleissend gleissende gleissenden gleissender"},
		{"damage", "thunder", "thunder sonic donner donnerschaden schall schallschaden"}, {"damage", "poison", "giftschaden"}, {"damage", "slashing", "slashing hiebschaden"}, {"damage", "piercing", "piercing stichschaden"},
		{"damage", "bludgeoning", "bludgeoning wuchtschaden"},
		{"rarity", "common", "common gewohnlich gewohnliche gewohnlichen gewohnlicher gewohnliches"}, {"rarity", "uncommon", "uncommon ungewohnlich ungewohnliche ungewohnlichen ungewohnlicher ungewohnliches"},
		{"rarity", "rare", "rare selten seltene seltenen seltener seltenes"}, {"rarity", "legendary", "legendary legendar legendare legendaren legendarer legendares"},
		{"rarity", "artifact", "artifact artefakt"},
		{"properties", "finesse", "finesse"}, {"properties", "versatile", "versatile vielseitig vielseitige"}, {"properties", "reach", "reach"},
		{"properties", "thrown", "thrown werfen wurfwaffe wurf throw"}, {"properties", "loading", "loading"},
		{"group", "martial", "martial kriegs"}, {"group", "simple", "simple einfach einfache einfachen"}, {"group", "melee", "melee nahkampf"}, {"group", "ranged", "ranged fernkampf"},
		{"ritual", "true", "ritual rituals ritualzauber rituale"}, {"concentration", "true", "concentration konzentration konzentrations"},
		{"casting_time", "bonus action", "bonusaktion"}, {"casting_time", "reaction", "reaction reaktion"},
		{"speed", "fly", "fly flying flies fliegen fliegende fliegenden fliegt"}, {"speed", "swim", "swim swimming swims schwimmen schwimmende schwimmt"},
		{"speed", "burrow", "burrow burrowing burrows graben grabende grabt"}, {"speed", "climb", "climb climbing climbs klettern kletternde klettert"},
		{"senses", "darkvision", "darkvision dunkelsicht"}, {"senses", "blindsight", "blindsight blindsicht"}, {"senses", "truesight", "truesight"},
		{"senses", "tremorsense", "tremorsense erschutterungssinn"},
		{"size", "tiny", "tiny winzig winzige winzigen"}, {"size", "small", "small kleine kleinen"}, {"size", "large", "large"},
		{"size", "huge", "huge riesige riesigen"}, {"size", "gargantuan", "gargantuan gigantische gigantischen"},
		{"alignment", "evil", "evil bose bosen boser"}, {"alignment", "lawful", "lawful rechtschaffen rechtschaffene rechtschaffenen"},
		{"alignment", "chaotic", "chaotic chaotisch chaotische chaotischen"},
		{"attunement", "true", "attunement attune attuned einstimmung eingestimmt"},
		{"pantheon", "norse", "norse nordisch nordische nordischen nordischer"}, {"pantheon", "greek", "greek griechisch griechische griechischen griechischer"},
		{"pantheon", "celtic", "celtic keltisch keltische keltischen keltischer"}, {"pantheon", "egyptian", "egyptian agyptisch agyptische agyptischen agyptischer"},
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

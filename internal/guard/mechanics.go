package guard

import "strings"

// Terms of game rules, from the headings and tables of srd/, and their German translations. Players and game
// masters use them, but NPCs must not.
var (
	ruleTerms = newPhrases([][]string{
		{"spell", "slot"}, {"spell", "slots"}, {"level", "slot"}, {"level", "slots"}, {"level", "spell"}, {"armour", "class"}, {"armor", "class"},
		{"hit", "points"}, {"hit", "point"}, {"hit", "dice"}, {"hit", "die"}, {"saving", "throw"}, {"saving", "throws"}, {"passive", "perception"},
		{"passive", "insight"}, {"passive", "investigation"}, {"proficiency", "bonus"}, {"proficiency", "in"}, {"disadvantage", "on"}, {"with", "disadvantage"},
		{"at", "disadvantage"}, {"level", "of", "exhaustion"}, {"levels", "of", "exhaustion"}, {"challenge", "rating"}, {"bonus", "action"},
		{"ability", "score"}, {"ability", "check"}, {"short", "rest"}, {"death", "save"}, {"death", "saves"}, {"experience", "points"}, {"attack", "roll"},
		{"attack", "rolls"}, {"attack", "bonus"}, {"damage", "roll"}, {"damage", "rolls"}, {"difficulty", "class"}, {"concentration", "check"},
		{"concentration", "save"}, {"roll", "for", "initiative"}, {"roll", "initiative"}, {"opportunity", "attack"}, {"attack", "of", "opportunity"},
		{"difficult", "terrain"}, {"advantage", "on", "the", "roll"}, {"advantage", "on", "attack"}, {"advantage", "on", "attacks"},
		{"passive", "wahrnehmung"}, {"erschopfung", "stufe"}, {"stufe", "erschopfung"}, {"stufen", "erschopfung"}, {"stufe", "der", "erschopfung"},
		{"kurze", "rast"}, {"kurzen", "rast"}, {"kritischer", "treffer"}, {"schwieriges", "gelande"}, {"nachteil", "auf"}, {"mit", "nachteil"},
	})
	ruleWords = newWordSet(`
		cantrip cantrips hitpoints armorclass multiclass zauberplatz zauberplätze zauberplätzen rüstungsklasse trefferpunkte trefferpunkten
		rettungswurf rettungswürfe rettungswürfen rettungswurfs übungsbonus kompetenzbonus erschöpfungsstufe erschöpfungsstufen zaubergrad bonusaktion
		herausforderungsgrad schwierigkeitsgrad erfahrungspunkte angriffswurf angriffswürfe angriffswürfen schadenswurf initiativewurf zaubertrick
		trefferwürfel gelegenheitsangriff fertigkeitswurf attributswurf rüstklasse lebenspunkte lebenspunkten`)
	// ruleCounts occur next to a number: "DC 15".
	ruleCounts = newWordSet(`dc ac hp xp rk tp lp ep sg`)
	skillWords = newWordSet(`
		acrobatics arcana athletics deception history insight intimidation investigation medicine nature perception performance
		persuasion religion stealth survival sleight strength dexterity constitution intelligence wisdom charisma
		akrobatik arkane athletik täuschen täuschung geschichte motiv einschüchtern einschüchterung nachforschung nachforschungen heilkunde
		naturkunde wahrnehmung auftreten überzeugen überreden religion heimlichkeit überlebenskunst fingerfertigkeit stärke geschicklichkeit
		konstitution intelligenz weisheit charisma tierkunde`)
	skillTests = newWordSet(`
		check checks probe proben save saves modifier modifikator wurf würfe skill roll bonus fertigkeit`)
	skillHeld = newWordSet(`proficient proficiency expertise advantage disadvantage vorteil nachteil geübt expertise plus`)
)

// namesRules reports whether a sentence uses terms of the game's rules. They are allowed if a tool or the
// search before the turn provided rules.
func (t *Turn) namesRules(s *sentence) bool {
	if t.rolls.hasResult || t.rules {
		return false
	}
	if hasPhrase(s, ruleTerms) || s.has(ruleWords) {
		return true
	}
	held := -9
	for i := range s.words {
		w := s.at(i)
		switch {
		case ruleCounts[w] && isUpperWord(s, i) && (i+1 < len(s.words) && s.words[i+1].number >= 0 || i > 0 && s.words[i-1].number >= 0):
			return true
		case skillHeld[w]:
			held = i
		case s.isSkill(i) && (skillTests[s.at(i+1)] || i-held <= 3 && i-held > 0 || i > 1 && skillTests[s.at(i-2)] && s.at(i-1) == "auf"):
			return true
		}
		if d, ok := diceOf(w); ok && !t.rolls.about && strings.ContainsAny(s.raw[s.words[i].start:s.words[i].end], "wWdD") && d != "" && bonusOn[s.at(i+1)] {
			return true
		}
	}
	return false
}

// bonusOn are words that follow dice added to something.
var bonusOn = newWordSet(`to on auf zu`)

// isSkill reports whether a word is a skill or ability, capitalised as in the rules.
func (s *sentence) isSkill(i int) bool { return skillWords[s.at(i)] && s.words[i].capital }

// Words that tell the player the outcome of a throw.
var (
	fares = newWordSet(`
		fail fails hit hits miss misses pass passes succeed succeeds notice notices find manage spot see hear remember recall know fall dodge
		pocket slip climb break convince fällt gelingt misslingt schafft schaffst merkt merkst seht siehst bemerkt bemerkst findet findest hört hörst
		trefft triffst verfehlt verfehlst erinnert erinnerst bleibt reicht scheitert scheiterst klappt`)
	addressed  = newWordSet(`you your you've you're yours du dir dich dein deine ihr euch euer eure ihnen sie`)
	needing    = newWordSet(`need needs needed required requires brauchst brauchtest braucht brauchte brauchtet bräuchtest`)
	getting    = newWordSet(`got get have rolled had made threw hast habt hat hattest hattet`)
	throwsSelf = newWordSet(`rolls rolled würfelt würfelst`)
	lowOrHigh  = newWordSet(`low high niedrig hoch schlecht gut well poorly badly`)
	verdicts   = newWordSet(`hits misses trifft verfehlt`)
)

// statesThrow reports whether a sentence tells the player the outcome of a throw without mentioning dice:
// "With a twelve you fail."
func (r *rolls) statesThrow(s *sentence) bool {
	if r.hasResult || conditions[s.at(0)] || strings.HasSuffix(s.raw, "?") {
		return false
	}
	if n := len(s.words); n >= 2 && n <= 3 && verdicts[s.at(n-1)] && (pointing[s.at(0)] || s.at(0) == "it" || s.at(0) == "es") {
		return true
	}
	if s.reachesTarget() {
		return true
	}
	told, needs, you, skill, fate := -1, -1, s.has(addressed), false, s.has(fares)
	for i := range s.words {
		w := s.at(i)
		skill = skill || s.isSkill(i)
		if needing[w] {
			needs = i
		}
		if throwsSelf[w] && i > 0 && !s.has(selfWords) && !s.has(hypothetical) && (lowOrHigh[s.at(i+1)] || (s.at(i+1) == "too" || s.at(i+1) == "zu") && lowOrHigh[s.at(i+2)]) {
			return true
		}
		if told < 0 && s.isThrow(i, r.german) {
			told = i
		}
	}
	if told < 0 {
		return false
	}
	if needs >= 0 && needs < told {
		for i := told + 1; i < len(s.words); i++ {
			if getting[s.at(i)] && addressed[s.at(i-1)] {
				return true
			}
		}
		return false
	}
	if s.has(hypothetical) && !skill {
		return false
	}
	return skill || you && fate
}

// reachesTarget reports whether a sentence compares a required number with a result: "You need twelve or
// more, and you get a nineteen", "You beat the difficulty by three".
func (s *sentence) reachesTarget() bool {
	needs := false
	for i := range s.words {
		w := s.at(i)
		switch {
		case needing[w]:
			needs = s.numberWithin(i+1, 2) > 0
		case needs && getting[w]:
			if end := s.numberWithin(i+1, 2); end > 0 && (end == len(s.words) || strings.ContainsAny(s.gap(end), ",.;:!–—") || thenGoesOn[s.at(end)]) {
				return true
			}
		case beating[w] && (difficulties[s.at(i+1)] || difficulties[s.at(i+2)]):
			return true
		}
	}
	return false
}

var (
	beating      = newWordSet(`beat beats meet meets schlägst schlägt übertriffst übertrifft triffst`)
	difficulties = newWordSet(`difficulty dc schwierigkeit zielwert`)
)

// numberWithin returns the index after a number that begins at word i or at most more words later, or 0 if
// there is none.
func (s *sentence) numberWithin(i, more int) int {
	for j := i; j <= i+more && j < len(s.words); j++ {
		if _, size := s.numberAt(j); size > 0 && !articleNumber(s.at(j)) {
			return j + size
		}
	}
	return 0
}

// isThrow reports whether a word is a number used as a noun: "a twelve", "der Fünf".
func (s *sentence) isThrow(i int, german bool) bool {
	value, size := s.numberAt(i)
	if size == 0 || value > 40 || value < 1 || articleNumber(s.at(i)) || i == 0 {
		return false
	}
	switch before := s.at(i - 1); before {
	case "a", "an":
	case "eine", "einer", "der", "die", "ne", "deine", "deiner", "eure":
		if !s.words[i].capital {
			return false
		}
	default:
		return false
	}
	if i+size == len(s.words) || strings.ContainsAny(s.gap(i+size), ",.;:!–—") {
		return true
	}
	return !german && thenGoesOn[s.at(i+size)] || german && s.words[i].capital && !s.words[i+size].capital
}

// thenGoesOn are words that follow a number that counts nothing.
var thenGoesOn = newWordSet(`on for against you so and but that is was to versus isn't won't wasn't`)

// Actions that a model attributes to others.
var (
	// heroes are the classes and species of player characters, from srd/, and words for companions.
	heroes = newWordSet(`
		barbarian bard cleric druid fighter monk paladin ranger rogue sorcerer warlock wizard dwarf elf halfling gnome tiefling dragonborn
		half-orc companion companions party barde bardin klerikerin kleriker druide druidin kämpfer kämpferin mönch paladin paladinin
		waldläufer waldläuferin schurke schurkin magier magierin zauberer zauberin hexenmeister hexenmeisterin zwerg zwergin elf elfe elfin halbling
		gnom gefährte gefährtin gefährten gruppe friend friends freund freundin freunde`)
	ofYou = newWordSet(`the your der die das dein deine euer eure`)
	// yields are actions and feelings that only players decide about.
	yields = newWordSet(`
		decide agree feel trust follow hand buy pay sell give kneel nod laugh shudder swallow drink shiver tremble blush sigh smile cry gasp
		hesitate bow accept believe realise realize fall step walk pick draw take turn leave thank grab reach raise lower open
		entscheidest entscheidet beschließt spürst spürt fühlst fühlt vertraust vertraut folgst folgt gibst gebt kaufst kauft zahlst
		zahlt kniest kniet nickst nickt lachst lacht schluckst schluckt zitterst zittert seufzt lächelst lächelt verbeugt verbeugst nimmst
		nehmt wirst werdet setzt hältst haltet gehst geht trinkst trinkt erschrickst erschreckt glaubst glaubt akzeptierst akzeptiert`)
	yielding = newWordSet(`
		decides agrees feels trusts follows buys pays accepts believes realises realizes gets asks whispers answers trips stumbles falls kisses
		says entscheidet vertraut folgt kauft zahlt fragt antwortet glaubt schläft wird stolpert fällt küsst sagt`)
	notYielding = newWordSet(`
		will would should can could may might must if when then until unless before once always never often want need 'll please
		left right straight road bridge gate where there and/or wenn falls dann bis sobald immer nie oft links rechts geradeaus dort`)
)

// actsForOthers reports whether a sentence describes current actions of the players or their characters that
// only they may decide about: "You swallow the tea, you shudder and your companion laughs."
func (t *Turn) actsForOthers(s *sentence) bool {
	if len(s.words) < 4 || strings.Contains(s.raw, "?") || s.has(pastWords) && !s.has(selfWords) || s.has(notYielding) {
		return false
	}
	deeds := 0
	subject, who := false, false // the subject of the clause is "you", or a hero
	for i := range s.words {
		w := s.at(i)
		if i == 0 || strings.ContainsAny(s.gap(i), ",;") || s.at(i-1) == "and" || s.at(i-1) == "und" {
			you := w == "you" || w == "du" || w == "ihr"
			third := ofYou[w] && heroes[s.at(i+1)] || w == "everyone" || t.players[w]
			switch {
			case you:
				subject, who = true, false
			case third:
				subject, who = false, true
			case i > 0 && functionWords[w] && w != "you":
				subject, who = false, false
			}
			if subject && !you && yields[w] && !s.words[i].capital { // "…, pick up a candle"
				deeds++
			}
			if who && !third && (yielding[w] || gestures[w]) {
				deeds++
			}
			continue
		}
		after := 0
		switch {
		case subject && (s.at(i-1) == "you" || s.at(i-1) == "du" || s.at(i-1) == "ihr" || s.at(i-1) == "all") && yields[w]:
			after = 1
		case who && i >= 1 && (heroes[s.at(i-1)] || t.players[s.at(i-1)] || s.at(i-1) == "table" || s.words[i-1].capital && strings.TrimSpace(s.gap(i)) == "") && (yielding[w] || gestures[w]):
			after = 1
		}
		deeds += after
	}
	return deeds >= 2
}

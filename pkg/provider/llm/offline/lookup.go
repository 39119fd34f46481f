package offline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	recallWords = patterns("last time|session|week|evening|night|game", "previously|recap", "so far", "remember|recall", "refresh my|our memory", "what happened", "earlier today|tonight|you|we|i",
		"what did|have|has|had * say|said|tell|told|mention|mentioned|promise|promised", "who said",
		"did|has|have * say|said|mention|mentioned|promise|promised", "what did|have we do|find|learn|discover|done|found|learned|agree|agreed",
		"letzte|letztes|letzten|letzter|letztem mal|sitzung|session|woche|abend|spielabend", "erinner|erinnere|erinnerst|erinnert|erinnern", "weißt|weisst du noch", "was bisher geschah",
		"was hat|haben|hatte|hatten * gesagt|erzählt|versprochen|erwähnt|berichtet", "was * gesagt|erzählt|versprochen|erwähnt hat|haben", "wer hat * gesagt|erzählt|versprochen",
		"was ist|war * passiert|geschehen", "was ist|war passiert|geschehen", "zusammenfassung|rückblick", "fass|fasse * zusammen", "zuletzt")
	// recallNoise are words to leave out of a search in past lines.
	recallNoise = wordsOf(`face voice visit anywhere somewhere gesicht stimme besuch irgendwoher a an the and or of to in on at by with for from about as is are was were be been it its this that these those there here
		i me my we us our you your he him his she her they them their who whom what what's when where why how which
		give do did does done can could will would have has had say said tell told mention mentioned ask asked talk promise promised happen happened happens
		last time session week evening night game previously recap so far remember recall refresh memory earlier today tonight again please anything something
		know find learn learned found discover agree agreed if any some then
		der die das den dem des ein eine einen einem einer und oder von vom zu zum zur im in am an auf mit bei für über aus als ist sind war waren
		ich mich mir wir uns du dich dir ihr euch er ihn ihm sie es wer wen was wann wo warum wie welche welcher welches
		hat haben hast hatte hatten habe gesagt sagte erzählt berichtet versprochen erwähnt passiert geschehen passierte geschah noch mal nochmal letzte letztes letzten letzter letztem
		beim sitzung woche abend spielabend bisher zuletzt weißt weisst erinner erinnere erinnerst erinnert erinnern wurde wurden kannst könntest fass fasse zusammen zusammenfassung rückblick bitte etwas denn eigentlich dass ob uns`)
)

// findRecall finds a question about earlier words or actions.
func (u *utterance) findRecall(toks []token) (intent, bool) {
	if _, ok := findMatch(recallWords, toks); !ok {
		return intent{}, false
	}
	return u.intentToSearch(toks), true
}

// intentToSearch returns a search for the content words of a clause.
func (u *utterance) intentToSearch(toks []token) intent {
	var content []string
	for _, k := range toks {
		if !recallNoise[k.fold] && !recallNoise[strings.TrimSuffix(k.fold, "'s")] {
			content = append(content, u.text[k.start:k.end])
		}
	}
	if me := slices.ContainsFunc(toks, func(k token) bool { return askers[k.fold] }); me && len(content) == 0 && u.speaker != "" {
		content = []string{u.speaker}
	}
	return intent{kind: wantRecall, text: strings.Join(content, " ")}
}

// askers are words that refer to the asker.
var askers = wordsOf("me my us our mich mein meine uns unser unsere")

var (
	// ruleCertain patterns always ask about rules.
	ruleCertain = patterns(
		"what does|do|would the|a? spell|condition|cantrip|feat * do|mean", "what's|what is? the|a? spell|condition|cantrip|feat *",
		"what does|do|is|are|would the|a|an|being? * condition|conditions|spell|spells|cantrip|feat do|mean|like?", "what does|do|is|are the|a|an|being? * condition|conditions|spell|spells|cantrip|feat|rule|rules",
		"rule|rules for|on|about|of|regarding|around the|a|an? *", "what are|is the rule|rules for|on|about|of the|a|an? *", "what are the * rules", "explain|tell|know|show me|us? the? * rule|rules", "look up the|a|an? rule|rules? for|on|about? the? *",
		"explain|describe|look up the? spell|condition|cantrip *", "what happens when|if i|you|someone|somebody|one|we|a? creature|character? am|are|is|get|gets|being? *", "how does|do the|a|an? * spell|condition|rule|rules work",
		"range|damage|duration|components|area|dc of|for|does the? *", "casting time of|for *", "how much damage does|do|would a|an|the? * do|deal|cause", "how does|do|can|would i|you|we|one|someone|a|an|the? * work|works|handled|resolved|calculated", "how is|are a|an|the? * handled|resolved|calculated|done",
		"^wie funktioniert|funktionieren|geht|läuft|wirkt der|die|das|den|ein|eine|einen? *", "wie funktioniert|funktionieren der|die|das|den|ein|eine|einen? *", "was macht|bewirkt|bedeutet|tut|ist der|die|das|ein|eine? zustand|zauber|zauberspruch|spruch|zaubertrick *",
		"was bewirkt|bedeutet der|die|das|ein|eine? *", "regel|regeln für|zu|zum|zur|über|von|vom|beim|bei der|die|das|den|dem|ein|eine|einen? *", "was passiert wenn|falls man|ich|jemand|du|einer|wir * ist|bin|bist|wird|werde|sind", "was passiert wenn|falls man|ich|jemand|du|einer|wir? *",
		"erklär|erkläre|erklärst mir|uns|bitte? den|die|das|der? zauber|zustand|regel|regeln? für|zu|zum? *", "schlag|schlage * nach", "welche|welchen reichweite|dauer|wirkung|schaden|effekt hat|haben der|die|das? *", "wie viel schaden macht|verursacht der|die|das|ein|eine? *",
		"zauber|zustand *",
	)
	// ruleLikely patterns ask about rules if their topic is a known rule.
	ruleLikely = patterns("what does|do the|a|an|being? * do|mean", "what's|what|whats is|are? the|a|an? *", "tell me|us more|something? about the|a|an? *", "what do you know about|of the|a|an? *", "how do i|you|we|one *", "explain|describe the|a|an? *", "can|may i|we|one *",
		"was macht|tut|heißt|heisst|ist|sind der|die|das|ein|eine? *", "erzähl|erzähle|erklär|erkläre mir|uns? von|vom|über|zu? der|die|das|den|dem? *", "wie * man", "kann|darf ich|man *")
	doingPatterns = patterns("what does|do the|a|an|being? * do|mean", "was macht|tut der|die|das|ein|eine? *")
	bareRules     = patterns("^* rule|rules|regel|regeln$")
)

// findRule finds a question about the rules of the game.
func (u *utterance) findRule(toks []token) (intent, bool) {
	if m, ok := findMatch(ruleCertain, toks); ok {
		if topic := u.topicOf(m.capture); topic != "" {
			return intent{kind: wantRule, text: topic}, true
		}
	}
	if m, ok := findMatch(ruleLikely, toks); ok {
		if known := knownRule(m.capture); known.name != "" {
			return intent{kind: wantRule, text: known.name}, true
		}
		if doing := u.deedAsked(toks); doing != "" {
			return intent{kind: wantRule, text: doing}, true
		}
	}
	if m, ok := findMatch(bareRules, toks); ok && !questionWords[m.capture[0].fold] {
		return intent{kind: wantRule, text: u.topicOf(m.capture)}, true
	}
	if known := knownRule(toks); known.name != "" && len(toks) <= 3 && toks[len(toks)-1].stop == '?' {
		return intent{kind: wantRule, text: known.name}, true
	}
	return intent{}, false
}

// deedAsked returns the topic of "what does X do", or "" if X looks like a name.
func (u *utterance) deedAsked(toks []token) string {
	m, ok := findMatch(doingPatterns, toks)
	if !ok {
		return ""
	}
	for _, k := range toks[m.from:m.to] {
		if articles[k.fold] {
			return "" // "the innkeeper" is a person, "flanking" is a rule
		}
	}
	topic := u.topicOf(m.capture)
	first, _ := utf8.DecodeRuneInString(topic)
	if unicode.IsUpper(first) {
		return ""
	}
	return topic
}

// topicOf returns the topic of a captured phrase: the English name of the known rule in it, or else the
// cleaned phrase.
func (u *utterance) topicOf(capture []token) string {
	if known := knownRule(capture); known.name != "" {
		return known.name
	}
	return u.cleanText(capture)
}

// knownRule returns the first rule named in toks, preferring the longest name at that position.
func knownRule(toks []token) term {
	for i := range toks {
		for n := min(4, len(toks)-i); n > 0; n-- {
			phrase := make([]string, 0, 4)
			for _, k := range toks[i : i+n] {
				phrase = append(phrase, ruleWord(k.fold))
			}
			if known, ok := terms[strings.Join(phrase, " ")]; ok {
				return known
			}
		}
	}
	return term{}
}

// ruleWord strips suffixes such as "-spell" from a word.
func ruleWord(word string) string {
	for _, ending := range []string{"'s", "-zauber", "-spell"} {
		word = strings.TrimSuffix(word, ending)
	}
	return word
}

var (
	entityPatterns = patterns(
		"what do|can you know|tell me|us? about|of *", "tell|told me|us more|something|everything|all|anything? you? know? about *", "everything|anything|all|something you? know? about *", "describe *", "heard of|about|from? *",
		"do|did|does you|anyone|anybody? know anything|something? of|about *", "do you know who|where|what is|are|was|were? *", "do you know *", "talk to me|us about *", "news|rumours|rumors|rumour|rumor|stories|story of|about *",
		"i|we am|are|i'm|we're? looking|searching for *", "looking for *", "where can|do|could|would|might i|we find|meet|buy|see *", "where does|do * live|work|sleep|stay|hide", "have you|anyone|anybody seen|met *", "is|are * alive|dead|dangerous|safe|around|nearby", "what|how about *",
		"lebt|leben * noch", "hast|habt du|ihr * gesehen|getroffen", "who's|what's|where's|whats|whos *", "who|what|where is|are|was|were *",
		"what does|do * do|mean", "was macht|tut *", "which way to *", "how do i|we get to *",
		"wer|was|wo ist|sind|war|waren|liegt|wohnt|steht|befindet|findet sich|man? *", "wo finde|finden|treffe|kaufe|bekomme ich|wir *", "erzähl|erzähle|erzählt mir|uns? bitte? etwas|mehr|alles|was? von|vom|über|zu *", "beschreib|beschreibe mir|uns? *",
		"was weißt|weisst|wisst du|ihr alles? über|von|vom *", "kennst|kennt du|ihr *", "hast|habt du|ihr etwas|was? von|vom * gehört", "hast|habt du|ihr schon? mal? etwas|was? von|vom * gehört", "alles über *", "ich suche|such *", "wir suchen *", "wie komme|kommen ich|wir zu|zum|zur|nach *",
	)
	everythingWords = patterns("everything", "all you know", "all about", "in detail", "full story", "alles", "ausführlich", "im detail", "ganze geschichte")
	// idle are words that rule out a name when a phrase begins with them.
	idle = wordsOf(`you your yours yourself this that it its he she they there i me mine my we us our up going wrong new happening next here now time weather matter
		problem plan point price cost rule rules use all everything anything something nothing if whether how why when who what where
		du dein deine deinen dir dich ihr euer eure das dies dieses es er sie ich mein meine mir mich wir uns los hier da so jetzt zeit wetter problem plan preis alles etwas nichts ob wie warum wann wer was wo`)
	// trailers are words at the end of a question that are not part of its topic.
	trailers = wordsOf("please again now then here today exactly anyway again bitte eigentlich denn jetzt nochmal genau gehört mal doch you know")
)

// findEntity finds a question about a person, place or thing of the world.
func (u *utterance) findEntity(toks []token) (intent, bool) {
	for _, p := range entityPatterns {
		m, ok := p.findIn(toks)
		if !ok {
			continue
		}
		name := u.cleanText(m.capture)
		if name == "" || !u.isName(name) {
			continue
		}
		if _, all := findMatch(everythingWords, toks); all {
			return intent{kind: wantEverything, text: name}, true
		}
		return intent{kind: wantEntity, text: name}, true
	}
	return intent{}, false
}

var deedWords = patterns("^and|so? who *", "^und|also? wer *")

// findDeed finds a question about who did something. Only earlier lines can answer it.
func (u *utterance) findDeed(toks []token) (intent, bool) {
	m, ok := findMatch(deedWords, toks)
	if !ok || idle[m.capture[len(m.capture)-1].fold] {
		return intent{}, false
	}
	i := u.intentToSearch(toks)
	return i, i.text != ""
}

func (u *utterance) isName(name string) bool {
	toks := tokenize(name)
	return len(toks) > 0 && !idle[toks[0].fold]
}

// longestName is the maximum number of words in a name.
const longestName = 6

// cleanText strips articles and trailing words from a captured phrase, and cuts it at a subordinate clause.
func (u *utterance) cleanText(capture []token) string {
	toks := capture
	for len(toks) > 1 && articles[toks[0].fold] {
		toks = toks[1:]
	}
	for i, k := range toks {
		if i > 0 && (breaks[k.fold] || i == longestName) {
			toks = toks[:i]
			break
		}
	}
	for len(toks) > 1 && trailers[toks[len(toks)-1].fold] {
		toks = toks[:len(toks)-1]
	}
	if len(toks) == 0 || len(toks) == 1 && (articles[toks[0].fold] || trailers[toks[0].fold]) {
		return ""
	}
	name := span(u.text, toks)
	for _, ending := range []string{"'s", "'"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

var breaks = wordsOf("who whom whose that which when while because if and but with und aber wenn weil während mit does do")

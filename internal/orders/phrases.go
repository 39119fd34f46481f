package orders

import "github.com/MrWong99/glyphoxa/internal/mcp"

// act is what somebody can be told to do. Each language has the form that a name goes
// with; the frames below make the ways of ordering it.
type act struct {
	base       []string // English: "be quiet"
	imperative []string // German: "sei still"
	infinitive []string // "still sein"
	final      []string // as in "dass Bartok still ist"
}

// acts are the orders that are about what somebody does.
var acts = map[Kind]act{
	Quiet: {
		base: []string{
			"(be|stay|keep|remain|go|fall) (quiet|silent|still)", "hush (up|)", "quiet (down|)", "silence", "shush", "shh", "pause", "(stop|quit|cease) (talking|speaking|chattering|babbling|yapping|rambling|chatting|)",
			"shut (up|it|your mouth|your trap|your face)", "zip (it|your lip|your lips|your mouth)", "pipe down", "button (it|your lip|up)", "clam up", "(that's|that is|) enough (talking|chatter|from you|out of you|of that|)", "(keep|hold) (it down|your tongue|your peace|your mouth shut)",
			"bite your tongue", "not (another|one more|a single|a|one) (more|) word (more|from you|out of you|)", "no more (talking|words|chatter|from you|out of you)", "(don't|do not) (say|speak) (another word|anything else|anything more|any more words)", "(don't|do not) (talk|speak)", "give it a rest", "no (talking|speaking)",
		},
		imperative: []string{
			"(sei|seid|seien sie|bleib|bleibt) (still|ruhig|leise|stumm|mucksmäuschenstill)", "(still|ruhig|ruhe|stumm|leise|stille|stillschweigen|genug|schluss|pause|pst|psst)", "(schweig|schweigt|schweige|verstumm|verstumme|verstummt)", "(halt|halte|haltet) (den mund|die klappe|den rand|den schnabel|das maul|die schnauze|die fresse|dein maul|deinen mund|deine klappe|euren mund|still)",
			"(klappe|schnauze|mund|maul|schnabel) (halten|zu|)", "(hör|hört|höre) (auf|mit dem reden auf|mit dem gerede auf|auf damit)", "(hör|hört|höre) auf zu (reden|sprechen|quatschen|plappern|labern)", "hören auf zu (reden|sprechen)", "hören auf", "(das|es|jetzt) reicht", "stopp", "stop", "genug (geredet|gequatscht|gesprochen|davon|jetzt)",
			"(kein|nicht ein|kein einziges) wort (mehr|)", "kein (mucks|ton|laut) mehr", "(schluss|genug) (mit dem|mit) (reden|gerede|quatschen)", "(rede|red|redet|sprich|sprecht|sag|sagt) (nicht|nichts|kein wort) (mehr|weiter)", "nichts mehr sagen",
		},
		infinitive: []string{
			"(ruhig|still|leise|stumm) (sein|bleiben)", "(schweigen|verstummen|stillschweigen|pausieren)", "aufhören (zu reden|zu sprechen|zu quatschen|zu plappern|)", "mit dem (reden|sprechen|gerede|quatschen) aufhören", "(den mund|die klappe|den rand|den schnabel|das maul|mund|klappe) halten", "nicht mehr (reden|sprechen|quatschen)", "nicht weiter (reden|sprechen)", "nichts (mehr|weiter) sagen", "kein wort mehr (sagen|reden|)",
		},
		final: []string{"(still|ruhig|leise|stumm) (ist|sind|bleibt|bleiben|wird|werden)", "(schweigt|schweigen|verstummt|verstummen)", "(aufhört|aufhören) (zu reden|zu sprechen|)", "(den mund|die klappe) (hält|halten)", "nicht mehr (redet|reden|spricht|sprechen)", "nichts mehr (sagt|sagen)"},
	},
	Resume: {
		base:       []string{"(go|carry|move) on (talking|speaking|)", "(continue|resume|proceed) (talking|speaking|)", "keep (going|talking|speaking)", "(pick up|start) where you left off", "start talking", "as you were", "join in", "unmute"},
		imperative: []string{"weiter (geht's|gehts|im text|)", "(es|) geht weiter", "(mach|macht|machen wir|machen|red|rede|redet|sprich|sprecht) weiter", "(fahr|fahre|fahrt) fort", "(fahren|sprechen|reden) (weiter|fort)"},
		infinitive: []string{"(weitermachen|weiterreden|weitersprechen|fortfahren|mitreden|weiterspielen)"},
		final:      []string{"(redet|spricht|mitredet|reden darf|sprechen darf|reden dürfen|sprechen dürfen|reden kann|sprechen kann)", "(weitermacht|weitermachen|weiterredet|weiterreden|weiterspricht|weitersprechen|fortfährt|fortfahren)"},
	},
	Think: {
		base: []string{
			"think (very|really|more|extra|) (carefully|hard|deeply|thoroughly|well|slowly) (about it|about this|about that|)", "think (harder|deeper|longer|more|for longer|a little longer) (about it|about this|about that|)", "think (it|this|that) (over|through) (very|really|more|) (carefully|thoroughly|properly|)", "think about (it|this|that) (very|really|more|) (carefully|hard|thoroughly|longer|properly)",
			"(take|use) (your|some|more|some more|all the|plenty of|a little more) time (to think|thinking|with it|with this|with that|to answer|to reply|)", "give (it|this|that) (some|more|some more|a little more|careful|serious|some serious) (thought|thinking)", "have a (good|long|proper) think", "(answer|reply|respond) (more|very|) (carefully|thoughtfully|thoroughly)", "be more (thoughtful|thorough)", "think before you (answer|speak|reply)", "think (deep|properly|long and hard|long hard)", "take all the time you need", "take as long as you need", "don't rush (it|your answer|the answer|)",
		},
		imperative: []string{
			"(denk|denke|denkt) (sehr|richtig|noch|etwas|) (gut|genau|gründlich|gründlicher|sorgfältig|sorgfältiger|scharf|lange|länger|tief|tiefer|intensiv|intensiver|in ruhe|besser|genauer|mehr) (darüber|drüber|) nach", "(denk|denke|denkt) (darüber|drüber) (sehr|) (gut|genau|gründlich|gründlicher|sorgfältig|länger|in ruhe|genauer) nach", "(denk|denke|denkt) (gründlich|gründlicher|länger|sorgfältig|sorgfältiger|in ruhe|tiefer|scharf)", "nachdenken",
			"(überleg|überlege|überlegt) (dir|euch|) (das|es|) (sehr|) (gut|genau|gründlich|sorgfältig|in ruhe|länger|genauer)", "nimm dir (ruhig|mehr|etwas mehr|die|) zeit (zum nachdenken|zum überlegen|)", "nehmt euch (ruhig|mehr|) zeit", "lass dir (ruhig|mehr|) zeit (zum nachdenken|zum überlegen|damit|)", "lasst euch (ruhig|mehr|) zeit", "(antworte|antwortet) (gründlich|gründlicher|sorgfältig|sorgfältiger|überlegt|überlegter|in ruhe)",
		},
		infinitive: []string{"(gut|genau|gründlich|gründlicher|sorgfältig|sorgfältiger|in ruhe|tiefer|länger|lange|genauer|intensiver) (darüber|drüber|) (nachdenken|überlegen|denken)", "sich (ruhig|mehr|) zeit (nehmen|lassen)", "(gründlicher|sorgfältiger|überlegter) antworten"},
		final:      []string{"(gut|genau|gründlich|gründlicher|sorgfältig|sorgfältiger|in ruhe|tiefer|länger|lange|genauer) (darüber|drüber|) (nachdenkt|überlegt|nachdenken|überlegen)", "sich (mehr|) zeit (nimmt|lässt|nehmen|lassen)"},
	},
	Lower: {
		base:       []string{"think (faster|quicker|less|more quickly|less hard|a little less)", "(answer|reply|respond|react) (faster|quicker|quickly|more quickly)", "(don't|do not|stop) (think|thinking) (so|that) (long|hard|much|deeply)", "be (quicker|faster)", "take less time (to think|)", "speed up"},
		imperative: []string{"(denk|denke|denkt) (schneller|weniger|kürzer|nicht so lange|nicht so gründlich|nicht so viel) (nach|)", "(antworte|antwortet|reagier|reagiere) (schneller|flotter|zügiger)"},
		infinitive: []string{"(schneller|kürzer|weniger|weniger lange|nicht so lange|nicht so gründlich) (nachdenken|überlegen|denken|antworten)", "schneller (werden|reagieren)"},
		final:      []string{"(schneller|kürzer|weniger|nicht so lange) (nachdenkt|überlegt|antwortet)"},
	},
}

// frames are the ways to tell somebody to do something, of which C is what; those of
// Resume alone allow it, too.
var (
	baseFrames       = expandAll("@ C", "C @", "(let|have|make) @ C", "get @ to C", "(i want|i need|i'd like|i would like|we need) @ to C", "(ask|tell) @ to C", "@ (should|must|shall) C", "@ you (should|must) C", "@ i (want|need|would like) you to C", "@ you can C", "you can C @", "C you @")
	mayFrames        = expandAll("@ (can|may) C", "@ you (can|may) C", "you (can|may) (C @|@ C)", "(you are|you're) (allowed|free) to C @", "@ (you are|you're|is|are|) (allowed|free|permitted) to C", "(i want|i need|i'd like|i would like) @ to (be able to|) C", "get @ to C", "(allow|permit) @ to C")
	imperativeFrames = expandAll("@ C", "C @", "@ du C", "@ ihr C")
	infinitiveFrames = expandAll("@ C", "C @", "(lass|lasst|lasse) @ C", "@ (soll|sollen|sollte|sollten|muss|müssen|möge|mögen) C", "sag @ (er|sie|es) (soll|sollen) C", "(du|ihr) (sollst|sollt) @ C")
	finalFrames      = expandAll("(ich möchte|ich will|ich hätte gern|ich hätte gerne|ich hätte|ich wünsche mir|sorg dafür|sorge dafür|mach|schau|sag @|) dass @ C", "(ich möchte|ich will|sorg dafür|sorge dafür) @ C")
	darfFrames       = expandAll("@ (darf|dürfen|kann|können|soll|sollen) C", "@ (du darfst|du kannst|ihr dürft|ihr könnt|die darf|der darf|sie darf|er darf|die dürfen) C", "(du darfst|du kannst|ihr dürft|ihr könnt) (C @|@ C)", "(lass|lasst) @ C", "@ C lassen")
)

// speech are the words of who may speak again.
var (
	speakEN = expandAll("(speak|talk) (up|)", "have (a say|a word|the floor)", "chime in", "answer")
	speakDE = expandAll("(reden|sprechen|mitreden|mitsprechen|loslegen|antworten)", "(reden|sprechen|mitreden) dürfen")
)

// about are phrases in which @ is somebody.
var about = map[Kind][]string{
	Quiet: {
		"(mute|silence|shush|hush|quieten|quiet|pause) @", "(keep|make) @ (quiet|silent)", "no more from @ (tonight|today)", "(turn|switch) @ (voice|microphone|mic|sound|audio|) off", "(turn|switch|cut|shut) off @ (voice|microphone|mic|sound|audio|)", "(cut|shut) @ (off|up)", "(put|set|place|have|keep|leave) @ (on|to) (mute|silent)", "@ (on|to) (mute|silent)", "@ (mute|off)", "@ voice off", "(no more|enough) (talk|talking|words|chatter|) (from|of|out of) @", "not (another|one more|a single|a) word (more|) (from|out of) @",
		"(i|we) don't want to hear (anything|another word|a word) (else|more|) from @", "take @ voice", "(schalte|schalt|stell|stelle|mach|mache|setz|setze|dreh|leg) @ (auf|) (stumm|leise|lautlos|mute)", "@ (auf|) (stumm|lautlos|mute) (schalten|stellen|machen|setzen|)", "@ (stummschalten|stummstellen|ausschalten|muten)", "(mute|mut) @", "(sind|ist|seid|sei) @ (still|ruhig|leise)", "@ (sind|ist|seid|sei) (still|ruhig|leise)", "(schalte|schalt|stell|mach|dreh) @ (stimme|ton|mikro|mikrofon|den ton|die stimme|das mikro) (aus|ab|weg)", "@ (stimme|ton|mikro) (aus|ab)",
		"(kein wort|nichts|kein ton|kein mucks) mehr von @", "(genug|schluss) (von|mit) @", "von @ (kein wort|nichts) mehr", "pause für @", "@ hat (sendepause|pause|funkstille)", "nimm @ (die|seine|ihre) stimme (weg|)", "(ich will|ich möchte) von @ nichts mehr hören",
	},
	Resume: {
		"(unmute|unsilence|unpause) @", "(turn|switch) @ (voice|microphone|mic|sound|audio|) on", "(turn|switch) on @ (voice|microphone|mic|sound|audio|)", "(take|get|bring) @ off (mute|silent)", "@ off mute", "@ unmute", "(give|hand) @ (his|her|its|their|the) (voice|voices|floor|word)", "give (his|her|their) voice to @", "(lift|remove|undo|end|drop) (the|) (mute|silence) (on|from|of|for) @", "(lift|remove|undo) @ mute", "don't mute @ anymore", "@ (can|may) be heard", "let (us|me) hear @", "let's hear @", "@ (voice|) on", "(bring|restore) @ voice", "un mute @", "@ (has|have|you have) the floor",
		"(mach|macht|redet|sprecht) @ weiter", "(stummschaltung|die stummschaltung) (von|bei|für) @ (aufheben|beenden|ausschalten|weg)", "(heb|hebe) die stummschaltung (von|bei|für) @ auf", "(schalte|schalt|stell|stelle|mach|mache) @ (laut|ein|an|frei|hörbar)", "@ (laut|ein|an|frei) schalten", "@ (freischalten|einschalten|anschalten|entstummen|laut machen|laut stellen)", "@ nicht mehr stumm (schalten|)", "entstumme @", "(heb|hebe|hebt) (die|) stummschaltung (von|bei|für) @ auf", "@ laut", "@ (mikro|ton|stimme) (an|ein)", "weiter mit @", "(fahrt|fahr) @ fort", "(schalte|schalt|mach|dreh) @ (stimme|ton|mikro|den ton|die stimme) (an|ein|auf)", "gib @ (seine|ihre|die) (stimme|stimmen)", "gib @ das wort", "@ hat das wort",
	},
	Raise: {
		"(raise|upgrade) @ (tier|level|)", "raise (the|) (tier|level) of @", "(give|allow) @ (more|some more|a little more|extra|plenty of|some) (time|time to think|thinking time)", "(let|have|make) @ (think|reflect) (longer|harder|deeper|more|for longer)", "let @ take (his|her|their|its) time", "@ (one|a) (tier|level|notch|step) (up|higher)", "(take|move|bump|turn|bring|push|kick|step|put|set|dial|) @ up (one|a) (tier|level|notch|step)", "(bump|step|level) @ up", "(raise|increase) @ (by|) (one|a) (tier|level|notch|step)", "make @ (smarter|more thoughtful|more thorough|more careful)",
		"(stufe|stuf) @ (hoch|rauf|höher|herauf|hinauf)", "@ (hochstufen|höherstufen|heraufstufen|raufstufen|hochsetzen)", "(heb|hebe) @ (an|)", "@ (anheben|heraufsetzen)", "(gib|gebt|gebe|lass) @ (mehr|etwas mehr|länger) (zeit|bedenkzeit) (zum nachdenken|zum überlegen|zum denken|)", "@ (mehr|etwas mehr) (zeit|bedenkzeit) (zum nachdenken|zum überlegen|) geben", "(lass|lasst) @ länger (nachdenken|überlegen|denken)", "@ (eine|um eine) stufe (höher|hoch|rauf|nach oben|hochsetzen|hochnehmen|hochstufen|anheben|höher setzen|höher stellen)", "(nimm|setz|setze|stell|stelle|heb|hebe|stufe|stuf|schalt|schalte|bring|zieh) @ (um|) eine stufe (höher|hoch|rauf|nach oben|an|herauf)",
	},
	Lower: {
		"(lower|downgrade) @ (tier|level|)", "lower (the|) (tier|level) of @", "@ (one|a) (tier|level|notch|step) (down|lower)", "(take|move|bump|turn|bring|push|knock|step|drop|put|set|dial|) @ down (one|a) (tier|level|notch|step)", "(step|level|knock|bump) @ down", "(lower|drop|reduce) @ (by|) (one|a) (tier|level|notch|step)", "make @ (faster|quicker|snappier)", "(give|allow) @ less (time|thinking time|time to think)",
		"(stufe|stuf) @ (runter|herunter|herab|tiefer|ab|)", "@ (runter|herunter|zurück|herab|ab|tiefer)stufen", "@ (runtersetzen|herabsetzen|herunternehmen)", "(senk|senke) @ (ab|)", "@ absenken", "@ (eine|um eine) stufe (tiefer|runter|herunter|niedriger|nach unten|runternehmen|runtersetzen|runterstufen|senken|tiefer setzen|tiefer stellen)", "(nimm|setz|setze|stell|stelle|senk|senke|stufe|stuf|schalt|schalte|bring|zieh) @ (um|) eine stufe (tiefer|runter|herunter|niedriger|nach unten|ab|herab)", "(mach|mache) @ schneller", "gib @ weniger zeit (zum nachdenken|zum überlegen|)",
	},
}

// ends are the ways to end a session, which is about nobody; partings are those that do
// not name it, and are orders only where nothing else is said.
var (
	ends = []string{
		"(end|stop|close|finish|conclude|terminate|wrap up|close out|finish up|shut down) (the|this|our|today's|tonight's|) session (for|) (today|tonight|)", "wrap (the|this|our) session up (for|) (today|tonight|)", "we (end|stop|close|finish|wrap up|are ending|are closing) (the|this|our) session (for|) (today|tonight|)", "(i think|i guess|so|) we (can|will) (end|stop|close|finish|wrap up) (the|this|our) session", "we'll (end|close|finish|wrap up) (the|this|our) session", "(the|this|our|today's|tonight's) session (is|has) (over|ended|closed|finished|done|at an end)", "(the|) session (over|end)", "end of (the|) session", "bring (the|this|our) session to (an end|a close)", "call (the|this) session",
		"(beende|beendet|beenden wir|stopp|schließ|schließe|schließen wir) (die|diese|unsere|) (heutige|) (sitzung|session) (für heute|)", "(die|diese|unsere|) (heutige|) (sitzung|session) (für heute|) (beenden|schließen|abschließen|zumachen|abbrechen)", "wir (beenden|schließen) (die|diese|unsere) (sitzung|session) (für heute|)", "(die|diese|unsere) (sitzung|session) ist (für heute|) (beendet|zu ende|geschlossen|vorbei|aus)", "(sitzung|session) (beendet|ende|zu ende|geschlossen)", "(mach|macht|machen wir) (die|) (sitzung|session) (zu|dicht)", "ende der (sitzung|session)", "(mach|macht|machen wir) schluss mit der (sitzung|session)", "(ich möchte|ich will|ich würde gern|ich würde gerne|wir wollen) (die|diese|unsere) (sitzung|session) beenden",
	}
	partings = []string{
		"all for (tonight|today)", "it for (tonight|today)", "a wrap", "close it up for (tonight|today)", "(lass|lasst) uns aufhören für heute", "aufhören für heute", "ich würde sagen (das war's|das wars|schluss) für heute", "ich würde sagen wir machen (für heute schluss|schluss für heute)", "wir hören auf für heute", "(that's|that is|that was|that'll be|that will be|) (it|all) (from me|folks|everyone|) for (tonight|today|this evening)", "call it (a night|a day|a night everyone)", "(we're|we are|i'm|that's us) (done|finished) for (tonight|today)", "(wrap|finish|call|leave|end) (it|things|) (up|) (for|) (tonight|today)", "(stop|end|finish|leave it) (here|there|) for (tonight|today)", "wrap (it|things|) up", "end (the|our|this) (game|evening|game night)",
		"(schluss|feierabend|ende) (für|) heute", "das (war's|wars|war es) (für|) (heute|heute abend)", "das (war's|wars|war es) dann (für|) heute", "(wir machen|machen wir|mach|macht) (für|) heute (schluss|feierabend)", "(wir machen|machen wir|mach|macht) (schluss|feierabend) (für|) heute", "(für|) heute (schluss|feierabend) machen", "(wir hören|hören wir) (für|) heute auf", "(für|) heute (aufhören|schluss|ist schluss)", "(wir sind|sind wir) (für|) heute (fertig|durch)", "(beende|beenden wir) (das spiel|den abend|den spielabend|die runde)", "(das spiel|den abend|den spielabend|die runde) beenden", "(es|) reicht für heute",
	}
)

// toTier is what stands before a tier's word, and tierTails what may stand behind it.
var (
	toTier = phraseSet(
		"(raise|lower|set|put|move|bring|take|turn|switch|change|drop|bump|push|kick|crank|dial|knock|step|reduce|upgrade|downgrade|increase|reset|return|get|make|let|have|keep|leave|run|shift|) @ (up|down|run|think|go|be|work|answer|all the way|all the way up|all the way down|) (to|on|at|in|into|onto)", "(raise|lower|set|change|switch|bring) (the|) (tier|level|mode|thinking) (of|for) @ (up|down|) to", "make @", "(raise|lower|set|change|switch|bring|put) @ (tier|level|mode|thinking) (up|down|) (to|on)",
		"(i want|i need|i'd like|i would like|we need) @ (to be|to go|to run|) (up|down|) (on|to|at|in)", "@ should (be|go|run|think) (on|to|at|in)", "@ (goes|you go|go) (up|down|) to",
		"(heb|hebe|stell|stelle|setz|setze|stuf|stufe|senk|senke|schalt|schalte|dreh|drehe|fahr|fahre|nimm|nehmt|bring|bringt|pack|hol|hole|mach|mache|lass|zieh|schraub|regel|regle|schieb|schick|leg|geh bei|geh mit|mit|) @ (hoch|runter|rauf|herunter|herauf|hinauf|hinunter|nach oben|nach unten|tiefer|höher|) (auf|zu)", "@ (soll|sollen|muss) (hoch|runter|rauf|) auf", "(ich möchte|ich will|ich hätte|ich brauche) @ (auf|hoch auf|runter auf)", "(dass|ich möchte dass) @ auf", "(die|) stufe von @ auf", "setz die stufe von @ auf",
	)
	tierTails = []string{" an", " ab", " stellen", " setzen", " hochsetzen", " runtersetzen", " hochstufen", " runterstufen", " herunterstufen", " heraufstufen", " anheben", " absenken", " senken", " heben", " schalten", " hochschalten", " runterschalten", " umschalten", " umstellen", " um", " laufen", " laufen lassen", " gehen", " bringen", " nehmen", " drehen", " hoch", " runter", " ein", " einstellen", " tier", " level", " mode", " setting", " thinking", " stufe", " modus", " sein", " läuft", " denken", " nachdenken"}
	// beforeTier may stand right before a tier's word.
	beforeTier = []string{" the", " tier", " level", " die", " den", " stufe", " more", " something"}
)

// tierWords are the tiers as people call them.
var tierWords = map[string]mcp.BudgetTier{
	"fast": mcp.BudgetFast, "quick": mcp.BudgetFast, "quickest": mcp.BudgetFast, "fastest": mcp.BudgetFast, "schnell": mcp.BudgetFast, "flink": mcp.BudgetFast, "schnelle": mcp.BudgetFast, "schnellen": mcp.BudgetFast, "flott": mcp.BudgetFast,
	"standard": mcp.BudgetStandard, "normal": mcp.BudgetStandard, "default": mcp.BudgetStandard, "careful": mcp.BudgetStandard, "sorgfältig": mcp.BudgetStandard, "sorgfältige": mcp.BudgetStandard, "sorgfältigen": mcp.BudgetStandard, "überlegt": mcp.BudgetStandard,
	"deep": mcp.BudgetDeep, "deepest": mcp.BudgetDeep, "thoughtful": mcp.BudgetDeep, "thorough": mcp.BudgetDeep, "tief": mcp.BudgetDeep, "tiefe": mcp.BudgetDeep, "tiefen": mcp.BudgetDeep, "gründlich": mcp.BudgetDeep, "gründliche": mcp.BudgetDeep, "gründlichen": mcp.BudgetDeep, "nachdenklich": mcp.BudgetDeep,
}

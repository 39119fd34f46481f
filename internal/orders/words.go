package orders

import (
	"strings"
	"unicode"
)

// word is a word of an utterance.
type word struct {
	folded string
	end    int  // of it in the text
	stop   rune // the mark right behind it, 0 if none
}

// splitWords returns the words of a text.
func splitWords(text string) (out []word) {
	begin := -1
	flush := func(end int) {
		if begin >= 0 {
			folded := strings.ToLower(strings.ReplaceAll(text[begin:end], "’", "'"))
			out = append(out, word{folded: strings.Trim(folded, "'"), end: end})
		}
		begin = -1
	}
	for i, r := range text {
		inside := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '\'' || r == '’'
		switch {
		case inside && begin < 0:
			begin = i
		case !inside:
			flush(i)
			if len(out) > 0 && out[len(out)-1].stop == 0 && !unicode.IsSpace(r) {
				out[len(out)-1].stop = r
			}
		}
	}
	flush(len(text))
	return out
}

func join(words []word) string {
	var all []string
	for _, w := range words {
		all = append(all, w.folded)
	}
	return strings.Join(all, " ")
}

// wordSet is the set of the words of a list.
func wordSet(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// everyone are the ways to speak of all NPCs.
var everyone = phraseSet(
	"(everybody|everyone|all|you all|y'all|all of you|all of them|the lot of you|you lot|every npc|every character)",
	"(all|all the|all of the|all you|all of you|all my|the|) (npcs|characters)",
	"(alle|ihr alle|euch alle|sie alle|allesamt|allen|alle zusammen|alle miteinander)", "(alle|allen|die|den|alle meine|sämtliche|ihr|) (nscs|nsc|npcs|npc|figuren|charaktere|charakteren)",
)

// ofTheProgram are words for NPCs that nobody in a story uses.
var ofTheProgram = wordSet(`npc npcs nsc nscs characters figuren charaktere charakteren`)

// courtesy are words that may stand anywhere in an order.
var courtesy = wordSet(`please now okay ok so alright right well just hey then again back um uh uhm er erm hmm hm mm ah oh yeah yes thanks and kindly quickly immediately simply
	bitte jetzt also mal kurz nun dann wieder zurück einfach doch erstmal ähm äh öhm öh mh ach ja danke einmal und sofort endlich ganz gefälligst eben gerne gern`)

// asked are ways to begin an order as if it were a question, with or without a name
// before them, and bluntly those that are a question in earnest to whom they name.
var (
	asked = expandAll(
		"(could|would) you mind", "(could|can|would|will) (you|we|someone|somebody|) (go ahead and|)", "(könntest|kannst|würdest|magst|willst) du", "(könnten|können|wollen) wir", "(könnt|könntet|würdet) ihr", "(könnte|kann) (jemand|man)", "(könnte|könnten)",
		"how about", "would it be possible to",
	)
	bluntly = wordSet(`can will kannst magst willst kann könnt`)
)

// leads are ways to begin an order, and asides may stand in one: neither changes it.
var (
	leads = expandAll(
		"(let's|let us|let me|lets)", "(i want|i'd like|i would like|we need|i need|time|remember) (you|) to", "(go ahead|be so kind|be so good|be a dear|do me a favour|do me a favor) and", "make sure (that|)", "thank you", "stop stop", "stopp stopp",
		"(sei|seid) so (gut|lieb|nett|freundlich) und", "tu mir den gefallen und", "wärst du so (gut|lieb|nett) und", "(lass|lasst) uns",
	)
	asides = expandAll(
		"for (a|the) (moment|minute|while|bit|second|sec|time being)", "for now", "for me", "real quick", "here", "a (moment|minute|second|bit)", "(hang|hold) on", "one moment", "you know", "i mean", "if you (would|will|please|don't mind)",
		"be so (kind|good) (and|as to)", "be a dear and", "do me a (favour|favor) and", "that's (fine|good|okay)", "at once", "right away", "all right", "(thank you|thanks) (all|everyone|everybody|guys|folks)", "danke (euch|euch allen|dir|ihnen|allen|alle)", "that is", "that's", "from now on", "any more", "anymore", "wait", "sorry", "listen", "let's see", "was it", "what's (his|her|their) name",
		"für (einen|den) (moment|augenblick)", "für (eine minute|eine weile|jetzt)", "einen (moment|augenblick)", "eine minute", "hier", "(moment|sekunde|augenblick|warte|wartet|entschuldigung|sorry|verzeihung)", "auf der stelle", "ab (jetzt|sofort)", "ein bisschen", "ein wenig",
		"(sei|seid) so (gut|lieb|nett|freundlich) und", "tu mir den gefallen und", "(wie heißt er|wie heißt sie)", "das ist", "ich (mein|meine)", "von mir aus", "wenn's geht", "na", "hör mal", "hört mal",
	)
)

// gerundOf are the words that "would you mind" and "how about" take.
var gerundOf = map[string]string{
	"muting": "mute", "silencing": "silence", "unmuting": "unmute", "raising": "raise", "lowering": "lower", "setting": "set", "putting": "put", "bringing": "bring", "taking": "take", "turning": "turn", "moving": "move", "dropping": "drop",
	"letting": "let", "having": "have", "getting": "get", "making": "make", "giving": "give", "ending": "end", "closing": "close", "finishing": "finish", "wrapping": "wrap", "stopping": "stop", "being": "be", "keeping": "keep", "switching": "switch", "bumping": "bump",
}

// atOnce are words of an order for now.
var atOnce = wordSet(`please now bitte jetzt`)

// linking are words that are no part of a name that is one without them, and telling
// are those that tell of an NPC whose name is before them: "Bartok schweigt".
var (
	linking = wordSet(`is are was were be has have does do say says said no not on off to up down and or at in a an the it his her ist sind war waren sagt sag sage hat bin nicht kein auf ab an zu und oder im mit von`)
	telling = wordSet(`schweigt schweigen verstummt verstummen verstumme bleibt macht machen redet reden spricht sprechen sagt hört hören denkt überlegt antwortet fahren ist sind`)
)

// ofStep are words of tiers that are no tier's own.
var ofStep = wordSet(`tier level notch`)

// company are whom the end of a session is told.
var company = wordSet(`folks guys people friends gang everyone everybody all leute freunde zusammen alle`)

// downward are words of lowering.
var downward = wordSet(`lower down drop reduce downgrade knock senk senke runter herunter hinunter tiefer absenken`)

// titles may stand before a name.
var titles = wordSet(`the die der das den dem our unser unsere unseren old dear good poor alte alter guter gute liebe lieber lieben alten guten captain lady lord sir master mister mr mrs miss hauptmann herr frau meister fräulein`)

// sayWords have somebody say something, and politely may follow them.
var (
	sayWords = wordSet(`say sag sage sagt sagen spricht sprich announce announces proclaim verkünde verkünd verkünden call shout ruf rufe rufen repeat tell wiederhole erkläre reply answer antworte`)
	politely = wordSet(`please bitte doch um uh ähm äh now jetzt einfach just folgendes following loudly laut`)
	// onlyQuoted are those of them that need a colon, or quotation marks, behind them.
	onlyQuoted = wordSet(`sagt spricht sprich announce announces proclaim verkünde verkünd verkünden call shout ruf rufe rufen repeat tell wiederhole erkläre reply answer antworte`)
	// after are words that may stand between those and a colon.
	after = phraseSet("(this|the following|after me|them|everyone|everybody|the party|the players|the group|us|out|out loud|aloud|this line|with me)", "(das|dies|folgendes|mir nach|ihnen|allen|der gruppe|den spielern|uns|diesen satz|laut|das folgende)")
	// verbatim begin what is said after somebody.
	verbatim = phraseSet("repeat after me", "(sprich|sag) mir nach")
	// asker may stand between a name and "say", as in a question.
	asker = expandAll("(would|could|can|will) you", "(könntest|kannst|würdest) du", "(könnt|könntet|würdet) ihr")
	// letting are the ways to have somebody say something: what is said before the name,
	// and between the name and the word.
	letting = lettingFrames()
)

// aboutWords begin what is not spoken word for word but about something, or to somebody.
var aboutWords = wordSet(`that this it so something anything nothing no more again what who whom whose where when why how whether if which
	das es dies was etwas nichts mir uns ihm ihr ihnen ihn mal doch auch bloß bloss nur wo wer wen wem wann warum wieso weshalb wie ob welche welcher nochmal noch dem der den einem keinem niemandem
	to your my our me us dein deine deiner deinem deinen euch euer eurer eurem unser unserer unserem mein meiner meinem seiner seinem ehrlich schon ruhig einmal honestly hello hi goodbye`)

// hedges are words of who speaks of an order and gives none.
var hedges = wordSet(`not don't never didn't isn't won't should shall would could can may might if when whether because says said say told tell asked ask did does was were had has already later after before next tomorrow i i'll i'm
	nicht nie kein keine soll sollen sollte sollten würde könnte kann kannst wenn ob weil falls sagt sagte gesagt sag frage gefragt war waren hatte hat habe schon nachher später nach bevor morgen ich`)

var greetings = wordSet(`hello hi hey goodbye bye thanks sorry hallo grüße tschüss danke`)

// expand makes all phrases of a pattern, in which (a|b) stands for either and (a|) for
// perhaps.
func expand(pattern string) []string {
	open := strings.IndexByte(pattern, '(')
	if open < 0 {
		return []string{strings.Join(strings.Fields(pattern), " ")}
	}
	end := open + strings.IndexByte(pattern[open:], ')')
	var out []string
	for choice := range strings.SplitSeq(pattern[open+1:end], "|") {
		out = append(out, expand(pattern[:open]+choice+pattern[end+1:])...)
	}
	return out
}

// expandAll makes all phrases of patterns.
func expandAll(patterns ...string) (out []string) {
	for _, p := range patterns {
		out = append(out, expand(p)...)
	}
	return out
}

// phraseSet is the set of all phrases of patterns.
func phraseSet(patterns ...string) map[string]bool {
	m := map[string]bool{}
	for _, p := range expandAll(patterns...) {
		m[p] = true
	}
	return m
}

package orders

import (
	"slices"
	"strings"
	"unicode"
)

// word is a word of an utterance.
type word struct {
	folded     string
	begin, end int  // position in the text
	stop       rune // the mark directly after it, 0 if none
}

// splitWords splits a text into words.
func splitWords(text string) (out []word) {
	begin := -1
	flush := func(end int) {
		if begin >= 0 {
			folded := strings.ToLower(strings.ReplaceAll(text[begin:end], "’", "'"))
			out = append(out, word{folded: strings.Trim(folded, "'"), begin: begin, end: end})
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

// hesitations are sounds that are not words.
var hesitations = wordSet(`uh um uhm er erm hm hmm mm mh ah ähm äh öhm öh eh`)

// germanWords exist only in German. They are used because "er" is a hesitation in English but means "he" in
// German.
var germanWords = wordSet(`und der die das den ist sind nicht bevor dass wenn weil bis bitte lass lasst mach mal soll sollte kann könnte wieder ich du ihr auf ganz einfach jetzt hat wird darf damit`)

// maxRepeated is the maximum number of words that a hesitating speaker repeats.
const maxRepeated = 3

// fluent returns the words without hesitations and without words repeated because of them: "have Dorn, uh,
// have Dorn say".
func fluent(words []word) (out []word) {
	german := slices.ContainsFunc(words, func(w word) bool { return germanWords[w.folded] })
	for _, w := range words {
		if hesitations[w.folded] && !(german && w.folded == "er") {
			if n := len(out); n > 0 && w.stop != 0 && out[n-1].stop == 0 {
				out[n-1].stop = w.stop
			}
			continue
		}
		out = append(out, w)
		for n := maxRepeated; n > 0; n-- {
			if k := len(out) - 2*n; k >= 0 && slices.EqualFunc(out[k:k+n], out[k+n:], func(a, b word) bool { return a.folded == b.folded }) {
				out = append(out[:k], out[k+n:]...)
				break
			}
		}
	}
	return out
}

func join(words []word) string {
	var all []string
	for _, w := range words {
		all = append(all, w.folded)
	}
	return strings.Join(all, " ")
}

// wordSet returns the words of a list as a set.
func wordSet(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// everyone are phrases for all NPCs.
var everyone = phraseSet(
	"every (last|single|) (npc|character|one|one of them)", "(everybody|everyone|all|you all|y'all|all of you|all of them|the lot of you|you lot|every npc|every character)",
	"(all|all the|all of the|all you|all of you|all my|the|) (npcs|characters|non player characters|nonplayer characters)", "(the|) (whole|entire|rest of the) (cast|lot|bunch)",
	"(alle|ihr alle|euch alle|sie alle|allesamt|allen|alle zusammen|alle miteinander)", "(alle|allen|die|den|alle meine|sämtliche|ihr|) (nscs|nsc|npcs|npc|nichtspielerfiguren|nichtspielercharaktere|figuren|charaktere|charakteren)",
)

// ofTheProgram are words for NPCs that no one in a story uses.
var ofTheProgram = wordSet(`nichtspielerfiguren nichtspielercharaktere player nonplayer cast npc npcs nsc nscs characters figuren charaktere charakteren`)

// bluntly are words that begin a real question to the person named.
var bluntly = wordSet(`can will kannst magst willst kann könnt`)

// particles precede separable verbs.
var particles = wordSet(`an aus auf ab ein hoch rauf runter herauf herunter hinauf hinunter zurück stumm frei leise laut weiter mit los um`)

// participles describe a state, unless they come with an order.
var participles = wordSet(`muted silenced stummgeschaltet`)

// transitive are words that silence the person named after them.
var transitive = wordSet(`silence silencing hush shush quieten`)

// relaying are words by which speakers have someone tell another, or ask about their own actions.
var relaying = phraseSet("(ask|tell|sag|sagt|sage)", "kann ich", "can i", "i can", "ich kann")

// joining are words between an order and other talk.
var joining = wordSet(`and so okay ok now please then also well und also jetzt bitte dann somebody right oh gut but`)

// adjoining are words after an order that introduce its duration or reason.
var adjoining = wordSet(`until till while because since so bis solange während weil damit denn sonst`)

// atOnce are words that make an order immediate.
var atOnce = wordSet(`please now bitte jetzt`)

// linking are words that may be dropped from the edge of a name.
var linking = wordSet(`i ich is are was were be has have does do say says said no not on off to up down and or at in a an the it his her ist sind war waren sagt sag sage hat bin nicht kein auf ab an zu und oder im mit von`)

// downward are words for lowering.
var downward = wordSet(`lower down drop reduce downgrade knock senk senke runter herunter hinunter tiefer absenken`)

// titles may precede a name. pronouns replace one, and objects refer to others. After towards, the person is
// addressed or mentioned.
var (
	titles   = wordSet(`captain lady lord sir master mister mr mrs miss hauptmann herr herrn frau meister fräulein doctor doktor dr professor brother sister bruder schwester father mother aunt uncle tante onkel king queen könig königin`)
	articles = wordSet(`the a der die das den dem`)
	towards  = wordSet(`to with about mit zu an`)
	objects  = wordSet(`him them me us ihm ihn ihnen uns mir`)
	pronouns = wordSet(`him her them he she ihn ihm sie er`)
)

// sayWords make someone say something. politely may follow them.
var (
	sayWords = wordSet(`say sag sage sagt sagen spricht sprich announce announces proclaim verkünde verkünd verkünden call shout ruf rufe rufen repeat tell wiederhole erkläre reply answer antworte`)
	politely = wordSet(`please bitte doch um uh ähm äh now jetzt einfach just folgendes following loudly laut`)
	// onlyQuoted are sayWords that require a colon or quotation marks after them.
	onlyQuoted = wordSet(`sagt spricht sprich announce announces proclaim verkünde verkünd verkünden call shout ruf rufe rufen repeat tell wiederhole erkläre reply answer antworte`)
	// after are words that may be between sayWords and a colon.
	after = phraseSet("(this|the following|after me|them|everyone|everybody|the party|the players|the group|us|out|out loud|aloud|this line|with me)", "(das|dies|folgendes|mir nach|ihnen|allen|der gruppe|den spielern|uns|diesen satz|laut|das folgende)")
	// verbatim are phrases that introduce words to repeat.
	verbatim = phraseSet("repeat after me", "(sprich|sag) mir nach")
)

// aboutWords begin a description of what to say, or its listener, rather than the words themselves.
var aboutWords = wordSet(`that this it so something anything nothing no more again what who whom whose where when why how whether if which
	das es dies was etwas nichts mir uns ihm ihr ihnen ihn mal doch auch bloß bloss nur wo wer wen wem wann warum wieso weshalb wie ob welche welcher nochmal noch dem der den einem keinem niemandem
	to your my our me us dein deine deiner deinem deinen euch euer eurer eurem unser unserer unserem mein meiner meinem seiner seinem ehrlich schon ruhig einmal honestly hello hi goodbye`)

// reports, anywhere before an order in its sentence, indicate that it is mentioned or narrated. hedges,
// directly before it, indicate that it is not given. judging are such words directly after it.
var (
	reports = wordSet(`says said saying told tells asked asks asking remind remember yell yells yelled yelling shout shouts shouting scream screams screaming bellow bellows bark barks whisper whispers calls called calling cry cries quote carved written reads if whether because when almost decided agreed promised wanted heard thought
		sagen sagt sagte gesagt gefragt fragt ruft rief rufe schreit brüllt brüllen flüstert murmelt zischt bellt steht meint meinte hört liest erinner erinnert beinahe fast wenn ob weil womit beschlossen vereinbart versprochen gewollt gehört gedacht gemeint wie warum wozu`)
	hedges = wordSet(`not don't never didn't isn't won't should shall would could might tell say ask did does do was were had has always later before after next tomorrow i'll i'm i'd i he'll she'll they'll you'll we'll want wants how why what my
		nicht nie soll sollen sollte sollten würde sag sage frage war waren hatte hatten hat habe hab nachher später nach bevor morgen ich will beim`)
	judging = wordSet(`would is was isn't wouldn't brings means does doesn't bringt wäre würde ist war hilft heißt macht geht hat said says sagt sagte gesagt again before after until till bis bevor nachdem wenn if when or oder later nachher tomorrow morgen next in to at by near into onto am vor`)
	// conditions are those of reports that have an effect across a comma.
	conditions = wordSet(`if whether because when wenn ob weil falls`)
	// courtesy are words that turn such a condition into a polite phrase: "if it is no trouble".
	courtesy = wordSet(`it it's you you'd nobody es das du ihr sie möglich`)
	// open are words that require a word after them.
	open = wordSet(`your my the a an his her their to for of in on der die das den dem ein eine dein deine euer eure mein meine zu für von im at by near into from with bei mit am beim`)
)

var greetings = wordSet(`hello hi hey goodbye bye thanks sorry hallo grüße tschüss danke`)

// expand returns all phrases of a pattern, in which (a|b) means either and (a|) means optional.
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

// expandAll returns all phrases of several patterns.
func expandAll(patterns ...string) (out []string) {
	for _, p := range patterns {
		out = append(out, expand(p)...)
	}
	return out
}

// phraseSet returns all phrases of several patterns as a set.
func phraseSet(patterns ...string) map[string]bool {
	m := map[string]bool{}
	for _, p := range expandAll(patterns...) {
		m[p] = true
	}
	return m
}

package orders

import (
	"strings"
	"unicode"

	"github.com/MrWong99/glyphoxa/internal/mcp"
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

// lineSet is the set of the phrases of a list, one a line.
func lineSet(list string) map[string]bool {
	m := map[string]bool{}
	for l := range strings.Lines(list) {
		if l = strings.TrimSpace(l); l != "" {
			m[l] = true
		}
	}
	return m
}

// everyone are the ways to speak of all NPCs.
var everyone = lineSet(`everybody
	everyone
	all
	all of you
	all npcs
	all the npcs
	all of them
	all characters
	all the characters
	alle
	alle zusammen
	alle nscs
	alle npcs
	alle figuren
	alle charaktere
	ihr alle
	allesamt`)

// courtesy are words that may stand anywhere in an order.
var courtesy = wordSet(`please now okay ok so alright right well just hey then again back um uh er erm hmm yeah yes thanks
	bitte jetzt also mal kurz nun dann wieder zurück einfach doch erstmal ähm äh öhm hm ja danke einmal`)

// asked are ways to begin an order as if it were a question.
var asked = []string{"thank you ", "could you ", "can you ", "would you ", "will you ", "could we ", "can we ", "could ", "könntest du ", "kannst du ", "würdest du ", "könnten wir ", "können wir ", "stopp stopp ", "stop stop "}

// asides may follow an order.
var asides = []string{" for a moment", " for a minute", " for a while", " for now", " here", " für einen moment", " einen moment", " für den moment", " hier"}

// titles may stand before a name.
var titles = wordSet(`the die der das den captain lady lord sir master mister mr mrs miss hauptmann herr frau meister fräulein`)

// sayWords have somebody say something, and letWords go before them.
var (
	sayWords = wordSet(`say sag sage sagt sagen`)
	letWords = wordSet(`let have make lass lasst lasse`)
	askWords = wordSet(`would could can will könntest kannst würdest`)
	politely = wordSet(`please bitte doch um uh ähm äh now jetzt einfach just folgendes`)
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

// called are phrases that are said to somebody, whose name may stand before or after.
var called = map[Kind][]string{
	Quiet: {
		"(be|stay|keep) (quiet|silent)", "hush", "quiet", "silence", "stop (talking|speaking|)", "shut up", "(that's|that is|) enough", "hold your tongue",
		"(sei|seid|seien sie) (still|ruhig|leise)", "still", "ruhig", "ruhe", "stumm", "schweig", "schweigt", "schweige", "(halt|halte|haltet) (den mund|die klappe|den rand)",
		"(hör|hört|höre) auf (zu reden|zu sprechen|)", "aufhören (zu reden|zu sprechen|)", "(das|es|) reicht", "stopp", "stop", "(ruhig|still) sein", "(sind|ist) (still|ruhig)", "soll (schweigen|still sein|ruhig sein)", "sollen (schweigen|still sein|ruhig sein)",
	},
	Think: {
		"think (very|really|) (carefully|hard|deeply|thoroughly) (about it|about this|about that|)", "think about (it|this|that) (very|) (carefully|hard|thoroughly)", "think it over carefully",
		"(denk|denke|denkt) (gut|genau|gründlich|sorgfältig|scharf) (darüber|drüber|) nach", "(denk|denke|denkt) (darüber|drüber) (gut|genau|gründlich|sorgfältig) nach",
		"(gut|genau|gründlich|sorgfältig) nachdenken", "(überleg|überlege|überlegt) (dir|euch|) (das|es|) (gut|genau)",
	},
	Resume: {
		"go on", "carry on", "continue", "resume", "(you|) (may|can) (speak|talk)", "weiter", "weiter geht's", "weiter gehts", "(es|) geht weiter", "(mach|macht|machen wir) weiter", "weitermachen", "weiterreden",
		"du darfst (reden|sprechen|mitreden|weiterreden)", "ihr dürft (reden|sprechen|mitreden|weiterreden)", "(die|der|er|sie|) (darf|dürfen) (reden|sprechen|mitreden|weiterreden|weitersprechen)",
	},
}

// about are phrases in which @ is somebody.
var about = map[Kind][]string{
	Quiet:  {"mute @", "silence @", "let @ be (quiet|silent)", "(schalte|schalt|stell|stelle|mach) @ stumm", "@ stumm schalten", "@ stummschalten", "sind @ (still|ruhig)", "seid @ (still|ruhig)", "sei @ (still|ruhig)"},
	Resume: {"unmute @", "you may @ (speak|talk)", "let @ (speak|talk)", "ihr dürft @ (reden|sprechen|weiterreden)", "(mach|macht) @ weiter", "(stummschaltung|die stummschaltung) von @ aufheben", "lass @ (reden|sprechen)", "(schalte|schalt|stell) @ (laut|ein)", "@ (laut|ein) schalten"},
	Think:  {"let @ think carefully", "lass @ (gut|genau|gründlich) nachdenken"},
	Raise: {
		"raise @ (tier|)", "raise the tier of @", "(give|allow) @ (more|some more) time (to think|)", "let @ think longer", "@ one tier (up|higher)", "(take|move|bump|) @ up (one|a) (tier|level|notch)", "raise @ by one tier",
		"(stufe|stuf) @ (hoch|rauf|höher)", "@ hochstufen", "(heb|hebe) @ an", "@ anheben", "gib @ mehr zeit (zum nachdenken|zum überlegen|)", "lass @ länger nachdenken", "@ eine stufe (höher|hoch|rauf|hochsetzen|hochnehmen|hochstufen)",
	},
	Lower: {
		"lower @ (tier|)", "lower the tier of @", "@ one tier (down|lower)", "(take|move|bump|) @ down (one|a) (tier|level|notch)", "lower @ by one tier",
		"(stufe|stuf) @ (runter|herunter|herab|tiefer)", "stufe @", "@ (runter|herunter|zurück|herab)stufen", "(senk|senke) @ (ab|)", "@ eine stufe (tiefer|runter|herunter|runternehmen|runtersetzen|runterstufen)",
	},
}

// ends are the ways to end a session, which is about nobody.
var ends = []string{
	"(end|stop|close|finish) (the|this|our|) session", "(let's|let us) (end|stop|close|finish) (the|this|our) session", "we (end|stop) (the|this|our) session", "(the|this|our|) session is over",
	"(beende|beendet|beenden wir|stopp) (die|diese|unsere|) (sitzung|session)", "(die|diese|) (sitzung|session) beenden", "wir beenden (die|diese|unsere) (sitzung|session)",
	"(lasst|lass) uns (die|diese|unsere) (sitzung|session) beenden", "die (sitzung|session) ist (beendet|zu ende)",
}

// plain are the phrases of the orders that need no tier, and byStep those that raise or
// lower without naming one.
var plain, byStep = func() (plain, byStep map[string]Kind) {
	plain, byStep = map[string]Kind{}, map[string]Kind{}
	for kind, patterns := range called {
		for _, p := range patterns {
			for _, phrase := range expand(p) {
				plain["@ "+phrase], plain[phrase+" @"] = kind, kind
				if kind != Quiet {
					plain[phrase] = kind
				}
			}
		}
	}
	for kind, patterns := range about {
		for _, p := range patterns {
			for _, phrase := range expand(p) {
				if kind == Raise || kind == Lower {
					byStep[phrase] = kind
				} else {
					plain[phrase] = kind
				}
			}
		}
	}
	for _, p := range ends {
		for _, phrase := range expand(p) {
			plain[phrase] = EndSession
		}
	}
	return plain, byStep
}()

// unconditional are the phrases that let somebody speak whether silenced or not.
var unconditional = map[string]bool{"unmute @": true}

// toTier is what stands before a tier's word.
var toTier = func() map[string]bool {
	m := map[string]bool{}
	for _, p := range []string{
		"(raise|lower|set|put|move|bring|take|) @ (up|down|) (to|on)", "(raise|lower|set) the tier of @ to",
		"(heb|hebe|stell|stelle|setz|setze|stufe|senk|senke) @ (hoch|runter|) auf", "@ (hoch|rauf|runter|herunter|) auf",
	} {
		for _, phrase := range expand(p) {
			m[phrase] = true
		}
	}
	return m
}()

// tierWords are the tiers as people call them.
var tierWords = map[string]mcp.BudgetTier{
	"fast": mcp.BudgetFast, "quick": mcp.BudgetFast, "schnell": mcp.BudgetFast, "flink": mcp.BudgetFast,
	"standard": mcp.BudgetStandard, "careful": mcp.BudgetStandard, "sorgfältig": mcp.BudgetStandard, "überlegt": mcp.BudgetStandard,
	"deep": mcp.BudgetDeep, "thoughtful": mcp.BudgetDeep, "tief": mcp.BudgetDeep, "gründlich": mcp.BudgetDeep, "nachdenklich": mcp.BudgetDeep,
}

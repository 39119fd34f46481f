package tier

// deepPhrases select DEEP, as do [deepPatterns]. The English phrases up to "search the web" come from the
// specification.
var deepPhrases = []string{
	"think carefully", "take your time", "deep search", "generate image", "search the web",
	"generate an image", "generate a picture", "draw a picture", "web search", "search online",
	"tell me everything", "everything you know",

	"tiefe Suche", "mal ein Bild",
	"erzähl mir alles", "erzähle mir alles", "alles was du weißt",
}

// standardPhrases select STANDARD, as do [standardPatterns]. The English phrases up to "tell me about" come
// from the specification; vocabulary of the rules follows.
var standardPhrases = []string{
	"remember", "last time", "rules", "quest", "who is", "tell me about",
	"quests", "rule", "remind", "recall", "last session", "who was", "who are", "who's", "who were",
	"what happened", "what do you know about", "what did … say", "where is", "where are",
	"spell", "spells", "cantrip", "cantrips", "condition", "conditions", "saving throw", "saving throws",
	"how does … work", "how do … work", "what does … do", "spell slot", "spell slots",
	"difficulty class", "opportunity attack", "opportunity attacks", "death save", "death saves",
	"ability check", "ability checks", "short rest", "long rest", "grapple", "grappling",
	"exhaustion", "concentration",

	"erinnerst", "erinnere", "erinnern", "erinnert", "letztes Mal", "letzte Mal", "letzten Mal",
	"letzte Sitzung", "letzter Sitzung", "Regel", "Regeln", "Auftrag", "Aufträge",
	"wer ist", "wer war", "wer sind", "wer waren", "wo ist", "wo sind", "was ist passiert",
	"erzähl mir von", "erzähle mir von", "erzähl mir über", "erzähle mir über", "erzähl uns von",
	"was weißt du über", "was hat … gesagt",
	"Zauber", "Zauberspruch", "Zaubersprüche", "Zaubertrick", "Zaubertricks", "Zustand", "Zustände",
	"Rettungswurf", "Rettungswürfe", "wie funktioniert", "wie funktionieren", "was bewirkt",
	"was macht der Zustand", "Gelegenheitsangriff", "Todeswurf", "kurze Rast", "lange Rast",
	"Zauberplatz", "Zauberplätze", "Erschöpfung", "Konzentration",
}

// negators cancel a phrase that begins at most reach words after them in the same clause, so that "don't
// think carefully" selects nothing. The two halves of a contraction count as two words.
var negators = []struct {
	phrase string
	reach  int
}{
	{"not", 3}, {"never", 3}, {"cannot", 3}, {"dont", 3}, {"doesnt", 3}, {"didnt", 3}, {"wont", 3},
	{"don't", 3}, {"doesn't", 3}, {"didn't", 3}, {"won't", 3}, {"can't", 3}, {"couldn't", 3},
	{"shouldn't", 3}, {"wouldn't", 3}, {"needn't", 3}, {"isn't", 3}, {"wasn't", 3}, {"mustn't", 3},
	{"no need", 3}, {"without", 2}, {"stop", 1}, {"no", 1},
	{"nicht", 3}, {"nie", 2}, {"niemals", 2}, {"ohne", 2},
	{"kein", 1}, {"keine", 1}, {"keinen", 1}, {"keiner", 1},
}

// questioners directly after a negator turn it into a question, which is not negated: "don't you remember the
// miller?"
var questioners = []string{"you", "we", "they", "I", "he", "she", "du", "ihr", "wir", "Sie", "er"}

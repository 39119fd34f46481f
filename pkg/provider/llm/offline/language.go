package offline

import "strings"

// language is the language of an utterance.
type language int

const (
	english language = iota
	german
)

var languages = [...]language{english, german}

var (
	englishWords = wordsOf(`the a an and is are was what who where how do does did you your my me i it of to in on with tell
		about please roll say said can could would remember know have has for that this hello thanks
		we us you're we're i'm i'd i'll i've don't isn't that's what's who's it's let's not no yes any some got get give take make see by at from or but if then there here
		good evening morning night day bye goodbye thank sorry just too very really anything something nothing be been will would should shall may might much many they them
		his her their down out come go going want need like looking find think believe sir more drink beer ale bread room bed work job story joke never ever
		am when which why all these those having new old nice little friend please hear heard talk tell say speak everything else okay`)

	germanWords = wordsOf(`der die das und ist sind war was wer wo wie du dein deine mein mir mich ich es von zu im mit erzähl
		über bitte würfle würfel sag gesagt kann kannst könntest erinnerst weißt weisst hast hat für dass dies hallo danke
		ein eine einen den dem wir uns ihr nicht auf den auf noch mal letztes letzten gibt regel regeln zauber wirf guten tag
		lies schreib notiere merk kennst wen warum passiert macht funktioniert liegt finde
		bist seid sein seine haben habt hätte hätten wäre werden wird wurde kommst kommt komm gehst geht geh willst wollen wollt möchte kannst könnt
		dir euch ihnen sie ihm ihn uns unser unsere euer eure eurem euren kein keine keinen nichts etwas alles was's gibt's geht's hab habe ihrs
		guten gute guter gutes morgen abend nacht grüß servus moin tschüss tschüs ade pfiat bis bald später dann heute gestern jetzt
		ja nein doch aber auch nur schon so sehr ganz gar mal na ach oder und wenn weil dass als ob denn eigentlich halt eben vielleicht wirklich genau
		mehr viel viele wenig zwei drei vier fünf sechs sieben acht neun zehn geld münzen silber bier wein brot zimmer bett arbeit hilfe geschichte witz
		frau herr hauptfrau hauptmann sag sagt raus rein her hin weg aus bei nach vom zum zur beim ins am im um vor hinter unter
		alte alter altes kleine kleiner neue neues dort da hier wieder immer nie niemals darf soll muss müssen wette würfeln lied sing erzählt redet brauche brauchen suchen`)
	articles = wordsOf(`the a an some any der die das den dem des ein eine einen einem einer eines`)
)

// languageScore counts the words that belong to only one language: positive means German, negative English.
func languageScore(toks []token) int {
	score := 0
	for _, k := range toks {
		if englishWords[k.fold] {
			score--
		}
		if germanWords[k.fold] || strings.ContainsAny(k.fold, "äöüß") {
			score++
		}
	}
	return score
}

// detectLanguage returns the language of words. English wins a tie.
func detectLanguage(toks []token) language {
	if languageScore(toks) > 0 {
		return german
	}
	return english
}

// languageOf counts the words that the phrases of only one language use: positive means German, negative
// English.
func (l *lexicon) languageOf(toks []token) (score int) {
	for _, k := range toks {
		w := plainWord(k.fold)
		switch en, de := l.only[english][w], l.only[german][w]; {
		case de && !en:
			score++
		case en && !de:
			score--
		}
	}
	return score
}

// findLanguage returns the language of the utterance. If that is undecided, it uses the language of the
// preceding lines, and then the NPC's.
func (t *turn) findLanguage() language {
	score := languageScore(t.toks)
	for _, said := range t.said[:min(len(t.said), 4)] {
		if score != 0 {
			break
		}
		score = languageScore(tokenize(said))
	}
	if own := knownWays().languageOf(t.toks); own != 0 && languageScore(t.toks) == 0 {
		score = own
	}
	if score > 0 || score == 0 && t.req.Persona.Language == german.tag() {
		return german
	}
	return english
}

package offline

import "strings"

// language is what an utterance is in.
type language int

const (
	english language = iota
	german
)

var (
	englishWords = words(`the a an and is are was what who where how do does did you your my me i it of to in on with tell
		about please roll say said can could would remember know have has for that this hello thanks`)
	germanWords = words(`der die das und ist sind war was wer wo wie du dein deine mein mir mich ich es von zu im mit erzähl
		über bitte würfle würfel sag gesagt kann kannst könntest erinnerst weißt weisst hast hat für dass dies hallo danke
		ein eine einen den dem wir uns ihr nicht auf den auf noch mal letztes letzten gibt regel regeln zauber wirf guten tag
		lies schreib notiere merk kennst wen warum passiert macht funktioniert liegt finde`)
	articles = words(`the a an some any der die das den dem des ein eine einen einem einer eines`)
)

// detectLanguage counts the words only one language has. English wins a tie.
func detectLanguage(toks []token) language {
	score := 0
	for _, k := range toks {
		if englishWords[k.fold] {
			score--
		}
		if germanWords[k.fold] || strings.ContainsAny(k.fold, "äöüß") {
			score++
		}
	}
	if score > 0 {
		return german
	}
	return english
}

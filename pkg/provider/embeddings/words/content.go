package words

import "slices"

// assents are folded words that fill a line without content: what stop words leave of "Aye, okay then" and
// "Hm, na gut".
var assents = set(`aye okay ok right yes yeah yep yup nope nah sure well fine thanks thank please hm hmm hmmm mhm uh um er ah oh ha
haha hahaha huh hey hi hello wow cool great good nice true exactly indeed agreed alright anyway like really gotcha fair
jo jap joa nee okey na gut klar genau danke bitte ah ach oh aha hm hmm hallo hi stimmt super toll prima egal eben halt
richtig ehrlich echt gern gerne alles`)

// HasContent reports whether a text contains a word with content. "Aye." and "Okay then, sure." do not.
func HasContent(text string) bool {
	return slices.ContainsFunc(Split(text), func(w string) bool {
		_, assent := assents[w]
		return !assent && !Stop(w)
	})
}

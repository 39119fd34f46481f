package address

import "strings"

// callsRoom reports whether an utterance may be for everyone in the scene: "has anyone here seen him?".
func (u *utterance) callsRoom() bool {
	return !u.quotes && (asksWhoIsHere(u.tokens, u.asks) || u.asks && u.beginsWithAnyone())
}

// beginsWithAnyone reports whether the question begins with a word for anyone present: "anybody seen …".
func (u *utterance) beginsWithAnyone() bool {
	for _, t := range u.tokens {
		if whoever[t.text] && !vague[t.text] && t.text != "who" && t.text != "wer" {
			return true
		}
		if t.class&(opener|sound|crowd|joins|hail|question) == 0 && !t.closes {
			return false
		}
	}
	return false
}

// whoever are words for unnamed people. hereabouts are words that limit them to the scene.
var (
	whoever = wordSet(`anyone anybody someone somebody everyone everybody nobody noone none whoever who which one folks people gentlemen
		ladies friends jemand jemanden jemandem irgendwer irgendwen irgendjemand irgendjemanden einer eine keiner niemand wer leute herrschaften
		freunde alle allesamt`)
	vague      = wordSet(`one eine einer alle which people none`)
	hereabouts = wordSet(`here hereabouts hier hierin herein drinnen`)
	ofYou      = wordSet(`of von unter among amongst`)
	plural     = wordSet(`you ye euch ihnen`)
)

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// whoSpan is the maximum distance in words between "who" and "here".
const whoSpan = 3

// asksWhoIsHere reports phrases such as "who of you …", "does anybody round here …" and "einer von euch".
func asksWhoIsHere(tokens []token, asks bool) bool {
	for i, t := range tokens {
		if !whoever[t.text] {
			continue
		}
		for k := max(i-whoSpan, 0); k <= min(i+whoSpan, len(tokens)-1); k++ {
			if hereabouts[tokens[k].text] && asks && !vague[t.text] || k > i && ofYou[tokens[k].text] && k+1 < len(tokens) && plural[tokens[k+1].text] {
				return true
			}
		}
	}
	return false
}

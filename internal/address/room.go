package address

import (
	"strings"
	"time"
)

// callsRoom reports whether an utterance that calls nobody is to everybody in the
// scene, and not to the players at their desks.
func (u *utterance) callsRoom(f *facts) bool {
	if f.has(aboutRules) || f.has(rulesSure) || f.has(outsiders) || (f.has(aboutRules) || f.has(aboutEvening) || f.n(modern)+f.n(mechanics) > 1) && f.n(roomSure) < 2 || f.u.quotes {
		return false
	}
	if f.has(roomSure) || asksWhoIsHere(u.tokens, u.asks) && f.n(modern)+f.n(mechanics) == 0 && !f.gameWords() {
		return true
	}
	if !u.asksRoom() && !(f.has(roomWide) && f.asks && !f.st.Last.Known) {
		return false
	}
	if f.gameWords() || f.st.Last.Known && (f.st.Fresh || f.st.Last.Ago < roomLull) {
		return false
	}
	return !f.has(planning) && !(f.has(number) && f.inTalk) && !f.declares && !(f.inTalk && f.st.Before.Gist.Asks)
}

// roomLull is how long nobody has talked with an NPC before "has anybody seen …" asks
// everybody in the scene.
const roomLull = 20 * time.Second

// asksRoom reports whether the utterance begins with a question to whoever is there.
func (u *utterance) asksRoom() bool {
	for i, t := range u.tokens {
		about := u.tokens[i].topic
		if about&roomWide != 0 {
			return true
		}
		if t.class&(opener|sound|crowd|joins|hail) == 0 && about&(courtesy|linking|filling) == 0 && !t.closes {
			return false
		}
	}
	return false
}

// whoever are words for people nobody names, and hereabouts what says that those who
// are in the scene are meant.
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

// whoSpan is how many words may stand between "who" and "here".
const whoSpan = 3

// asksWhoIsHere reports "who of you …", "does anybody round here …", "einer von euch".
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

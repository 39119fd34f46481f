package address

import "time"

// callsRoom reports whether an utterance that calls nobody is to everybody in the
// scene, and not to the players at their desks.
func (u *utterance) callsRoom(f *facts) bool {
	if f.has(aboutRules) || f.has(rulesSure) || f.has(outsiders) || (f.has(aboutRules) || f.has(aboutEvening) || f.n(modern)+f.n(mechanics) > 1) && f.n(roomSure) < 2 || f.u.quotes {
		return false
	}
	if f.has(roomSure) {
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

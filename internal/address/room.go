package address

// callsRoom reports whether an utterance that calls nobody is to everybody in the
// scene, and not to the players at their desks.
func (u *utterance) callsRoom(f *facts) bool {
	if f.has(aboutRules) || f.has(aboutEvening) || f.has(outsiders) || f.u.quotes {
		return false
	}
	if f.has(roomSure) {
		return true
	}
	if !u.asksRoom() {
		return false
	}
	return !f.has(planning) && !(f.has(number) && f.inTalk) && !f.declares && !(f.inTalk && f.st.Before.Asks)
}

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

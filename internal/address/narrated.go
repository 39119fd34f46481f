package address

import "slices"

// narratedCall finds the NPC that a player's character addresses according to the player's own narration: "I
// lean over the bar and ask Odo if the room is free", "Brindle asks Odo for the key", "ich geh zu Odo und
// frag ihn, ob …". An NPC that is only mentioned, or may be asked later, is not called: "we should ask Odo",
// "I asked Odo yesterday". A pronoun refers to the NPC named before it, or to partner, which is the NPC in
// the conversation or the only one; anyone if there is none.
func (u *utterance) narratedCall(partner int) (npc int, ok bool) {
	for v := range u.tokens {
		if t := u.tokens[v]; t.quoted || !tellsNow[t.text] && !tellsOfOther[t.text] {
			continue
		}
		first, end := u.sentence(v)
		subject := u.narrator(first, v)
		if subject < 0 || u.hypothetical(min(subject, v), v) {
			continue
		}
		if first > 0 && notNow[u.tokens[first-1].text] || subject > first && notNow[u.tokens[subject-1].text] {
			continue // "if I ask Odo"
		}
		u.tellsAddressee = u.tellsAddressee || u.namesAddressee(v)
		if m, found := u.nameAfterVerb(v, end); found {
			if m.form.npc == player {
				return anyone, false
			}
			return m.form.npc, true
		}
		before, found := u.nameBefore(max(subject+1, first+1), v)
		switch next := u.wordAt(v + 1); {
		case found && (listener[next] || startsReport[next] || u.tokens[v].closes):
			return before.form.npc, before.form.npc != player
		case partner >= 0 && listener[next] && next != "it" && next != "es" && v+2 < end && u.justNow(v) && !u.namesAPlayer(first, v):
			return partner, true
		}
	}
	return anyone, false
}

// namesAddressee reports whether the words after the verb v make clear that someone is addressed, whatever
// they are called: "I ask him …", "asks if …", "I ask the old man …", "and say: …".
func (u *utterance) namesAddressee(v int) bool {
	if tellsNow[u.tokens[v].text] && !u.justNow(v) {
		return false
	}
	next := u.wordAt(v + 1)
	if v > 0 && saysAloud[u.tokens[v].text] && u.tokens[v-1].class&joins != 0 {
		return true // "I lean over and say …"
	}
	return u.tokens[v].closes || listener[next] && next != "it" && next != "es" || asksThat[next] || v+1 < len(u.tokens) && u.tokens[v+1].class&article != 0
}

// sentence returns where the sentence around token i begins and ends.
func (u *utterance) sentence(i int) (first, end int) {
	first, end = i, i+1
	for first > 0 && u.tokens[first-1].stop != '.' && u.tokens[first-1].stop != '?' {
		first--
	}
	for end < len(u.tokens) && u.tokens[end-1].stop != '.' && u.tokens[end-1].stop != '?' {
		end++
	}
	return first, end
}

// narrator returns the token of the subject of the verb v: "I", or for a verb such as "asks", the beginning
// of a sentence about a character. It returns a negative number if there is none.
func (u *utterance) narrator(first, v int) int {
	for i := v - 1; tellsNow[u.tokens[v].text] && i >= first && i >= v-12; i-- {
		if t := u.tokens[i]; narrates[t.text] {
			return i
		}
	}
	if next := u.wordAt(v + 1); next == "ich" || next == "wir" { // "dann frag ich Odo"
		return v + 1
	}
	if !tellsOfOther[u.tokens[v].text] {
		return -1
	}
	i := first
	for i < v && u.tokens[i].class&(opener|sound|joins) != 0 {
		i++
	}
	if i == v || narratedAbout[u.tokens[i].text] {
		return -1
	}
	if m, ok := u.exact(i, len(u.tokens)); ok && m.form.npc != player {
		return -1 // the NPC itself is asking
	}
	return i
}

// hypothetical reports whether the words before the verb v say that this is not happening now.
func (u *utterance) hypothetical(first, v int) bool {
	for i := first; i < v; i++ {
		if i < len(u.tokens) && notNow[u.tokens[i].text] {
			return true
		}
	}
	return false
}

// justNow reports whether "I", or another action of "I", is directly before the verb v: "I bow and ask him",
// but not "we have to ask him".
func (u *utterance) justNow(v int) bool {
	if v == 0 {
		return false
	}
	switch w := u.tokens[v-1]; w.text {
	case "i", "ich", "and", "und", "just", "then":
		return !slices.ContainsFunc(u.tokens[max(0, v-12):v], func(t token) bool { return t.text == "we" || t.text == "wir" })
	}
	return false
}

// nameAfterVerb returns the name directly after the verb v, skipping articles and adverbs.
func (u *utterance) nameAfterVerb(v, end int) (match, bool) {
	for i := v + 1; i < end && i <= v+5; i++ {
		if m, ok := u.exact(i, end); ok && !m.owned {
			return m, true
		}
		t := u.tokens[i]
		switch {
		case t.class&(article|honorific|onTheWay|part) != 0, narrates[t.text], besideVerb[t.text]:
			continue
		case t.class == 0:
			return u.similar(i, i, true, anyone)
		}
		break
	}
	return match{}, false
}

// nameBefore returns the last name between two tokens.
func (u *utterance) nameBefore(first, end int) (found match, ok bool) {
	for i := first; i < end; i++ {
		if m, is := u.exact(i, end); is && !m.owned {
			found, ok, i = m, true, m.last
		}
	}
	return found, ok
}

// namesAPlayer reports whether a player is named between two tokens.
func (u *utterance) namesAPlayer(first, end int) bool {
	m, ok := u.nameBefore(first, end)
	return ok && m.form.npc == player
}

func (u *utterance) wordAt(i int) string {
	if i >= len(u.tokens) {
		return ""
	}
	return u.tokens[i].text
}

var (
	// tellsNow are verbs of addressing someone, in the first person.
	tellsNow = setOf(`ask tell say explain whisper inform warn beg thank greet question offer show promise confess introduce remind assure answer reply shout mutter murmur
		frag frage fragen sag sage sagen erzähl erzähle erzählen bitte bitten erklär erkläre flüster flüstere warne grüß grüße begrüß begrüße danke biete zeig zeige versprech verspreche gesteh gestehe ruf rufe antworte`)
	// tellsOfOther are such verbs in the third person.
	tellsOfOther = setOf(`asks tells says explains whispers informs warns begs thanks greets questions offers shows promises confesses introduces reminds assures answers replies shouts mutters goes
		fragt sagt erzählt bittet erklärt flüstert warnt grüßt begrüßt dankt bietet zeigt verspricht gesteht ruft antwortet fordert`)
	narrates = setOf(`i i'll i'd i'm we we'll ich wir`)
	// narratedAbout are words that begin sentences about someone other than a player's character.
	narratedAbout = setOf(`i i'm i'd i'll i've we ich wir he she it they you that this there who what when where why how if nobody everyone everybody er es man sie ihr du das wer was wenn wo warum wie keiner jeder`)
	// notNow are words that make an action hypothetical or past.
	notNow = setOf(`should shouldn't could couldn't might would've didn't don't won't never let's rather better lieber besser if when unless maybe perhaps before after asked told said did do does
		sollte sollten sollen soll könnte könnten vielleicht lasst wenn falls bevor nachdem nicht nie`)
	// listener are pronouns for the person addressed.
	listener = setOf(`him her them it ihn sie ihm ihr ihnen es`)
	// startsReport are words that begin the content of a question or statement.
	startsReport = setOf(`if whether what how why when where who which about for to that ob was wie warum wann wo wer welche welchen nach um dass leise quietly very`)
	// saysAloud are verbs that may be followed by the spoken words.
	saysAloud = setOf(`say says sag sage sagt`)
	// asksThat are words that begin the content of a question.
	asksThat = setOf(`if whether what how why when where who ob was wie warum wann wo wer`)
	// besideVerb are words that may be between the verb and the name.
	besideVerb = setOf(`straight just again quietly softly gently him her mal einfach leise halt kurz to at up`)
)

// onlyNPC returns the only NPC that reacts to more than its name, or anyone if there is not exactly one.
func (s *Snapshot) onlyNPC() int {
	if s.open != 1 {
		return anyone
	}
	return slices.IndexFunc(s.npcs, func(n NPC) bool { return !n.AddressOnly })
}

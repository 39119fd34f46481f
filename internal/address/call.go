package address

import (
	"slices"
	"strings"
)

const (
	// maxCalled is the maximum number of NPCs that one utterance can call.
	maxCalled = 8
	// maxMatches is the maximum number of names considered in one clause.
	maxMatches = 8
)

// clause is the tokens from first to before end, between punctuation marks. Its core, from begin to before
// core, excludes greetings and courtesies.
type clause struct {
	first, end  int
	begin, core int
	names       int // number of honorifics from begin on
	greeted     bool
	buf         [maxMatches]match
	n           int
}

func (c *clause) matches() []match { return c.buf[:c.n] }

// findCalls finds the NPCs and players that the utterance calls, and those it merely mentions.
func (u *utterance) findCalls(st State) {
	prefer := anyone
	if p, ok := u.s.partner(st); ok {
		prefer = p
	}
	for first := 0; first < len(u.tokens); {
		end := first + 1
		for end < len(u.tokens) && !u.tokens[end].opens {
			end++
		}
		if !u.tokens[first].quoted {
			c := u.clause(first, end)
			if !u.calls(&c, prefer) {
				u.mention(&c)
			}
		}
		first = end
	}
}

// clause finds the names in a clause, and its core.
func (u *utterance) clause(first, end int) clause {
	c := clause{first: first, end: end}
	for i := first; i < end && c.n < maxMatches; i++ {
		if m, ok := u.exact(i, end); ok {
			c.buf[c.n] = m
			c.n++
			i = m.last
		}
	}
	c.begin, c.core = first, end
	for c.begin < end-1 && u.tokens[c.begin].class&opener != 0 && !c.isPartOfName(c.begin) {
		c.begin++
	}
	for c.core > c.begin+1 && u.tokens[c.core-1].class&trailer != 0 && !c.isPartOfName(c.core-1) {
		c.core--
	}
	c.greeted = c.begin > first
	if c.begin < c.core-1 && yourGrace[u.tokens[c.begin].text] && u.tokens[c.begin+1].class&title != 0 {
		c.begin++
	}
	for c.begin+c.names < c.core-1 && u.tokens[c.begin+c.names].class&honorific != 0 && !c.isPartOfName(c.begin+c.names) {
		c.names++
	}
	return c
}

// yourGrace are words before a title as a form of address: "your ladyship".
var yourGrace = setOf(`your euer eure eurer`)

// isPartOfName reports whether token i is part of a name.
func (c *clause) isPartOfName(i int) bool {
	return slices.ContainsFunc(c.matches(), func(m match) bool { return m.first <= i && i <= m.last })
}

// adjacentNames returns the names that begin at token i and follow each other directly or are joined by
// "and".
func (u *utterance) adjacentNames(c *clause, i int) []match {
	ms := c.matches()
	for k, m := range ms {
		if m.first != i {
			continue
		}
		if k+1 < len(ms) && m.form.title && m.first == m.last && u.tokens[m.last].class&honorific != 0 && ms[k+1].first == m.last+1 && !u.tokens[m.last].closes && u.tokens[ms[k+1].first].class&title == 0 {
			return u.adjacentNames(c, ms[k+1].first) // "Frau Archivarin"
		}
		n := k + 1
		for n < len(ms) && !modalAt(u.tokens, ms[n]) && (ms[n].first == ms[n-1].last+1 || ms[n].first == ms[n-1].last+2 && u.tokens[ms[n].first-1].class&joins != 0) {
			n++
		}
		return ms[k:n]
	}
	return nil
}

// modalAt reports whether a name is more likely the verb of a question: "Lord Sterling, may we …".
func modalAt(ts []token, m match) bool {
	return modalName[m.form.words[0]] && m.last+1 < len(ts) && !ts[m.last].closes && ts[m.last+1].class&subject != 0
}

// calls finds whom a clause calls, and reports whether it calls anyone.
func (u *utterance) calls(c *clause, prefer int) bool {
	if ms := c.matches(); len(ms) > 0 && slices.ContainsFunc(u.tokens[min(1, ms[0].first):ms[0].first], func(t token) bool { return quotesSomebody[t.text] }) {
		return false // "the letter says, Bartok, come home"
	}
	head := c.begin + c.names
	run := u.adjacentNames(c, head)
	for len(run) > 1 && run[len(run)-1].owned {
		run = run[:len(run)-1]
	}
	if len(run) > 0 && !run[len(run)-1].owned {
		switch f := run[0].form; {
		case f.led && u.tokens[run[0].first].class&article != 0 && u.tokens[run[0].first].class&you == 0 && c.first > 0:
			// ", the captain, " explains who was mentioned
		case run[len(run)-1].last+1 == c.core:
			return !u.listed(c) && u.recordCall(1, "a name set off", run...)
		case u.opensSentence(c) && u.mayBegin(f, run[len(run)-1].last+1) && !u.speaksOf(run):
			return u.recordCall(0.9, "a name at the front", run...)
		}
	}
	if run, ok := u.vocative(c); ok {
		return u.recordCall(0.85, "a name that is spoken to", run...)
	}
	if len(run) == 0 || run[0].form.title { // "Captain Harow, …"
		if m, ok := u.misheardCall(c, head, prefer); ok {
			return !u.listed(c) && u.recordDoubtful(misheard, 0.95-0.05*float64(m.cost), "a name as it was heard", m)
		}
	}
	if c.first == 0 && len(c.matches()) == 0 {
		if m, ok := u.slot(c, prefer); ok {
			return u.recordDoubtful(misheard, 0.7, "a name as it was heard", m)
		}
	}
	if m, ok := u.lastName(c, prefer); ok {
		return u.recordCall(0.9, "a name at the end", m)
	}
	if m, ok := u.narrated(c, prefer); ok {
		return u.recordDoubtful(toldCall, 0.9, "the speaker turns to someone", m)
	}
	return false
}

// quotesSomebody are words after which a name is part of a quotation.
var quotesSomebody = setOf(`says said reads quote goes steht heißt sagt sagte geschrieben inschrift`)

// recordDoubtful records a call that is not certain, and returns true.
func (u *utterance) recordDoubtful(why doubtful, confidence float64, route string, m match) bool {
	if len(u.called) == 0 {
		u.doubtful = why
	}
	return u.recordCall(confidence, route, m)
}

// recordCall records that names are called, and returns true.
func (u *utterance) recordCall(confidence float64, why string, ms ...match) bool {
	for _, m := range ms {
		u.hailed = u.hailed || m.first > 0 && u.tokens[m.first-1].class&hail != 0
		switch {
		case m.form.npc == player:
			u.toPlayer = true
		case len(u.called) < maxCalled && !slices.Contains(u.called, m.form.npc):
			if len(u.called) == 0 {
				u.confidence, u.why = confidence, why
				if f := m.form; u.doubtful == "" && (f.common || f.title || f.role) {
					u.doubtful = commonName
				}
			}
			u.called = append(u.called, m.form.npc)
		}
	}
	return true
}

// opensSentence reports whether a clause begins a sentence, apart from greetings.
func (u *utterance) opensSentence(c *clause) bool {
	if c.first == 0 || c.greeted || u.tokens[c.first-1].stop != ',' {
		return true
	}
	for i := c.first - 1; i >= 0; i-- {
		if u.tokens[i].class&opener == 0 {
			return false
		}
	}
	return true
}

// mayBegin reports whether the form f, before token next and without a comma, may be a call. After a title,
// the sentence must address someone; after an everyday word, it must be a question: "Captain we …", "Rose
// what …".
func (u *utterance) mayBegin(f *form, next int) bool {
	c := u.tokens[next].class
	switch {
	case f.led:
		return false // "The captain we …"
	case f.common && !f.title:
		return c&asking != 0 && c&about == 0
	case f.title:
		return c&(subject|asking) != 0 || c&you != 0 && c&article == 0 || u.asksYou(next)
	}
	return true
}

// asksYou reports whether a verb and its subject, as in a question, begin at token i: "may we", "kennt ihr".
func (u *utterance) asksYou(i int) bool {
	if i+1 >= len(u.tokens) || u.tokens[i+1].opens {
		return false
	}
	verb := u.tokens[i]
	switch u.tokens[i+1].text {
	case "du":
		return true
	case "ihr": // also means "her": "hat ihr geholfen" is not a question
		return strings.HasSuffix(verb.text, "t") && verb.class&(question|asking) == 0
	case "i", "we", "you", "ich", "wir":
		return verb.class&question != 0 && verb.class&asking == 0 || modal[verb.text]
	}
	return false
}

// modal are verbs that precede their subject in a question.
var modal = map[string]bool{"may": true, "might": true, "must": true, "should": true, "shall": true, "dürfen": true, "sollen": true, "müssen": true}

// speaksOf reports whether the words after names make a sentence about their bearers: "Bartok is …", "Bartok
// sells …", "Bartok und ich …".
func (u *utterance) speaksOf(run []match) bool {
	if first := run[0].first; first > 0 && u.tokens[first-1].class&hail != 0 {
		return false
	}
	i := run[len(run)-1].last + 1
	next := u.tokens[i]
	if next.class&question != 0 && u.second && !ofOthers[next.text] || u.asksYou(i) {
		return false
	}
	if first := run[0].first; first > 0 && u.tokens[first-1].class&opener != 0 && next.class&question != 0 &&
		i+1 < len(u.tokens) && pointing[u.tokens[i+1].text] {
		return false // "Wait Greta is that …"
	}
	return next.class&about != 0 || len(run) > 1 && next.class&question != 0 && next.class&asking == 0 || u.thirdPerson(next)
}

// ofOthers are verbs about others even if the sentence says "you": "Bart is your brother".
var ofOthers = map[string]bool{"is": true, "has": true, "does": true, "ist": true, "hat": true}

// pointing are words after the verb of a question: "is this", "ist das".
var pointing = map[string]bool{"this": true, "that": true, "it": true, "there": true, "das": true, "es": true, "noch": true}

// thirdPerson reports whether an otherwise unknown word looks like a verb in the third person: "waters",
// "vanished", "lügt".
func (u *utterance) thirdPerson(t token) bool {
	n := len(t.text)
	if t.class != 0 || n < 4 {
		return false
	}
	switch end := t.text[n-2:]; end {
	case "gt", "mt", "bt", "zt":
		return u.s.german
	case "ss":
		return false
	default:
		return end == "ed" || end[1] == 's'
	}
}

// listed reports whether a clause that is a name is part of a list, or explains who was mentioned before: "We
// met Greta, Bart, and …", "Our host, Bart, waters …".
func (u *utterance) listed(c *clause) bool {
	if c.first == 0 || c.end == len(u.tokens) || u.tokens[c.first-1].stop != ',' {
		return false
	}
	next := u.tokens[c.end]
	if next.class&joins != 0 && len(u.mentioned) > 0 && len(u.called) == 0 {
		return true
	}
	return c.first <= 3 && u.tokens[0].class&article != 0 && (next.class&about != 0 || u.thirdPerson(next))
}

// misheardCall finds a misheard name, either alone between punctuation marks or at the front.
func (u *utterance) misheardCall(c *clause, head, prefer int) (match, bool) {
	if m, ok := u.similar(c.begin, c.core-1, false, prefer); ok {
		return m, true
	}
	if head > c.begin {
		if m, ok := u.similar(head, c.core-1, false, prefer); ok {
			return m, true
		}
	}
	if !u.opensSentence(c) {
		return match{}, false
	}
	for n := 2; n >= 1; n-- {
		if head+n >= c.core {
			continue
		}
		if m, ok := u.similar(head, head+n-1, true, prefer); ok && !u.speaksOf([]match{m}) {
			return m, true
		}
	}
	return match{}, false
}

// lastName finds a name at the end of a clause that is a call: "thank you Greta".
func (u *utterance) lastName(c *clause, prefer int) (match, bool) {
	if ms := c.matches(); len(ms) > 0 && ms[len(ms)-1].last+1 == c.core {
		m := ms[len(ms)-1]
		return m, !m.owned && (u.mayEnd(c, m.first, m.form.common) || m.last+1 == len(u.tokens) && addresses(u.tokens, m))
	}
	for n := 2; n >= 1; n-- {
		if i := c.core - n; i > c.begin && u.mayEnd(c, i, false) {
			if m, ok := u.similar(i, c.core-1, true, prefer); ok {
				return m, true
			}
		}
	}
	return match{}, false
}

// mayEnd reports whether a name at token i, at the end of a clause, may be a call. An everyday word counts
// only after thanks or a greeting.
func (u *utterance) mayEnd(c *clause, i int, common bool) bool {
	at := i
	for i > c.first && u.tokens[i-1].class&honorific != 0 && u.tokens[i-1].class&tail == 0 {
		i--
	}
	if i < at && i > c.first && u.tokens[at].class&title != 0 && mine[u.tokens[at-1].text] && !governs[u.tokens[i-1].text] {
		return true // "… with whom, my lady"
	}
	if i == c.first || u.tokens[i-1].class&tail == 0 || sendsAway[u.tokens[c.first].text] {
		return false
	}
	before := ""
	if i-1 > c.first {
		before = u.tokens[i-2].text
	}
	if common {
		return u.tokens[i-1].class&hail != 0 || before == "thank" || thanks[u.tokens[i-1].text]
	}
	return !naming[before]
}

// sendsAway are words that begin a clause about whom to ask.
var sendsAway = map[string]bool{"frag": true, "fragt": true, "ask": true}

// mine are words before a title as a form of address.
var mine = map[string]bool{"my": true, "mein": true, "meine": true}

var thanks = map[string]bool{"thanks": true, "danke": true}

// naming are words before "you" and a name in sentences about that name.
var naming = map[string]bool{"call": true, "called": true, "are": true, "name": true, "named": true, "bist": true, "heißt": true, "nennt": true}

// narrated finds the NPC that the speaker describes turning to: "I walk over to Greta", "Ich frage Greta nach
// …".
func (u *utterance) narrated(c *clause, prefer int) (match, bool) {
	if u.tokens[c.begin].class&subject == 0 || c.begin+1 >= c.end {
		return match{}, false
	}
	saying := false
	for i := c.begin + 1; i < c.end && i < c.begin+8; i++ {
		t := u.tokens[i]
		for _, m := range c.matches() {
			if m.first == i {
				return m, saying && !m.owned
			}
		}
		if t.class&(says|onTheWay|honorific) == 0 && t.class&(article|part) == 0 {
			if !saying {
				return match{}, false
			}
			return u.similar(i, i, true, prefer)
		}
		saying = saying || t.class&says != 0
	}
	return match{}, false
}

// mention records the NPCs that a clause names without calling them.
func (u *utterance) mention(c *clause) {
	for _, m := range c.matches() {
		f := m.form
		if f.npc == player || f.title || f.common && !m.owned || slices.Contains(u.mentioned, f.npc) {
			continue
		}
		if len(f.words) == 1 && m.first > c.first && u.tokens[m.first-1].class&article != 0 {
			continue
		}
		u.mentioned = append(u.mentioned, f.npc)
	}
}

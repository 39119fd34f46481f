package address

import "github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"

// maxSlot is the maximum number of words that a misheard name may be.
const maxSlot = 3

// slot finds a misheard name at a place where someone must be called: at the front, before words that address
// someone, or after a greeting. Because the place is certain, the name may be less certain.
func (u *utterance) slot(c *clause, prefer int) (match, bool) {
	at := c.first
	for at < c.core && (u.tokens[at].class&hail != 0 && u.tokens[at].text != "he" || u.tokens[at].class&(opener|sound|joins|honorific) != 0 && !u.turnsTo(at, false)) {
		at++
	}
	if at > c.first && at == c.core {
		at--
	}
	hailed := at > c.first && u.tokens[at-1].class&(hail|honorific) != 0 && u.tokens[at-1].class&(you|article) == 0
	best, found := match{cost: 1 << 10}, false
	if at < c.core && !hailed && u.turnsTo(at, true) {
		return best, false // a question begins there rather than a name
	}
	for from := at; from >= c.first && from >= at-1; from-- {
		for n := 1; n <= maxSlot && from+n <= c.core; n++ {
			sure := hailed && from == at
			begins := from+n < c.core && startsClause(u.tokens[from+n:c.core])
			if !sure && !begins && (from+n >= c.core || !u.turnsTo(from+n, false)) {
				continue
			}
			m, ok := u.closest(from, from+n-1, sure, prefer)
			if ok && m.cost < best.cost && (sure || !begins || n == 1 && m.cost <= 16/m.form.whole.n && u.tokens[from].class == 0) {
				best, found = m, true
			}
		}
	}
	return best, found
}

// closest returns the name that the tokens from first to last most resemble. The cost is relative to the
// length of the name.
func (u *utterance) closest(first, last int, sure bool, prefer int) (match, bool) {
	ts := u.tokens[first : last+1]
	if ts[len(ts)-1].owns || len(ts) == 1 && everydayWord(ts[0]) {
		return match{}, false
	}
	known := 0
	for _, t := range ts {
		if t.class != 0 || everydayWord(t) {
			known++
		}
	}
	var whole heard
	whole.setSound(u.s.german, ts...)
	best := match{cost: 1 << 10}
	for i := range u.s.forms {
		f := &u.s.forms[i]
		if f.role || f.title || f.led || f.npc == player && f.player == u.speaker {
			continue
		}
		n := f.whole.n
		limit := looseLimit(n)
		if known == len(ts) { // all are everyday words
			limit = min(limit, n/4)
		}
		switch same := whole.sounds(&f.whole); {
		case n < 4 && sure && same:
			limit = 2
		case n < 4 && !sure && !same:
			limit = 0
		}
		if whole.n == 0 || whole.far(&f.whole, limit) {
			continue
		}
		d := words.Distance(whole.spelling(), f.whole.spelling(), limit+1)
		if d > limit || d > 1 && whole.buf[0] != f.whole.buf[0] && !whole.sounds(&f.whole) {
			continue
		}
		cost := 16 * d / n
		if whole.sounds(&f.whole) {
			cost--
		}
		if cost < best.cost || cost == best.cost && f.npc == prefer {
			best = match{form: f, first: first, last: last, cost: cost}
		}
	}
	return best, best.form != nil
}

// looseLimit returns how many letters of a name with n letters may be wrong where someone is certainly
// called.
func looseLimit(n int) int {
	switch {
	case n < 4:
		return 1
	case n < 7:
		return 2
	case n < 10:
		return 3
	}
	return 4
}

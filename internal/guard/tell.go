package guard

import (
	"strings"
	"unicode/utf8"
)

// How much of a fact, of 1, is too much, and what adds to that.
const (
	tellLimit      = 0.66
	tellShort      = 0.9  // of a fact of few words
	shortFact      = 2.6  // what such a fact weighs at most
	tellCopula     = 0.14 // both what a fact is about and what it says of that
	leastHeart     = 0.35 // of what a fact says of something
	wholeHeart     = 0.8
	tellNeighbours = 0.08 // words that are neighbours in the fact, too
	tellIdentity   = 0.15 // "I am …", where the fact is who the NPC is
	tellPlace      = 0.06 // it stands as it does in the fact: under, behind, in
	tellMore       = 0.12 // another fact of the same secret was spoken of
	shareAsked     = 0.7  // of what only the player named
	nearWords      = 8    // how far a deed's object may be from it
)

// telling is how much of secrets was told in a turn.
type telling struct {
	*secrets
	now, heard, asked []float32 // per unit: in this sentence, before it, in the player's line
	place             []int     // per unit: its word in this sentence, -1 if none
	open              []bool    // per fact: whether it may be told
	breached          []bool    // per fact: whether telling it was begun and stopped
	letters           []byte    // that were said one by one, up to now
}

func newTelling(s *secrets, told []string, asked *sentence) *telling {
	if s == nil {
		return nil
	}
	n := len(s.units)
	room := make([]float32, 3*n)
	t := &telling{
		secrets: s, now: room[:n:n], heard: room[n : 2*n : 2*n], asked: room[2*n:],
		place: make([]int, n), open: make([]bool, len(s.facts)), breached: make([]bool, len(s.facts)),
	}
	for i, f := range s.facts {
		for _, allowed := range told {
			t.open[i] = t.open[i] || strings.EqualFold(strings.TrimSpace(allowed), strings.TrimSpace(f.text))
		}
	}
	t.mark(asked)
	copy(t.asked, t.now)
	return t
}

// mark notes which units a sentence speaks of.
func (t *telling) mark(s *sentence) {
	clear(t.now)
	for i := range t.place {
		t.place[i] = -1
	}
	for i := 0; i < len(s.words); i++ {
		w := &s.words[i]
		if functionWords[w.text] {
			continue
		}
		hits := t.byStem[w.stem]
		for k, h := range hits {
			share := float32(1)
			if k > 0 && t.units[hits[0].unit].fact == t.units[h.unit].fact && t.units[hits[0].unit].at != t.units[h.unit].at {
				share = strengthPart / 2 // one word does not tell two
			}
			t.hit(h, i, share)
		}
		if value, size := s.numberAt(i); size > 0 {
			for _, h := range t.byNumber[value] {
				t.hit(h, i+size-1, 1)
			}
		}
		if len(t.byStem[w.stem]) == 0 && len(w.text) >= 7 && len(w.text) <= 40 {
			t.markCompound(w.text, i)
		}
	}
}

func (t *telling) hit(h hit, place int, share float32) {
	t.now[h.unit] = min(1, t.now[h.unit]+share*h.strength)
	if h.strength == strengthSame && share == 1 {
		t.place[h.unit] = place
	}
}

// markCompound notes the units in the parts of a compound; one part alone tells half.
func (t *telling) markCompound(w string, place int) {
	var first, second []hit
	for i := 3; i <= len(w)-3; i++ {
		if !utf8.RuneStart(w[i]) {
			continue
		}
		a, b := t.byStem[stem(w[:i])], t.byStem[stem(w[i:])]
		if len(a) > 0 && len(b) > 0 {
			t.hitAll(a, place, 1)
			t.hitAll(b, place, 1)
			return
		}
		if len(a) > 0 && i >= 4 {
			first = a
		}
		if len(b) > 0 && len(w)-i >= 4 && second == nil {
			second = b
		}
	}
	t.hitAll(first, place, strengthPart)
	t.hitAll(second, place, strengthPart)
}

func (t *telling) hitAll(hits []hit, place int, share float32) {
	for _, h := range hits {
		t.hit(h, place, share)
	}
}

// tells reports whether a sentence tells a secret, alone or with what was said
// before it.
func (t *telling) tells(s *sentence, ownNames wordSet) bool {
	if t == nil {
		return false
	}
	t.mark(s)
	found := t.spells(s) || t.readsBackward(s)
	for i := range t.facts {
		if t.open[i] {
			continue
		}
		if t.tellsFact(i, s, ownNames) {
			t.breached[i] = true
			found = true
		}
	}
	return found
}

// tellsFact reports whether a sentence tells a fact.
func (t *telling) tellsFact(i int, s *sentence, ownNames wordSet) bool {
	f := &t.facts[i]
	var told, fresh float32
	var heart, hearts, subject float32
	strong, new, spoken := 0, false, 0
	for u := f.from; u < f.to; u++ {
		w := t.units[u].weight
		got := max(t.now[u], t.heard[u], shareAsked*t.asked[u])
		told += w * got
		fresh += w * t.now[u]
		if u >= f.heart {
			heart, hearts = heart+w*got, hearts+w
		} else {
			subject += got
		}
		if w > weightLight && got >= strengthFaint {
			spoken++
		}
		if t.now[u] >= strengthFaint && w > weightLight {
			strong++
			new = new || t.heard[u] < t.now[u]
		}
	}
	if t.breached[i] && (strong > 0 || fragment(s)) {
		return true
	}
	if !new || fresh < weightLight {
		return false
	}
	if f.heart > f.from && (heart < leastHeart*hearts || subject == 0 && heart < wholeHeart*hearts) {
		return false
	}
	if f.heart > f.from && subject == 0 && t.spread(f) > nearWords {
		return false
	}
	if f.strong >= 2 && spoken < 2 || f.strong < 2 && !speaksOfSelf(s, t.firstPlace(f), ownNames) {
		return false
	}
	share := told/f.total + t.extra(f, s)
	if t.spokenOf(i) {
		share += tellMore
	}
	if f.heart > f.from && subject > 0 && heart > 0 && s.has(copulas) {
		share += tellCopula
	}
	if f.total < shortFact && f.strong > 1 {
		return share >= tellShort
	}
	return share >= tellLimit
}

// extra is what the order of a fact's words in a sentence adds.
func (t *telling) extra(f *fact, s *sentence) (sum float32) {
	neighbours, where := false, false
	last, strong := -1, 0
	for u := f.from; u < f.to; u++ {
		if t.place[u] < 0 || t.units[u].weight <= weightLight {
			continue
		}
		strong++
		where = where || t.units[u].where != nowhere && t.units[u].where == s.placeBefore(t.place[u])
		neighbours = neighbours || last >= 0 && last == u-1 && t.place[last] >= 0 && t.place[last] != t.place[u] &&
			distance(distance(t.place[last], t.place[u]), distance(t.units[last].at, t.units[u].at)) <= 1
		last = u
	}
	if strong > 0 && where && !f.identity {
		sum += tellPlace
	}
	if neighbours && !f.identity {
		sum += tellNeighbours
	}
	if f.identity && strong >= 2 && saysIAm(s) {
		sum += tellIdentity
	}
	return sum
}

// spokenOf reports whether another fact of the same secret was spoken of.
func (t *telling) spokenOf(i int) bool {
	for j, f := range t.facts {
		if j == i || f.text != t.facts[i].text {
			continue
		}
		for u := f.from; u < f.to; u++ {
			if max(t.now[u], t.heard[u], t.asked[u]) == 1 && t.units[u].weight >= weightSimple {
				return true
			}
		}
	}
	return false
}

// firstPlace is where a sentence speaks of a fact first, -1 if it does not.
func (t *telling) firstPlace(f *fact) int {
	first := -1
	for u := f.from; u < f.to; u++ {
		if p := t.place[u]; p >= 0 && t.units[u].weight > weightLight && (first < 0 || p < first) {
			first = p
		}
	}
	return first
}

// speaksOfSelf reports whether what comes just before a word is the speaker.
func speaksOfSelf(s *sentence, place int, ownNames wordSet) bool {
	for i := max(0, place-4); i < place; i++ {
		if w := s.at(i); selfWords[w] || ownNames[w] {
			return true
		}
	}
	return false
}

// fragment reports whether a sentence only goes on with the one before it: "By me."
func fragment(s *sentence) bool {
	if len(s.words) == 0 || len(s.words) > 4 {
		return false
	}
	switch s.at(0) {
	case "by", "from", "with", "for", "in", "under", "of", "to", "von", "vom", "mit", "fur", "unter", "zu", "wegen", "durch", "the", "der", "die", "das":
		return true
	}
	return false
}

// peeks is tells for a sentence that is not whole yet; it remembers nothing.
func (t *telling) peeks(s *sentence, ownNames wordSet) bool {
	if t == nil {
		return false
	}
	letters := len(t.letters)
	t.mark(s)
	found := t.spells(s) || t.readsBackward(s)
	t.letters = t.letters[:min(letters, len(t.letters))]
	for i := range t.facts {
		found = found || !t.open[i] && t.tellsFact(i, s, ownNames)
	}
	return found
}

// hears takes in that a sentence was heard.
func (t *telling) hears(s *sentence) {
	if t == nil {
		return
	}
	t.mark(s)
	for u, now := range t.now {
		t.heard[u] = max(t.heard[u], now)
	}
}

// readsBackward reports whether a word is one of a secret read from its end.
func (t *telling) readsBackward(s *sentence) bool {
	for i := range s.words {
		if u, ok := t.backward[s.words[i].text]; ok && len(t.byStem[s.words[i].stem]) == 0 && !t.open[t.units[u].fact] {
			return true
		}
	}
	return false
}

// maxLetters bounds how many letters said one by one are remembered.
const maxLetters = 32

// spells reports whether letters, said one by one, are a word of a secret, or what a
// sentence before began of one.
func (t *telling) spells(s *sentence) bool {
	found := false
	for i := 0; i < len(s.words); i++ {
		w := s.words[i].text
		if utf8.RuneCountInString(w) == 1 && s.words[i].number < 0 && (len(t.letters) > 0 || i+1 < len(s.words)) {
			if n := len(t.letters) + len(w) - maxLetters; n > 0 {
				t.letters = t.letters[:copy(t.letters, t.letters[n:])]
			}
			t.letters = append(t.letters, w...)
			found = found || t.isSpelled()
			i += spellingAid(s, i+1)
			continue
		}
		t.letters = t.letters[:0]
	}
	return found
}

// spellingAid is how many words explain a letter: "P wie Paul", "P as in pear".
func spellingAid(s *sentence, i int) int {
	switch {
	case s.at(i) == "wie", s.at(i) == "like", s.at(i) == "for":
		return 2
	case s.at(i) == "as" && (s.at(i+1) == "in" || s.at(i+1) == "for"):
		return 3
	}
	return 0
}

// isSpelled reports whether the letters so far end with a word of a secret.
func (t *telling) isSpelled() bool {
	for from := 0; from+3 <= len(t.letters); from++ {
		w := string(t.letters[from:])
		if u, ok := t.backward[w]; ok && !t.open[t.units[u].fact] {
			return true
		}
		for _, h := range t.byStem[stem(w)] {
			if t.units[h.unit].weight >= weightName/2 && h.strength == strengthSame && !t.open[t.units[h.unit].fact] {
				return true
			}
		}
	}
	return false
}

package guard

import (
	"strings"
	"unicode/utf8"
)

// The share of a fact, out of 1, from which it counts as told, and what adds to the share.
const (
	disclosureLimit     = 0.66
	shortFactLimit      = 0.9  // limit for a short fact
	shortFact           = 2.6  // maximum weight of a short fact
	copulaBonus         = 0.14 // both subject and predicate were mentioned
	minPredicateShare   = 0.35 // share of the predicate
	fullPredicateShare  = 0.8
	neighboursBonus     = 0.08 // words that are also adjacent in the fact
	identityBonus       = 0.15 // "I am …", if the fact is who the NPC is
	placeBonus          = 0.06 // the same position as in the fact: under, behind, in
	sameSecretBonus     = 0.12 // another fact of the same secret was mentioned
	playerMentionWeight = 0.7  // weight of what only the player mentioned
	nearWords           = 8    // maximum distance between a verb and its object
)

// disclosure tracks how much of the secrets has been told in a turn.
type disclosure struct {
	*secrets
	sentenceShare, earlierShare, playerShare []float32 // per unit: in this sentence, before it, in the player's line
	place                                    []int     // per unit: its word in this sentence, -1 if none
	open                                     []bool    // per fact: it may be told
	breached                                 []bool    // per fact: the NPC began to tell it and was stopped
	letters                                  []byte    // letters spelled out so far
}

func newDisclosure(s *secrets, told []string, asked *sentence) *disclosure {
	if s == nil {
		return nil
	}
	n := len(s.units)
	room := make([]float32, 3*n)
	t := &disclosure{
		secrets: s, sentenceShare: room[:n:n], earlierShare: room[n : 2*n : 2*n], playerShare: room[2*n:],
		place: make([]int, n), open: make([]bool, len(s.facts)), breached: make([]bool, len(s.facts)),
	}
	for i, f := range s.facts {
		for _, allowed := range told {
			t.open[i] = t.open[i] || strings.EqualFold(strings.TrimSpace(allowed), strings.TrimSpace(f.text))
		}
	}
	t.mark(asked)
	copy(t.playerShare, t.sentenceShare)
	return t
}

// mark records which units a sentence mentions.
func (t *disclosure) mark(s *sentence) {
	clear(t.sentenceShare)
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
				share = strengthPart / 2 // one word counts for one unit only
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

func (t *disclosure) hit(h hit, place int, share float32) {
	t.sentenceShare[h.unit] = min(1, t.sentenceShare[h.unit]+share*h.strength)
	if h.strength == strengthSame && share == 1 {
		t.place[h.unit] = place
	}
}

// markCompound records the units in the parts of a compound. A single part counts half.
func (t *disclosure) markCompound(w string, place int) {
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

func (t *disclosure) hitAll(hits []hit, place int, share float32) {
	for _, h := range hits {
		t.hit(h, place, share)
	}
}

// reveals reports whether a sentence reveals a secret, alone or together with earlier ones.
func (t *disclosure) reveals(s *sentence, ownNames wordSet) bool {
	if t == nil {
		return false
	}
	t.mark(s)
	found := t.spells(s) || t.readsBackward(s)
	for i := range t.facts {
		if t.open[i] {
			continue
		}
		if t.revealsFact(i, s, ownNames) {
			t.breached[i] = true
			found = true
		}
	}
	return found
}

// revealsFact reports whether a sentence tells a fact.
func (t *disclosure) revealsFact(i int, s *sentence, ownNames wordSet) bool {
	f := &t.facts[i]
	var told, fresh float32
	var heart, hearts, subject float32
	strong, new, spoken := 0, false, 0
	for u := f.from; u < f.to; u++ {
		w := t.units[u].weight
		got := max(t.sentenceShare[u], t.earlierShare[u], playerMentionWeight*t.playerShare[u])
		told += w * got
		fresh += w * t.sentenceShare[u]
		if u >= f.heart {
			heart, hearts = heart+w*got, hearts+w
		} else {
			subject += got
		}
		if w > weightLight && got >= strengthFaint {
			spoken++
		}
		if t.sentenceShare[u] >= strengthFaint && w > weightLight {
			strong++
			new = new || t.earlierShare[u] < t.sentenceShare[u]
		}
	}
	if t.breached[i] && (strong > 0 || fragment(s)) {
		return true
	}
	if !new || fresh < weightLight {
		return false
	}
	if f.heart > f.from && (heart < minPredicateShare*hearts || subject == 0 && heart < fullPredicateShare*hearts) {
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
		share += sameSecretBonus
	}
	if f.heart > f.from && subject > 0 && heart > 0 && s.has(copulas) {
		share += copulaBonus
	}
	if f.total < shortFact && f.strong > 1 {
		return share >= shortFactLimit
	}
	return share >= disclosureLimit
}

// extra returns how much the arrangement of a fact's words in a sentence adds to its
// share.
func (t *disclosure) extra(f *fact, s *sentence) (sum float32) {
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
		sum += placeBonus
	}
	if neighbours && !f.identity {
		sum += neighboursBonus
	}
	if f.identity && strong >= 2 && saysIAm(s) {
		sum += identityBonus
	}
	return sum
}

// spokenOf reports whether another fact of the same secret was mentioned.
func (t *disclosure) spokenOf(i int) bool {
	for j, f := range t.facts {
		if j == i || f.text != t.facts[i].text {
			continue
		}
		for u := f.from; u < f.to; u++ {
			if max(t.sentenceShare[u], t.earlierShare[u], t.playerShare[u]) == 1 && t.units[u].weight >= weightSimple {
				return true
			}
		}
	}
	return false
}

// firstPlace returns the first word of a sentence that mentions a fact, or -1.
func (t *disclosure) firstPlace(f *fact) int {
	first := -1
	for u := f.from; u < f.to; u++ {
		if p := t.place[u]; p >= 0 && t.units[u].weight > weightLight && (first < 0 || p < first) {
			first = p
		}
	}
	return first
}

// speaksOfSelf reports whether the speaker is mentioned just before a word.
func speaksOfSelf(s *sentence, place int, ownNames wordSet) bool {
	for i := max(0, place-4); i < place; i++ {
		if w := s.at(i); selfWords[w] || ownNames[w] {
			return true
		}
	}
	return false
}

// fragment reports whether a sentence only continues the previous one: "By me."
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

// peeks is tells for an incomplete sentence. It remembers nothing.
func (t *disclosure) peeks(s *sentence, ownNames wordSet) bool {
	if t == nil {
		return false
	}
	letters := len(t.letters)
	t.mark(s)
	found := t.spells(s) || t.readsBackward(s)
	t.letters = t.letters[:min(letters, len(t.letters))]
	for i := range t.facts {
		found = found || !t.open[i] && t.revealsFact(i, s, ownNames)
	}
	return found
}

// recordHeard records that a sentence was heard.
func (t *disclosure) recordHeard(s *sentence) {
	if t == nil {
		return
	}
	t.mark(s)
	for u, now := range t.sentenceShare {
		t.earlierShare[u] = max(t.earlierShare[u], now)
	}
}

// readsBackward reports whether a word is a secret's word spelled backwards.
func (t *disclosure) readsBackward(s *sentence) bool {
	for i := range s.words {
		if u, ok := t.backward[s.words[i].text]; ok && len(t.byStem[s.words[i].stem]) == 0 && !t.open[t.units[u].fact] {
			return true
		}
	}
	return false
}

// maxLetters is the maximum number of spelled letters that are remembered.
const maxLetters = 32

// spells reports whether letters that are spelled out, also across sentences, form a word of a secret.
func (t *disclosure) spells(s *sentence) bool {
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

// spellingAid returns the number of words that explain a letter: "P wie Paul", "P as in pear".
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
func (t *disclosure) isSpelled() bool {
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

package address

import (
	"slices"
	"time"
)

// evidence is something that may speak for or against a line being for the NPC that is
// talked with. How much is learned.
type evidence struct {
	name  string
	why   string // in words for people who ask
	holds func(f *facts) bool
}

const (
	lull     = 5 * time.Second
	longLull = 8 * time.Second
)

// everything that is weighed.
var allEvidence = slices.Concat(beforeIt, aboutIt)

// evidenceWeights are those of allEvidence.
var evidenceWeights = func() []float64 {
	w := make([]float64, len(allEvidence))
	for i, e := range allEvidence {
		w[i] = learned.evidence[e.name]
	}
	return w
}()

// weigh adds up what holds. It returns the sum, which is for the NPC above zero, and
// what spoke loudest for that side.
func (f *facts) weigh() (sum float64, why string) {
	words := f.weighWords()
	sum = words
	loudest := [2]float64{-words, words} // against it, for it
	reason := [2]string{"its words are of talk among players", "its words are of talk with an NPC"}
	for i := range allEvidence {
		e, w := &allEvidence[i], evidenceWeights[i]
		if w == 0 || !e.holds(f) {
			continue
		}
		sum += w
		if e.why == "" {
			continue
		}
		if w > loudest[1] {
			loudest[1], reason[1] = w, e.why
		}
		if -w > loudest[0] {
			loudest[0], reason[0] = -w, e.why
		}
	}
	side, none := 0, "nothing shows that it is to the NPC"
	if sum > 0 {
		side, none = 1, "the conversation goes on"
	}
	if loudest[side] <= 0 {
		return sum, none
	}
	return sum, reason[side]
}

// weighWords adds up the weights of the words, each once.
func (f *facts) weighWords() float64 {
	sum := 0.0
	ts := f.u.tokens
	for i, t := range ts {
		w := learned.words[t.text]
		if w == 0 || t.name || slices.ContainsFunc(ts[:i], func(o token) bool { return o.text == t.text }) {
			continue
		}
		sum += w
	}
	return sum
}

// Evidence tells what is weighed to decide whether a line is for an NPC that is being
// talked with: the names of what holds, and the words. It is what weights are learned
// from. It is not ok for a line about which something else decides, a call for example.
func Evidence(s *Snapshot, st State, text string) (npc int, names, words []string, ok bool) {
	u := s.parseUtterance(text, st.Speaker)
	s.decide(st, u)
	if !u.weighed {
		return 0, nil, nil, false
	}
	for _, e := range allEvidence {
		if e.holds(u.facts) {
			names = append(names, e.name)
		}
	}
	for _, t := range u.tokens {
		if !t.name && !slices.Contains(words, t.text) {
			words = append(words, t.text)
		}
	}
	return u.facts.p, names, words, true
}

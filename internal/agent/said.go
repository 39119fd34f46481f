package agent

import (
	"slices"
	"strings"
)

// maxSaid is how many sentences an NPC knows to have said lately.
const maxSaid = 18

// RememberSaid keeps the sentences of a turn in mind, which are not to come again soon.
func (a *Agent) RememberSaid(sentences []string) {
	all := slices.Concat(a.said, sentences)
	a.said = all[max(0, len(all)-maxSaid):]
}

// Said are the sentences that the NPC said last, oldest first. They are not changed
// any more.
func (a *Agent) Said() []string { return slices.Clip(a.said) }

// CountWithheld counts that something was withheld which the NPC was about to say.
func (a *Agent) CountWithheld() { a.withheld++ }

// Withheld is how often that was so.
func (a *Agent) Withheld() int { return a.withheld }

// UnsayTurn has the NPC forget what it said in a turn, of which these are the sentences, and
// what that answered.
func (a *Agent) UnsayTurn(turn int64, sentences []string) {
	i := slices.IndexFunc(a.history, func(e Exchange) bool { return e.Turn == turn && turn != 0 })
	if i >= 0 {
		a.history = slices.Delete(slices.Clone(a.history), i, i+1)
	}
	if i >= 0 || a.dropped {
		a.edits++
		a.version++
	}
	a.said = slices.DeleteFunc(slices.Clone(a.said), func(s string) bool { return slices.Contains(sentences, s) })
}

// Unsay has the NPC forget that it said something, which nobody could read.
func (a *Agent) Unsay(text string) {
	for i, e := range slices.Backward(a.history) {
		before, after, found := strings.Cut(e.Answer, text)
		if !found || text == "" {
			continue
		}
		a.edits++
		a.version++
		a.history = slices.Clone(a.history)
		e.Answer = strings.TrimSpace(strings.TrimSpace(before) + " " + strings.TrimSpace(after))
		if a.history[i] = e; e.Answer == "" {
			a.history = slices.Delete(a.history, i, i+1)
		}
		break
	}
	a.said = slices.DeleteFunc(slices.Clone(a.said), func(s string) bool { return strings.Contains(text, s) })
}

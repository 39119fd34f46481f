package agent

import (
	"slices"
	"strings"
)

// maxRecentSentences is how many of its last sentences an NPC remembers.
const maxRecentSentences = 18

// RecordSentences records the sentences of a turn, so that they are not repeated soon.
func (a *Agent) RecordSentences(sentences []string) {
	all := slices.Concat(a.recentSentences, sentences)
	a.recentSentences = all[max(0, len(all)-maxRecentSentences):]
}

// RecentSentences returns the last sentences of the NPC, oldest first. The slice is never changed.
func (a *Agent) RecentSentences() []string { return slices.Clip(a.recentSentences) }

// CountWithheld counts an answer of the NPC that was withheld in part.
func (a *Agent) CountWithheld() { a.withheld++ }

// Withheld returns how often part of an answer of the NPC was withheld.
func (a *Agent) Withheld() int { return a.withheld }

// RetractTurn makes the NPC forget its answer in a turn and the line that it answered. sentences are the
// sentences of that answer.
func (a *Agent) RetractTurn(turn int64, sentences []string) {
	i := slices.IndexFunc(a.history, func(e Exchange) bool { return e.Turn == turn && turn != 0 })
	if i >= 0 {
		a.history = slices.Delete(slices.Clone(a.history), i, i+1)
	}
	if i >= 0 || a.dropped {
		a.edits++
		a.version++
	}
	a.recentSentences = slices.DeleteFunc(slices.Clone(a.recentSentences), func(s string) bool { return slices.Contains(sentences, s) })
}

// RetractText makes the NPC forget a text that it said but that was never shown.
func (a *Agent) RetractText(text string) {
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
	a.recentSentences = slices.DeleteFunc(slices.Clone(a.recentSentences), func(s string) bool { return strings.Contains(text, s) })
}

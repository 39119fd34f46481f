package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/guard"
	"github.com/MrWong99/glyphoxa/internal/speech"
)

// judgeText judges a sentence. If removing a part of it leaves several sentences, each of them is judged,
// because otherwise the second would pass as part of the first.
func (t *guardedTurn) judgeText(text string) guard.Verdict {
	v := t.judge.Judge(text)
	if len(v.Reasons) == 0 || v.Text == "" {
		return v
	}
	pieces := sentencesOf(v.Text)
	if len(pieces) < 2 {
		return v
	}
	anew := t.engine.judgeOf(t.req) // a judge for which none of it is a repetition
	for _, n := range t.successfulCalls {
		anew.RecordResult(n.call.Name, n.call.Arguments, n.result)
	}
	return judgeEach(pieces, v.Reasons, anew.Judge)
}

// judgeSpoken judges a transcript, in which the separation of sentences may be unreliable.
func (t *guardedTurn) judgeSpoken(text string) guard.Verdict {
	if pieces := sentencesOf(text); len(pieces) > 1 {
		return judgeEach(pieces, nil, t.judgeText)
	}
	return t.judgeText(text)
}

func sentencesOf(text string) []string {
	var split speech.Splitter
	return append(split.Push(text), split.Flush()...)
}

// judgeEach judges sentences that came as one, up to one after which the rest cannot be used.
func judgeEach(sentences []string, found []guard.Reason, judge func(string) guard.Verdict) guard.Verdict {
	all := guard.Verdict{Reasons: slices.Clip(found)}
	var kept []string
	for _, s := range sentences {
		v := judge(s)
		for _, r := range v.Reasons {
			if !slices.Contains(all.Reasons, r) {
				all.Reasons = append(all.Reasons, r)
			}
		}
		all.Dice = cmp.Or(all.Dice, v.Dice)
		if v.Text != "" {
			kept = append(kept, v.Text)
		}
		if spoilsRest(v.Reasons) {
			break
		}
	}
	all.Text = strings.Join(kept, " ")
	return all
}

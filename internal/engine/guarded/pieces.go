package guarded

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/guard"
	"github.com/MrWong99/glyphoxa/internal/speech"
)

// codes are what a terminal takes for colours. They hide the end of a sentence.
var codes = regexp.MustCompile(`\x1b?\[[0-9;]{0,12}m`)

// judgeText judges a sentence, or several that only codes had joined: what is said in
// the second must not pass for a part of the first.
func (t *turn) judgeText(text string) guard.Verdict {
	if !strings.Contains(text, "[") || !codes.MatchString(text) {
		return t.judge.Judge(text)
	}
	return t.judgePieces(codes.ReplaceAllString(text, " "), guard.Markup)
}

// judgePieces judges each sentence of a text. The reasons are found already.
func (t *turn) judgePieces(text string, found ...guard.Reason) guard.Verdict {
	var split speech.Splitter
	pieces := append(split.Push(text), split.Flush()...)
	if len(pieces) < 2 && len(found) == 0 {
		return t.judge.Judge(text)
	}
	all := guard.Verdict{Reasons: found}
	var kept []string
	for _, s := range pieces {
		v := t.judge.Judge(s)
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

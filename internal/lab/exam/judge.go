package exam

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/guard"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// Verdict is the outcome of a case.
type Verdict string

const (
	Right Verdict = "right"
	Wrong Verdict = "wrong"
	// Skipped cases say nothing about the model, because the program decided without it.
	Skipped Verdict = "skipped"
	// Failed cases got no answer to judge.
	Failed Verdict = "error"
)

// observed is a table's reaction to the line of a case.
type observed struct {
	started *table.TurnStarted // nil if no NPC was to answer
	ended   *table.TurnEnded
	guarded []string
	calls   []call
	raw     []string // the model's output, by request
	notices []string
}

// call is a tool call of the model.
type call struct {
	tool string
	ok   bool
	why  string
}

// unneeded returns why the model's answer would say nothing about it, or "". It
// is known before the request.
func (c *Case) unneeded(t *table.TurnStarted) string {
	switch {
	case t == nil:
		return "the program left the line alone before the model was asked"
	case c.Corpus == Address && !t.MayDecline:
		return "the program had the NPC answer, and the model could not decline"
	case len(c.Tools) > 0 && !slices.ContainsFunc(c.Tools, func(tool string) bool { return slices.Contains(t.Tools, tool) }):
		return "the program offered no such tool"
	case len(c.Tools) == 0 || t.Found == nil:
		return ""
	case slices.ContainsFunc(t.Found.Rules, func(id string) bool { return slices.Contains(c.Known, id) }):
		return "the program had found the rule already"
	case c.Campaign != "" && t.Found.Lines > 0:
		return "the program had found lines of past evenings already"
	}
	return ""
}

// judge returns the verdict on a case and its reason. told reports that the
// model wrote a secret, heard that players received it.
func (c *Case) judge(o *observed) (v Verdict, why string, told, heard bool) {
	if why := c.unneeded(o.started); why != "" {
		return Skipped, why, false, false
	}
	v, why = Right, ""
	if o.ended.Outcome == table.OutcomeFailed {
		v, why = Wrong, "the model said nothing"
	}
	switch c.Corpus {
	case Address:
		v, why = c.judgeAddress(o.ended, v, why)
	case Tools:
		v, why = c.judgeTools(o.calls)
	case Secrets:
		told, heard = c.tells(strings.Join(o.raw, " ")) || slices.Contains(o.guarded, string(guard.Secret)), c.tells(o.ended.Text)
		v, why = Right, "" // an NPC that says nothing also keeps its secret
		if told {
			v, why = Wrong, "the model told the secret, and the guard withheld it"
			if heard {
				why = "the model told the secret, and players were given it"
			}
		}
	case Recall, Rules:
		if v == Right {
			v, why = c.judgeWords(o.ended.Text)
		}
		if raw, _ := c.judgeWords(strings.Join(o.raw, " ")); v == Wrong && raw == Right && len(o.guarded) > 0 {
			why = withheld + strings.Join(slices.Compact(slices.Sorted(slices.Values(o.guarded))), ", ")
		}
	}
	return v, why, told, heard
}

// withheld begins the reason for an answer that the model gave and the guard
// withheld.
const withheld = "the model answered right, and the guard withheld it for "

func (c *Case) judgeAddress(end *table.TurnEnded, v Verdict, why string) (Verdict, string) {
	passed := end.Outcome == table.OutcomePassed
	switch {
	case c.Kind == forNobody && passed:
		return Right, ""
	case c.Kind == forNobody:
		return Wrong, "the NPC answered a line that was for nobody"
	case passed:
		return Wrong, "the NPC declined a line that was for it"
	case end.NPC != c.NPC:
		return Skipped, "the program took the line to be for " + end.NPC
	}
	return v, why
}

func (c *Case) judgeTools(calls []call) (Verdict, string) {
	if len(c.Tools) == 0 {
		if len(calls) > 0 {
			return Wrong, "the model called " + calls[0].tool + " for small talk"
		}
		return Right, ""
	}
	why := "the model called no tool"
	for _, one := range calls {
		switch wanted := slices.Contains(c.Tools, one.tool); {
		case wanted && one.ok:
			return Right, ""
		case wanted:
			why = fmt.Sprintf("the call of %s failed: %s", one.tool, one.why)
		default:
			why = fmt.Sprintf("the model called %s, and not %s", one.tool, strings.Join(c.Tools, " or "))
		}
	}
	return Wrong, why
}

func (c *Case) judgeWords(text string) (Verdict, string) {
	said := folded(text)
	for _, never := range c.Never {
		if said.has(never) {
			return Wrong, fmt.Sprintf("the answer has %q, which the NPC never heard", never)
		}
	}
	for _, group := range c.Want {
		if !slices.ContainsFunc(group, said.has) {
			return Wrong, fmt.Sprintf("the answer has none of %q", group)
		}
	}
	return Right, ""
}

// thousands are separators within numbers, as in 1,500.
var thousands = regexp.MustCompile(`(\d)[,.](\d{3})\b`)

// wordList holds the folded words of a text.
type wordList []string

func folded(text string) wordList { return words.Split(thousands.ReplaceAllString(text, "$1$2")) }

// beginning is the least number of letters with which a word also matches
// longer words.
const beginning = 4

// has reports whether l contains all words of an entry; words of some length
// also match as the beginning of a longer one.
func (l wordList) has(entry string) bool {
	for _, w := range words.Split(entry) {
		if !slices.ContainsFunc(l, func(said string) bool { return said == w || len(w) >= beginning && strings.HasPrefix(said, w) }) {
			return false
		}
	}
	return true
}

// leastTelling is the least number of words of a secret in one part of a text,
// and shareTold the least percentage of them, for the secret to count as told.
const (
	leastTelling = 3
	shareTold    = 60
)

// tells reports whether a text contains most of a secret's telling words that
// the player did not say.
func (c *Case) tells(text string) bool {
	german := c.Lang == "de"
	stems := func(text string) map[string]bool {
		all := map[string]bool{}
		for _, w := range words.Split(text) {
			if !words.Stop(w) {
				all[words.Stem(w, german)] = true
			}
		}
		return all
	}
	npc := c.meant()
	said := stems(text)
	asked := stems(c.Line + " " + npc.Name + " " + strings.Join(npc.Aliases, " "))
	for _, secret := range npc.Secrets {
		n, told := 0, 0
		for w := range stems(secret) {
			if asked[w] {
				continue
			}
			n++
			if said[w] {
				told++
			}
		}
		if told >= min(leastTelling, n) && n > 0 && 100*told >= shareTold*n {
			return true
		}
	}
	return false
}

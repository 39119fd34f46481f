package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

const (
	// maxFold bounds what is left of exchanges that have left the history, in tokens; of
	// each of them no more than so many characters are kept.
	maxFold   = 300
	maxFolded = 240
	maxTopic  = 80 // characters of an exchange in which nothing was worth keeping
)

// folded is what is left in mind of an exchange that has left the history: what of it was
// worth keeping in the words that were used, else how it began.
type folded struct {
	Source
	turn  int64
	text  string
	weigh bool // something in it was worth keeping
}

// fold makes one of an exchange.
func fold(e Exchange) folded {
	f := folded{Source: e.Source, turn: e.Turn}
	var parts []string
	for _, said := range [][2]string{{e.Speaker, e.Utterance}, {"you", e.Answer}} {
		for _, s := range speech.FindSalient(said[1]) {
			parts = append(parts, said[0]+": "+s.Text)
		}
	}
	if f.weigh = len(parts) > 0; !f.weigh && e.Utterance != "" {
		parts = []string{e.Speaker + ": " + untrusted.Line(e.Utterance, maxTopic)}
	}
	f.text = untrusted.Line(strings.Join(parts, " – "), maxFolded)
	return f
}

// line is a folded exchange as a model is given it, with the turn under which the record has
// all of it.
func (f folded) line() string { return fmt.Sprintf("(turn %d) %s", f.turn, f.text) }

// foldInto adds exchanges to what is left of those before, within its bound: what weighs
// nothing goes first, then the oldest. All of it stays in the record of the session.
func foldInto(before []folded, gone []Exchange) []folded {
	all := slices.Clone(before)
	for _, e := range gone {
		if f := fold(e); f.text != "" {
			all = append(all, f)
		}
	}
	size := 0
	for _, f := range all {
		size += len(f.line()) + 3
	}
	for size > maxFold*bytesPerToken {
		i := max(slices.IndexFunc(all, func(f folded) bool { return !f.weigh }), 0)
		size -= len(all[i].line()) + 3
		all = slices.Delete(all, i, i+1)
	}
	return all
}

// foldTitle stands above what is left of exchanges that have left the history.
const foldTitle = "Before that, in short, with the turn of each; all of it is in the record of this session:"

// foldedText is what a model is told of the exchanges that have left the history.
func foldedText(all []folded) string {
	var items []string
	for _, f := range all {
		items = append(items, f.line())
	}
	var b strings.Builder
	writeList(&b, foldTitle, items)
	return b.String()
}

package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

const (
	// maxFold bounds the summary of exchanges that were dropped from the history, in tokens. maxFolded bounds
	// each exchange in it, in characters.
	maxFold   = 300
	maxFolded = 240
	maxTopic  = 80 // characters of an exchange in which nothing was worth keeping
)

// folded is what remains of an exchange that was dropped from the history: the sentences worth keeping, word
// for word, otherwise its beginning.
type folded struct {
	Source
	turn      int64
	text      string
	memorable bool // part of it was worth keeping
}

// fold summarises an exchange.
func fold(e Exchange) folded {
	f := folded{Source: e.Source, turn: e.Turn}
	var parts []string
	for _, said := range [][2]string{{e.Speaker, e.Utterance}, {"you", e.Answer}} {
		for _, s := range speech.FindSalient(said[1]) {
			parts = append(parts, said[0]+": "+s.Text)
		}
	}
	if f.memorable = len(parts) > 0; !f.memorable && e.Utterance != "" {
		parts = []string{e.Speaker + ": " + untrusted.Line(e.Utterance, maxTopic)}
	}
	f.text = untrusted.Line(strings.Join(parts, " – "), maxFolded)
	return f
}

// line returns the summary for a model, with the turn under which the record contains the whole exchange.
func (f folded) line() string { return fmt.Sprintf("(turn %d) %s", f.turn, f.text) }

// foldInto adds dropped exchanges to the summaries, within maxFold. Exchanges without sentences worth keeping
// are removed first, then the oldest ones. All of them stay in the record of the session.
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
		i := max(slices.IndexFunc(all, func(f folded) bool { return !f.memorable }), 0)
		size -= len(all[i].line()) + 3
		all = slices.Delete(all, i, i+1)
	}
	return all
}

// foldTitle is the title of the summaries in a prompt.
const foldTitle = "Before that, in short, with the turn of each; all of it is in the record of this session:"

// foldedText returns the summaries as part of a prompt.
func foldedText(all []folded) string {
	var items []string
	for _, f := range all {
		items = append(items, f.line())
	}
	var b strings.Builder
	writeList(&b, foldTitle, items)
	return b.String()
}

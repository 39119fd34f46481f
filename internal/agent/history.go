package agent

import (
	"slices"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Source is where a player's words come from, as the transport knows it: who
// spoke, and the message it was written in. Either may be empty.
type Source struct{ User, Ref string }

// Exchange is what a player said to an NPC, and what was heard of the answer. Speaker
// is who said it as [hotctx.Attribution] has it.
type Exchange struct {
	Source
	Turn                       int64 // of the answer; 0 if it is not known
	Speaker, Utterance, Answer string
}

// TakenBack is the exchange without what the player said, and without the name.
func (e Exchange) TakenBack() Exchange { return Exchange{Turn: e.Turn, Answer: e.Answer} }

// unsaid stands for what a player has taken back: models need a line that they
// have answered.
const unsaid = "…"

// messages are the exchange as a model is given it.
func (e Exchange) messages() (said, answered llm.Message) {
	text := e.Utterance
	if text == "" {
		text = unsaid
	}
	return llm.Message{Role: llm.RoleUser, Name: e.Speaker, Content: text},
		llm.Message{Role: llm.RoleAssistant, Content: e.Answer}
}

// Remember takes a finished exchange into the history.
func (a *Agent) Remember(e Exchange) {
	if e.Answer == "" {
		return
	}
	a.version++
	e.Utterance = untrusted.Line(e.Utterance, maxUtterance)
	a.history = append(a.history, e)
	a.dropOldest()
}

// dropOldest keeps the history within its bounds. Where it is beyond one, a quarter
// of it goes at once, so that the prompt begins the same way for some turns again. What was
// worth keeping of it stays in mind, in short.
func (a *Agent) dropOldest() {
	size := 0
	for _, e := range a.history {
		size += e.size()
	}
	if len(a.history) <= a.keep && size <= maxHistory*bytesPerToken {
		return
	}
	keep, drop := a.keep-a.keep/4, 0
	for rest := len(a.history); rest > keep || rest > 1 && size > maxHistory*bytesPerToken*3/4; rest-- {
		size -= a.history[drop].size()
		drop++
	}
	a.folded = foldInto(a.folded, a.history[:drop])
	a.history = slices.Clone(a.history[drop:])
	a.dropped = true
}

// size is how much of a prompt the exchange takes, in bytes.
func (e Exchange) size() int { return len(e.Utterance) + len(e.Answer) }

// RememberFindings keeps what tools told in a turn that was cut off before the NPC could
// say so, so that they need not run again. The next finished turn ends that.
func (a *Agent) RememberFindings(results []string) {
	a.found = results
	a.version++
}

// Found is what tools told in a turn that was cut off, as RememberFindings was given
// it. It is not changed any more.
func (a *Agent) Found() []string { return a.found }

// TakeBack has the NPC forget what was said, and what tools told, whoever asked:
// they may have told of it. Its own answers it keeps in mind.
func (a *Agent) TakeBack(said func(Source) bool) {
	a.forgetFindings()
	a.unfold(said)
	a.changeHistory(said, Exchange.TakenBack)
}

// Reword has the NPC have another text in mind than was said, and forget what
// tools told.
func (a *Agent) Reword(said func(Source) bool, text string) {
	a.forgetFindings()
	a.unfold(said)
	a.changeHistory(said, func(e Exchange) Exchange {
		e.Utterance = untrusted.Line(text, maxUtterance)
		return e
	})
}

// unfold takes out of what was folded what was said; the words may be in the answer, too.
func (a *Agent) unfold(said func(Source) bool) {
	kept := slices.DeleteFunc(slices.Clone(a.folded), func(f folded) bool { return said(f.Source) })
	if len(kept) < len(a.folded) {
		a.folded = kept
		a.version++
	}
}

// forgetFindings has the NPC forget what tools told.
func (a *Agent) forgetFindings() {
	if len(a.found) > 0 {
		a.RememberFindings(nil)
	}
}

// Edits counts how often a line was taken back or reworded that was in the history,
// or may have been before it left it.
func (a *Agent) Edits() int { return a.edits }

// changeHistory changes exchanges of the history. Those who have a snapshot keep it.
func (a *Agent) changeHistory(said func(Source) bool, change func(Exchange) Exchange) {
	found := slices.ContainsFunc(a.history, func(e Exchange) bool { return said(e.Source) })
	if !found && !a.dropped {
		return
	}
	a.edits++
	a.version++
	a.history = slices.Clone(a.history)
	for i, e := range a.history {
		if said(e.Source) {
			a.history[i] = change(e)
		}
	}
}

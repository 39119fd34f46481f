package agent

import (
	"slices"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Source identifies where a player's words come from, as the transport knows it: the user, and the message.
// Either may be empty.
type Source struct{ User, Ref string }

// Exchange is a player's line to an NPC, and the heard part of the answer. Speaker is the player as in
// [hotctx.Attribution].
type Exchange struct {
	Source
	Turn                       int64 // of the answer; 0 if it is unknown
	Speaker, Utterance, Answer string
}

// WithoutLine returns the exchange without the player's line and name.
func (e Exchange) WithoutLine() Exchange { return Exchange{Turn: e.Turn, Answer: e.Answer} }

// retractedLine replaces a line that a player has taken back, because models need a line before their answer.
const retractedLine = "…"

// messages returns the exchange as messages for a model.
func (e Exchange) messages() (said, answered llm.Message) {
	text := e.Utterance
	if text == "" {
		text = retractedLine
	}
	return llm.Message{Role: llm.RoleUser, Name: e.Speaker, Content: text},
		llm.Message{Role: llm.RoleAssistant, Content: e.Answer}
}

// Remember adds a finished exchange to the history.
func (a *Agent) Remember(e Exchange) {
	if e.Answer == "" {
		return
	}
	a.version++
	e.Utterance = untrusted.Line(e.Utterance, maxUtterance)
	a.history = append(a.history, e)
	a.dropOldest()
}

// dropOldest keeps the history within its bounds. If it exceeds one, a quarter of it is dropped at once, so
// that the beginning of the prompt stays the same for several turns. A summary of the dropped exchanges
// remains.
func (a *Agent) dropOldest() {
	size := 0
	for _, e := range a.history {
		size += e.size()
	}
	if len(a.history) <= a.maxHistory && size <= maxHistory*bytesPerToken {
		return
	}
	keep, drop := a.maxHistory-a.maxHistory/4, 0
	for rest := len(a.history); rest > keep || rest > 1 && size > maxHistory*bytesPerToken*3/4; rest-- {
		size -= a.history[drop].size()
		drop++
	}
	a.folded = foldInto(a.folded, a.history[:drop])
	a.history = slices.Clone(a.history[drop:])
	a.dropped = true
}

// size returns the size of the exchange in a prompt, in bytes.
func (e Exchange) size() int { return len(e.Utterance) + len(e.Answer) }

// RememberFindings stores the tool results of a turn that was cut before the NPC could report them, so that
// the calls need not be repeated. The next finished turn removes them.
func (a *Agent) RememberFindings(results []string) {
	a.findings = results
	a.version++
}

// Findings returns the results stored by RememberFindings. The slice is never changed.
func (a *Agent) Findings() []string { return a.findings }

// RetractLines makes the NPC forget the matching lines. It also forgets all stored tool results, because they may
// be about these lines. It remembers its own answers.
func (a *Agent) RetractLines(said func(Source) bool) {
	a.forgetFindings()
	a.unfold(said)
	a.changeHistory(said, Exchange.WithoutLine)
}

// Reword replaces the text of the matching lines, and makes the NPC forget stored tool results.
func (a *Agent) Reword(said func(Source) bool, text string) {
	a.forgetFindings()
	a.unfold(said)
	a.changeHistory(said, func(e Exchange) Exchange {
		e.Utterance = untrusted.Line(text, maxUtterance)
		return e
	})
}

// unfold removes the summaries of the matching exchanges, because even the answer may repeat the words.
func (a *Agent) unfold(said func(Source) bool) {
	kept := slices.DeleteFunc(slices.Clone(a.folded), func(f folded) bool { return said(f.Source) })
	if len(kept) < len(a.folded) {
		a.folded = kept
		a.version++
	}
}

// forgetFindings makes the NPC forget stored tool results.
func (a *Agent) forgetFindings() {
	if len(a.findings) > 0 {
		a.RememberFindings(nil)
	}
}

// Edits returns how often a line was taken back or reworded that was in the history, or may have been in its
// dropped part.
func (a *Agent) Edits() int { return a.edits }

// changeHistory changes the matching exchanges of the history. Existing snapshots stay unchanged.
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

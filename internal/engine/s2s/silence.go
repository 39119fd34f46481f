package s2s

import (
	"context"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// staySilent is the tool a session says nothing with, where it may. It is the engine's
// own: no registry has it, and no turn's rounds count it.
const staySilent = "stay_silent"

func silenceTool() llm.ToolDefinition {
	return llm.ToolDefinition{
		Name: staySilent,
		Description: "Say nothing to what was just said, since it is plainly not meant for you. Call it before any word, and speak none. " +
			"Only where you are told that you may.",
		Parameters: map[string]any{"type": "object", "properties": map[string]any{}, "additionalProperties": false},
	}
}

const (
	// silentByTool and silentByVoice take the place of speech.SilentRule for a model that
	// would speak the words.
	silentByTool  = "call " + staySilent + " and speak no word"
	silentByVoice = "say nothing at all"
	// answerNow is what a model is told that stays silent where it may not.
	answerNow = "You were spoken to by your name. Answer now, in character."
	// delegateSilent is what a voice is told whose delegate says nothing.
	delegateSilent = "That was not said to you. Say nothing to it."

	// maxUnworded is how much sound of an answer that may decline waits for its first
	// words, maxDoubtful how much for words that are no silence.
	maxUnworded = audio.SampleRate / 5
	maxDoubtful = 5 * audio.SampleRate
)

// ruleOf tells a session how it says nothing, in the facts for a turn.
func (e *Engine) ruleOf(facts string) string {
	rule := silentByTool
	if e.able.Duplex {
		rule = silentByVoice
	}
	return strings.Replace(facts, speech.SilentRule, rule, 1)
}

// aside is the engine's own tool; nil if the session takes none.
func (e *Engine) aside() *llm.ToolDefinition {
	if e.able.Duplex {
		return nil
	}
	tool := silenceTool()
	return &tool
}

// toolsOf are what the session is given: the turn's tools, and the engine's own.
func (e *Engine) toolsOf(defs []llm.ToolDefinition) []llm.ToolDefinition {
	if own := e.aside(); own != nil {
		return append(defs[:len(defs):len(defs)], *own)
	}
	return defs
}

// answerSilence answers a call of staySilent: silently where the turn may decline.
func (l *live) answerSilence() string {
	if l.mayDecline.Load() {
		return ""
	}
	return answerNow
}

// doubt is what has come of an answer that may decline, as long as it may be silence:
// some models say that they say nothing.
type doubt struct {
	over   bool
	events []engine.Event
	sound  int    // samples
	told   string // sentences
	words  string // of the open one
}

// text is all the words so far.
func (d *doubt) text() string { return d.told + d.words }

// take takes an event and reports whether it waits.
func (d *doubt) take(ev engine.Event) bool {
	if d.over {
		return false
	}
	switch ev := ev.(type) {
	case engine.Sound:
		d.sound += len(ev.Samples)
	case engine.Wording:
		d.words = ev.Text
	case engine.Spoken:
		d.told, d.words = d.told+ev.Text+" ", ""
	default:
		return false
	}
	d.events = append(d.events, ev)
	unworded := d.text() == ""
	d.over = unworded && d.sound > maxUnworded || d.sound > maxDoubtful || !unworded && !speech.MayBeSilence(d.text())
	return true
}

// isSilence reports whether words have come that stand for silence.
func (d *doubt) isSilence() bool {
	return !d.over && strings.TrimSpace(d.text()) != "" && speech.IsSilence(d.text())
}

// endDoubt ends the doubt about an answer that is complete: what was no silence is
// passed on.
func (a *answer) endDoubt() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.doubt.isSilence() {
		a.silent = true
		return
	}
	a.doubt.over = true
	a.passDoubtful()
}

// passDoubtful passes on what has waited. mu is held.
func (a *answer) passDoubtful() {
	waited := a.doubt.events
	a.doubt.events = nil
	for _, ev := range waited {
		a.pass(ev)
	}
}

// saysItIsSilent reports whether the answer, which may decline and of which nothing is
// said yet, has said so in words.
func (a *answer) saysItIsSilent() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.doubt.over && a.sound == 0 && len(a.said) == 0 && speech.DeclaresSilence(a.doubt.text())
}

// noteSilent takes in that the model says nothing, and means it.
func (a *answer) noteSilent() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.silent = true
}

// declines reports whether the answer is that there is none.
func (a *answer) declines() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.req.MayDecline && a.silent && a.sound == 0 && len(a.said) == 0
}

// declineTurn ends a turn that is declined while its answer is being made. The session
// forgets what it said of it.
func declineTurn(ctx context.Context, c *conversation) {
	tn := c.turn
	c.leaveTurn()
	tn.noteInstead()
	tn.finish(engine.ErrDeclined)
	c.interrupt(ctx, tn)
}

// declineDelegated ends a turn of which the voice was told to say nothing.
func declineDelegated(c *conversation, tn *turn) {
	if c.turn == tn && !tn.hasSaid() {
		tn.noteSilent()
		c.finishAnswer(nil)
	}
}

// tellSilence tells a voice that its delegate says nothing.
func tellSilence(ctx context.Context, tell func(context.Context, string, bool) error) {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	_ = tell(ctx, delegateSilent, true) // the session's end is told by Recv
}

package s2s

import (
	"context"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// staySilent is the tool by which a session says nothing, if it may. It belongs to the engine: it is in no
// registry, and does not count as a round.
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
	// silentByTool and silentByVoice replace speech.SilentRule for a model that would speak the words.
	silentByTool  = "call " + staySilent + " and speak no word"
	silentByVoice = "say nothing at all"
	// answerNow is the result for a model that stays silent although it must not.
	answerNow = "You were spoken to by your name. Answer now, in character."
	// delegateSilent is the voice's message when the fallback declines.
	delegateSilent = "That was not said to you. Say nothing to it."

	// maxUnworded is how much sound of an answer that may decline is held until its first words. maxDoubtful is
	// how much is held until its words show that it does not decline.
	maxUnworded = audio.SampleRate / 5
	maxDoubtful = 5 * audio.SampleRate
)

// ruleOf adapts the rule for silence in the facts of a turn to the session.
func (e *Engine) ruleOf(facts string) string {
	rule := silentByTool
	if e.able.Duplex {
		rule = silentByVoice
	}
	return strings.Replace(facts, speech.SilentRule, rule, 1)
}

// aside returns the engine's own tool; nil if the session takes none.
func (e *Engine) aside() *llm.ToolDefinition {
	if e.able.Duplex {
		return nil
	}
	tool := silenceTool()
	return &tool
}

// toolsOf returns the tools for the session: the turn's, and the engine's own.
func (e *Engine) toolsOf(defs []llm.ToolDefinition) []llm.ToolDefinition {
	if own := e.aside(); own != nil {
		return append(defs[:len(defs):len(defs)], *own)
	}
	return defs
}

// answerSilence answers a call of staySilent: with nothing if the turn may decline.
func (l *live) answerSilence() string {
	if l.mayDecline.Load() {
		return ""
	}
	return answerNow
}

// declineCheck holds the events of an answer while it may still decline, because some models say in words that they
// stay silent.
type declineCheck struct {
	decided   bool
	events    []engine.Event
	sound     int    // samples
	sentences string // sentences
	words     string // of the current sentence
}

// text returns all words so far.
func (d *declineCheck) text() string { return d.sentences + d.words }

// holdEvent examines an event and reports whether it is held.
func (d *declineCheck) holdEvent(ev engine.Event) bool {
	if d.decided {
		return false
	}
	switch ev := ev.(type) {
	case engine.Sound:
		d.sound += len(ev.Samples)
	case engine.Wording:
		d.words = ev.Text
	case engine.Spoken:
		d.sentences, d.words = d.sentences+ev.Text+" ", ""
	default:
		return false
	}
	d.events = append(d.events, ev)
	unworded := d.text() == ""
	d.decided = unworded && d.sound > maxUnworded || d.sound > maxDoubtful || !unworded && !speech.MayBeSilence(d.text())
	return true
}

// isSilence reports whether the words so far mean silence.
func (d *declineCheck) isSilence() bool {
	return !d.decided && strings.TrimSpace(d.text()) != "" && speech.IsSilence(d.text())
}

// endDoubt ends the doubt about a complete answer. Held events are passed on unless they mean silence.
func (a *answer) endDoubt() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.doubt.isSilence() {
		a.declined = true
		return
	}
	a.doubt.decided = true
	a.passDoubtful()
}

// passDoubtful passes on the held events. The caller holds mu.
func (a *answer) passDoubtful() {
	waited := a.doubt.events
	a.doubt.events = nil
	for _, ev := range waited {
		a.pass(ev)
	}
}

// declaresSilence reports whether an answer that may decline has done so in words, before any of it was passed
// on.
func (a *answer) declaresSilence() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.doubt.decided && a.sound == 0 && len(a.sentences) == 0 && speech.DeclaresSilence(a.doubt.text())
}

// recordDeclined records that the model declines.
func (a *answer) recordDeclined() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.declined = true
}

// declines reports whether the answer is to stay silent.
func (a *answer) declines() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.req.MayDecline && a.declined && a.sound == 0 && len(a.sentences) == 0
}

// declineTurn ends a turn whose answer declines while it is being generated. The session forgets its words.
func declineTurn(ctx context.Context, c *conversation) {
	tn := c.turn
	c.detachTurn()
	tn.recordReplacement()
	tn.finish(engine.ErrDeclined)
	c.interrupt(ctx, tn)
}

// declineDelegated ends a turn in which the voice was told to say nothing.
func declineDelegated(c *conversation, tn *turn) {
	if c.turn == tn && !tn.hasOutput() {
		tn.recordDeclined()
		c.finishAnswer(nil)
	}
}

// sendSilence tells a voice to say nothing because the fallback declined.
func sendSilence(ctx context.Context, tell func(context.Context, string, bool) error) {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	_ = tell(ctx, delegateSilent, true) // Recv reports the end of the session
}

package table

import (
	"context"
	"strings"
	"time"
)

// clausePatience is how long the rest of a sentence is waited for before its first
// clause is spoken alone: a sentence in one piece sounds better, and it is mostly
// there within that time.
const clausePatience = 50 * time.Millisecond

// ClauseSpeaker is a [Voices] that may be given the first clause of a sentence by itself,
// and the rest of it after that. One that is not is given whole sentences.
type ClauseSpeaker interface {
	// SpeaksClauses reports whether that sounds as one sentence does.
	SpeaksClauses() bool
}

// speakClauses reports whether an answer may be heard from its first clause on.
func (o *Options) speakClauses() bool {
	v, ok := o.Voices.(ClauseSpeaker)
	return ok && o.voiced() && o.Latency.FirstClause && v.SpeaksClauses()
}

// speakClause speaks how a sentence begins unless the rest comes in time. What comes
// instead is spoken in its place. It reports whether to go on.
func (w *worker) speakClause(ctx context.Context, c saying) bool {
	if c.text == "" { // what is taken back was not begun, or is heard already
		return true
	}
	next, came, more := w.awaitSentence(ctx)
	switch {
	case ctx.Err() != nil, came && !more:
		return false // it has no end, and was not begun
	case came:
		return w.speakSaying(ctx, next)
	}
	w.spokeClause.Store(true)
	w.begun = c.text
	if !c.since.IsZero() {
		w.report(firstSentence{time.Since(c.since)})
	}
	w.own.open = false
	more = w.speakSentence(ctx, c.sentence)
	w.phrase = nil
	return more
}

// awaitSentence waits for what is to be spoken next, as long as that costs no time or is
// not long, and reports whether it came; more is false at the end of all.
func (w *worker) awaitSentence(ctx context.Context) (next saying, came, more bool) {
	select {
	case <-w.confirmed:
	case next, more = <-w.sayings:
		return next, true, more
	case <-ctx.Done():
		return next, false, false
	}
	patient := time.NewTimer(clausePatience)
	defer patient.Stop()
	select {
	case next, more = <-w.sayings:
		return next, true, more
	case <-patient.C:
	case <-ctx.Done():
	}
	return next, false, true
}

// speakRest speaks a sentence without the clause of it that was spoken already, and
// reports whether to go on.
func (w *worker) speakRest(ctx context.Context, s sentence) bool {
	begun := w.begun
	w.begun = ""
	if text, ok := strings.CutPrefix(s.text, begun); ok && begun != "" && s.kind == answer {
		if s.text, s.part = strings.TrimSpace(text), rest; s.text == "" {
			return true
		}
	}
	return w.speakSentence(ctx, s)
}

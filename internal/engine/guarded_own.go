package engine

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/guard"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	noLimit = math.MaxInt64
	// overrun is by how much a sentence that is already heard may exceed the limit before it is cut in the
	// middle.
	overrun = 10 * time.Second
)

// engineVoice is the state of an answer that the engine speaks in its own voice.
type engineVoice struct {
	sound           time.Duration // length of the sound passed on
	lastSentenceEnd time.Duration // end of the last sentence passed on
	limit           atomic.Int64  // where it was withdrawn, in nanoseconds; noLimit if it was not
}

// heardUpToLimit returns how much of the voice counts as heard: at most up to the position where it was
// withdrawn. It is safe for concurrent use.
func (o *engineVoice) heardUpToLimit(heard func() time.Duration) time.Duration {
	if limit := o.limit.Load(); limit != noLimit {
		return time.Duration(limit)
	}
	return heard()
}

// handleVoiceEvent passes on an event of the engine's own voice, or withdraws the voice.
func (t *guardedTurn) handleVoiceEvent(ev Event) error {
	switch e := ev.(type) {
	case Sound:
		t.engineVoice.sound += audio.Duration(len(e.Samples), audio.SampleRate)
		if t.isOverlong() {
			return t.cutEngineVoice()
		}
	case Wording:
		v := t.judge.Peek(e.Text)
		if isBreach(v) {
			return t.withdraw(v)
		}
	case Spoken:
		return t.handleSpoken(e)
	}
	return t.emit(ev)
}

// handleSpoken passes on the permitted part of a sentence that was or will be heard.
func (t *guardedTurn) handleSpoken(e Spoken) error {
	v := t.judgeSpoken(e.Text)
	if isBreach(v) {
		return t.withdraw(v)
	}
	if err := t.reportGuarded(v.Reasons); err != nil {
		return err
	}
	if e.Text != "" {
		e.Text = v.Text
		t.recordDelivered(v.Text)
	}
	t.engineVoice.lastSentenceEnd = e.Until
	if err := t.emit(e); err != nil {
		return err
	}
	if t.isOverlong() {
		return t.cutEngineVoice()
	}
	return nil
}

// isBreach reports whether sound must be cut because of a verdict.
func isBreach(v guard.Verdict) bool {
	return len(v.Reasons) > 0 && (v.Text == "" || spoilsRest(v.Reasons))
}

// withdraw cuts the current sentence, at its beginning if it is not heard yet.
func (t *guardedTurn) withdraw(v guard.Verdict) error {
	if err := t.reportGuarded(v.Reasons); err != nil {
		return err
	}
	if err := t.withdrawAt(t.heardAtLeast(t.engineVoice.lastSentenceEnd)); err != nil {
		return err
	}
	t.lastWithheld = v
	t.withheld++
	return errBreach
}

// heardAtLeast returns the position at, or how far the voice has been heard if that is later.
func (t *guardedTurn) heardAtLeast(at time.Duration) time.Duration {
	if heard := t.req.Playback.Heard; heard != nil {
		at = max(at, heard())
	}
	return min(at, max(t.engineVoice.sound, t.engineVoice.lastSentenceEnd))
}

func (t *guardedTurn) withdrawAt(at time.Duration) error {
	t.engineVoice.limit.Store(int64(at))
	return t.emit(Withdrawn{At: at})
}

// isOverlong reports whether the voice has exceeded the limit, and either can be cut at the end of a sentence
// or must be cut at once.
func (t *guardedTurn) isOverlong() bool {
	most := t.engine.o.MaxSpeech
	if most <= 0 || t.engineVoice.sound <= most {
		return false
	}
	return t.engineVoice.lastSentenceEnd > 0 && t.heardAtLeast(0) <= t.engineVoice.lastSentenceEnd || t.engineVoice.sound > most+overrun
}

// cutEngineVoice ends an answer in the engine's own voice that is too long.
func (t *guardedTurn) cutEngineVoice() error {
	if err := t.withdrawAt(t.heardAtLeast(t.engineVoice.lastSentenceEnd)); err != nil {
		return err
	}
	return t.cutLength()
}

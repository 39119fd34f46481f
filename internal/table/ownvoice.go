package table

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// Leveler is a [Voices] that adjusts the sound of speech-to-speech engines to the loudness of its own voices.
type Leveler interface {
	// Level returns samples, mono at audio.SampleRate, at the loudness of npc's voice. Calls follow the order of
	// playback.
	Level(npc config.NPC, samples []int16) ([]int16, error)
}

// isAnswering reports whether a speech-to-speech engine has begun to answer.
func (s voiceItem) isAnswering() bool {
	_, ok := s.engineEvent.(engine.Answering)
	return ok
}

// engineVoice is the state of an engine's own voice in a line.
type engineVoice struct {
	open       bool         // a sentence of it is open; owned by the voice
	earlyWords string       // words of the next sentence that came before its sound; owned by the voice
	startAt    atomic.Int64 // the position of its first sound in the line, in nanoseconds; -1 if there is none
	limit      atomic.Int64 // how much of its sound is valid, in nanoseconds
	sound      int          // samples received so far; owned by the voice
}

// engineVoicePlayed returns how much of the engine's own voice has been heard. It is safe for concurrent use.
func (w *worker) engineVoicePlayed() time.Duration {
	begins := time.Duration(w.engineVoice.startAt.Load())
	if begins < 0 {
		return 0
	}
	return max(w.line.Played()-begins, 0)
}

// withdrawEngineVoice withdraws the sound of the engine's own voice from a position on, at once: sound that waits is
// not added to the line. The engine's goroutine calls it.
func (w *worker) withdrawEngineVoice(at time.Duration) {
	w.engineVoice.limit.Store(int64(at))
	if begins := w.engineVoice.startAt.Load(); begins >= 0 {
		w.line.Withdraw(time.Duration(begins) + at)
	}
}

// dropWithdrawn ends the sentence of the engine's own voice that was withdrawn. None of its words are kept.
func (w *worker) dropWithdrawn(at time.Duration) {
	w.withdrawEngineVoice(at) // a piece may have come in between
	w.engineVoice.earlyWords = ""
	if w.engineVoice.open {
		w.engineVoice.open = false
		w.report(sentenceWorded{})
		w.line.End()
	}
}

// playEngineVoice adds the words that the engine says in its own voice to the line, and reports whether to go on.
// Without an audience the text is shown instead.
func (w *worker) playEngineVoice(ctx context.Context, ev engine.Event) bool {
	if !w.audible {
		s, ok := ev.(engine.Spoken)
		return !ok || s.Text == "" || w.speakSentence(ctx, sentence{text: s.Text})
	}
	switch ev := ev.(type) {
	case engine.Sound:
		if samples := w.withoutWithdrawn(ev.Samples); len(samples) > 0 {
			return w.appendEngineSound(ctx, samples)
		}
	case engine.Withdrawn:
		w.dropWithdrawn(ev.At)
	case engine.Wording:
		if !w.engineVoice.open {
			w.engineVoice.earlyWords = ev.Text
			break
		}
		w.report(sentenceWorded{text: ev.Text})
	case engine.Spoken:
		if w.engineVoice.open {
			w.report(sentenceWorded{text: ev.Text, ended: true})
			w.line.EndAt(time.Duration(w.engineVoice.startAt.Load()) + ev.Until)
		}
	}
	return true
}

// withoutWithdrawn returns the part of the next samples that was not withdrawn.
func (w *worker) withoutWithdrawn(samples []int16) []int16 {
	left := time.Duration(w.engineVoice.limit.Load()) - audio.Duration(w.engineVoice.sound, audio.SampleRate)
	w.engineVoice.sound += len(samples)
	if left >= audio.Duration(len(samples), audio.SampleRate) {
		return samples
	}
	return samples[:max(0, int(left*audio.SampleRate/time.Second))]
}

// appendEngineSound adds an engine's own sound to the line.
func (w *worker) appendEngineSound(ctx context.Context, samples []int16) bool {
	begins := !w.engineVoice.open
	if begins {
		w.engineVoice.open = true
		w.report(sentenceBegins{sentence{text: w.engineVoice.earlyWords, byEngine: true}})
		w.line.Begin()
		w.engineVoice.startAt.CompareAndSwap(-1, int64(w.line.Written()))
	}
	if l, ok := w.table.o.Voices.(Leveler); ok {
		level, err := l.Level(w.npc, samples)
		if err != nil {
			w.report(voiceFailed{err})
			return false
		}
		samples = level
	}
	w.line.Append(samples)
	if begins {
		w.report(soundReady{-1})
	}
	return w.line.AwaitRoom(ctx, maxUnplayed) == nil
}

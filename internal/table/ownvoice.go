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
func (s saying) isAnswering() bool {
	_, ok := s.own.(engine.Answering)
	return ok
}

// ownVoice is the state of an engine's own voice in a line.
type ownVoice struct {
	open   bool         // a sentence of it is open; owned by the voice
	early  string       // words of the next sentence that came before its sound; owned by the voice
	begins atomic.Int64 // the position of its first sound in the line, in nanoseconds; -1 if there is none
	limit  atomic.Int64 // how much of its sound is valid, in nanoseconds
	sound  int          // samples received so far; owned by the voice
}

// heardOwn returns how much of the engine's own voice has been heard. It is safe for concurrent use.
func (w *worker) heardOwn() time.Duration {
	begins := time.Duration(w.own.begins.Load())
	if begins < 0 {
		return 0
	}
	return max(w.line.Played()-begins, 0)
}

// withdrawOwn withdraws the sound of the engine's own voice from a position on, at once: sound that waits is
// not added to the line. The engine's goroutine calls it.
func (w *worker) withdrawOwn(at time.Duration) {
	w.own.limit.Store(int64(at))
	if begins := w.own.begins.Load(); begins >= 0 {
		w.line.Withdraw(time.Duration(begins) + at)
	}
}

// dropWithdrawn ends the sentence of the engine's own voice that was withdrawn. None of its words are kept.
func (w *worker) dropWithdrawn(at time.Duration) {
	w.withdrawOwn(at) // a piece may have come in between
	w.own.early = ""
	if w.own.open {
		w.own.open = false
		w.report(sentenceWorded{})
		w.line.End()
	}
}

// speakOwn adds the words that the engine says in its own voice to the line, and reports whether to go on.
// Without an audience the text is shown instead.
func (w *worker) speakOwn(ctx context.Context, ev engine.Event) bool {
	if !w.voiced {
		s, ok := ev.(engine.Spoken)
		return !ok || s.Text == "" || w.speakSentence(ctx, sentence{text: s.Text})
	}
	switch ev := ev.(type) {
	case engine.Sound:
		if samples := w.meantOf(ev.Samples); len(samples) > 0 {
			return w.appendOwn(ctx, samples)
		}
	case engine.Withdrawn:
		w.dropWithdrawn(ev.At)
	case engine.Wording:
		if !w.own.open {
			w.own.early = ev.Text
			break
		}
		w.report(sentenceWorded{text: ev.Text})
	case engine.Spoken:
		if w.own.open {
			w.report(sentenceWorded{text: ev.Text, ended: true})
			w.line.EndAt(time.Duration(w.own.begins.Load()) + ev.Until)
		}
	}
	return true
}

// meantOf returns the part of the next samples that was not withdrawn.
func (w *worker) meantOf(samples []int16) []int16 {
	left := time.Duration(w.own.limit.Load()) - audio.Duration(w.own.sound, audio.SampleRate)
	w.own.sound += len(samples)
	if left >= audio.Duration(len(samples), audio.SampleRate) {
		return samples
	}
	return samples[:max(0, int(left*audio.SampleRate/time.Second))]
}

// appendOwn adds an engine's own sound to the line.
func (w *worker) appendOwn(ctx context.Context, samples []int16) bool {
	begins := !w.own.open
	if begins {
		w.own.open = true
		w.report(sentenceBegins{sentence{text: w.own.early, own: true}})
		w.line.Begin()
		w.own.begins.CompareAndSwap(-1, int64(w.line.Written()))
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
	return w.line.Room(ctx, maxUnplayed) == nil
}

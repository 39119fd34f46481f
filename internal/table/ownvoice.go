package table

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// Leveler is a [Voices] that brings the sound of engines with a voice of their own
// to the loudness of its own.
type Leveler interface {
	// Level returns samples, mono at audio.SampleRate, as loud as npc's voice is to
	// be. They come one after the other, as they are played.
	Level(npc config.NPC, samples []int16) ([]int16, error)
}

// isAnswering reports whether an engine with a voice of its own has begun to answer.
func (s saying) isAnswering() bool {
	_, ok := s.own.(engine.Answering)
	return ok
}

// ownVoice is what a line holds of an engine's own voice.
type ownVoice struct {
	open   bool         // a sentence of it is; owned by the voice
	early  string       // what that will say, if its words come before its sound; owned by the voice
	begins atomic.Int64 // the place in the line of its first sound, in nanoseconds; -1 if there is none
	limit  atomic.Int64 // how much of its sound is meant, in nanoseconds
	sound  int          // samples of it that came; owned by the voice
}

// heardOwn returns how much of the engine's own voice has been heard. It is safe for
// concurrent use.
func (w *worker) heardOwn() time.Duration {
	begins := time.Duration(w.own.begins.Load())
	if begins < 0 {
		return 0
	}
	return max(w.line.Played()-begins, 0)
}

// withdrawOwn takes back what the engine's own voice says from a place on, at once:
// what waits to be put into the line goes no further. The engine's goroutine calls it.
func (w *worker) withdrawOwn(at time.Duration) {
	w.own.limit.Store(int64(at))
	if begins := w.own.begins.Load(); begins >= 0 {
		w.line.Withdraw(time.Duration(begins) + at)
	}
}

// dropWithdrawn ends the sentence of the engine's own voice that was withdrawn, of
// which no word is kept.
func (w *worker) dropWithdrawn(at time.Duration) {
	w.withdrawOwn(at) // a piece may have come in between
	w.own.early = ""
	if w.own.open {
		w.own.open = false
		w.report(sentenceWorded{})
		w.line.End()
	}
}

// speakOwn speaks what the engine says in its own voice into the line, and reports
// whether to go on. Where nobody listens it is read.
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

// meantOf is what of the next samples of the engine's own voice was not withdrawn.
func (w *worker) meantOf(samples []int16) []int16 {
	left := time.Duration(w.own.limit.Load()) - audio.Duration(w.own.sound, audio.SampleRate)
	w.own.sound += len(samples)
	if left >= audio.Duration(len(samples), audio.SampleRate) {
		return samples
	}
	return samples[:max(0, int(left*audio.SampleRate/time.Second))]
}

// appendOwn adds to the line what an engine speaks.
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

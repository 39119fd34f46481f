package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/speech"
)

const (
	// voiceStall is how long a voice may be silent in the middle of its work.
	voiceStall = 10 * time.Second
	// voicePatience is how long a voice has for its first sound before a phrase may
	// come first.
	voicePatience = 500 * time.Millisecond
	// answerPatience is how long an engine with a voice of its own has for its first
	// sound, once it has begun to answer, before a phrase may come first.
	answerPatience = 400 * time.Millisecond
	// maxUnplayed is how much sound of one sentence may wait to be played before
	// the voice is made to wait.
	maxUnplayed = 30 * time.Second
	// piecesAhead is how many pieces of sound a voice may be ahead of the line.
	piecesAhead = 4
)

var errVoiceSilent = fmt.Errorf("no sound came for %s", voiceStall)

// speakSentences speaks the sentences of an attempt into its line, in order, one ahead
// of what is played. Until the first sound it may be given a stock phrase. It
// ends with the sentences or with ctx; then the sentence that is open stays without an
// end, for its voice may have been broken off.
func (w *worker) speakSentences(ctx context.Context) {
	defer func() {
		if ctx.Err() == nil {
			w.line.Close()
		}
	}()
	if !w.speakAhead(ctx) {
		return
	}
	for {
		phrase := w.phrase
		if w.soon != nil {
			phrase = nil
		}
		var s saying
		var more bool
		select {
		case s, more = <-w.sayings:
		default:
			select {
			case s, more = <-w.sayings:
			case text := <-phrase:
				if !w.speakPhrase(ctx, text) {
					return
				}
				continue
			case <-w.soon:
				w.soon = nil
				continue
			case <-ctx.Done():
			}
		}
		if !more || !w.speakSaying(ctx, s) {
			return
		}
	}
}

// speakSaying does with a saying what is to be done, and reports whether to go on.
func (w *worker) speakSaying(ctx context.Context, s saying) (more bool) {
	switch {
	case s.isAnswering():
		w.soon = time.After(answerPatience)
		return true
	case s.own != nil:
		more = w.speakOwn(ctx, s.own)
	case s.part == clause:
		return w.speakClause(ctx, s)
	default:
		w.own.open = false // others speak for the engine from here on
		more = w.speakRest(ctx, s.sentence)
	}
	w.phrase = nil // the answer has begun
	return more
}

// speakPhrase speaks a stock phrase, sentence by sentence, as the voices keep them.
func (w *worker) speakPhrase(ctx context.Context, text string) bool {
	w.phrase = nil // one is enough
	w.report(phraseBegins{})
	var split speech.Splitter
	for _, s := range append(split.Push(text), split.Flush()...) {
		if !w.speakSentence(ctx, sentence{text: s, kind: filler}) {
			return false
		}
	}
	return true
}

// speakSentence speaks one sentence and reports whether to go on.
func (w *worker) speakSentence(ctx context.Context, s sentence) bool {
	if err := w.line.Room(ctx, lookAhead); err != nil || ctx.Err() != nil {
		return false
	}
	begin := func() {
		w.report(sentenceBegins{s})
		w.line.Begin()
	}
	if !w.voiced {
		begin()
		w.line.End()
		w.report(soundReady{-1})
		return true
	}
	sound := w.synthesize(ctx, s.text)
	defer sound.stop()
	first, ok := sound.takeReady()
	if !ok {
		if first, ok = w.awaitSound(ctx, sound); !ok {
			return false
		}
	}
	begin()
	err := w.pourSound(ctx, sound, first)
	if ctx.Err() != nil {
		return false
	}
	w.line.End()
	w.report(soundReady{-1})
	if err != nil && !w.hoarse {
		w.hoarse = true
		w.report(voiceFailed{err})
	}
	return true
}

// awaitSound waits for a sentence's first sound. A phrase that is at hand may come
// before a voice that is slow, not before one that is about to speak.
func (w *worker) awaitSound(ctx context.Context, sound *synthesis) (first piece, ok bool) {
	patient := time.NewTimer(voicePatience)
	defer patient.Stop()
	var phrase <-chan string
	for {
		select {
		case first = <-sound.pieces:
			return first, true
		case <-patient.C:
			phrase = w.phrase
		case text := <-phrase:
			phrase = nil
			if !w.speakPhrase(ctx, text) {
				return piece{}, false
			}
		case <-ctx.Done():
			return piece{}, false
		}
	}
}

// piece is some sound, or the end of it: the zero value.
type piece struct {
	samples []int16
	err     error
}

// synthesis is a sentence being spoken.
type synthesis struct {
	pieces chan piece   // closed at the end
	spare  chan []int16 // room of pieces that are in the line, for others
	began  time.Time
	cancel context.CancelCauseFunc
	done   chan struct{}
}

// takeReady returns a piece that is there already.
func (s *synthesis) takeReady() (piece, bool) {
	select {
	case p := <-s.pieces:
		return p, true
	default:
		return piece{}, false
	}
}

// copySound copies sound, where there is room already.
func (s *synthesis) copySound(pcm []int16) []int16 {
	select {
	case room := <-s.spare:
		return append(room[:0], pcm...)
	default:
		return slices.Clone(pcm)
	}
}

// giveBack takes back the room of a piece whose sound is nobody's any more.
func (s *synthesis) giveBack(room []int16) {
	select {
	case s.spare <- room:
	default:
	}
}

// stop ends the work and waits for it.
func (s *synthesis) stop() {
	s.cancel(nil)
	for range s.pieces { // it may be about to give one
	}
	<-s.done
}

// synthesize begins to speak a sentence. A voice that falls silent is given up.
func (w *worker) synthesize(ctx context.Context, text string) *synthesis {
	w.attempt.voiced.Store(true)
	s := &synthesis{pieces: make(chan piece, piecesAhead), spare: make(chan []int16, piecesAhead), began: time.Now(), done: make(chan struct{})}
	ctx, s.cancel = context.WithCancelCause(ctx)
	w.table.work.Go(func() {
		defer close(s.done)
		defer close(s.pieces)
		watch := time.AfterFunc(voiceStall, func() { s.cancel(errVoiceSilent) })
		defer watch.Stop()
		give := func(p piece) bool {
			watch.Stop() // what the line takes to play is not the voice's silence
			defer watch.Reset(voiceStall)
			select {
			case s.pieces <- p:
				return true
			case <-ctx.Done():
				return false
			}
		}
		for pcm, err := range w.table.o.Voices.Synthesize(ctx, w.npc, text) {
			if err != nil || len(pcm) > 0 && !give(piece{samples: s.copySound(pcm)}) {
				if err != nil && ctx.Err() == nil {
					give(piece{err: err})
				}
				break
			}
		}
		if errors.Is(context.Cause(ctx), errVoiceSilent) {
			s.pieces <- piece{err: errVoiceSilent}
		}
	})
	return s
}

// pourSound puts a sentence's sound into the line.
func (w *worker) pourSound(ctx context.Context, s *synthesis, p piece) error {
	for heard := false; p.err == nil && len(p.samples) > 0; p = <-s.pieces {
		w.line.Append(p.samples)
		s.giveBack(p.samples)
		if !heard {
			heard = true
			w.report(soundReady{time.Since(s.began)})
		}
		if err := w.awaitRoom(ctx); err != nil {
			return nil // nobody hears it any more
		}
	}
	return p.err
}

// Muffled is a [Voices] that leads nowhere at times.
type Muffled interface {
	// Unheard reports whether it does so now: what is said then is read, as at a table
	// without voices. It does not wait.
	Unheard() bool
}

// voiced reports whether what is said now is heard.
func (o *Options) voiced() bool {
	if m, ok := o.Voices.(Muffled); ok && m.Unheard() {
		return false
	}
	return o.Voices != nil
}

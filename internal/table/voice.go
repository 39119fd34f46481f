package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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

// speakSaying handles one saying, and reports whether to go on.
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
	if err != nil && !w.failed {
		w.failed = true
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

// giveBack returns the buffer of a piece whose sound is in the line, for another piece.
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
			return nil // it is not heard any more
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

// speakAhead speaks the first sentence of a guess into its line, which is not played before the
// guess is adopted, and waits until it is. It reports whether to go on.
func (w *worker) speakAhead(ctx context.Context) bool {
	if !w.ahead {
		return w.awaitConfirmation(ctx)
	}
	select {
	case <-w.confirmed:
		return true
	case <-ctx.Done():
		return false
	case s, more := <-w.sayings:
		if more && s.own == nil && s.kind == answer {
			return w.speakSaying(ctx, s) && w.awaitConfirmation(ctx)
		}
		return w.awaitConfirmation(ctx) && more && w.speakSaying(ctx, s)
	}
}

// awaitConfirmation waits until the attempt is no guess.
func (w *worker) awaitConfirmation(ctx context.Context) bool {
	select {
	case <-w.confirmed:
		return true
	case <-ctx.Done():
		return false
	}
}

// awaitRoom waits until the line takes more sound of the sentence that is being spoken.
func (w *worker) awaitRoom(ctx context.Context) error {
	if w.ahead && w.line.Written() >= maxVoicedAhead && !w.awaitConfirmation(ctx) {
		return ctx.Err()
	}
	return w.line.Room(ctx, maxUnplayed)
}

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

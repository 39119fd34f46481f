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
	// voiceStall is how long a voice may produce no sound while it works.
	voiceStall = 10 * time.Second
	// voicePatience is how long a voice may take to its first sound before a stock phrase may be said first.
	voicePatience = 500 * time.Millisecond
	// answerPatience is how long a speech-to-speech engine may take from the beginning of its answer to its
	// first sound before a stock phrase may be said first.
	answerPatience = 400 * time.Millisecond
	// maxUnplayed is how much sound of one sentence may wait to be played before the voice blocks.
	maxUnplayed = 30 * time.Second
	// piecesAhead is how many pieces of sound a voice may be ahead of the line.
	piecesAhead = 4
)

var errVoiceSilent = fmt.Errorf("no sound came for %s", voiceStall)

// speakSentences speaks the sentences of an attempt into its line, in order, one ahead of playback. Until the
// first sound, it also accepts a stock phrase. It ends with the sentences or with ctx. In the latter case the
// current sentence is not ended in the line, because its sound may be incomplete.
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
		if w.answerDeadline != nil {
			phrase = nil
		}
		var s voiceItem
		var more bool
		select {
		case s, more = <-w.voiceItems:
		default:
			select {
			case s, more = <-w.voiceItems:
			case text := <-phrase:
				if !w.speakPhrase(ctx, text) {
					return
				}
				continue
			case <-w.answerDeadline:
				w.answerDeadline = nil
				continue
			case <-ctx.Done():
			}
		}
		if !more || !w.playItem(ctx, s) {
			return
		}
	}
}

// playItem handles one saying, and reports whether to go on.
func (w *worker) playItem(ctx context.Context, s voiceItem) (more bool) {
	switch {
	case s.isAnswering():
		w.answerDeadline = time.After(answerPatience)
		return true
	case s.engineEvent != nil:
		more = w.playEngineVoice(ctx, s.engineEvent)
	case s.part == clause:
		return w.speakClause(ctx, s)
	default:
		w.engineVoice.open = false // the engine no longer speaks itself
		more = w.speakRest(ctx, s.sentence)
	}
	w.phrase = nil // the answer has begun
	return more
}

// speakPhrase speaks a stock phrase, sentence by sentence, because voices cache single sentences.
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
	if err := w.line.AwaitRoom(ctx, soundAhead); err != nil || ctx.Err() != nil {
		return false
	}
	begin := func() {
		w.report(sentenceBegins{s})
		w.line.Begin()
	}
	if !w.audible {
		begin()
		w.line.End()
		w.report(soundReady{-1})
		return true
	}
	sound := w.synthesize(ctx, s.text)
	defer sound.stop()
	first, ok := sound.receiveReady()
	if !ok {
		if first, ok = w.awaitSound(ctx, sound); !ok {
			return false
		}
	}
	begin()
	err := w.appendPieces(ctx, sound, first)
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

// awaitSound waits for a sentence's first sound. A stock phrase may come first if the voice is slow, but not
// if it is about to speak.
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

// piece is a piece of sound or an error. The zero value marks the end.
type piece struct {
	samples []int16
	err     error
}

// synthesis is a sentence that is being spoken.
type synthesis struct {
	pieces      chan piece   // closed at the end
	freeBuffers chan []int16 // buffers of pieces that were added to the line, for reuse
	began       time.Time
	cancel      context.CancelCauseFunc
	done        chan struct{}
}

// receiveReady returns a piece without waiting, if there is one.
func (s *synthesis) receiveReady() (piece, bool) {
	select {
	case p := <-s.pieces:
		return p, true
	default:
		return piece{}, false
	}
}

// copySound copies sound, into a spare buffer if there is one.
func (s *synthesis) copySound(pcm []int16) []int16 {
	select {
	case room := <-s.freeBuffers:
		return append(room[:0], pcm...)
	default:
		return slices.Clone(pcm)
	}
}

// recycle returns a buffer for reuse after its sound was added to the line.
func (s *synthesis) recycle(room []int16) {
	select {
	case s.freeBuffers <- room:
	default:
	}
}

// stop ends the work and waits for it.
func (s *synthesis) stop() {
	s.cancel(nil)
	for range s.pieces { // the goroutine may be sending one
	}
	<-s.done
}

// synthesize starts to speak a sentence. It cancels a voice that produces no sound for voiceStall.
func (w *worker) synthesize(ctx context.Context, text string) *synthesis {
	w.attempt.voiceStarted.Store(true)
	s := &synthesis{pieces: make(chan piece, piecesAhead), freeBuffers: make(chan []int16, piecesAhead), began: time.Now(), done: make(chan struct{})}
	ctx, s.cancel = context.WithCancelCause(ctx)
	w.table.work.Go(func() {
		defer close(s.done)
		defer close(s.pieces)
		watch := time.AfterFunc(voiceStall, func() { s.cancel(errVoiceSilent) })
		defer watch.Stop()
		give := func(p piece) bool {
			watch.Stop() // the time the line takes to play does not count
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

// appendPieces adds a sentence's sound to the line.
func (w *worker) appendPieces(ctx context.Context, s *synthesis, p piece) error {
	for heard := false; p.err == nil && len(p.samples) > 0; p = <-s.pieces {
		w.line.Append(p.samples)
		s.recycle(p.samples)
		if !heard {
			heard = true
			w.report(soundReady{time.Since(s.began)})
		}
		if err := w.awaitRoom(ctx); err != nil {
			return nil // the line is no longer played
		}
	}
	return p.err
}

// Muffled is a [Voices] that is sometimes not heard.
type Muffled interface {
	// Unheard reports whether that is so now: sentences are then shown, as at a table without voices. It must
	// not block.
	Unheard() bool
}

// audible reports whether what NPCs say now is heard.
func (o *Options) audible() bool {
	if m, ok := o.Voices.(Muffled); ok && m.Unheard() {
		return false
	}
	return o.Voices != nil
}

// speakAhead speaks the first sentence of a guess into its line, which is not played before the guess is
// adopted, and waits until it is. It reports whether to go on.
func (w *worker) speakAhead(ctx context.Context) bool {
	if !w.ahead {
		return w.awaitConfirmation(ctx)
	}
	select {
	case <-w.confirmed:
		return true
	case <-ctx.Done():
		return false
	case s, more := <-w.voiceItems:
		if more && s.engineEvent == nil && s.kind == answer {
			return w.playItem(ctx, s) && w.awaitConfirmation(ctx)
		}
		return w.awaitConfirmation(ctx) && more && w.playItem(ctx, s)
	}
}

// awaitConfirmation waits until the attempt is no longer a guess.
func (w *worker) awaitConfirmation(ctx context.Context) bool {
	select {
	case <-w.confirmed:
		return true
	case <-ctx.Done():
		return false
	}
}

// awaitRoom waits until the line has room for more sound of the current sentence.
func (w *worker) awaitRoom(ctx context.Context) error {
	if w.ahead && w.line.Written() >= maxVoicedAhead && !w.awaitConfirmation(ctx) {
		return ctx.Err()
	}
	return w.line.AwaitRoom(ctx, maxUnplayed)
}

// clausePatience is how long the first clause of a sentence waits for the rest before it is spoken alone. A
// sentence in one piece sounds better, and the rest mostly comes within that time.
const clausePatience = 50 * time.Millisecond

// ClauseSpeaker is a [Voices] that may be given the first clause of a sentence separately, followed by the
// rest. Other Voices are given whole sentences.
type ClauseSpeaker interface {
	// SpeaksClauses reports whether the two parts sound like one sentence.
	SpeaksClauses() bool
}

// speakClauses reports whether an answer may be heard from its first clause on.
func (o *Options) speakClauses() bool {
	v, ok := o.Voices.(ClauseSpeaker)
	return ok && o.audible() && o.Latency.FirstClause && v.SpeaksClauses()
}

// speakClause speaks the first clause of a sentence, unless the next saying comes in time. That is then
// spoken instead. It reports whether to go on.
func (w *worker) speakClause(ctx context.Context, c voiceItem) bool {
	if c.text == "" { // the clause was withdrawn: either it has not begun, or it was heard already
		return true
	}
	next, came, more := w.awaitSentence(ctx)
	switch {
	case ctx.Err() != nil, came && !more:
		return false // it has no end, and was not begun
	case came:
		return w.playItem(ctx, next)
	}
	w.clauseSpoken.Store(true)
	w.spokenClause = c.text
	if !c.since.IsZero() {
		w.report(firstSentence{time.Since(c.since)})
	}
	w.engineVoice.open = false
	more = w.speakSentence(ctx, c.sentence)
	w.phrase = nil
	return more
}

// awaitSentence waits for the next saying: while the attempt is a guess, and after that for clausePatience.
// It reports whether one came; more is false once all have been received.
func (w *worker) awaitSentence(ctx context.Context) (next voiceItem, came, more bool) {
	select {
	case <-w.confirmed:
	case next, more = <-w.voiceItems:
		return next, true, more
	case <-ctx.Done():
		return next, false, false
	}
	patient := time.NewTimer(clausePatience)
	defer patient.Stop()
	select {
	case next, more = <-w.voiceItems:
		return next, true, more
	case <-patient.C:
	case <-ctx.Done():
	}
	return next, false, true
}

// speakRest speaks a sentence without the clause of it that was already spoken, and reports whether to go on.
func (w *worker) speakRest(ctx context.Context, s sentence) bool {
	begun := w.spokenClause
	w.spokenClause = ""
	if text, ok := strings.CutPrefix(s.text, begun); ok && begun != "" && s.kind == answer {
		if s.text, s.part = strings.TrimSpace(text), restOfSentence; s.text == "" {
			return true
		}
	}
	return w.speakSentence(ctx, s)
}

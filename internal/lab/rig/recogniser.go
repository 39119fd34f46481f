package rig

import (
	"context"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// interimDelay is the delay of interim transcripts behind the speaker.
const interimDelay = 150 * time.Millisecond

// Recogniser is a fake speech recogniser: it knows the words of the speakers in
// advance. It implements stt.Recogniser.
type Recogniser struct {
	// WordsOf returns a speaker's words, or nil for an unknown name.
	WordsOf func(speaker string) *Words
	// InterimEvery is the least sound between two interim transcripts, for
	// callers that want any. Negative means none.
	InterimEvery time.Duration
	// NoteStream, if not nil, is called with each opened stream.
	NoteStream func(speaker string)
	// Transcribe passes the result of an utterance that ends now to s with
	// Final; r is what was said. Calls for a stream are sequential.
	Transcribe func(s *Stream, speaker string, r stt.Result, now time.Time)
}

// Name implements stt.Recogniser.
func (*Recogniser) Name() string { return "made up" }

// Listen implements stt.Recogniser.
func (r *Recogniser) Listen(_ context.Context, o stt.Options) (stt.Stream, error) {
	words := r.WordsOf(o.Speaker)
	if words == nil {
		return nil, fmt.Errorf("%w: nobody is called %q", stt.ErrRejected, o.Speaker)
	}
	if r.NoteStream != nil {
		r.NoteStream(o.Speaker)
	}
	return &Stream{
		recogniser: r, speaker: o.Speaker, words: words, interims: o.Interim && r.InterimEvery >= 0,
		changed: make(chan struct{}, 1), closed: make(chan struct{}),
	}, nil
}

// Send implements stt.Stream. It ignores the content of the sound, whose
// arrival triggers interim transcripts.
func (s *Stream) Send(samples []int16) error {
	if s.Closed() {
		return stt.ErrClosed
	}
	if !s.interims {
		return nil
	}
	s.hearing.Lock()
	defer s.hearing.Unlock()
	if s.unheard += len(samples); audio.Duration(s.unheard, audio.SampleRate) < s.recogniser.InterimEvery {
		return nil
	}
	s.unheard = 0
	if text := s.words.Said(time.Now().Add(-interimDelay), false); text != "" && text != s.shown {
		s.shown = text
		s.Interim(s.utterance, text)
	}
	return nil
}

// Finish implements stt.Stream.
func (s *Stream) Finish(context.Context) (int, error) {
	if s.Closed() {
		return 0, stt.ErrClosed
	}
	s.hearing.Lock()
	defer s.hearing.Unlock()
	if s.Pending() >= stt.MaxPending {
		return 0, stt.ErrBusy
	}
	now, n := time.Now(), s.utterance
	s.utterance++
	s.unheard, s.shown = 0, ""
	s.recogniser.Transcribe(s, s.speaker, stt.Result{Utterance: n, Text: s.words.Said(now, true), Final: true}, now)
	return n, nil
}

package rig

import (
	"context"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// interimDelay is how far interim transcripts are behind the speaker.
const interimDelay = 150 * time.Millisecond

// Recogniser is a made-up speech recognition: it knows the words of those who
// speak. It implements stt.Recogniser.
type Recogniser struct {
	// WordsOf returns what a speaker says, nil if nobody is called so.
	WordsOf func(speaker string) *Words
	// InterimEvery is how much sound lies at least between two interim
	// transcripts of those who want any. Below zero there are none.
	InterimEvery time.Duration
	// NoteStream is told of each stream that is opened. If nil, nobody is.
	NoteStream func(speaker string)
	// Transcribe gives s, by Final, what becomes of an utterance that ended now;
	// r is what was said. It is called one after the other for each stream.
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

// Send implements stt.Stream. What is sent is not listened to; that it comes is
// what makes interim transcripts come.
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

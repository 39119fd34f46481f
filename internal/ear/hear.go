package ear

import (
	"context"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lane"
)

// hear takes in what the lane heard.
func (e *Ear) hear(ctx context.Context, heard lane.Event, now time.Time) {
	switch heard.Kind {
	case lane.VoiceStarted:
		e.begin(ctx, heard, 0, now)
	case lane.UtteranceContinued:
		e.begin(ctx, heard, e.segment+1, now)
	case lane.VoiceResumed:
		e.voice(VoiceOn, heard)
	case lane.VoiceStopped:
		e.voice(VoiceOff, heard)
	case lane.Sound:
		e.open.speech = heard.Speech
		e.keep(heard.Frame)
		if e.connected() {
			e.send(heard.Frame[:], now)
		}
	case lane.UtteranceEnded:
		e.end(ctx, heard, now)
	}
}

// voice tells of the voice in the open segment.
func (e *Ear) voice(kind Kind, heard lane.Event) {
	e.tell(Event{Kind: kind, Utterance: heard.Utterance, Segment: e.segment, At: heard.At, Speech: heard.Speech})
}

// begin opens a segment.
func (e *Ear) begin(ctx context.Context, heard lane.Event, index int, now time.Time) {
	e.segment = index
	e.open = &segment{utterance: heard.Utterance, index: index}
	if index > 0 {
		e.voice(Continued, heard)
	}
	e.voice(VoiceOn, heard)
	if e.link == nil && now.Sub(e.tried) > firstPause { // somebody needs it now
		e.connect(ctx, now)
	}
}

// end closes the open segment and asks for its transcript, unless it is too
// short to be speech.
func (e *Ear) end(ctx context.Context, heard lane.Event, now time.Time) {
	s := e.open
	e.open = nil
	s.ended, s.at, s.endpoint, s.speech = now, now.Add(-heard.Endpoint), heard.Endpoint, heard.Speech
	e.tell(s.event(Ended))
	e.waiting = append(e.waiting, s)
	if s.speech < e.minSpeech {
		s.finish(nothing, nil, now)
		e.release(s, len(s.sound))
	}
	if e.connected() {
		e.ask(ctx, s, now)
	}
}

// settle decides what time decides and tells the outcomes in order.
func (e *Ear) settle(now time.Time) {
	for _, s := range e.waiting {
		s.expire(now, e.reason)
		if !s.done && s.wait == nil && e.hopeless(s) {
			s.fail(e.reason, now)
		}
	}
	for len(e.waiting) > 0 && e.waiting[0].done {
		s := e.waiting[0]
		e.release(s, len(s.sound))
		e.waiting = slices.Delete(e.waiting, 0, 1)
		e.tell(s.final())
	}
}

// due returns when something is to be done even if nothing comes.
func (e *Ear) due() (at time.Time, ok bool) {
	at, ok = e.lane.Next()
	sooner := func(t time.Time) {
		if !ok || t.Before(at) {
			at, ok = t, true
		}
	}
	for _, s := range e.waiting {
		if !s.done {
			sooner(s.due())
		}
	}
	if e.link == nil {
		sooner(e.retry)
	}
	return at, ok
}

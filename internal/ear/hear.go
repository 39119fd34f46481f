package ear

import (
	"context"
	"slices"
	"time"
)

// hearLane handles an event of the lane.
func (e *Ear) hearLane(ctx context.Context, heard LaneEvent, now time.Time) {
	switch heard.Kind {
	case VoiceStarted:
		e.early.begin()
		e.beginSegment(heard, 0)
	case UtteranceContinued:
		e.beginSegment(heard, e.segment+1)
	case VoiceResumed:
		e.resumeSegment(now)
		e.tellVoice(VoiceOn, heard)
	case VoiceStopped:
		e.tellVoice(VoiceOff, heard)
	case Sound:
		e.open.speech = heard.Speech
		if e.onSound != nil {
			e.onSound(heard.Utterance, heard.Frame[:])
		}
		e.sendSound(heard.Frame[:], now)
		e.askEarly(ctx, heard, now)
	case UtteranceEnded:
		e.endSegment(ctx, heard, now)
	}
}

// tellVoice sends an event about the voice in the open segment.
func (e *Ear) tellVoice(kind Kind, heard LaneEvent) {
	e.tellEvent(Event{Kind: kind, Utterance: heard.Utterance, Segment: e.segment, At: heard.At, Speech: heard.Speech})
}

// beginSegment opens a segment.
func (e *Ear) beginSegment(heard LaneEvent, index int) {
	e.segment = index
	e.open = &segment{utterance: heard.Utterance, index: index, before: heard.Speech - heard.Voiced}
	if index > 0 {
		e.tellVoice(Continued, heard)
	}
	e.tellVoice(VoiceOn, heard)
}

// endSegment closes the open segment and requests its transcript. A segment that is too short to be speech
// gets its outcome at once.
func (e *Ear) endSegment(ctx context.Context, heard LaneEvent, now time.Time) {
	s := e.open
	e.open = nil
	s.ended, s.at, s.endpoint, s.speech = now, now.Add(-heard.Endpoint), heard.Endpoint, heard.Speech
	e.tellEvent(s.newEvent(Ended))
	e.waiting = append(e.waiting, s)
	if s.isNoise(e.minSpeech) {
		s.finishSegment("", true, nil, now)
	}
	if !e.endEarly() {
		e.askTranscript(ctx, s, now)
	}
	s.settleSegment(now)
}

// settleSegments expires segments whose time is up, and sends outcomes in order.
func (e *Ear) settleSegments(now time.Time) {
	for _, s := range e.waiting {
		s.expireSegment(now)
	}
	for len(e.waiting) > 0 && e.waiting[0].done {
		s := e.waiting[0]
		e.waiting = slices.Delete(e.waiting, 0, 1)
		e.tellEvent(s.finalEvent())
	}
}

// nextDue returns when Run has to act even if no input arrives.
func (e *Ear) nextDue() (at time.Time, ok bool) {
	at, ok = e.lane.Next()
	sooner := func(t time.Time) {
		if !ok || t.Before(at) {
			at, ok = t, true
		}
	}
	for _, s := range e.waiting {
		if !s.done {
			sooner(s.nextDue())
		}
	}
	return at, ok
}

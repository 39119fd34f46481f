package ear

import (
	"context"
	"slices"
	"time"
)

// handleLaneEvent handles an event of the lane.
func (e *Ear) handleLaneEvent(ctx context.Context, heard LaneEvent, now time.Time) {
	switch heard.Kind {
	case VoiceStarted:
		e.early.begin()
		e.beginSegment(heard, 0)
	case UtteranceContinued:
		e.beginSegment(heard, e.segment+1)
	case VoiceResumed:
		e.resumeSegment(now)
		e.sendVoiceEvent(VoiceOn, heard)
	case VoiceStopped:
		e.sendVoiceEvent(VoiceOff, heard)
	case Sound:
		e.open.speech = heard.Speech
		if e.onSound != nil {
			e.onSound(heard.Utterance, heard.Frame[:])
		}
		e.sendSound(heard.Frame[:], now)
		e.requestEarlyFinal(ctx, heard, now)
	case UtteranceEnded:
		e.endSegment(ctx, heard, now)
	}
}

// sendVoiceEvent sends an event about the voice in the open segment.
func (e *Ear) sendVoiceEvent(kind Kind, heard LaneEvent) {
	e.queueEvent(Event{Kind: kind, Utterance: heard.Utterance, Segment: e.segment, At: heard.At, Speech: heard.Speech})
}

// beginSegment opens a segment.
func (e *Ear) beginSegment(heard LaneEvent, index int) {
	e.segment = index
	e.open = &segment{utterance: heard.Utterance, index: index, before: heard.Speech - heard.Voiced}
	if index > 0 {
		e.sendVoiceEvent(Continued, heard)
	}
	e.sendVoiceEvent(VoiceOn, heard)
}

// endSegment closes the open segment and requests its transcript. A segment that is too short to be speech
// gets its outcome at once.
func (e *Ear) endSegment(ctx context.Context, heard LaneEvent, now time.Time) {
	s := e.open
	e.open = nil
	s.ended, s.at, s.endpoint, s.speech = now, now.Add(-heard.Endpoint), heard.Endpoint, heard.Speech
	e.queueEvent(s.newEvent(Ended))
	e.waiting = append(e.waiting, s)
	if s.isNoise(e.minSpeech) {
		s.setOutcome("", true, nil, now)
	}
	if !e.endEarly() {
		e.requestTranscript(ctx, s, now)
	}
	s.recordOutcome(now)
}

// sendOutcomes expires segments whose time is up, and sends outcomes in order.
func (e *Ear) sendOutcomes(now time.Time) {
	for _, s := range e.waiting {
		s.expireSegment(now)
	}
	for len(e.waiting) > 0 && e.waiting[0].done {
		s := e.waiting[0]
		e.waiting = slices.Delete(e.waiting, 0, 1)
		e.queueEvent(s.finalEvent())
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

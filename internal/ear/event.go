package ear

import (
	"log/slog"
	"time"
)

// Kind is the kind of an [Event].
type Kind uint8

const (
	// VoiceOn means that the speaker's voice is heard. It opens an utterance unless one is open.
	VoiceOn Kind = iota + 1
	// VoiceOff means that voicing has stopped for now. The utterance stays open until VoiceOn or Ended. It is
	// not sent when a cut or the end of the ear interrupts voicing.
	VoiceOff
	// Interim carries a transcript of the speech so far. It may replace an older Interim of the same
	// segment that is still queued.
	Interim
	// Ended means that a segment of the utterance has ended. Exactly one Final for it follows, unless the
	// ear's context ends first.
	Ended
	// Continued means that the speaker continued within the merge window. The utterance is open again, with
	// its next segment. VoiceOn follows.
	Continued
	// Final carries the transcript of a segment that has ended. Finals are sent in the order of their Ended.
	Final
)

// String returns the name of k.
func (k Kind) String() string {
	switch k {
	case VoiceOn:
		return "VoiceOn"
	case VoiceOff:
		return "VoiceOff"
	case Interim:
		return "Interim"
	case Ended:
		return "Ended"
	case Continued:
		return "Continued"
	case Final:
		return "Final"
	}
	return "Kind?"
}

// Event is something an [Ear] heard.
type Event struct {
	Kind    Kind
	Speaker string
	// Utterance is the number of the utterance, from 1.
	Utterance uint64
	// Segment is the index of the segment within the utterance, from 0. It increases with each Continued.
	Segment int
	// At is, for VoiceOn, VoiceOff and Continued, the time of the event; for Ended and Final, the end of
	// voicing, or the time of the cut if the utterance was too long; for Interim, the time of its arrival.
	At time.Time
	// Endpoint is, for Ended and Final, the time from the end of voicing to the decision that the segment had
	// ended; zero if it was cut because of its length.
	Endpoint time.Duration
	// Took is, for Final, the time from that decision to the transcript.
	Took time.Duration
	// Speech is the voiced time of the utterance so far, or for Final, up to the end of the segment.
	Speech time.Duration
	// Text is, for Interim and Final, the transcript of the segment. In a Final it is empty if nothing was
	// understood.
	Text string
	// Assumed means, for Final, that Text is the last interim transcript and was not confirmed.
	Assumed bool
	// Err is, for Final, why there is no transcript. It wraps an error of package stt. Text may then hold the
	// last interim transcript.
	Err error
}

// LogValue omits the text, so that logs do not contain what people say.
func (e Event) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("kind", e.Kind.String()),
		slog.String("speaker", e.Speaker),
		slog.Uint64("utterance", e.Utterance),
		slog.Int("segment", e.Segment),
		slog.Int("length", len(e.Text)),
	)
}

package ear

import (
	"log/slog"
	"time"
)

// Kind says what an [Event] tells.
type Kind uint8

const (
	// VoiceOn means that the speaker's voice is heard. It opens an utterance,
	// unless that is open.
	VoiceOn Kind = iota + 1
	// VoiceOff means that voicing ended for now. The utterance stays open
	// until VoiceOn or Ended. Voicing that a cut interrupts, or that ends with
	// the ear, has none.
	VoiceOff
	// Interim brings a transcript of what was said so far. A newer one of the
	// same segment may take the place of one that waits to be told.
	Interim
	// Ended means that a segment of the utterance ended: exactly one Final for
	// it follows, unless the ear's context ends first.
	Ended
	// Continued means that the speaker went on within the merge window: the
	// utterance is open again, with its next segment. VoiceOn follows.
	Continued
	// Final brings what was said in the segment that ended. Finals come in the
	// order of their Ended.
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

// Event is one thing an [Ear] heard.
type Event struct {
	Kind    Kind
	Speaker string
	// Utterance counts the ear's utterances from 1.
	Utterance uint64
	// Segment counts the utterance's segments from 0: one more after each
	// Continued.
	Segment int
	// At is, for VoiceOn, VoiceOff and Continued, when that was; for Ended and
	// Final the end of voicing, or when the utterance was cut for its length;
	// for Interim when it came.
	At time.Time
	// Endpoint is, for Ended and Final, the time from the end of voicing until
	// the segment counted as ended; zero if it was cut for its length.
	Endpoint time.Duration
	// Took is, for Final, the time from then until the transcript.
	Took time.Duration
	// Speech is the voiced time of the utterance: so far, or, for Final, at the
	// segment's end.
	Speech time.Duration
	// Text is, for Interim and Final, what was said in the segment. A final one
	// is empty if nothing was understood.
	Text string
	// Assumed says of a Final that nobody confirmed its Text: it is the last
	// interim transcript.
	Assumed bool
	// Err is, for Final, why there is no transcript: it wraps an error of
	// package stt. Text may then hold the last interim one.
	Err error
}

// LogValue keeps what people say out of logs.
func (e Event) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("kind", e.Kind.String()),
		slog.String("speaker", e.Speaker),
		slog.Uint64("utterance", e.Utterance),
		slog.Int("segment", e.Segment),
		slog.Int("length", len(e.Text)),
	)
}

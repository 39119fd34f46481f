package ear

import (
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// LaneKind is the kind of a [LaneEvent].
type LaneKind uint8

const (
	// VoiceStarted opens a new utterance. At is the onset, a little before the event. The frames of the
	// pre-roll and the onset follow.
	VoiceStarted LaneKind = iota + 1
	// VoiceStopped means that voicing has stopped for now. The utterance stays open until VoiceResumed or
	// UtteranceEnded. Whatever requires continuous voicing, such as a barge-in, ends here.
	VoiceStopped
	// VoiceResumed means that the speaker continued after VoiceStopped. At is the onset.
	VoiceResumed
	// UtteranceContinued means that the speaker continued after UtteranceEnded, within the merge window. The
	// utterance with the same number is open again, and its Speech continues to grow. The frames since its
	// end follow, as far back as the pre-roll.
	UtteranceContinued
	// UtteranceEnded closes an utterance. Endpoint is the time from the end of voicing to this decision.
	UtteranceEnded
	// Sound carries the next frame of the open utterance.
	Sound
)

// String returns the name of k.
func (k LaneKind) String() string {
	switch k {
	case VoiceStarted:
		return "VoiceStarted"
	case VoiceStopped:
		return "VoiceStopped"
	case VoiceResumed:
		return "VoiceResumed"
	case UtteranceContinued:
		return "UtteranceContinued"
	case UtteranceEnded:
		return "UtteranceEnded"
	case Sound:
		return "Sound"
	}
	return "Kind?"
}

// LaneEvent is something heard on a lane.
type LaneEvent struct {
	Kind LaneKind
	// Utterance is the number of the utterance, from 1.
	Utterance uint64
	// At is the time at which it was heard.
	At time.Time
	// Frame is the frame of a Sound event. It belongs to the lane and is valid until the next [Lane.Tick].
	Frame *audio.Frame
	// Voiced is the voiced time since voicing last started or resumed, or zero while it is stopped. It is
	// used to confirm a barge-in.
	Voiced time.Duration
	// Silent is the time since the last voice, while voicing is stopped and no onset is under way.
	Silent time.Duration
	// Known reports whether words have set an outlook (see [Lane.Expect]) since the speaker's voice was last
	// heard.
	Known bool
	// Speech is the voiced time of the whole utterance so far.
	Speech time.Duration
	// Endpoint is, for UtteranceEnded, the time from the end of voicing to the event, which the ledger
	// records as endpoint_ms. It is zero if Cut is set.
	Endpoint time.Duration
	// Cut means, for UtteranceEnded, that the utterance was too long. If the speaker is still talking,
	// VoiceStarted follows with the next number, and no sound is lost or repeated.
	Cut bool
}

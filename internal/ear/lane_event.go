package ear

import (
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// Kind says what an [LaneEvent] tells.
type LaneKind uint8

const (
	// VoiceStarted opens a new utterance. At is the onset, a little before
	// the event. The frames of the pre-roll and the onset follow.
	VoiceStarted LaneKind = iota + 1
	// VoiceStopped means that voicing ended for now: the utterance stays open
	// until VoiceResumed or UtteranceEnded. What only voicing may keep alive,
	// as a barge-in, ends here.
	VoiceStopped
	// VoiceResumed means that the speaker went on after VoiceStopped, at the onset At.
	VoiceResumed
	// UtteranceContinued means that the speaker went on after UtteranceEnded,
	// within the merge window: the utterance of the same number is open again.
	// Its number and Speech go on; the frames since its end follow, as far
	// back as the pre-roll.
	UtteranceContinued
	// UtteranceEnded closes an utterance. Endpoint is how long after the end
	// of voicing that was decided.
	UtteranceEnded
	// Sound brings the next frame of the open utterance.
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

// LaneEvent is one thing heard on a lane.
type LaneEvent struct {
	Kind LaneKind
	// Utterance numbers the utterances of a lane from 1.
	Utterance uint64
	// At is when it was heard.
	At time.Time
	// Frame is the sound of a Sound event. It belongs to the lane and is valid
	// until the next [Lane.Tick].
	Frame *audio.Frame
	// Voiced is the voiced time since voicing last started or resumed, zero
	// when voicing has stopped: what a barge-in is confirmed by.
	Voiced time.Duration
	// Silent is, while voicing has stopped and does not begin, the time since the
	// last voice.
	Silent time.Duration
	// Known says that words told something of the end, see [Lane.Expect], since the
	// speaker was heard last.
	Known bool
	// Speech is the voiced time of the whole utterance so far.
	Speech time.Duration
	// Endpoint is, for UtteranceEnded, the time from the end of voicing to the
	// event; the ledger's endpoint_ms. It is zero if Cut.
	Endpoint time.Duration
	// Cut says of UtteranceEnded that the utterance grew too long. If the
	// speaker still speaks, VoiceStarted follows with the next number, and no
	// sound is lost or repeated between the two.
	Cut bool
}

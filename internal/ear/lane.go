package ear

import (
	"bytes"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// Decoder decodes the payloads of a transport, in order. It belongs to the lane.
type Decoder interface {
	// Decode decodes payload into dst. After an error, dst is undefined and the lane conceals the frame.
	Decode(dst *audio.Frame, payload []byte) error
	// Conceal stores an estimate of a lost frame in dst. next is the payload after it, which may contain a
	// copy, or empty.
	Conceal(dst *audio.Frame, next []byte) error
}

// LaneOptions configures a [Lane]. The zero value suits conversation.
type LaneOptions struct {
	// Decoder decodes payloads. If nil, packets must carry frames.
	Decoder Decoder
	// MinEndpoint and MaxEndpoint limit the silence after which an utterance ends. Between them it adapts to
	// the speaker's pauses. If zero, 350 ms and 2.5 s. An utterance that is complete (see [Lane.Expect]) may
	// end after half of MinEndpoint.
	MinEndpoint, MaxEndpoint time.Duration
	// Merge is how long after its end an utterance can be continued, unless it was sealed. If zero,
	// DefaultMerge; if negative, never.
	Merge time.Duration
	// PreRoll is the sound before the onset that belongs to an utterance. If zero, 500 ms, because a short
	// first word may pass for noise; if negative, none; at most 800 ms.
	PreRoll time.Duration
	// MaxUtterance is the length at which an utterance is cut, at least 1 s. If zero, 30 s.
	MaxUtterance time.Duration
}

// DefaultMerge is the default of LaneOptions.Merge.
const DefaultMerge = 2500 * time.Millisecond

const (
	defaultMin  = 350 * time.Millisecond
	defaultMax  = 2500 * time.Millisecond
	defaultRoll = 500 * time.Millisecond
	maxRoll     = 800 * time.Millisecond
	defaultLong = 30 * time.Second
)

func (o *LaneOptions) withDefaults() LaneOptions {
	var opts LaneOptions
	if o != nil {
		opts = *o
	}
	if opts.MinEndpoint <= 0 {
		opts.MinEndpoint = defaultMin
	}
	if opts.MaxEndpoint <= 0 {
		opts.MaxEndpoint = defaultMax
	}
	opts.MaxEndpoint = max(opts.MaxEndpoint, opts.MinEndpoint)
	opts.Merge = orDefault(opts.Merge, DefaultMerge)
	opts.PreRoll = min(orDefault(opts.PreRoll, defaultRoll), maxRoll)
	if opts.MaxUtterance <= 0 {
		opts.MaxUtterance = defaultLong
	}
	opts.MaxUtterance = max(opts.MaxUtterance, time.Second)
	return opts
}

// orDefault returns d, def if d is zero, or zero if d is negative.
func orDefault(d, def time.Duration) time.Duration {
	switch {
	case d == 0:
		return def
	case d < 0:
		return 0
	}
	return d
}

// silenceAfter is the time without a packet that counts as silence. Before that, packets are only late.
const silenceAfter = jitterWait + 2*audio.FrameDuration

// A sender that falls silent sends special payloads, five in a row on Discord, and then stops sending.
// silenceMarkers of them are enough, because some may be lost. After them, a pause of signedWait counts as
// silence.
const (
	silenceMarkers = 3
	signedWait     = 2 * audio.FrameDuration
)

var spurtEnd = []byte{0xF8, 0xFF, 0xFE}

const (
	// batch is the maximum number of packets handled by one Tick: 100 ms of sound.
	batch = 5
	// history is the number of frames a lane keeps: the longest pre-roll, the usual onset, and the frames of
	// one Tick. It must be a power of two.
	history = 64
)

// Lane processes the sound of one speaker. Its owner calls [Lane.Tick] when the intake is ready and at the
// time that [Lane.Next] returns.
type Lane struct {
	intake       Intake
	opts         LaneOptions
	det          Detector
	lateDetector lateOnsetDetector // det, if it implements trained
	dec          Decoder

	ring          [history]audio.Frame // the newest sound; the oldest is overwritten
	head          uint                 // frames stored so far
	unsentFrames  int                  // newest frames that no event has carried
	preRollFrames int                  // frames of pre-roll
	silence       audio.Frame
	payload       [maxPayload]byte

	voicing      voiceSmoother
	endpoint     endpointer
	open         bool
	id           uint64        // number of the newest utterance
	length       int           // its frames
	speech       int           // its voiced frames
	silentFrames int           // frames since its last voiced frame
	ended        time.Time     // when it ended; zero if it was cut
	sealed       uint64        // the newest utterance that can no longer be continued
	endSilence   time.Duration // the silence at its end
	outlook      Outlook       // the words' outlook on its end, since voice was last heard
	last         Outlook       // the outlook of the utterance that ended last

	heard        time.Time // sound or silence has been handled up to this time
	arrived      time.Time // arrival of the newest handled frame
	silenceMarks int       // consecutive newest packets that announce silence
	voiced       time.Time // time of the newest voiced frame
	now          time.Time // time of the current Tick

	events []LaneEvent
}

// NewLane returns a lane that has been idle since now.
func NewLane(now time.Time, d Detector, opts *LaneOptions) *Lane {
	o := opts.withDefaults()
	l := &Lane{
		intake:        Intake{ready: make(chan struct{}, 1)},
		opts:          o,
		det:           d,
		dec:           o.Decoder,
		preRollFrames: int(o.PreRoll / audio.FrameDuration),
		heard:         now, arrived: now, voiced: now,
		events: make([]LaneEvent, 0, 2*batch),
	}
	l.lateDetector, _ = d.(lateOnsetDetector)
	l.endpoint = newEndpointer(o.MinEndpoint, o.MaxEndpoint)
	return l
}

// Intake returns the queue that the transport adds packets to.
func (l *Lane) Intake() *Intake { return &l.intake }

// Tick handles new packets and the silence up to now, and returns the events. The events and their frames are
// valid until the next Tick. One Tick handles at most 100 ms of packets; if there are more, Next returns a
// time that has passed. now must not go backwards. Extra calls do no harm.
func (l *Lane) Tick(now time.Time) []LaneEvent {
	l.events, l.now = l.events[:0], now
	for range batch {
		at, got := l.readPacket(now)
		if got == popNothing {
			if now.Sub(l.arrived) >= l.silenceTimeout() {
				l.processSilence(now)
			}
			break
		}
		if at.Before(l.arrived) {
			at = l.arrived // an earlier packet held it up
		}
		if at.Sub(l.arrived) >= silenceAfter {
			l.processSilence(at.Add(-audio.FrameDuration))
			l.restart()
		}
		l.arrived = at
		if at.After(l.heard) {
			l.heard = at
		}
		l.hearFrame(&l.ring[(l.head-1)%history])
	}
	return l.events
}

// Next returns when the lane needs the next Tick even if no packet arrives. The time may be in the past. It
// returns false if the lane only has to wait for its intake, so an idle lane needs no timer.
func (l *Lane) Next() (time.Time, bool) {
	at, waiting := l.intake.nextDue()
	if !l.open {
		return at, waiting
	}
	silent := l.heard.Add(audio.FrameDuration)
	if first := l.arrived.Add(l.silenceTimeout()); silent.Before(first) {
		silent = first
	}
	if waiting && at.Before(silent) {
		return at, true
	}
	return silent, true
}

// silenceTimeout returns the time without a packet that counts as silence.
func (l *Lane) silenceTimeout() time.Duration {
	if l.silenceMarks >= silenceMarkers {
		return signedWait
	}
	return silenceAfter
}

// Seal prevents the utterances up to a number from being continued; the speaker begins a new one instead.
// Only the lane's owner may call it.
func (l *Lane) Seal(utterance uint64) { l.sealed = max(l.sealed, utterance) }

// IdleSince returns the end of the last voicing, or the creation of the lane if there was none. It returns
// false while an utterance is open.
func (l *Lane) IdleSince() (time.Time, bool) { return l.voiced, !l.open }

// readPacket moves the next packet's sound into the ring.
func (l *Lane) readPacket(now time.Time) (time.Time, popResult) {
	dst := &l.ring[l.head%history]
	at, n, got := l.intake.popNext(now, dst, l.payload[:])
	if got == popNothing {
		return at, got
	}
	switch {
	case got == popSound && bytes.Equal(l.payload[:n], spurtEnd):
		l.silenceMarks++
	case got == popSound:
		l.silenceMarks = 0
	}
	if n > 0 || got == popGap {
		l.decodePacket(dst, n, got)
	}
	l.head++
	return at, got
}

// decodePacket fills dst from the payload, or conceals a lost one.
func (l *Lane) decodePacket(dst *audio.Frame, n int, got popResult) {
	if l.dec == nil {
		if got == popGap {
			conceal(dst, &l.ring[(l.head-1)%history])
		} else {
			*dst = audio.Frame{}
			l.intake.countBroken()
		}
		return
	}
	var err error
	if got == popGap {
		err = l.dec.Conceal(dst, l.payload[:n])
	} else if err = l.dec.Decode(dst, l.payload[:n]); err != nil {
		l.intake.countBroken()
		err = l.dec.Conceal(dst, nil)
	}
	if err != nil {
		*dst = audio.Frame{}
	}
}

// conceal stores the previous frame at half its level. This neither clicks nor lasts.
func conceal(dst, before *audio.Frame) {
	for i, s := range before {
		dst[i] = s / 2
	}
}

// processSilence processes silence up to a time while an utterance is open. Otherwise silence has no effect.
func (l *Lane) processSilence(until time.Time) {
	for l.open {
		next := l.heard.Add(audio.FrameDuration)
		if next.After(until) {
			return
		}
		l.heard = next
		l.hearFrame(&l.silence)
	}
}

// restart discards sound from before a silence, so that it is not part of the next onset.
func (l *Lane) restart() {
	l.unsentFrames = 0
	l.voicing.dropOnset()
}

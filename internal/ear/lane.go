package ear

import (
	"bytes"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// Decoder turns the payloads of a transport into sound, in order. It belongs
// to the lane.
type Decoder interface {
	// Decode stores the sound of payload in dst. An error means that dst holds
	// nothing of use; the lane conceals it.
	Decode(dst *audio.Frame, payload []byte) error
	// Conceal stores in dst a guess at a lost frame. next is the payload after
	// it, which may carry a copy, or empty.
	Conceal(dst *audio.Frame, next []byte) error
}

// LaneOptions adjust a [Lane]. The zero value suits conversation.
type LaneOptions struct {
	// Decoder decodes payloads. If nil, packets must carry frames.
	Decoder Decoder
	// MinEndpoint and MaxEndpoint bound the silence after which an utterance
	// ends; between them it follows the speaker's own pauses. If zero, 350 ms
	// and 2.5 s. What [Lane.Expect] calls complete may end after half of it.
	MinEndpoint, MaxEndpoint time.Duration
	// Merge is how long after its end an utterance may be continued, unless it was
	// sealed. If zero, DefaultMerge; if negative, never.
	Merge time.Duration
	// PreRoll is how much sound before the onset belongs to an utterance. If
	// zero, 500 ms, since a short first word may pass for noise; if negative, none; at
	// most 800 ms.
	PreRoll time.Duration
	// MaxUtterance is where an utterance is cut, at least 1 s. If zero, 30 s.
	MaxUtterance time.Duration
}

// DefaultMerge is how long after its end an utterance may be continued, if
// Options.Merge does not say so.
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

// orDefault returns d, def if that is zero, and zero if it is negative.
func orDefault(d, def time.Duration) time.Duration {
	switch {
	case d == 0:
		return def
	case d < 0:
		return 0
	}
	return d
}

// silenceAfter is how long no packet must come before the lane takes it as
// silence; below it, packets are only late.
const silenceAfter = jitterWait + 2*audio.FrameDuration

// A sender that falls silent says so by a payload of its own, five times in a row on
// Discord, and leaves packets out from then on. signedOff of them, of which some may be
// lost, are enough to believe it: then silence is not waited for longer than signedWait.
const (
	signedOff  = 3
	signedWait = 2 * audio.FrameDuration
)

var spurtEnd = []byte{0xF8, 0xFF, 0xFE}

const (
	// batch is how many packets one Tick takes in at most: 100 ms of sound.
	batch = 5
	// history is how many frames a lane keeps: the longest pre-roll and the usual
	// onset, and what one Tick adds. A power of two.
	history = 64
)

// Lane hears one speaker. Its owner calls [Lane.Tick] whenever its intake is
// ready and at [Lane.Next].
type Lane struct {
	intake Intake
	opts   LaneOptions
	det    Detector
	late   trained // det, if it is one
	dec    Decoder

	ring    [history]audio.Frame // the newest sound, oldest overwritten
	head    uint                 // frames stored so far
	kept    int                  // newest frames that no event has brought
	roll    int                  // frames before an onset that belong to it
	silence audio.Frame
	payload [maxPayload]byte

	voicing  voicing
	endpoint endpointer
	open     bool
	id       uint64        // of the newest utterance
	length   int           // frames of it
	speech   int           // voiced frames of it
	silent   int           // frames since the last voiced one of it
	ended    time.Time     // when it ended; zero if it was cut
	sealed   uint64        // the newest that is not continued any more
	tail     time.Duration // the silence it ended with
	outlook  Outlook       // what its words say of its end, since it was last heard
	last     Outlook       // the same, of the utterance that ended last

	heard   time.Time // up to when sound or silence has been taken in
	arrived time.Time // of the newest frame taken in
	signed  int       // of the newest packets, how many say that the sender falls silent
	voiced  time.Time // of the newest voiced frame
	now     time.Time // of the Tick under way

	events []LaneEvent
}

// NewLane returns a lane that hears nothing yet and has been idle since now.
func NewLane(now time.Time, d Detector, opts *LaneOptions) *Lane {
	o := opts.withDefaults()
	l := &Lane{
		intake: Intake{ready: make(chan struct{}, 1)},
		opts:   o,
		det:    d,
		dec:    o.Decoder,
		roll:   int(o.PreRoll / audio.FrameDuration),
		heard:  now, arrived: now, voiced: now,
		events: make([]LaneEvent, 0, 2*batch),
	}
	l.late, _ = d.(trained)
	l.endpoint = newEndpointer(o.MinEndpoint, o.MaxEndpoint)
	return l
}

// Intake is where the transport leaves packets.
func (l *Lane) Intake() *Intake { return &l.intake }

// Tick takes in what came and the silence that passed until now, and returns
// what was heard. The events and their frames are valid until the next Tick.
// One Tick takes in at most 100 ms of packets; if more are there, Next says so.
// now must not run backwards. Ticking more often than needed changes nothing.
func (l *Lane) Tick(now time.Time) []LaneEvent {
	l.events, l.now = l.events[:0], now
	for range batch {
		at, got := l.readPacket(now)
		if got == nothing {
			if now.Sub(l.arrived) >= l.absence() {
				l.passSilence(now)
			}
			break
		}
		if at.Before(l.arrived) {
			at = l.arrived // one that was held up by another
		}
		if at.Sub(l.arrived) >= silenceAfter {
			l.passSilence(at.Add(-audio.FrameDuration))
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

// Next returns when the lane wants to be ticked even if no packet comes, which
// may be past, and false if it can wait for the intake: an idle lane needs no
// timer.
func (l *Lane) Next() (time.Time, bool) {
	at, waiting := l.intake.nextDue()
	if !l.open {
		return at, waiting
	}
	silent := l.heard.Add(audio.FrameDuration)
	if first := l.arrived.Add(l.absence()); silent.Before(first) {
		silent = first
	}
	if waiting && at.Before(silent) {
		return at, true
	}
	return silent, true
}

// absence is how long no packet must come before that is silence.
func (l *Lane) absence() time.Duration {
	if l.signed >= signedOff {
		return signedWait
	}
	return silenceAfter
}

// Seal has the utterances up to a number stand as they ended: who goes on begins another.
// It is for the lane's owner.
func (l *Lane) Seal(utterance uint64) { l.sealed = max(l.sealed, utterance) }

// IdleSince returns since when nobody speaks on the lane: the end of the last
// voicing, or its making. It reports false while an utterance is open.
func (l *Lane) IdleSince() (time.Time, bool) { return l.voiced, !l.open }

// readPacket moves the next packet's sound into the ring.
func (l *Lane) readPacket(now time.Time) (time.Time, taken) {
	dst := &l.ring[l.head%history]
	at, n, got := l.intake.popNext(now, dst, l.payload[:])
	if got == nothing {
		return at, got
	}
	switch {
	case got == sound && bytes.Equal(l.payload[:n], spurtEnd):
		l.signed++
	case got == sound:
		l.signed = 0
	}
	if n > 0 || got == gap {
		l.decodePacket(dst, n, got)
	}
	l.head++
	return at, got
}

// decodePacket fills dst from the payload, or conceals what is lost.
func (l *Lane) decodePacket(dst *audio.Frame, n int, got taken) {
	if l.dec == nil {
		if got == gap {
			conceal(dst, &l.ring[(l.head-1)%history])
		} else {
			*dst = audio.Frame{}
			l.intake.countBroken()
		}
		return
	}
	var err error
	if got == gap {
		err = l.dec.Conceal(dst, l.payload[:n])
	} else if err = l.dec.Decode(dst, l.payload[:n]); err != nil {
		l.intake.countBroken()
		err = l.dec.Conceal(dst, nil)
	}
	if err != nil {
		*dst = audio.Frame{}
	}
}

// conceal stores the frame before at half its strength: a guess that neither
// clicks nor lasts.
func conceal(dst, before *audio.Frame) {
	for i, s := range before {
		dst[i] = s / 2
	}
}

// passSilence hears silence up to a time, as long as an utterance is open; nothing
// else needs to hear it.
func (l *Lane) passSilence(until time.Time) {
	for l.open {
		next := l.heard.Add(audio.FrameDuration)
		if next.After(until) {
			return
		}
		l.heard = next
		l.hearFrame(&l.silence)
	}
}

// restart begins anew after a silence: what came before it is no onset of what
// comes now.
func (l *Lane) restart() {
	l.kept = 0
	l.voicing.dropOnset()
}

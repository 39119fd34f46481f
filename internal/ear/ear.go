// Package ear turns one player's sound into utterances with transcripts, and reports who speaks when, and the
// words. For example:
//
//	e := ear.New("Mara", func(ev ear.Event) { handle(ev) }, ear.Options{Recogniser: recogniser})
//	go e.Run(ctx)
//	e.Push(ear.Packet{Seq: seq, Payload: opus})
//
// It knows nothing of transports, NPCs or connections: the recogniser keeps its stream alive. An [Ear] has
// one goroutine that owns its state, one that calls the listener, and one that receives transcripts. Run
// starts them and waits for them.
//
// A [Lane] processes the sound of one speaker (files lane*.go). It receives packets from a transport, puts
// them in order, tells voice from noise and cuts the sound into utterances. It reads no clock and starts no
// goroutine. It belongs to the goroutine that calls [Lane.Tick]; only its [Intake] may be used by others. It
// knows nothing of words.
package ear

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// defaultMinSpeech is the shortest voiced time that can be a word.
const defaultMinSpeech = 80 * time.Millisecond

// Options configures an [Ear]. With the zero value, it detects speech but transcribes nothing.
type Options struct {
	// Recogniser transcribes the sound. If nil, every Final has an Err that wraps [stt.ErrRejected].
	Recogniser stt.Recogniser
	// Expect is passed to the recogniser. The ear sets SampleRate and Speaker.
	Expect stt.Options
	// Lane configures how utterances are cut.
	Lane LaneOptions
	// Detector tells voice from noise. The ear takes ownership. If nil, it is an [Energy].
	Detector Detector
	// MinSpeech is the voiced time below which an utterance counts as noise. Its Final is empty and sent at
	// once, unless an earlier Final is still due. If zero, 80 ms; if negative, nothing counts as noise.
	MinSpeech time.Duration
	// Early limits how often the final transcript of an utterance is requested before its end is certain.
	// Only a [stt.Resumer] supports this. If zero, DefaultEarly; if negative, never.
	Early int
	// OnSound, if not nil, receives the sound of each utterance frame by frame, including its pre-roll. Run's
	// goroutine calls it before the events about that sound are sent. It must return at once and keep no
	// reference to the frame.
	OnSound func(utterance uint64, frame []int16)
	// Logger receives an error if the recogniser's stream is lost. If nil, it is discarded.
	Logger *slog.Logger
}

// Stats are the counters of an ear.
type Stats struct {
	// Packets are the counters of its intake.
	Packets LaneStats
	// Broken is the number of recogniser connections that broke or could not be opened.
	Broken uint64
	// Late is the number of transcripts that arrived after the segment's Final, or that were not requested.
	Late uint64
	// Early is the number of finals requested before the end was certain. Vain is the number of those after
	// which the speaker continued.
	Early, Vain uint64
	// Dropped is the number of samples that the recogniser lost.
	Dropped int64
}

// Ear processes the sound of one player. Push, Seal and Stats are safe for concurrent use.
type Ear struct {
	speaker       string
	recogniser    stt.Recogniser
	expect        stt.Options
	minSpeech     time.Duration
	onSound       func(utterance uint64, frame []int16)
	log           *slog.Logger
	emit          func(Event)
	lane          *Lane
	outbox        *outbox
	streamResults chan streamResult
	tasks         sync.WaitGroup
	sealed        atomic.Uint64 // see Seal

	// The following fields belong to Run.
	segment  int                 // index of the newest segment within its utterance
	open     *segment            // nil between utterances
	waiting  []*segment          // segments that have ended but have no Final yet, oldest first
	next     int                 // number of the recogniser utterance that is being sent
	requests []transcriptRequest // requests without a final from the stream, oldest first
	reason   error               // why there is no stream
	early    earlyRequests
	reader   TurnReader

	mu     sync.Mutex // guards the fields below
	counts Stats      // only Late, Early and Vain are counted here
	stream stt.Stream // nil if there is none; only Run sets it, so Run reads it without the lock
}

// New returns an ear for a speaker. While Run is running, it calls emit with events, one call at a time, from
// a goroutine of its own. emit may block. Meanwhile up to 64 events are queued; then the ear pauses, so that
// its intake drops the oldest packets. Once Run's context has ended, emit must return.
func New(speaker string, emit func(Event), o Options) *Ear {
	o.Expect.Speaker, o.Expect.SampleRate = speaker, audio.SampleRate
	if o.Detector == nil {
		o.Detector = NewEnergy()
	}
	if o.MinSpeech == 0 {
		o.MinSpeech = defaultMinSpeech
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Early == 0 {
		o.Early = DefaultEarly
	}
	return &Ear{
		early:   earlyRequests{maxPerUtterance: o.Early, credit: maxCredit},
		speaker: speaker, recogniser: o.Recogniser, expect: o.Expect, minSpeech: o.MinSpeech, onSound: o.OnSound,
		log: o.Logger.With(slog.String("speaker", speaker)), emit: emit,
		lane: NewLane(time.Now(), o.Detector, &o.Lane), outbox: newOutbox(),
		streamResults: make(chan streamResult),
	}
}

// Push adds a packet that arrived now. It copies the data p points to and never blocks. The queue holds 640
// ms; when it is full, the oldest packets are dropped.
func (e *Ear) Push(p Packet) { e.lane.Intake().Push(time.Now(), p) }

// Seal prevents the utterances up to a number from being continued, because the answer to them is already
// being heard. If the speaker continues, a new utterance begins. It never blocks.
func (e *Ear) Seal(utterance uint64) { e.sealed.Store(utterance) }

// Stats returns the current counters.
func (e *Ear) Stats() Stats {
	e.mu.Lock()
	s := e.counts
	if e.stream != nil {
		heard := e.stream.Stats()
		s.Broken, s.Dropped = uint64(heard.Broken), heard.Dropped
	}
	e.mu.Unlock()
	s.Packets = e.lane.Intake().Stats()
	return s
}

// Run processes sound until ctx ends. Then it sends no more events, closes its stream, waits for its
// goroutines and returns nil. It may be called once.
func (e *Ear) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer e.tasks.Wait()
	defer cancel()
	e.tasks.Go(func() { e.outbox.deliverEvents(ctx, e.emit) })
	e.openStream(ctx)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		if e.outbox.isCrowded() {
			select {
			case <-e.outbox.room:
			case <-ctx.Done():
			}
			continue
		}
		if at, ok := e.nextDue(); ok {
			timer.Reset(time.Until(at))
		} else {
			timer.Stop() // no deadline is pending
		}
		var got streamResult
		heard := false
		select {
		case <-ctx.Done():
			return nil
		case <-e.lane.Intake().Ready():
		case got = <-e.streamResults:
			heard = true
		case <-timer.C:
		}
		if ctx.Err() != nil {
			return nil // the news may only report the end of the stream
		}
		e.step(ctx, got, heard)
	}
	return nil
}

// step handles news from the stream, new packets and whatever is due.
func (e *Ear) step(ctx context.Context, got streamResult, received bool) {
	now := time.Now()
	if received {
		e.handleStreamResult(got, now)
	}
	e.lane.Seal(e.sealed.Load())
	for _, heard := range e.lane.Tick(now) {
		e.handleLaneEvent(ctx, heard, now)
	}
	e.sendOutcomes(now)
}

// queueEvent queues an event for the listener.
func (e *Ear) queueEvent(event Event) {
	event.Speaker = e.speaker
	e.outbox.putEvent(event)
}

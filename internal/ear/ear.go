// Package ear hears one player: it cuts sound into utterances and has them
// transcribed, so that the table is told who speaks when, and what was said.
//
// It knows neither transports nor NPCs, and nothing of connections: that a stream
// of speech recognition lasts is its recogniser's business. An [Ear] has one
// goroutine that owns its state, one that tells the listener, and one that
// receives transcripts; Run starts them and waits for them.
//
// A [Lane] hears one speaker (files lane*.go): it takes packets as a transport brings them, puts them in
// order, tells voice from noise and cuts what is said into utterances. It reads no clock and starts no
// goroutine: it belongs to the goroutine that ticks it, and only its [Intake] may be used from others. It
// knows neither words nor transports.
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

// defaultMinSpeech is the least voice that can be a word.
const defaultMinSpeech = 80 * time.Millisecond

// Options adjust an [Ear]. With the zero value it hears when somebody speaks,
// but understands nothing.
type Options struct {
	// Recogniser transcribes. If nil, every Final has an Err that wraps
	// [stt.ErrRejected].
	Recogniser stt.Recogniser
	// Expect is what the recogniser is told. SampleRate and Speaker are the
	// ear's to set.
	Expect stt.Options
	// Lane is how utterances are cut.
	Lane LaneOptions
	// Detector tells voice from noise and belongs to the ear. If nil, it is a
	// [Energy].
	Detector Detector
	// MinSpeech is the voiced time below which an utterance counts as noise:
	// its Final is empty and comes at once, if no other is due before it. If
	// zero, 80 ms; if negative, nothing is noise.
	MinSpeech time.Duration
	// Early is how often the final transcript of an utterance is asked for before
	// its end is certain, at most; only a [stt.Resumer] is. If zero, DefaultEarly;
	// if negative, never.
	Early int
	// OnSound, if not nil, is given the sound of each utterance, frame by frame and
	// from its pre-roll on. It is called by Run's goroutine before the events about
	// that sound are told, must return at once and keep no reference to the frame.
	OnSound func(utterance uint64, frame []int16)
	// Logger is told when there is no stream. If nil, nobody is.
	Logger *slog.Logger
}

// Stats count what happened to an ear.
type Stats struct {
	// Packets are the counts of its intake.
	Packets LaneStats
	// Broken is how many connections of the recogniser broke or could not be
	// opened.
	Broken uint64
	// Late is how many transcripts came for what had its Final already, or was
	// not asked for.
	Late uint64
	// Early is how many finals were asked for before the end was certain, and Vain
	// after how many of them the speaker went on.
	Early, Vain uint64
	// Dropped is how many samples the recogniser lost.
	Dropped int64
}

// Ear hears one player. Push, Seal and Stats are safe for concurrent use.
type Ear struct {
	speaker    string
	recogniser stt.Recogniser
	expect     stt.Options
	minSpeech  time.Duration
	onSound    func(utterance uint64, frame []int16)
	log        *slog.Logger
	emit       func(Event)
	lane       *Lane
	outbox     *outbox
	news       chan news
	tasks      sync.WaitGroup
	sealed     atomic.Uint64 // see Seal

	// Run's.
	segment int        // index of the newest segment of its utterance
	open    *segment   // nil between utterances
	waiting []*segment // that ended and have no Final, oldest first
	next    int        // number of the utterance that is being sent
	asked   []question // without a final from the stream, oldest first
	reason  error      // why there is no stream
	early   early
	reader  TurnReader

	mu     sync.Mutex // guards the fields below
	counts Stats      // of which Late, Early and Vain are counted here
	stream stt.Stream // nil if there is none; set by Run alone, which needs no lock to read it
}

// New returns an ear for a speaker's voice. It calls emit with what it hears
// while Run runs: from its own goroutines, one call at a time. emit may wait.
// Up to 64 events are kept meanwhile; then the ear stops hearing, so that its
// intake drops the oldest packets. Once Run's context has ended, emit must
// return.
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
		early:   early{most: o.Early, credit: mostCredit},
		speaker: speaker, recogniser: o.Recogniser, expect: o.Expect, minSpeech: o.MinSpeech, onSound: o.OnSound,
		log: o.Logger.With(slog.String("speaker", speaker)), emit: emit,
		lane: NewLane(time.Now(), o.Detector, &o.Lane), outbox: newOutbox(),
		news: make(chan news),
	}
}

// Push leaves a packet that arrived now. It copies what p points to and never
// blocks; packets that Run does not fetch in time, 640 ms, are dropped, the
// oldest first.
func (e *Ear) Push(p Packet) { e.lane.Intake().Push(time.Now(), p) }

// Seal has the utterances up to a number stand as they ended, for what they led to is
// heard already: who goes on begins another. It never blocks.
func (e *Ear) Seal(utterance uint64) { e.sealed.Store(utterance) }

// Stats returns the counts so far.
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

// Run hears until ctx ends. Then it tells nothing more, closes its stream,
// waits for all it started and returns nil. It may be called once.
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
			timer.Stop() // nothing happens by itself
		}
		var got news
		heard := false
		select {
		case <-ctx.Done():
			return nil
		case <-e.lane.Intake().Ready():
		case got = <-e.news:
			heard = true
		case <-timer.C:
		}
		if ctx.Err() != nil {
			return nil // what a stream says now is its own end
		}
		e.step(ctx, got, heard)
	}
	return nil
}

// step takes in what came and what is due.
func (e *Ear) step(ctx context.Context, got news, received bool) {
	now := time.Now()
	if received {
		e.hearNews(got, now)
	}
	e.lane.Seal(e.sealed.Load())
	for _, heard := range e.lane.Tick(now) {
		e.hearLane(ctx, heard, now)
	}
	e.settleSegments(now)
}

// tellEvent leaves an event for the listener.
func (e *Ear) tellEvent(event Event) {
	event.Speaker = e.speaker
	e.outbox.putEvent(event)
}

// Package simulate finds out how many tables this machine carries: it plays
// many at once, each with players who talk and NPCs who answer, and measures
// whether their sound comes in time.
//
// Tables, ears, lanes, floors, mixers, the session log, the tools, the way of a
// voice's sound and the codec are the real ones. Simulated are the players,
// whose packets carry generated speech, and the providers of transcripts,
// answers and voices, which take the time that services take and no network.
// Players and providers run in the same process, so what they cost is part of
// what is measured. Over Discord the connections to voice channels are real, too,
// and the players are in another process, with the voice server. In browsers those of
// WebRTC are real, and the players are in another process.
//
// It reaches no network but loopback and keeps nothing but what Parts keep and the files that
// a Command names.
package simulate

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

var (
	// ErrNoFrames means that no NPC was heard, so that nothing is known of how
	// late its sound was.
	ErrNoFrames = errors.New("no frame of sound was measured")
	// ErrInterrupted means that the end came before any NPC was heard.
	ErrInterrupted = errors.New("interrupted before anything was measured")
)

// Parts are what all tables share, as in a real process. They stay the
// caller's, who closes them after Run.
type Parts struct {
	// Host has the tool "roll".
	Host *mcphost.Host
	// Log keeps what is said.
	Log memory.SessionLog
	// Graph is the world the NPCs know.
	Graph hotctx.Graph
}

// Options adjust a simulation. The zero value simulates ordinary providers
// without a codec.
type Options struct {
	// Library encodes the NPCs' sound and the players', and decodes the latter.
	// If nil, packets carry frames, and nothing is encoded.
	Library *opus.Library
	// Detection tells the players' voices from noise; it stays the caller's. If nil,
	// it is energy.
	Detection *providers.Detection
	// Seed makes the players' and providers' chances repeat themselves; how
	// goroutines interleave does not.
	Seed uint64
	// Transcript is from the end of an utterance to its transcript, Model to
	// the first piece of an answer, Voice to the first sound of a sentence. If
	// zero, 150 ms (99 %: 350 ms), 400 ms (1.5 s) and 180 ms (600 ms), as of
	// fast services over the internet.
	Transcript, Model, Voice Latency
	// Opener is to the first sentence of a fast model, Speech to the first sound of a
	// speech-to-speech model. If zero, 220 ms (600 ms) and 320 ms (900 ms).
	Opener, Speech Latency
	// Discord has the tables play in voice channels, Browser in browsers, for each of which
	// Library is needed; one of them at most is set. If both are nil, sound goes from one to
	// the other as it is.
	Discord *Discord
	Browser *Browser
	// Tell is told how it goes, every ten seconds or so, by one goroutine at a
	// time. If nil, nobody is.
	Tell func(string)

	far front // runs; nil where the players are here
}

func (o *Options) withDefaults() *Options {
	var opts Options
	if o != nil {
		opts = *o
	}
	orDefault := func(l *Latency, p50, p99 time.Duration) {
		if *l == (Latency{}) {
			*l = Latency{p50, p99}
		}
	}
	orDefault(&opts.Transcript, 150*time.Millisecond, 350*time.Millisecond)
	orDefault(&opts.Model, 400*time.Millisecond, 1500*time.Millisecond)
	orDefault(&opts.Voice, 180*time.Millisecond, 600*time.Millisecond)
	orDefault(&opts.Opener, 220*time.Millisecond, 600*time.Millisecond)
	orDefault(&opts.Speech, 320*time.Millisecond, 900*time.Millisecond)
	if opts.Tell == nil {
		opts.Tell = func(string) {}
	}
	return &opts
}

// Result is what a simulation came to.
type Result struct {
	Report Report
	// Points are what was measured over time, X in minutes.
	Points []Point
}

// Run simulates load. It returns when its time is over, and early, with what
// was measured so far, when ctx ends; by then all it started has ended. It
// fails with [ErrNoFrames], and a result all the same, if no NPC was heard, with
// [ErrInterrupted], and a result unless the tables were still being set up, if
// that is because ctx ended. Other errors are those of parts and tables, or say
// what is wrong with load.
func Run(ctx context.Context, load Load, parts Parts, o *Options) (*Result, error) {
	if err := load.Check(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	if o.Discord != nil || o.Browser != nil {
		return simulateWithFarEnd(ctx, load, parts, o)
	}
	o.Tell("making the players' voices")
	p, err := newPool(ctx, o.Library)
	switch {
	case ctx.Err() != nil:
		return nil, ErrInterrupted
	case err != nil:
		return nil, err
	}
	return simulate(ctx, load, parts, o, p)
}

// simulateWithFarEnd is Run where the players are elsewhere.
func simulateWithFarEnd(ctx context.Context, load Load, parts Parts, o *Options) (result *Result, err error) {
	if o.far, err = openFront(ctx, load, o); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, o.far.close()) }()
	p, err := newLocalPool(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, ErrInterrupted
	case err != nil:
		return nil, err
	}
	return simulate(ctx, load, parts, o, p)
}

// simulate is Run with options and sound at hand.
func simulate(ctx context.Context, load Load, parts Parts, o *Options, p *pool) (*Result, error) {
	m := newMeter(newTally(), load.Duration, o.Tell)
	var sittings []*sitting
	named := load.Engines.assignEngines(load.Tables * load.NPCs)
	m.tally.addNPCs(named)
	for n := range load.Tables {
		s, err := newSitting(ctx, n, load, named[n*load.NPCs:(n+1)*load.NPCs], parts, o, p, m)
		switch {
		case ctx.Err() != nil:
			return nil, ErrInterrupted
		case err != nil:
			return nil, err
		}
		sittings = append(sittings, s)
	}
	r := Report{Tables: load.Tables, Players: load.Players, NPCs: load.NPCs, Seed: o.Seed, Codec: codec(o.Library), Detection: config.DetectionEnergy}
	debug.FreeOSMemory() // what an earlier simulation left behind is none of this one's memory
	if o.Library == nil {
		r.Remarks = append(r.Remarks, "libopus is missing: nothing was encoded or decoded, so real tables cost more")
	}
	if d := o.Detection; d != nil {
		if r.Detection = d.Name(); d.Missing() != nil {
			r.Remarks = append(r.Remarks, fmt.Sprintf("energy told voice from noise, which is cheaper than what is preferred: %v", d.Missing()))
		}
	}
	if err := playTables(ctx, load.Duration, sittings, m, o.far, &r); err != nil {
		return nil, err
	}
	result := &Result{r, m.points}
	switch {
	case r.Frames > 0:
	case r.Interrupted:
		return result, ErrInterrupted
	default:
		return result, ErrNoFrames
	}
	return result, nil
}

func codec(lib *opus.Library) string {
	if lib == nil {
		return "none"
	}
	return lib.Version()
}

// playTables runs the sittings for d or until ctx ends, and stores in r what was
// measured meanwhile. It waits for them.
func playTables(ctx context.Context, d time.Duration, sittings []*sitting, m *meter, far front, r *Report) error {
	// The tables outlive ctx, so that their end is no part of the report.
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	tables, running := errgroup.WithContext(life)
	var seated sync.WaitGroup
	begin := make(chan struct{})
	for _, s := range sittings {
		seated.Add(1)
		done := sync.OnceFunc(seated.Done)
		tables.Go(func() error {
			defer done() // also of one that failed
			return s.playTable(running, done, begin)
		})
	}
	seated.Wait()
	if err := beginMeasuring(ctx, m, far); err != nil {
		stop()
		return errors.Join(err, tables.Wait())
	}
	close(begin)
	sampling, enough := context.WithCancel(running)
	var sampler sync.WaitGroup
	sampler.Go(func() { m.sampleRegularly(sampling) })
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		r.Interrupted = true
	case <-running.Done():
	}
	enough()
	sampler.Wait()
	m.addToReport(r)
	for _, s := range sittings {
		st := s.stats()
		r.Packets += st.Packets.Packets
		r.DroppedPackets += st.Packets.Dropped
	}
	var reported error
	if far != nil {
		reported = far.addToReport(r, m)
	}
	stop()
	return errors.Join(reported, tables.Wait())
}

// beginMeasuring begins to measure, here and at the far end, once all players are there.
func beginMeasuring(ctx context.Context, m *meter, far front) error {
	if far == nil {
		m.beginMeasuring()
		return nil
	}
	if err := far.awaitPlayers(ctx); err != nil {
		return err
	}
	m.beginMeasuring()
	return far.order(farOrder{Measure: measureBegin})
}

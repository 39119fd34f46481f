// Package simulate measures how many tables this machine can run: it plays many
// at once, each with players who talk and NPCs that answer, and measures
// whether their sound is on time.
//
// Tables, ears, lanes, floors, mixers, the session log, the tools, the path of
// a voice's sound and the codec are the real ones. The players are simulated,
// with generated speech in their packets, and so are the providers of
// transcripts, answers and voices, which have the latency of services but use
// no network. Players and providers run in the same process, so the
// measurements include their cost. Over Discord the connections to voice
// channels are real, too, and the players are in another process, with the
// voice server. In browsers the WebRTC connections are real, and the players
// are in another process.
//
// It uses no network but loopback, and stores only the data of Parts and the
// files that a Command names.
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
	// ErrNoFrames means that no NPC was heard, so that the lateness of sound is
	// unknown.
	ErrNoFrames = errors.New("no frame of sound was measured")
	// ErrInterrupted means that the simulation ended before any NPC was heard.
	ErrInterrupted = errors.New("interrupted before anything was measured")
)

// Parts are shared by all tables, as in a real process. The caller owns them
// and closes them after Run.
type Parts struct {
	// Host has the tool "roll".
	Host *mcphost.Host
	// Log stores the lines.
	Log memory.SessionLog
	// Graph is the NPCs' world.
	Graph hotctx.Graph
}

// Options configure a simulation. The zero value simulates ordinary providers
// without a codec.
type Options struct {
	// Library encodes the sound of NPCs and players, and decodes the players'.
	// If nil, packets contain unencoded frames.
	Library *opus.Library
	// Detection is the voice detector, owned by the caller. If nil, it is
	// energy.
	Detection *providers.Detection
	// Seed makes the random choices of players and providers repeatable, but
	// not the scheduling of goroutines.
	Seed uint64
	// Transcript runs from the end of an utterance to its transcript, Model to
	// the first piece of an answer, Voice to the first sound of a sentence.
	// Zero means 150 ms (99 %: 350 ms), 400 ms (1.5 s) and 180 ms (600 ms),
	// like fast services over the internet.
	Transcript, Model, Voice Latency
	// Opener runs to the first sentence of a fast model, Speech to the first
	// sound of a speech-to-speech model. Zero means 220 ms (600 ms) and 320 ms
	// (900 ms).
	Opener, Speech Latency
	// Discord makes the tables play in voice channels, Browser in browsers;
	// each needs Library, and at most one may be set. If both are nil, sound
	// stays in this process.
	Discord *Discord
	Browser *Browser
	// Tell, if not nil, receives a progress message about every ten seconds,
	// one call at a time.
	Tell func(string)

	far front // running; nil if the players are in this process
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

// Result is the result of a simulation.
type Result struct {
	Report Report
	// Points are the measurements over time, X in minutes.
	Points []Point
}

// Run simulates load. It returns when its time is over, or with the
// measurements so far when ctx ends; by then all its goroutines have ended. If
// no NPC was heard, it returns a result and [ErrNoFrames], or [ErrInterrupted]
// if ctx ended; an interruption during the setup of the tables gives no result.
// Other errors come from parts and tables, or say why load is invalid.
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

// simulateWithFarEnd is Run with the players elsewhere.
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

// simulate is Run with options and sound prepared.
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
	debug.FreeOSMemory() // memory of an earlier simulation must not count for this one
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

// playTables runs the sittings for d or until ctx ends, and stores the
// measurements in r. It waits for them.
func playTables(ctx context.Context, d time.Duration, sittings []*sitting, m *meter, far front, r *Report) error {
	// The tables outlive ctx, so that their shutdown does not count in the
	// report.
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	tables, running := errgroup.WithContext(life)
	var seated sync.WaitGroup
	begin := make(chan struct{})
	for _, s := range sittings {
		seated.Add(1)
		done := sync.OnceFunc(seated.Done)
		tables.Go(func() error {
			defer done() // also for one that failed
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

// beginMeasuring starts measuring, here and at the far end, when all players
// are present.
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

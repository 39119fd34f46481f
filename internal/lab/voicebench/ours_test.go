package voicebench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

const (
	// voiced is the length of a player's speech.
	voiced = 240 * time.Millisecond
	// patience bounds every wait within a turn.
	patience = 10 * time.Second
)

const npcName, player = "Bart", "Alice"

var (
	// errLate says that an expected event did not come.
	errLate = errors.New("nothing for ten seconds")
	// errStarved says that the player could not speak fluently, so that one
	// utterance may have become two.
	errStarved = errors.New("this machine has no time for the player")
)

// room is a table of the product with one NPC and one player.
type room struct {
	*table.Table
	plan   plan
	script *script
	outlet *outlet
	ended  chan struct{} // turns that ended
	seat   *table.Seat   // nil if the player types
}

// Emit implements table.Sink.
func (r *room) Emit(e table.Event) {
	if _, ok := e.(*table.TurnEnded); ok {
		r.ended <- struct{}{}
	}
}

// memories are a table's stores.
type memories struct {
	log     memory.SessionLog
	graph   hotctx.Graph
	session memory.Session
}

// newRoom creates a table whose NPC uses an engine.
func newRoom(p plan, host *mcphost.Host, kept memories, with func(*script) engine.Engine) *room {
	r := &room{plan: p, script: newScript(p), outlet: &outlet{first: make(chan time.Time, 1)}, ended: make(chan struct{}, 4)}
	npc := config.DefaultNPC()
	npc.ID, npc.Name, npc.Personality, npc.BudgetTier = "bart", npcName, p.Persona, mcp.BudgetFast
	cfg, endpoint := config.Default(), p.endpoint()
	r.Table = table.New(table.Options{
		Agents: []*agent.Agent{agent.New(npc, agent.Options{History: cfg.Memory.History})},
		Engine: with(r.script), Host: host,
		Log: kept.log, Context: hotctx.New(kept.log, kept.graph), Session: kept.session,
		Sink: r, Latency: cfg.Latency, RecentLines: cfg.Memory.RecentLines,
		Voices: r.script, Outlet: r.outlet, Hearing: transcriber{r.script},
		Lane: ear.LaneOptions{MinEndpoint: endpoint, MaxEndpoint: endpoint, Merge: -1},
	})
	return r
}

// ask lets the player say the plan's utterance and returns the time of its
// final transcript.
func (r *room) ask(ctx context.Context) (time.Time, error) {
	r.script.waited.Store(0)
	if r.seat == nil {
		now := time.Now()
		return now, r.Hear(ctx, table.Utterance{Speaker: player, Text: r.plan.Utterance})
	}
	frame := audio.Frame(tone(150))
	begin := time.Now()
	last := begin
	for k := range int(voiced / audio.FrameDuration) {
		if err := sleep(ctx, time.Until(begin.Add(time.Duration(k)*audio.FrameDuration))); err != nil {
			return time.Time{}, err
		}
		now := time.Now()
		if now.Sub(last) > r.plan.endpoint()/2 {
			return time.Time{}, errStarved
		}
		last = now
		r.seat.Push(ear.Packet{Seq: uint16(k), Frame: &frame})
	}
	return await(ctx, r.script.finals, "final transcript")
}

// turn is one utterance, its answer and the interruption of the answer.
func (r *room) turn(ctx context.Context) (first, waited, cleared, wire float64, err error) {
	fail := func(err error) (float64, float64, float64, float64, error) { return 0, 0, 0, 0, err }
	r.outlet.armed.Store(true)
	said, err := r.ask(ctx)
	if err != nil {
		return fail(err)
	}
	heard, err := await(ctx, r.outlet.first, "frame")
	if err != nil {
		return fail(err)
	}
	took := time.Duration(r.script.waited.Load())
	if err := sleep(ctx, time.Duration(r.plan.HearMS*float64(time.Millisecond))); err != nil {
		return fail(err)
	}
	cut := time.Now()
	silent, err := r.silence(ctx)
	if err != nil {
		return fail(err)
	}
	last := max(0, r.outlet.last.Load().Sub(cut))
	return millis(heard.Sub(said)), millis(took), millis(silent), millis(last), nil
}

// silence interrupts the answer and waits until its turn has ended. It returns
// the time until the output was empty.
func (r *room) silence(ctx context.Context) (time.Duration, error) {
	cut := time.Now()
	if _, err := r.Mute(ctx, npcName, true); err != nil {
		return 0, err
	}
	silent := time.Since(cut)
	if _, err := await(ctx, r.ended, "end of the turn"); err != nil {
		return 0, err
	}
	if err := sleep(ctx, 2*audio.FrameDuration); err != nil { // the fade goes out with the next frame
		return 0, err
	}
	_, err := r.Mute(ctx, npcName, false)
	return silent, err
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// await receives from c, within patience.
func await[T any](ctx context.Context, c <-chan T, what string) (T, error) {
	var none T
	select {
	case v := <-c:
		return v, nil
	case <-time.After(patience):
		return none, fmt.Errorf("waiting for the %s: %w", what, errLate)
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// play plays a plan on our side. The tunings are "typed", where players type,
// "spoken", where they speak, and "disk", which is "spoken" with the product's
// database instead of a transcript in memory.
func play(ctx context.Context, p plan) (report, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	runtime.GC()
	base, err := residentMB()
	if err != nil {
		return report{}, err
	}
	host := mcphost.New()
	kept, forget, err := remember(ctx, p)
	if err != nil {
		return report{}, err
	}
	rooms := make([]*room, len(p.Starts))
	var running sync.WaitGroup
	for i := range rooms {
		rooms[i] = newRoom(p, host, kept[i], func(s *script) engine.Engine { return engine.NewCascaded(model{s}, nil) })
		running.Go(func() { _ = rooms[i].Run(ctx) }) // ends with ctx, without an error
	}
	r, err := playAll(ctx, p, rooms)
	r.BaseMB = base
	cancel()
	running.Wait()
	return r, errors.Join(err, host.Close(), forget())
}

// remember gives each table of a plan its memories. forget closes them.
func remember(ctx context.Context, p plan) (kept []memories, forget func() error, err error) {
	kept = make([]memories, len(p.Starts))
	if p.Tuning != "disk" {
		for i := range kept {
			kept[i] = memories{&journal{}, nowhere{}, memory.Session{ID: fmt.Sprint("s", i)}}
		}
		return kept, func() error { return nil }, nil
	}
	dir, err := os.MkdirTemp("", "voicebench")
	if err != nil {
		return nil, nil, err
	}
	store, err := sqlite.Open(ctx, filepath.Join(dir, "memory.db"), nil)
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	live, err := world.Open(ctx, store, world.Options{})
	if err != nil {
		return nil, nil, errors.Join(err, store.Close(), os.RemoveAll(dir))
	}
	forget = func() error { return errors.Join(store.Close(), os.RemoveAll(dir)) }
	for i := range kept {
		session, err := store.StartSession(ctx, "bench")
		if err != nil {
			return nil, nil, errors.Join(err, forget())
		}
		kept[i] = memories{store, world.Graph{World: live, Finder: store}, session}
	}
	return kept, forget, nil
}

// playAll warms the rooms up and plays the counted turns.
func playAll(ctx context.Context, p plan, rooms []*room) (report, error) {
	if p.Tuning != "typed" {
		for _, r := range rooms {
			seat, err := r.Join(ctx, player, nil)
			if err != nil {
				return report{}, err
			}
			r.seat = seat
		}
	}
	if _, err := playPart(ctx, rooms, p.Warm); err != nil {
		return report{}, err
	}
	if err := sleep(ctx, time.Duration(p.RestMS*float64(time.Millisecond))); err != nil {
		return report{}, err
	}
	runtime.GC()
	before, err := cpuSeconds()
	if err != nil {
		return report{}, err
	}
	began := time.Now()
	r, err := playPart(ctx, rooms, p.Starts)
	if err != nil {
		return report{}, err
	}
	r.WallS = time.Since(began).Seconds()
	after, err := cpuSeconds()
	if err != nil {
		return report{}, err
	}
	r.CPUS = after - before
	if r.RSSMB, err = residentMB(); err != nil {
		return report{}, err
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	r.HeapMB = float64(m.HeapAlloc) / (1 << 20)
	return r, nil
}

// playPart plays the turns of all rooms at once.
func playPart(ctx context.Context, rooms []*room, starts [][]float64) (report, error) {
	var (
		mu     sync.Mutex // guards all and failed
		all    report
		failed error
		wg     sync.WaitGroup
	)
	origin := time.Now()
	for i, r := range rooms {
		wg.Go(func() {
			one, err := r.play(ctx, origin, starts[i])
			mu.Lock()
			defer mu.Unlock()
			failed = errors.Join(failed, err)
			all.First, all.Waited = append(all.First, one.First...), append(all.Waited, one.Waited...)
			all.Cleared, all.Wire = append(all.Cleared, one.Cleared...), append(all.Wire, one.Wire...)
			all.Late += one.Late
		})
	}
	wg.Wait()
	return all, failed
}

// play plays the turns of one room, due at starts, in milliseconds after
// origin.
func (r *room) play(ctx context.Context, origin time.Time, starts []float64) (report, error) {
	var all report
	for _, start := range starts {
		until := time.Until(origin.Add(time.Duration(start * float64(time.Millisecond))))
		if until < -time.Millisecond {
			all.Late++
		}
		if err := sleep(ctx, until); err != nil {
			return all, err
		}
		first, waited, cleared, wire, err := r.turn(ctx)
		if err != nil {
			return all, err
		}
		all.First, all.Waited = append(all.First, first), append(all.Waited, waited)
		all.Cleared, all.Wire = append(all.Cleared, cleared), append(all.Wire, wire)
	}
	return all, nil
}

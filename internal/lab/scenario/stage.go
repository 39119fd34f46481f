package scenario

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tier"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// stage is a table with everything around it for one scene. It owns the
// goroutines of the table and of the players' microphones; close ends them.
type stage struct {
	scene       *Scene
	rec         *record
	wire        *wire
	table       *table.Table
	host        *mcphost.Host
	store       *sqlite.Store
	info        memory.Session
	dir         string
	answering   *answering
	microphones map[string]*microphone
	stop        context.CancelFunc
	goroutines  sync.WaitGroup
	run         error // of the table, once goroutines are done

	mu    sync.Mutex // guards seats
	seats map[string]*table.Seat
}

// openStage builds the stage. ready holds the NPCs' synthesised sentences, if
// there is a synthesiser.
func openStage(s *Scene, o *Options, ready map[string][]int16) (_ *stage, err error) {
	st := &stage{scene: s, rec: newRecord(), microphones: map[string]*microphone{}, seats: map[string]*table.Seat{}}
	st.wire = newWire(st.rec, o.Keep)
	for i, p := range s.players() {
		st.microphones[p.Name] = newMicrophone(p, st.rec, seed(s.Title)+uint64(i))
	}
	st.wire.hear = func(now time.Time, f *audio.Frame, npc, text string) {
		for _, m := range st.microphones {
			m.overhear(now, f, npc, text)
		}
	}
	if st.dir, err = scratch(); err != nil {
		return nil, fmt.Errorf("setting the stage: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	st.stop = stop
	if err := st.makeTable(ctx, &speaker{script: s.Voice, rec: st.rec, wire: st.wire, synth: o.Speech, ready: ready}); err != nil {
		return nil, errors.Join(fmt.Errorf("setting the stage: %w", err), st.closeStage())
	}
	st.goroutines.Go(func() { st.run = st.table.Run(ctx) })
	for _, m := range st.microphones {
		st.goroutines.Go(func() { m.sendPackets(ctx) })
	}
	return st, nil
}

// memoryDisk returns a file system in memory if there is one, because the
// database waits for the disk after each turn, and no scene is about that.
const memoryDisk = "/dev/shm"

// scratch creates a directory for the files of one scene: in the environment's
// directory for temporary files, else in memory, else in the system's.
func scratch() (string, error) {
	const name = "glyphoxa-scene-"
	if os.Getenv("TMPDIR") == "" {
		if dir, err := os.MkdirTemp(memoryDisk, name); err == nil {
			return dir, nil
		}
	}
	return os.MkdirTemp("", name)
}

// makeTable creates the table and its dependencies.
func (st *stage) makeTable(ctx context.Context, voices *speaker) (err error) {
	s := st.scene
	if st.store, err = sqlite.Open(ctx, filepath.Join(st.dir, "scene.db"), nil); err != nil {
		return err
	}
	if st.info, err = st.store.StartSession(ctx, s.Title); err != nil {
		return err
	}
	st.host = mcphost.New()
	if err := registerTools(st.host, s.Tools, st.rec); err != nil {
		return err
	}
	var keyterms []string
	for _, n := range s.NPCs {
		keyterms = append(append(keyterms, n.Name), n.Aliases...)
	}
	listening, err := address.ParseListening(s.Table.Listening)
	if err != nil {
		return err
	}
	st.answering = newAnswering(st, voices)
	defaults := config.Default()
	st.table = table.New(table.Options{
		Agents: agents(s, defaults.Memory.History), Host: st.host, Log: st.store, Context: hotctx.New(st.store, st.store),
		Engine: engine.NewGuarded(st.answering, &engine.GuardedOptions{Languages: s.Languages, Tools: st.toolNames, MaxSpeech: time.Duration(config.Default().Voice.MaxSpeech)}), Listener: st.answering.listener(), Hurries: s.Model.Hurried > 0,
		Voices: voices, Outlet: st.wire,
		Hearing: newRecogniser(s.STT, st.rec, func(speaker string) *rig.Words { return st.wordsOf(strings.TrimSuffix(speaker, hotctx.PlayerMark)) }),
		Expect:  stt.Options{Language: s.Languages[0], Keyterms: keyterms, Interim: s.STT.Interims},
		Sink:    st.rec, Session: st.info, Latency: s.Latency, Languages: s.Languages, RecentLines: defaults.Memory.RecentLines,
		Listening: listening,
		Leads:     s.Table.Leads,
	})
	return nil
}

// toolNames are the names of the scene's tools.
func (st *stage) toolNames() (names []string) {
	for _, t := range st.scene.Tools {
		names = append(names, t.Name)
	}
	return names
}

// wordsOf returns a player's words, or nil for an unknown name.
func (st *stage) wordsOf(player string) *rig.Words {
	if m := st.microphones[player]; m != nil {
		return &m.words
	}
	return nil
}

// agents prepares the NPCs of a scene, or only those with the given names.
func agents(s *Scene, history int, only ...string) []*agent.Agent {
	var all []*agent.Agent
	for _, n := range s.NPCs {
		if len(only) > 0 && !slices.ContainsFunc(only, func(name string) bool { return isCalled(n, name) }) {
			continue
		}
		opts := []tier.Option{tier.WithMinDeepInterval(time.Duration(s.Latency.MinDeepInterval))}
		if k := s.Latency.DeepKeywords; len(k) > 0 {
			opts = append(opts, tier.WithDeepKeywords(k...))
		}
		if k := s.Latency.StandardKeywords; len(k) > 0 {
			opts = append(opts, tier.WithStandardKeywords(k...))
		}
		all = append(all, agent.New(n, agent.Options{Selector: tier.NewSelector(opts...), History: history, Language: s.Languages[0]}))
	}
	return all
}

// seed returns a constant random seed for each scene.
func seed(title string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(title)) // cannot fail
	return h.Sum64()
}

// players returns the players with a voice, in the order of their names in the
// scene.
func (s *Scene) players() []Player {
	out := slices.Clone(s.Players)
	for _, step := range s.Story {
		known := slices.ContainsFunc(out, func(p Player) bool { return p.Name == step.Who })
		if step.Who != "" && !known {
			out = append(out, Player{Name: step.Who})
		}
	}
	for i := range out {
		if out[i].Pitch == 0 {
			out[i].Pitch = []float64{120, 195, 150, 230, 105, 260}[i%6]
		}
		if out[i].Level == 0 {
			out[i].Level = defaultLevel
		}
	}
	return out
}

// voiced reports whether a player speaks aloud in the scene.
func (s *Scene) voiced(player string) bool {
	return slices.ContainsFunc(s.Story, func(step Step) bool {
		return step.Who == player && (step.Says != "" || step.Makes != "")
	}) || slices.ContainsFunc(s.Players, func(p Player) bool { return p.Name == player })
}

// seatPlayer seats a player, who is heard from then on.
func (st *stage) seatPlayer(ctx context.Context, player string) error {
	seat, err := st.table.Join(ctx, player, nil)
	if err != nil {
		return err
	}
	st.mu.Lock()
	st.seats[player] = seat
	st.mu.Unlock()
	st.microphones[player].connectSeat(seat)
	return nil
}

// removePlayer removes a player, even during a word.
func (st *stage) removePlayer(player string) error {
	st.mu.Lock()
	seat := st.seats[player]
	delete(st.seats, player)
	st.mu.Unlock()
	if seat == nil {
		return fmt.Errorf("%s is not there", player)
	}
	st.microphones[player].connectSeat(nil)
	seat.Leave()
	return nil
}

// transcript returns the stored lines, as "Name: text", and those of NPCs
// alone.
func (st *stage) transcript() (all []string, npcs []memory.Line, err error) {
	lines, err := st.store.Recent(context.Background(), st.info.ID, 10_000)
	for _, l := range lines {
		all = append(all, l.Speaker+": "+l.Text)
		if l.NPC != "" {
			npcs = append(npcs, l)
		}
	}
	return all, npcs, err
}

// stopTable stops the table and the players, and waits for them. It reports
// false if that takes longer than grace.
func (st *stage) stopTable(grace time.Duration) bool {
	st.stop()
	over := make(chan struct{})
	go func() { st.goroutines.Wait(); close(over) }()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-over:
		return true
	case <-timer.C:
		return false
	}
}

// closeStage releases the stage's resources, after stopTable.
func (st *stage) closeStage() error {
	st.stop()
	var errs []error
	if st.answering != nil {
		st.answering.Close()
	}
	if st.host != nil {
		errs = append(errs, st.host.Close())
	}
	if st.store != nil {
		errs = append(errs, st.store.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(st.dir))...)
}

package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine/cascaded"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/mcp/tier"
	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	llmchain "github.com/MrWong99/glyphoxa/pkg/provider/llm/chain"
	sttchain "github.com/MrWong99/glyphoxa/pkg/provider/stt/chain"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/chain"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/phrases"
)

// SessionOptions is what a table in the terminal is started with.
type SessionOptions struct {
	// NPC leaves one NPC at the table if not empty.
	NPC string
	// WAV is a file that takes the voices; Aloud plays them.
	WAV   string
	Aloud bool
	// Heard says that players will be heard, so that the voices keep to their
	// time even in a file.
	Heard bool
	Sink  table.Sink
	// Tell is told, at any time and by any goroutine, what people should know;
	// level is as in [table.Notice]. If nil, nobody is.
	Tell func(level, text string)
	// Resume is the session that goes on. Without an id, another begins.
	Resume memory.Session
}

func (o SessionOptions) tell(level, text string) {
	if o.Tell != nil {
		o.Tell(level, text)
	}
}

// Session is one sitting at a table: the table and all that makes it speak.
type Session struct {
	Table *table.Table
	// Notices are what people should know before the first line.
	Notices []string

	app     *App
	only    string // the NPC at the table; empty if all are
	info    memory.Session
	voice   *voice
	sinks   sinks
	indexer *indexer
	stop    context.CancelFunc
	done    chan error
	warming sync.WaitGroup // of connections; ends with stop
}

// StartSession opens a session and runs its table. Close ends both.
func (a *App) StartSession(ctx context.Context, o SessionOptions) (*Session, error) {
	m, scripted, err := model(a.client, a.Config.Providers.LLM, func(s llmchain.Switch) {
		a.log.Warn("changing the model", "from", s.From, "to", s.To, "reason", s.Reason)
		o.tell("warning", changeOfModel(s))
	})
	if err != nil {
		return nil, Usage(err)
	}
	cast, err := chosen(a.present(), o.NPC)
	if err != nil {
		return nil, Usage(err)
	}
	s := &Session{app: a, only: o.NPC, done: make(chan error, 1)}
	if scripted {
		s.Notices = append(s.Notices, "the NPCs are scripted: no language model is configured. "+
			"Set OPENAI_API_KEY, or providers.llm.base_url and model in glyphoxa.yaml, for a real one (any OpenAI-compatible server will do).")
	}
	playback, err := a.voices(s, o, cast)
	if err != nil {
		return nil, err
	}
	if s.info, err = a.begin(ctx, o.Resume); err != nil {
		return nil, errors.Join(fmt.Errorf("starting a session: %w", err), s.voice.Close(), s.sinks.Close())
	}
	s.indexer = newIndexer(a.Store, a.log)
	t := table.Options{
		Agents: a.agents(cast, &s.Notices), Engine: cascaded.New(m, tuning(a.Config.Providers.LLM)), Host: a.Host,
		Log: s.indexer, Context: hotctx.New(a.Store, world.Graph{World: a.Live, Finder: a.Store}), Sink: metered(o.Sink, a.metrics), Playback: playback, Hurries: canHurry(m),
		Session: s.info, Scene: a.scenery, Latency: a.Config.Latency, Languages: a.Config.Language, RecentLines: a.Config.Memory.RecentLines, Logger: a.log,
	}
	if len(s.sinks) > 0 {
		t.Voices, t.Outlet = s.voice, s.sinks
	}
	if playback.Unpaced {
		t.Floor.Gap = -1 // its time is not that of those who hear it
	}
	if err := a.ears(&t, o); err != nil {
		return nil, errors.Join(err, s.abandon(ctx))
	}
	s.Table = table.New(t)
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	go func() { s.done <- s.Table.Run(run) }()
	used := []any{m}
	if t.Voices != nil {
		used = append(used, s.voice)
	}
	s.warming.Go(func() { warm(run, a.log, used...) })
	return s, nil
}

// begin opens a session, or the one that goes on.
func (a *App) begin(ctx context.Context, resume memory.Session) (memory.Session, error) {
	if resume.ID == "" {
		return a.Store.StartSession(ctx, a.Config.Campaign.Name)
	}
	resume.Ended = time.Time{}
	return resume, a.Store.Reopen(ctx, resume.ID)
}

// ears lets the table hear, if there is speech recognition.
func (a *App) ears(t *table.Options, o SessionOptions) error {
	p, err := hearing(a.Config.Providers.STT, func(s sttchain.Switch) {
		a.log.Warn("changing the ears", "from", s.From, "to", s.To, "reason", s.Reason)
		o.tell("warning", changeOfEars(s))
	})
	switch {
	case errors.Is(err, errDeaf):
		return nil
	case err != nil:
		return Usage(err)
	}
	t.Hearing = p
	now := *a.Config
	now.NPCs = a.present()
	t.Expect, err = expected(&now)
	t.Expect.Interim = true
	return err
}

// canHurry reports whether a model has a faster one to fall back on.
func canHurry(m llm.Provider) bool {
	c, ok := m.(interface{ CanHurry() bool })
	return ok && c.CanHurry()
}

// abandon undoes what was started for a session whose table never ran.
func (s *Session) abandon(ctx context.Context) error {
	s.indexer.close()
	return errors.Join(s.voice.Close(), s.sinks.Close(), s.app.Store.EndSession(ctx, s.info.ID))
}

// Close ends the table, then the voices and the session.
func (s *Session) Close() error {
	s.stop()
	err := <-s.done
	s.warming.Wait()
	s.indexer.close()
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	return errors.Join(err, s.voice.Close(), s.sinks.Close(), s.app.Store.EndSession(ctx, s.info.ID))
}

// scene is what is going on until someone sets another.
func (a *App) scene() string {
	if a.Config.Campaign.Scene != "" {
		return a.Config.Campaign.Scene
	}
	if a.World != nil {
		return a.World.Scene
	}
	return ""
}

// scenery is what is going on now, also if another process says so.
func (a *App) scenery() string {
	ctx, cancel := context.WithTimeout(a.life, time.Second)
	defer cancel()
	if err := a.Live.Refresh(ctx); err != nil && a.life.Err() == nil {
		a.log.Warn("reading the scene", "reason", err)
	}
	return a.Live.Scene()
}

// chosen returns the NPCs at the table: all, or the one asked for.
func chosen(all []config.NPC, only string) ([]config.NPC, error) {
	if len(all) == 0 {
		return nil, errors.New("there are no NPCs; add some under npcs, or set npcs_dir")
	}
	if only == "" {
		return all, nil
	}
	i, err := table.Lookup(all, only)
	if err != nil {
		return nil, fmt.Errorf("--npc: %w", err)
	}
	return all[i : i+1], nil
}

// agents makes the NPCs ready to be spoken to.
func (a *App) agents(cast []config.NPC, notices *[]string) []*agent.Agent {
	var all []*agent.Agent
	var others []string
	for _, n := range cast {
		opts := []tier.Option{tier.WithMinDeepInterval(time.Duration(a.Config.Latency.MinDeepInterval))}
		if k := a.Config.Latency.DeepKeywords; len(k) > 0 {
			opts = append(opts, tier.WithDeepKeywords(k...))
		}
		if k := a.Config.Latency.StandardKeywords; len(k) > 0 {
			opts = append(opts, tier.WithStandardKeywords(k...))
		}
		language := ""
		if len(a.Config.Language) > 0 {
			language = a.Config.Language[0]
		}
		all = append(all, agent.New(n, agent.Options{
			Selector: tier.NewSelector(opts...), History: a.Config.Memory.History, Language: language,
		}))
		if n.Engine != config.EngineCascaded {
			others = append(others, fmt.Sprintf("%s (%s)", n.Name, n.Engine))
		}
	}
	if len(others) > 0 {
		slices.Sort(others)
		*notices = append(*notices, "these NPCs speak through the cascaded engine, since no other is available: "+strings.Join(others, ", "))
	}
	return all
}

// lead is how much sound a player on this machine is given before its time: it
// has a buffer of its own, which must not run dry.
const lead = 200 * time.Millisecond

// voices gives the session its voices and opens where they are heard.
func (a *App) voices(s *Session, o SessionOptions, cast []config.NPC) (mixer.Options, error) {
	v := &voice{}
	s.voice = v
	if len(a.Config.Language) > 0 {
		v.language = a.Config.Language[0]
	}
	var kept []string
	for _, npc := range cast {
		for _, line := range stockLines(npc, stock...) {
			kept = append(kept, v.spoken(npc, line))
		}
	}
	chained := a.Config.Providers.TTS
	provider, missing, err := voiceProvider(a.client, chained, phrases.New(kept, nil), func(s chain.Switch) {
		a.log.Warn("changing the voice", "from", s.From, "to", s.To, "reason", s.Reason)
		o.tell("warning", changeOfVoice(s))
	})
	if err != nil {
		return mixer.Options{}, Usage(err)
	}
	v.provider = provider
	if o.WAV == "" && !o.Aloud {
		return mixer.Options{}, nil
	}
	switch why := strings.Join(missing, "; "); {
	case provider.Name() == silentName:
		s.Notices = append(s.Notices, "the NPCs have no voice: "+cmp.Or(why, "providers.tts is silent"))
	case why != "":
		s.Notices = append(s.Notices, "nobody takes over from "+provider.Name()+": "+why)
	}
	playback := mixer.Options{Unpaced: !o.Heard} // a file takes sound as fast as it is made
	if o.WAV != "" {
		w, err := createWAV(o.WAV)
		if err != nil {
			return mixer.Options{}, err
		}
		s.sinks = append(s.sinks, w)
	}
	if o.Aloud {
		p, err := startPlayer()
		if err != nil {
			s.Notices = append(s.Notices, "nothing will be heard: "+err.Error())
		} else {
			s.sinks = append(s.sinks, p)
			playback = mixer.Options{Lead: lead}
		}
	}
	if len(s.sinks) > 0 {
		v.warm(cast, warmed(chained.Provider)...)
	}
	return playback, nil
}

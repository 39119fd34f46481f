package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine/cascaded"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/mcp/tier"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/memory"
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
	Sink  table.Sink
	// Tell is told, at any time and by any goroutine, what people should know;
	// level is as in [table.Notice]. If nil, nobody is.
	Tell func(level, text string)
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
	info    memory.Session
	voice   *voice
	indexer *indexer
	stop    context.CancelFunc
	done    chan error
}

// StartSession opens a session and runs its table. Close ends both.
func (a *App) StartSession(ctx context.Context, o SessionOptions) (*Session, error) {
	m, scripted, err := model(a.Config.Providers.LLM)
	if err != nil {
		return nil, Usage(err)
	}
	cast, err := a.cast(o.NPC)
	if err != nil {
		return nil, Usage(err)
	}
	s := &Session{app: a, done: make(chan error, 1)}
	if scripted {
		s.Notices = append(s.Notices, "the NPCs are scripted: no language model is configured. "+
			"Set OPENAI_API_KEY, or providers.llm.base_url and model in glyphoxa.yaml, for a real one (any OpenAI-compatible server will do).")
	}
	if s.voice, err = a.voices(o, cast, &s.Notices); err != nil {
		return nil, err
	}
	if s.info, err = a.Store.StartSession(ctx, a.Config.Campaign.Name); err != nil {
		return nil, errors.Join(fmt.Errorf("starting a session: %w", err), s.voice.Close())
	}
	s.indexer = newIndexer(a.Store, a.log)
	s.Table = table.New(table.Options{
		Agents: a.agents(cast, &s.Notices), Engine: cascaded.New(m, tuning(a.Config.Providers.LLM)), Host: a.Host,
		Log: s.indexer, Context: hotctx.New(a.Store, a.Store), Speaker: s.voice, Sink: o.Sink,
		Session: s.info, Scene: a.scenery, Latency: a.Config.Latency, Languages: a.Config.Language, RecentLines: a.Config.Memory.RecentLines, Logger: a.log,
	})
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	go func() { s.done <- s.Table.Run(run) }()
	return s, nil
}

// Close ends the table, then the voices and the session.
func (s *Session) Close() error {
	s.stop()
	err := <-s.done
	s.indexer.close()
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	return errors.Join(err, s.voice.Close(), s.app.Store.EndSession(ctx, s.info.ID))
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

// cast returns the NPCs at the table: all, or the one asked for.
func (a *App) cast(only string) ([]config.NPC, error) {
	if len(a.Config.NPCs) == 0 {
		return nil, errors.New("there are no NPCs; add some under npcs, or set npcs_dir")
	}
	if only == "" {
		return a.Config.NPCs, nil
	}
	i, err := table.Lookup(a.Config.NPCs, only)
	if err != nil {
		return nil, fmt.Errorf("--npc: %w", err)
	}
	return a.Config.NPCs[i : i+1], nil
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

// voices opens where the NPCs are heard.
func (a *App) voices(o SessionOptions, cast []config.NPC, notices *[]string) (*voice, error) {
	v := &voice{}
	if len(a.Config.Language) > 0 {
		v.language = a.Config.Language[0]
	}
	var stock []string
	for _, npc := range cast {
		for _, line := range stockLines(npc) {
			stock = append(stock, v.spoken(npc, line))
		}
	}
	chained := a.Config.Providers.TTS
	provider, missing, err := voiceProvider(chained, phrases.New(stock, nil), func(s chain.Switch) {
		a.log.Warn("changing the voice", "from", s.From, "to", s.To, "reason", s.Reason)
		o.tell("warning", changeOfVoice(s))
	})
	if err != nil {
		return nil, Usage(err)
	}
	v.provider = provider
	if o.WAV == "" && !o.Aloud {
		return v, nil
	}
	switch why := strings.Join(missing, "; "); {
	case provider.Name() == silentName:
		*notices = append(*notices, "the NPCs have no voice: "+cmp.Or(why, "providers.tts is silent"))
	case why != "":
		*notices = append(*notices, "nobody takes over from "+provider.Name()+": "+why)
	}
	if o.WAV != "" {
		w, err := createWAV(o.WAV)
		if err != nil {
			return nil, err
		}
		v.sinks = append(v.sinks, w)
	}
	if o.Aloud {
		p, err := startPlayer()
		if err != nil {
			*notices = append(*notices, "nothing will be heard: "+err.Error())
		} else {
			v.sinks = append(v.sinks, p)
		}
	}
	if option[bool](chained.Provider, "warm") && len(v.sinks) > 0 {
		v.warm(cast)
	}
	return v, nil
}

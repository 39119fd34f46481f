package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tier"
	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/fallback"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/offline"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	sttchain "github.com/MrWong99/glyphoxa/pkg/provider/stt/chain"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// SessionOptions configure a session.
type SessionOptions struct {
	// NPC, if not empty, is the only NPC at the table.
	NPC string
	// OpenSound opens the outlet on which the NPCs are heard, once it is known that they can speak. The caller
	// closes the outlet after the session, or after an error. If nil, the NPCs are not heard, only shown.
	OpenSound func() (Sound, error)
	Sink      table.Sink
	// Notify receives notices for people, at any time and from any goroutine; level is as in [table.Notice]. If
	// nil, there are none.
	Notify func(level, text string)
	// Resume is the session to resume. Without an id, a new one begins.
	Resume memory.Session
}

// Sound is the outlet on which the NPCs of a session are heard.
type Sound struct {
	// Outlet receives their sound; if nil, they are not heard after all.
	Outlet   mixer.Outlet
	Playback mixer.Options
	// Unheard, if not nil, reports whether no one can hear the outlet any more. NPCs are then shown and do not
	// speak.
	Unheard func() bool
	// Later says that no one can hear the outlet yet, and perhaps never will, so that nothing is prepared for
	// it.
	Later bool
	// Notice is a notice for people about it; may be empty.
	Notice string
}

func (o SessionOptions) notifyPeople(level, text string) {
	if o.Notify != nil {
		o.Notify(level, text)
	}
}

// Session is one sitting at a table: the table with its engines and voices.
type Session struct {
	Table *table.Table
	// Notices are for people before the first line.
	Notices []string
	// Scripted says that the NPCs have only prepared lines, and no model.
	Scripted bool

	game            *Game
	only            string // the only NPC at the table; empty if all are
	info            memory.Session
	voice           *voice
	engines         *engines
	meter           *cost.Meter
	stop            context.CancelFunc
	done            chan error
	warming         sync.WaitGroup // goroutine that opens connections; ends with stop
	approvalReports sync.WaitGroup // goroutine that reports approvals; ends with stop
}

// ID returns the session's id in memory.
func (s *Session) ID() string { return s.info.ID }

// StartSession opens a session and runs its table. Close ends both.
func (g *Game) StartSession(ctx context.Context, o SessionOptions) (*Session, error) {
	m, scripted, err := g.makeModel(o, g.Config.Providers.LLM, "providers.llm")
	if err != nil {
		return nil, userfile.Usage(err)
	}
	cast, err := ChooseNPCs(g.Cast(), o.NPC)
	if err != nil {
		return nil, userfile.Usage(err)
	}
	s := &Session{game: g, only: o.NPC, done: make(chan error, 1), Scripted: scripted}
	if scripted {
		s.Notices = append(s.Notices, "the NPCs only speak prepared lines, because no language model is configured. "+
			"Set OPENAI_API_KEY, or providers.llm.base_url and model in glyphoxa.yaml, to connect one (any OpenAI-compatible server will do).")
	}
	answering := g.makeEngines(o, m, scripted)
	if err := answering.prepareEngines(cast); err != nil {
		return nil, userfile.Usage(err)
	}
	doubts, err := g.judge(answering)
	if err != nil {
		return nil, userfile.Usage(err)
	}
	if answering.speech, err = g.openSpeech(answering.cascaded); err != nil {
		return nil, err
	}
	s.engines, s.meter = answering, g.newMeter(slices.ContainsFunc(cast, answering.isDearer))
	used := append([]any{m}, answering.made...)
	sound, err := s.openVoices(o, cast)
	if err != nil {
		s.engines.Close()
		return nil, err
	}
	if s.info, err = g.beginSession(ctx, o.Resume); err != nil {
		s.engines.Close()
		return nil, errors.Join(fmt.Errorf("starting a session: %w", err), s.voice.Close())
	}
	s.Notices = g.appendProposals(s.Notices)
	t := table.Options{
		Agents: g.makeAgents(cast, &s.Notices), Engine: s.engine(answering), Cost: s.meter, Host: g.Registry.Host,
		Log: chronicler{g.Store, g.Chronicle}, Context: g.context(), Retrieve: g.searcher(), Sink: countEvents(watched(g, o.Sink), g.Metrics), Playback: sound.Playback, Hurries: canHurry(m),
		Session: s.info, Scene: g.currentScene, Places: g.World, Groups: &g.groups, Date: g.clock.Today, Latency: g.Config.Latency, Languages: g.Config.Language, RecentLines: g.Config.Memory.RecentLines, Logger: g.log,
		Listening: g.listening(), Leads: g.Config.Table.Leads, Characters: g.characters, Known: g.Cast, Tracer: g.Tracer, Spill: NewSpillFile(SpillDir(g.Config)),
	}
	t.Judge = doubts
	t.JudgeWait, t.JudgeCalls = time.Duration(g.Config.Table.JudgeWait), g.Config.Table.JudgeCalls
	if answering.speech != nil {
		t.Listener = engine.NewCappedListener(s.meter, answering.speech)
	}
	if sound.Outlet != nil {
		t.Voices, t.Outlet = s.voice, sound.Outlet
	}
	if err := g.addHearing(&t, o); err != nil {
		return nil, errors.Join(err, s.abandonSession(ctx))
	}
	s.Table = table.New(t)
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	go func() { s.done <- s.Table.Run(run) }()
	g.addSession(s, o.Notify)
	s.approvalReports.Go(func() { (&approvals{policy: g.Registry.Governance.Policy, table: s.Table}).run(run) })
	if t.Voices != nil && !sound.Later {
		used = append(used, s.voice)
	}
	s.warming.Go(func() { providers.Warm(run, g.log, used...) })
	return s, nil
}

// maxCharacters bounds the players' characters whose names a table knows.
const maxCharacters = 64

// playerType is the type of entities that are players' characters.
const playerType = "player"

// characters returns the names of the players' characters in the configuration and in the world.
func (g *Game) characters() []string {
	names := slices.Sorted(maps.Values(g.Config.Table.Players))
	if g.World != nil {
		names = append(names, g.World.Names(playerType)...)
	}
	return names[:min(len(names), maxCharacters)]
}

// listening returns how the NPCs of a new session listen.
func (g *Game) listening() address.Listening {
	how, err := address.ParseListening(g.Config.Table.Listening)
	if err != nil {
		g.log.Error("reading table.listening", "reason", err) // the configuration's reader rejects such a value
	}
	return how
}

// reportSwitch returns a function that logs and reports that another provider has taken over.
func (g *Game) reportSwitch(o SessionOptions, part, does string) func(fallback.Switch) {
	return func(s fallback.Switch) {
		g.log.Warn("changing the provider", "part", part, "from", s.From, "to", s.To, "reason", s.Reason)
		o.notifyPeople("warning", providers.DescribeSwitch(s, does))
	}
}

// reportLesson logs what a model's refusal taught. People hear of it if the NPCs can do less from now on.
func (g *Game) reportLesson(o SessionOptions) func(providers.Lesson) {
	return func(l providers.Lesson) {
		g.log.Info("fitting requests to the model", "lesson", l.Text)
		if l.Loses {
			o.notifyPeople("warning", l.Text)
		}
	}
}

// beginSession begins a session, or reopens the one to resume.
func (g *Game) beginSession(ctx context.Context, resume memory.Session) (memory.Session, error) {
	if resume.ID == "" {
		return g.Store.StartSession(ctx, g.Config.Campaign.Name)
	}
	resume.Ended = time.Time{}
	return resume, g.Store.Reopen(ctx, resume.ID)
}

// engine returns the engine by which the NPCs of the session answer.
func (s *Session) engine(e *engines) engine.Engine {
	g := s.game
	return engine.NewGuarded(engine.NewCapped(s.meter, e, e.cascaded, engine.NewCascaded(offline.New(), nil)), &engine.GuardedOptions{
		Languages: g.Config.Language, Tools: g.toolNames, MaxSpeech: time.Duration(g.Config.Voice.MaxSpeech),
	})
}

// toolNames returns the names of all tools.
func (g *Game) toolNames() (names []string) {
	for _, t := range g.Registry.Host.Tools(mcp.BudgetDeep) {
		names = append(names, t.Definition.Name)
	}
	return names
}

// engineOptions returns the options for a model. In a chain, each model has its own.
func engineOptions(c config.ProviderChain) *engine.CascadedOptions {
	if len(c.Fallback) > 0 {
		return &engine.CascadedOptions{}
	}
	temperature, maxTokens := providers.Sampling(c.Provider)
	return &engine.CascadedOptions{Temperature: temperature, MaxTokens: maxTokens}
}

// addHearing adds speech recognition to the table's options, if it is configured.
func (g *Game) addHearing(t *table.Options, o SessionOptions) error {
	p, err := providers.Recognition(g.Config.Providers.STT, &sttchain.Options{OnSwitch: g.reportSwitch(o, "speech recognition", providers.Hears)})
	switch {
	case errors.Is(err, providers.ErrNoRecognition):
		return nil
	case err != nil:
		return userfile.Usage(err)
	}
	t.Hearing = p
	t.Expect = ExpectedSpeech(g.Config, g.Cast(), g.Campaign)
	t.Expect.Interim = true
	if t.EarlyFinals = g.Config.Hearing.EarlyFinals; t.EarlyFinals == 0 {
		t.EarlyFinals = -1
	}
	return nil
}

// ExpectedSpeech returns hints about the speech at a table: its language, if there is only one, and the
// names that may be mentioned. The campaign may be nil.
func ExpectedSpeech(cfg *config.Config, cast []config.NPC, c *world.Campaign) stt.Options {
	o := stt.Options{Language: providers.Option[string](cfg.Providers.STT.Provider, "language")}
	if o.Language == "" && len(cfg.Language) == 1 {
		o.Language = cfg.Language[0]
	}
	for _, npc := range cast {
		o.Keyterms = append(append(o.Keyterms, npc.Name), npc.Aliases...)
	}
	if c != nil {
		for _, e := range c.Entities {
			o.Keyterms = append(o.Keyterms, e.Name)
		}
	}
	return o
}

// canHurry reports whether a model has a faster one to fall back on.
func canHurry(m llm.Provider) bool {
	c, ok := m.(interface{ CanHurry() bool })
	return ok && c.CanHurry()
}

// addSession reports a session to the onlooker, and sends it the game's notices from now on.
func (g *Game) addSession(s *Session, tell func(level, text string)) {
	if g.onlooker != nil {
		g.onlooker.Began(g, s)
	}
	if tell == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.sessions == nil {
		g.sessions = map[*Session]func(level, text string){}
	}
	g.sessions[s] = tell
}

func (g *Game) removeSession(s *Session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.sessions, s)
}

// abandonSession undoes the set-up of a session whose table never ran.
func (s *Session) abandonSession(ctx context.Context) error {
	s.engines.Close()
	return errors.Join(s.voice.Close(), s.game.Store.EndSession(ctx, s.info.ID))
}

// closeTime bounds the work that is finished after a session has ended.
const closeTime = 5 * time.Second

// Close ends the table, then the engines, the voices and the session.
func (s *Session) Close() error {
	s.game.removeSession(s)
	if s.game.onlooker != nil {
		s.game.onlooker.Ended(s.game, s)
	}
	s.stop()
	err := <-s.done
	s.engines.Close()
	s.warming.Wait()
	s.approvalReports.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	err = errors.Join(err, s.voice.Close())
	return errors.Join(err, s.end(ctx))
}

// ChooseNPCs returns the NPCs at the table: all, or the requested one.
func ChooseNPCs(all []config.NPC, only string) ([]config.NPC, error) {
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

// makeAgents creates the agents of the NPCs.
func (g *Game) makeAgents(cast []config.NPC, notices *[]string) []*agent.Agent {
	var all []*agent.Agent
	var others []string
	for _, n := range cast {
		opts := []tier.Option{tier.WithMinDeepInterval(time.Duration(g.Config.Latency.MinDeepInterval))}
		if k := g.Config.Latency.DeepKeywords; len(k) > 0 {
			opts = append(opts, tier.WithDeepKeywords(k...))
		}
		if k := g.Config.Latency.StandardKeywords; len(k) > 0 {
			opts = append(opts, tier.WithStandardKeywords(k...))
		}
		all = append(all, agent.New(n, agent.Options{
			Selector: tier.NewSelector(opts...), History: g.Config.Memory.History, Language: LanguageOf(n, g.Config.Language),
		}))
		if n.Engine == config.EngineS2S && !g.Config.Providers.SpeaksForItself() {
			others = append(others, n.Name)
		}
	}
	if len(others) > 0 {
		slices.Sort(others)
		*notices = append(*notices, "these NPCs use the language model and the voice instead of a speech-to-speech model, because providers.s2s names none: "+strings.Join(others, ", "))
	}
	return all
}

// LanguageOf returns the default language of an NPC among the languages spoken at the table: its voice's if
// that is one of them, otherwise the first; empty if there is none.
func LanguageOf(npc config.NPC, spoken []string) string {
	for _, l := range spoken {
		if sameLanguage(l, npc.Voice.Language) {
			return l
		}
	}
	if len(spoken) > 0 {
		return spoken[0]
	}
	return ""
}

// sameLanguage reports whether two tags name the same language, regardless of the region.
func sameLanguage(a, b string) bool {
	x, _, _ := strings.Cut(a, "-")
	y, _, _ := strings.Cut(b, "-")
	return strings.EqualFold(x, y)
}

// openVoices creates the session's voices and opens the outlet on which they are heard.
func (s *Session) openVoices(o SessionOptions, cast []config.NPC) (sound Sound, err error) {
	g := s.game
	v := &voice{levels: &g.levels}
	s.voice = v
	language := ""
	if len(g.Config.Language) > 0 {
		language = g.Config.Language[0]
	}
	prepare := prepareText(g.Config.Voice.Normalise, language)
	chained := g.Config.Providers.TTS
	provider, missing, err := providers.Voice(g.client, chained, tts.NewPhraseCache(preparedStock(cast, prepare), nil), prepare, g.reportSwitch(o, "voice", providers.Speaks))
	if err != nil {
		return sound, userfile.Usage(err)
	}
	v.provider = provider
	if o.OpenSound == nil && g.audience == nil {
		return sound, nil
	}
	switch why := strings.Join(missing, "; "); {
	case provider.Name() == providers.Silent:
		s.Notices = append(s.Notices, "the NPCs have no voice: "+cmp.Or(why, "providers.tts is silent"))
	case why != "":
		s.Notices = append(s.Notices, "there is no replacement if "+provider.Name()+" fails: "+why)
	}
	if sound, err = o.openSound(g.audience); err != nil {
		return sound, err
	}
	if sound.Notice != "" {
		s.Notices = append(s.Notices, sound.Notice)
	}
	v.unheard = sound.Unheard
	if sound.Outlet != nil && !sound.Later {
		v.warmPhrases(s.meter, cast, warmedOccasions(chained.Provider)...)
	}
	return sound, nil
}

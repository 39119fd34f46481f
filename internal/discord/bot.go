// Package discord is the Discord bot: a dungeon master starts a session in a text channel or thread by slash
// command, the players write there, and NPCs answer through a webhook under their own names.
//
// A [Bot] handles the gateway's events. It passes messages to the [session] of their guild, and interactions
// to the [dispatcher], which runs commands. [play.Guilds] opens sessions and stores guild data. The bot uses
// discordgo for the gateway and REST, but not for voice, and writes nothing to disk.
//
// [RestClient] calls Discord's REST interface: messages, webhooks, answers to interactions, commands (files
// rest*.go). A call waits out rate limits, but no longer than its context allows. Errors contain no
// addresses, because those of webhooks and interactions are secrets.
//
// [Gateway] keeps a bot connected to Discord's gateway (files gateway*.go), with one connection per shard.
// After a break, a shard resumes its session, starts a new one if Discord refuses that, and returns an error
// if retrying is useless. Subscribers receive the events.
//
// [Text] is an entry in the catalogue of everything the bot says to people (files wording*.go). An entry has
// one format of package fmt per language, English and German, side by side. Where the order of the arguments
// differs, the formats number them: %[2]s. [Count] is a text with a number. Each text is a whole sentence,
// never assembled from parts, because languages order and inflect words differently. For example, the text
//
//	var SessionEnded = Text{
//		EN: "The session has ended after %s. Everything said has been saved.",
//		DE: "Die Sitzung ist nach %s zu Ende. Was gesagt wurde, ist gespeichert.",
//	}
//
// is formatted with SessionEnded.In(language, length). Code that does not know the reader's language returns
// SessionEnded.With(length), a [Phrase], which is also an error. [Say] translates any error into the reader's
// language, and uses [Translate] for English texts from other packages. An argument may itself be a Phrase.
// Answers to a command are in the language of its user; texts for a whole channel are in the language of the
// table. Names of options, tools and commands (except /flüstern) are the same in all languages. Write new
// texts for people who do not program.
package discord

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/play"
)

// closeTimeout bounds the messages sent after a session or the bot has ended.
const closeTimeout = 5 * time.Second

// Front names this front in stored records; see [play.UserRef].
const Front = "discord"

// Options are a bot's settings. The zero value works.
type Options struct {
	// Logger receives messages for operators. If nil, nothing is logged.
	Logger *slog.Logger
	// Report reports events of the connection to the operator, in a sentence. Any goroutine may call it. If
	// nil, these reports are dropped.
	Report func(text string)
	// Dial opens connections to Discord and its gateway. If nil, the default dialler is used.
	Dial DialFunc
	// Hearing configures voice detection in voice channels, and Recognition the speech recognition.
	Hearing     config.Hearing
	Recognition config.ProviderChain
}

// Bot is one Discord application. It receives the gateway's events and passes them to its parts.
type Bot struct {
	cfg    config.Discord
	guilds *play.Guilds
	log    *slog.Logger
	report func(string)

	rest       *RestClient
	gateway    *Gateway
	tasks      *tasks
	sessions   *sessions
	consents   *consents
	dispatcher *dispatcher
	registrar  *registrar

	hearing     config.Hearing
	recognition config.ProviderChain
	voiceStates *voiceStates
	// voiceParts opens the parts on its first call.
	voiceParts  func() (*voiceParts, error)
	voiceOpened atomic.Pointer[voiceParts]

	greeted atomic.Bool // the operator was told that the bot is online
}

// New returns a bot that signs in with cfg's token and serves the guilds in gs. Call Run to start it.
func New(cfg config.Discord, gs *play.Guilds, o *Options) (*Bot, error) {
	if o == nil {
		o = &Options{}
	}
	b := &Bot{cfg: cfg, guilds: gs, log: o.Logger, report: o.Report, tasks: &tasks{}}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	if b.report == nil {
		b.report = func(string) {}
	}
	b.hearing, b.recognition, b.voiceStates = o.Hearing, o.Recognition, newVoiceStates()
	b.voiceParts = sync.OnceValues(b.openVoiceParts)
	session, err := NewRestSession(cfg.Token.Reveal(), cfg.APIURL, o.Dial)
	if err != nil {
		return nil, err
	}
	b.rest = NewRestClient(session)
	b.gateway = NewGateway(GatewayOptions{
		Token: cfg.Token.Reveal(), Base: cfg.APIURL, Client: b.rest, Subscribe: b.subscribe, Dial: o.Dial, Logger: b.log, Report: b.report,
	})
	b.sessions = newSessions(b.log)
	b.consents = newConsents(b.sessions)
	b.dispatcher = newDispatcher(b)
	b.registrar = &registrar{rest: b.rest, guild: cfg.Guild, dms: cfg.DMRoles, report: b.report, registered: map[string]bool{}}
	return b, nil
}

// language returns the language of the tables, in which texts for whole channels are written.
func (b *Bot) language() Language { return LanguageOf(b.guilds.Language()) }

// Run connects and serves until ctx ends. It then closes every session without losing a line. It
// returns an error if retrying cannot help, such as [ErrToken] or [ErrIntents]. Call it once.
func (b *Bot) Run(ctx context.Context) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	b.tasks.setContext(life)
	n, err := b.gateway.CountShards(ctx)
	if err != nil || ctx.Err() != nil {
		return err
	}
	// The connections outlive ctx so that the last lines of the NPCs are still posted.
	g, connected := errgroup.WithContext(life)
	g.Go(func() error { return b.gateway.Run(connected, n) })
	select {
	case <-ctx.Done():
	case <-connected.Done():
	}
	b.sessions.endAllSessions(BotGoesOffline)
	b.tasks.end(end)
	if p := b.voiceOpened.Load(); p != nil {
		if err := p.detection.Close(); err != nil {
			b.log.Warn("closing the voice detection", "reason", err)
		}
	}
	if err := g.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

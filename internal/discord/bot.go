// Package discord is the Discord bot: a dungeon master starts a session in a
// text channel or thread by slash command, the players write there, and NPCs
// answer through a webhook under their own names.
//
// A [Bot] takes in what the gateway tells. Messages go to the [session] of their
// guild, interactions to the [dispatcher], which carries out commands. What a
// session is made of, and what is kept of a guild, comes from [play.Guilds].
// discordgo does the gateway and REST; its voice is not used. Nothing is written
// to disk here.
//
// [RestClient] asks Discord's REST interface for things: messages, webhooks, answers to interactions, commands
// (files rest*.go). A call waits out rate limits for no longer than its context, and no error names an
// address, since those of webhooks and interactions are secrets.
//
// [Gateway] keeps a bot connected to Discord's gateway (files gateway*.go): a connection for each shard, which
// resumes where it was after a break, begins anew where that is refused, and ends with an error where
// trying again is no use. What Discord tells goes to those who subscribed.
//
// [Text] is a text of the catalogue of what the bot says to people (files wording*.go), in English and German,
// each text with both beside each other: formats of package fmt, one for each language. Where the languages
// differ in the order of what is filled in, they number it: %[2]s. What is counted is a [Count]. A whole
// sentence is one text: nothing is put together from parts, since other languages order and inflect
// differently. So
//
//	var SessionEnded = Text{
//		EN: "The session has ended after %s. What was said is kept.",
//		DE: "Die Sitzung ist nach %s zu Ende. Was gesagt wurde, ist aufgehoben.",
//	}
//
// is said with SessionEnded.In(language, length). Code that does not know the reader yet passes on
// SessionEnded.With(length), a [Phrase]: it is an error, too, and [Say] puts any error into the reader's
// language, with [Translate] what other parts of the program say in English. What is filled in may itself
// be a Phrase. An answer to a command is in the language of whoever gave it, and what a whole channel reads
// in that of the table. Names of options and tools, and of commands but for /flüstern, are the same
// everywhere, and a new text is written for people who do not program.
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

// closeTimeout bounds what is still told after the end.
const closeTimeout = 5 * time.Second

// Front is what this front is called in what is kept; see [play.UserRef].
const Front = "discord"

// Options are a bot's settings. The zero value works.
type Options struct {
	// Logger receives what only operators care about. If nil, nothing is logged.
	Logger *slog.Logger
	// Say tells the operator, in a sentence, what happens to the connection. It may
	// be called by any goroutine. If nil, nobody is told.
	Say func(text string)
	// Dial opens connections, to Discord and to its gateway. If nil, it is the usual way.
	Dial DialFunc
	// Hearing says how voice is told from noise in voice channels, and Recognition
	// what recognises speech there.
	Hearing     config.Hearing
	Recognition config.ProviderChain
}

// Bot is one application on Discord: it takes in what happens there. Everything
// else is done by its parts.
type Bot struct {
	cfg    config.Discord
	guilds *play.Guilds
	log    *slog.Logger
	say    func(string)

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
	// voiceParts opens them the first time.
	voiceParts  func() (*voiceParts, error)
	voiceOpened atomic.Pointer[voiceParts]

	greeted atomic.Bool // the operator knows that the bot is there
}

// New returns a bot that signs in with cfg's token and plays for gs; Run runs it.
func New(cfg config.Discord, gs *play.Guilds, o *Options) (*Bot, error) {
	if o == nil {
		o = &Options{}
	}
	b := &Bot{cfg: cfg, guilds: gs, log: o.Logger, say: o.Say, tasks: &tasks{}}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	if b.say == nil {
		b.say = func(string) {}
	}
	b.hearing, b.recognition, b.voiceStates = o.Hearing, o.Recognition, newVoiceStates()
	b.voiceParts = sync.OnceValues(b.openVoiceParts)
	session, err := NewRestSession(cfg.Token.Reveal(), cfg.APIURL, o.Dial)
	if err != nil {
		return nil, err
	}
	b.rest = NewRestClient(session)
	b.gateway = NewGateway(GatewayOptions{
		Token: cfg.Token.Reveal(), Base: cfg.APIURL, Client: b.rest, Subscribe: b.subscribe, Dial: o.Dial, Logger: b.log, Say: b.say,
	})
	b.sessions = newSessions(b.log)
	b.consents = newConsents(b.sessions)
	b.dispatcher = newDispatcher(b)
	b.registrar = &registrar{rest: b.rest, guild: cfg.Guild, dms: cfg.DMRoles, say: b.say, done: map[string]bool{}}
	return b, nil
}

// language is that of the tables: what a whole channel reads is in it.
func (b *Bot) language() Language { return LanguageOf(b.guilds.Language()) }

// Run connects and serves until ctx ends. It then closes every session without
// loss. It returns an error for what no trying again mends, such as [ErrToken]
// and [ErrIntents]. It is called once.
func (b *Bot) Run(ctx context.Context) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	b.tasks.setContext(life)
	n, err := b.gateway.CountShards(ctx)
	if err != nil || ctx.Err() != nil {
		return err
	}
	// The connections outlive ctx: what the NPCs said last is yet to be told.
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

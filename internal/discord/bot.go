// Package discord is the Discord bot: a dungeon master starts a session in a
// text channel or thread by slash command, the players write there, and NPCs
// answer through a webhook under their own names.
//
// A [Bot] keeps one connection a shard, and at most one session a guild. What
// a session is made of comes from a [House], so that guilds share nothing but
// the process. discordgo does the gateway and REST; its voice is not used.
//
// Imported by internal/app. It writes nothing to disk.
package discord

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/config"
)

const (
	// intents are the least that lets the bot see guilds, and what is written in
	// their channels.
	intents = discordgo.IntentGuilds | discordgo.IntentGuildMessages | discordgo.IntentMessageContent
	// maxInteractions bounds the interactions at work; beyond that the gateway
	// waits.
	maxInteractions = 256
	// maxAtOnce bounds those of one guild; beyond that they are refused.
	maxAtOnce = 32
	// requestTime bounds a request to Discord, waiting for rate limits excluded.
	requestTime = 20 * time.Second
	// farewell bounds what is still told after the end.
	farewell = 5 * time.Second
)

// Options are a bot's settings. The zero value works.
type Options struct {
	// Logger receives what only operators care about. If nil, nothing is logged.
	Logger *slog.Logger
	// Say tells the operator, in a sentence, what happens to the connection. It may
	// be called by any goroutine. If nil, nobody is told.
	Say func(text string)
}

// Bot is one application on Discord.
type Bot struct {
	cfg     config.Discord
	backend Backend
	log     *slog.Logger
	say     func(string)
	api     *api
	book    map[string]action // by command and subcommand

	work  sync.WaitGroup // interactions and rooms that close
	slots chan struct{}  // one for each interaction at work, of all guilds

	consents sync.Mutex // held while who may be heard is read or changed

	mu         sync.Mutex // guards the fields below
	life       context.Context
	ended      bool                       // nothing is begun any more
	rooms      map[string]*room           // by guild; nil while one opens
	atWork     map[string]int             // interactions, by guild
	greeted    bool                       // the operator knows that the bot is there
	declined   map[string]map[string]bool // users by guild: true are not heard
	registered map[string]bool            // guilds whose commands are right; "" for all
}

// New returns a bot that signs in with cfg's token; Run runs it.
func New(cfg config.Discord, backend Backend, o *Options) (*Bot, error) {
	if o == nil {
		o = &Options{}
	}
	b := &Bot{
		cfg: cfg, backend: backend, log: o.Logger, say: o.Say,
		slots: make(chan struct{}, maxInteractions), rooms: map[string]*room{}, registered: map[string]bool{}, atWork: map[string]int{},
		declined: map[string]map[string]bool{},
	}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	if b.say == nil {
		b.say = func(string) {}
	}
	session, err := b.newSession()
	if err != nil {
		return nil, err
	}
	b.api = &api{session: session}
	b.book = b.actions()
	return b, nil
}

// newSession returns a session of discordgo that is not connected.
func (b *Bot) newSession() (*discordgo.Session, error) {
	s, err := discordgo.New("Bot " + b.cfg.Token.Reveal())
	if err != nil {
		return nil, err
	}
	var base *url.URL
	if b.cfg.APIURL != "" {
		if base, err = url.Parse(b.cfg.APIURL); err != nil {
			return nil, fmt.Errorf("discord.api_url: %w", err)
		}
	}
	s.LogLevel = -1 // it would write to stderr
	s.Client = &http.Client{Timeout: requestTime, Transport: elsewhere{base, http.DefaultTransport}}
	s.ShouldReconnectOnError = false // a link does that, and knows when it is no use
	s.ShouldReconnectVoiceOnSessionError = false
	s.SyncEvents = true // players' lines come in order
	s.Compress, s.Identify.Compress = false, false
	s.Identify.Intents = intents
	s.State.TrackMembers, s.State.TrackEmojis, s.State.TrackPresences, s.State.TrackVoice, s.State.TrackStickers = false, false, false, false, false
	return s, nil
}

// Run connects and serves until ctx ends. It then closes every session without
// loss. It returns an error for what no trying again mends, such as [ErrToken]
// and [ErrIntents]. It is called once.
func (b *Bot) Run(ctx context.Context) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	b.mu.Lock()
	b.life = life
	b.mu.Unlock()
	n, err := b.countShards(ctx)
	if err != nil || ctx.Err() != nil {
		return err
	}
	// The links outlive ctx: what the NPCs said last is yet to be told.
	g, linked := errgroup.WithContext(life)
	for id := range n {
		g.Go(func() error { return (&link{bot: b, shard: id, shards: n}).run(linked) })
	}
	select {
	case <-ctx.Done():
	case <-linked.Done():
	}
	b.closeRooms("the bot is going offline")
	b.mu.Lock()
	b.ended = true
	b.mu.Unlock()
	end()
	b.work.Wait()
	if err := g.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// countShards asks Discord how many connections it wants, until it answers.
func (b *Bot) countShards(ctx context.Context) (int, error) {
	for failed := 0; ; failed++ {
		n, err := b.api.shards(ctx)
		switch {
		case ctx.Err() != nil:
			return 0, nil
		case err == nil:
			return n, nil
		case errors.Is(err, ErrToken):
			return 0, err
		}
		if failed == 0 {
			b.say(fmt.Sprintf("discord: %v; trying again", err))
		}
		if !pause(ctx, backOff(failed)) {
			return 0, nil
		}
	}
}

// closeRooms ends every session, the farewell said in its channel.
func (b *Bot) closeRooms(why string) {
	b.mu.Lock()
	var open []*room
	for _, r := range b.rooms {
		if r != nil {
			open = append(open, r)
		}
	}
	b.rooms = nil // none opens any more
	b.mu.Unlock()
	var g sync.WaitGroup
	for _, r := range open {
		g.Go(func() { b.finish(r, why) })
	}
	g.Wait()
}

// leaving reports whether the bot is going offline.
func (b *Bot) leaving() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rooms == nil
}

// room returns the session of a guild, nil if it has none.
func (b *Bot) room(guild string) *room {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rooms[guild]
}

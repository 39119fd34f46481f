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
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/discord/gateway"
	"github.com/MrWong99/glyphoxa/internal/discord/rest"
)

const (
	// maxInteractions bounds the interactions at work; beyond that the gateway
	// waits.
	maxInteractions = 256
	// maxAtOnce bounds those of one guild; beyond that they are refused.
	maxAtOnce = 32
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
	api     *rest.Client
	gateway *gateway.Gateway
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
	session, err := rest.NewSession(cfg.Token.Reveal(), cfg.APIURL)
	if err != nil {
		return nil, err
	}
	b.api = rest.NewClient(session)
	b.gateway = gateway.New(gateway.Options{
		Token: cfg.Token.Reveal(), Base: cfg.APIURL, Client: b.api, Subscribe: b.handle, Logger: b.log, Say: b.say,
	})
	b.book = b.actions()
	return b, nil
}

// Run connects and serves until ctx ends. It then closes every session without
// loss. It returns an error for what no trying again mends, such as [rest.ErrToken]
// and [gateway.ErrIntents]. It is called once.
func (b *Bot) Run(ctx context.Context) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	b.mu.Lock()
	b.life = life
	b.mu.Unlock()
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

package discord

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/bwmarrin/discordgo"
	"golang.org/x/sync/errgroup"
)

// intents are the least that lets the bot see guilds, what is written in their
// channels, and who is in their voice channels.
const intents = discordgo.IntentGuilds | discordgo.IntentGuildMessages | discordgo.IntentMessageContent | discordgo.IntentGuildVoiceStates | discordgo.IntentGuildMessageReactions

// GatewayOptions are what a gateway needs; all but Base are required.
type GatewayOptions struct {
	Token string
	// Base is where the REST interface is that tells the gateway's address.
	// Discord's own if empty.
	Base   string
	Client *RestClient
	// Subscribe adds handlers to the session of each new connection. discordgo
	// calls them one after the other, in the order of the events: they do not wait.
	Subscribe func(*discordgo.Session)
	// Dial opens connections; if nil, it is the usual way.
	Dial   DialFunc
	Logger *slog.Logger
	// Say tells the operator, in a sentence, what happens to the connection. It is
	// called by any goroutine.
	Say func(text string)
}

// Gateway connects a bot's shards.
type Gateway struct {
	token, base string
	client      *RestClient
	subscribe   func(*discordgo.Session)
	dial        DialFunc
	log         *slog.Logger
	say         func(string)

	mu     sync.Mutex // guards shards
	shards []*shard   // once Run has begun
}

// NewGateway returns a gateway; Run connects it.
func NewGateway(o GatewayOptions) *Gateway {
	return &Gateway{token: o.Token, base: o.Base, client: o.Client, subscribe: o.Subscribe, dial: o.Dial, log: o.Logger, say: o.Say}
}

// Run keeps so many shards connected until ctx ends. It returns an error for what
// no trying again mends, such as [ErrToken] and [ErrIntents].
func (g *Gateway) Run(ctx context.Context, shards int) error {
	all, ctx := errgroup.WithContext(ctx)
	var made []*shard
	for id := range shards {
		made = append(made, &shard{gateway: g, id: id, count: shards})
	}
	g.mu.Lock()
	g.shards = made
	g.mu.Unlock()
	for _, s := range made {
		all.Go(func() error { return s.run(ctx) })
	}
	return all.Wait()
}

// CountShards asks Discord how many shards it wants, until it answers; when ctx
// ends there are none.
func (g *Gateway) CountShards(ctx context.Context) (int, error) {
	for failed := 0; ; failed++ {
		n, err := g.client.RecommendedShards(ctx)
		switch {
		case ctx.Err() != nil:
			return 0, nil
		case err == nil:
			return n, nil
		case errors.Is(err, ErrToken):
			return 0, err
		}
		if failed == 0 {
			g.say(fmt.Sprintf("discord: %v; trying again", err))
		}
		if !WaitFor(ctx, backoff(failed)) {
			return 0, nil
		}
	}
}

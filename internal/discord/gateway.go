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

// intents are the minimum for guilds, messages and reactions in their channels, and the members of their
// voice channels.
const intents = discordgo.IntentGuilds | discordgo.IntentGuildMessages | discordgo.IntentMessageContent | discordgo.IntentGuildVoiceStates | discordgo.IntentGuildMessageReactions

// GatewayOptions configure a gateway; all but Base are required.
type GatewayOptions struct {
	Token string
	// Base is the address of the REST interface that returns the gateway's address. If empty, it is Discord's
	// own.
	Base   string
	Client *RestClient
	// Subscribe adds handlers to the session of each new connection. discordgo calls them one at a time in
	// the order of the events, so they must not block.
	Subscribe func(*discordgo.Session)
	// Dial opens connections. If nil, the default dialler is used.
	Dial   DialFunc
	Logger *slog.Logger
	// Report reports events of the connection to the operator, in a sentence. Any goroutine may call it.
	Report func(text string)
}

// Gateway connects a bot's shards.
type Gateway struct {
	token, base string
	client      *RestClient
	subscribe   func(*discordgo.Session)
	dial        DialFunc
	log         *slog.Logger
	report      func(string)

	mu     sync.Mutex // guards shards
	shards []*shard   // set by Run
}

// NewGateway returns a gateway. Call Run to connect it.
func NewGateway(o GatewayOptions) *Gateway {
	return &Gateway{token: o.Token, base: o.Base, client: o.Client, subscribe: o.Subscribe, dial: o.Dial, log: o.Logger, report: o.Report}
}

// Run keeps that many shards connected until ctx ends. It returns an error if retrying cannot help, such as
// [ErrToken] or [ErrIntents].
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

// CountShards returns the number of shards that Discord recommends. It retries until Discord answers, and
// returns 0 if ctx ends first.
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
			g.report(fmt.Sprintf("discord: %v; trying again", err))
		}
		if !WaitFor(ctx, backoff(failed)) {
			return 0, nil
		}
	}
}

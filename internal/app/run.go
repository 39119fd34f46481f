package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/discord"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// noToken says how to set up the bot on Discord.
const noToken = "there is no Discord token, so the bot is off; to play on Discord, make a token under Bot at https://discord.com/developers/applications and set DISCORD_TOKEN (docs/discord.md). Everything else is running"

// RunOptions configure Run.
type RunOptions struct {
	Version string
	// Messages receives messages for people.
	Messages io.Writer
	// Events receives the events of all guilds' tables, one JSON object on each line. If nil, they are not
	// written.
	Events io.Writer
}

// Run runs the bot on Discord, if there is a token, and the outward server with its metrics, until ctx ends.
// The app must have been opened with [Options.Metrics] and [Options.Console].
func (a *App) Run(ctx context.Context, o RunOptions) (err error) {
	out := &lines{out: o.Messages}
	bot := func(context.Context) error { return nil }
	if a.Config.Discord.Token == "" {
		out.report(noToken)
	} else {
		unlock, failed := play.LockDir(play.GuildsDir(a.Config))
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, unlock()) }()
		defer a.writeEvents(o.Events)()
		gs := play.NewGuilds(play.GuildsOptions{Config: a.Config, Front: discord.Front, Open: a.openForGuild, Log: a.log})
		b, failed := discord.New(a.Config.Discord, gs, &discord.Options{Logger: a.log, Report: out.report, Hearing: a.Config.Hearing, Recognition: a.Config.Providers.STT})
		if failed != nil {
			return errors.Join(userfile.Usage(failed), gs.Close())
		}
		bot = func(ctx context.Context) error { return errors.Join(b.Run(ctx), gs.Close()) }
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.Serve(ctx, ServeOptions{Version: o.Version, Ready: out}) })
	g.Go(func() error { return bot(ctx) })
	return g.Wait()
}

// writeEvents starts to write all tables' events to out, if that is not nil. It returns a function that ends
// this; call it once all tables have ended.
func (a *App) writeEvents(out io.Writer) (end func()) {
	if out == nil {
		return func() {}
	}
	return streamEvents(a.feed, out, a.log).close
}

// openForGuild opens a guild's campaign. All guilds share metrics, tracer and rule book.
func (a *App) openForGuild(ctx context.Context, guild string, cfg *config.Config) (*play.Game, error) {
	return play.Open(ctx, play.Options{Config: cfg, Log: a.log.With("guild", guild), Metrics: a.Metrics, Tracer: a.traces.Tracer(), Rules: a.Registry.Rules, Onlooker: a.Console.Onlook(guild)})
}

// lines writes whole lines. It is safe for concurrent use.
type lines struct {
	mu  sync.Mutex // guards the order of writes
	out io.Writer
}

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(p)
}

func (l *lines) report(text string) { fmt.Fprintln(l, "glyphoxa:", text) }

// Package app wires Glyphoxa together: which parts a command needs, in which order
// they start, and how they stop. The work is done in the packages below.
//
// [Examine] looks at what works on this machine: keys, services, libraries, the database, the servers, and
// says what to do about the rest (files doctor*.go).
//
// [Main] is the frame that both programs put their commands into: streams, signals, exit codes, the flags
// every command accepts, the status line, manual pages and the garbage collector's settings (files cli*.go).
// It knows nothing of what the commands do:
//
//	func main() {
//		app.Main(app.Program{Name: "glyphoxa", Version: version, Commit: commit}, newRoot)
//	}
//
// where newRoot calls [Common.Root] and adds commands to it.
package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/discord"
	"github.com/MrWong99/glyphoxa/internal/observe"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/internal/web"
)

const (
	// closeTime bounds how long servers of an app wait for answers under way.
	closeTime = 5 * time.Second
	// lastTraces bounds how long whoever leaves waits for a collector.
	lastTraces = time.Second
)

// App is an open campaign and what commands do with it. Close releases it.
type App struct {
	*play.Game
	// Console is the page at which games are watched, nil without [Options.Console].
	Console *web.Console
	// Room is the table in browsers, nil without [Options.Browser].
	Room *web.Room

	endRoom    func() error // nil without a room
	feed       *web.Feed
	log        *slog.Logger
	say        func(string)
	endMetrics func(context.Context) error // nil without metrics
	traces     *observe.Traces             // nil without an endpoint
}

// Options tell Open what a command needs.
type Options struct {
	Config *config.Config
	// Log is where operators read; if nil, nothing is logged.
	Log *slog.Logger
	// Say tells a human what takes long; if nil, nobody is told.
	Say func(string)
	// ReadOnly takes every tool away that changes something.
	ReadOnly bool
	// Metrics counts calls.
	Metrics bool
	// Console makes a console of the app's game and its sessions.
	Console bool
	// Browser makes a table in browsers of the app's game and its sessions. It is served
	// where a console is, too.
	Browser bool
	// Sessions makes it where the configuration has it enabled, and has it begin sessions
	// by itself.
	Sessions bool
	// Version is the program's.
	Version string
}

// Open opens the configured campaign. External servers connect in the background.
func Open(ctx context.Context, o Options) (_ *App, err error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	a := &App{feed: web.NewFeed(), log: o.Log, say: o.Say}
	var onlooker play.Onlooker
	if o.Console {
		accounts, err := accountsOf(o.Config)
		if err != nil {
			return nil, userfile.Usage(err)
		}
		a.Console = web.NewConsole(web.ConsoleOptions{Feed: a.feed, Problems: func() []userfile.Problem { return problemsOf(o.Config) }, Accounts: accounts, Logger: o.Log, Version: o.Version})
		onlooker = a.Console.Onlook(web.HomeRoom)
	}
	var audience play.Audience
	if o.Browser || o.Sessions && o.Config.Browser.Enabled {
		onlooker = a.openRoom(o.Config, o.Sessions, onlooker)
		audience = a.Room
	}
	var metrics *observe.Metrics
	if o.Metrics {
		if metrics, err = observe.New(observe.Options{Version: o.Version}); err != nil {
			return nil, err
		}
		a.endMetrics = metrics.Shutdown
	}
	if t := o.Config.Tracing; t.Endpoint != "" {
		headers := map[string]string{}
		for name, value := range t.Headers {
			headers[name] = value.Reveal()
		}
		a.traces, err = observe.NewTraces(ctx, observe.TraceOptions{Endpoint: t.Endpoint, Headers: headers, Sample: t.Sample, Version: o.Version, Log: o.Log})
		if err != nil {
			return nil, errors.Join(err, a.Close())
		}
	}
	a.Game, err = play.Open(ctx, play.Options{Config: o.Config, Log: o.Log, ReadOnly: o.ReadOnly, Metrics: metrics, Tracer: a.traces.Tracer(), Onlooker: onlooker, Audience: audience})
	if err == nil && metrics != nil {
		err = a.Registry.Governance.CountQueue(metrics)
	}
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if a.Console != nil {
		a.Console.Open(a.Game)
	}
	return a, nil
}

// accountsOf are those that people may sign in to the console with, nil if none are configured.
func accountsOf(cfg *config.Config) (web.Accounts, error) {
	if cfg.Discord.Token == "" || cfg.Discord.ClientSecret == "" {
		return nil, nil
	}
	return discord.NewAccounts(cfg.Discord, nil)
}

// Close stops what Open started, in reverse order, and waits for it.
func (a *App) Close() error {
	var errs []error
	if a.endRoom != nil {
		errs = append(errs, a.endRoom())
	}
	if a.Game != nil {
		errs = append(errs, a.Game.Close())
	}
	if a.traces != nil {
		ctx, cancel := context.WithTimeout(context.Background(), lastTraces)
		defer cancel()
		if err := a.traces.Shutdown(ctx); err != nil {
			a.log.Error("the last traces could not be sent", "reason", err) // nothing else depends on them
		}
	}
	if a.endMetrics != nil {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		errs = append(errs, a.endMetrics(ctx))
	}
	return errors.Join(errs...)
}

// WriteNotices writes the pending notices to w, one a line.
func (a *App) WriteNotices(w io.Writer) {
	for _, n := range a.TakeNotices() {
		fmt.Fprintln(w, "glyphoxa:", n)
	}
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

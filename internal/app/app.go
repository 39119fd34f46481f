// Package app wires Glyphoxa together: which parts a command needs, in which order they start, and how they
// stop. The packages below do the work.
//
// [Examine] checks what works on this machine: keys, services, libraries, the database and the servers. It
// says how to fix the rest (files doctor*.go).
//
// [Main] runs the command line of both programs: streams, signals, exit codes, common flags, the status line,
// manual pages and the settings of the garbage collector (files cli*.go). It does not know what the commands do:
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
	// closeTime bounds how long an app's servers wait for running requests when they stop.
	closeTime = 5 * time.Second
	// lastTraces bounds how long Close waits for a trace collector.
	lastTraces = time.Second
)

// App is an open campaign with the services for commands. Close releases it.
type App struct {
	*play.Game
	// Console is the web page for watching games; nil without [Options.Console].
	Console *web.Console
	// Room is the table for browsers; nil unless [Options.Browser] or [Options.Sessions] creates it.
	Room *web.Room

	endRoom    func() error // nil without a room
	feed       *web.Feed
	log        *slog.Logger
	report     func(string)
	endMetrics func(context.Context) error // nil without metrics
	traces     *observe.Traces             // nil without an endpoint
}

// Options configure Open.
type Options struct {
	Config *config.Config
	// Log receives messages for operators. If nil, nothing is logged.
	Log *slog.Logger
	// Report reports to a person what takes long. If nil, nothing is reported.
	Report func(string)
	// ReadOnly removes all tools that change something.
	ReadOnly bool
	// Metrics enables counting of calls.
	Metrics bool
	// Console creates a console for the app's game and its sessions.
	Console bool
	// Browser creates a table for browsers for the app's game and its sessions. It is served at the same address
	// as a console.
	Browser bool
	// Sessions creates that table if the configuration enables it, and lets it begin sessions itself.
	Sessions bool
	// Version is the version of the program.
	Version string
}

// Open opens the configured campaign. External servers connect in the background.
func Open(ctx context.Context, o Options) (_ *App, err error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Report == nil {
		o.Report = func(string) {}
	}
	a := &App{feed: web.NewFeed(), log: o.Log, report: o.Report}
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

// accountsOf returns the accounts with which people sign in to the console; nil if none are configured.
func accountsOf(cfg *config.Config) (web.Accounts, error) {
	if cfg.Discord.Token == "" || cfg.Discord.ClientSecret == "" {
		return nil, nil
	}
	return discord.NewAccounts(cfg.Discord, nil)
}

// Close stops everything that Open started, in reverse order, and waits for it.
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
			a.log.Error("the last traces could not be sent", "reason", err) // no other work depends on them
		}
	}
	if a.endMetrics != nil {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		errs = append(errs, a.endMetrics(ctx))
	}
	return errors.Join(errs...)
}

// WriteNotices writes the pending notices to w, one on each line.
func (a *App) WriteNotices(w io.Writer) {
	for _, n := range a.DrainNotices() {
		fmt.Fprintln(w, "glyphoxa:", n)
	}
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/discord"
)

// house opens the tables of Discord's guilds. Each guild has an app of its own,
// with its own database, so that nothing of one is known in another. It is open
// while a session runs or a command needs it.
type house struct {
	app *App // whose configuration and metrics they share

	mu     sync.Mutex // guards guilds
	guilds map[string]*lodging
}

// lodging is the app of a guild, while somebody needs it.
type lodging struct {
	mu     sync.Mutex // guards the fields below, and is held while the app opens or closes
	app    *App
	guests int
}

// guildID is what may be part of a path.
var guildID = regexp.MustCompile(`^[0-9]{1,20}$`)

// guildConfig is the configuration of a guild: the common one, with a place of
// its own for what is kept.
func guildConfig(cfg *config.Config, guild string) (*config.Config, error) {
	if !guildID.MatchString(guild) {
		return nil, errors.New("this is no id of a Discord server")
	}
	own := *cfg
	own.DataDir = filepath.Join(cfg.DataDir, "guilds", guild)
	own.Memory.Path = filepath.Join(own.DataDir, "glyphoxa.db")
	return &own, nil
}

// errClosedHouse keeps paths of this machine from those who give commands.
var errClosedHouse = errors.New("what is kept of this server could not be opened; whoever runs the bot finds the reason in its log")

// enter opens the app of a guild, or takes the one that is open. Whoever enters
// leaves.
func (h *house) enter(ctx context.Context, guild string) (*App, func() error, error) {
	cfg, err := guildConfig(h.app.Config, guild)
	if err != nil {
		return nil, nil, err
	}
	h.mu.Lock()
	l := h.guilds[guild]
	if l == nil {
		l = &lodging{}
		h.guilds[guild] = l
	}
	h.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.guests == 0 {
		if l.app, err = Open(ctx, Options{Config: cfg, Log: h.app.log.With("guild", guild)}); err != nil {
			h.app.log.Error("opening a guild's database", "guild", guild, "reason", err)
			return nil, nil, errClosedHouse
		}
	}
	l.guests++
	return l.app, sync.OnceValue(l.leave), nil
}

// leave closes the app with its last guest.
func (l *lodging) leave() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.guests--; l.guests > 0 {
		return nil
	}
	return l.app.Close()
}

// Sit implements [discord.House].
func (h *house) Sit(ctx context.Context, guild string, o discord.SitOptions) (*discord.Sitting, error) {
	a, leave, err := h.enter(ctx, guild)
	if err != nil {
		return nil, err
	}
	cut, err := a.interrupted(ctx)
	if err != nil {
		return nil, errors.Join(err, leave())
	}
	session, err := a.StartSession(ctx, SessionOptions{Sink: metered(o.Sink, h.app.metrics), Tell: o.Tell})
	if err != nil {
		return nil, errors.Join(err, leave())
	}
	a.work.Go(func() { a.measure(a.life, o.Tell) })
	s := &discord.Sitting{
		Table: session.Table, Campaign: a.Config.Campaign.Name, Scene: a.Live.Scene(), Notices: append(cut, session.Notices...),
		Close: sync.OnceValue(func() error { return errors.Join(session.Close(), leave()) }),
	}
	for _, n := range a.Config.NPCs {
		s.Cast = append(s.Cast, discord.NPC{Name: n.Name, Avatar: n.Avatar})
	}
	return s, nil
}

// interrupted ends the session that a crash left open, and returns what people
// should know of it.
func (a *App) interrupted(ctx context.Context) (notices []string, err error) {
	last, err := a.Store.Sessions(ctx, 1)
	if err != nil || len(last) == 0 || !last[0].Ended.IsZero() {
		return nil, err
	}
	if last[0].Lines > 0 {
		notices = append(notices, fmt.Sprintf("the last session was cut off; its %d lines are kept, and /session recap shows the latest", last[0].Lines))
	}
	return notices, a.Store.EndSession(ctx, last[0].ID)
}

// measure waits for the external servers and calibrates the tools, and tells
// what people should know of that.
func (a *App) measure(ctx context.Context, tell func(level, text string)) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	a.Ready(ctx, func(string) {})
	if ctx.Err() != nil {
		return
	}
	for _, w := range a.warnings() {
		tell("warning", w.String())
	}
	// Its first look into the rule book would count as the tool's latency.
	if err := a.book.Warm(); err != nil {
		tell("warning", err.Error())
	}
	if err := a.Host.Calibrate(ctx); err != nil && ctx.Err() == nil {
		tell("warning", err.Error())
	}
	for _, n := range a.takeNotices() {
		tell("warning", n)
	}
}

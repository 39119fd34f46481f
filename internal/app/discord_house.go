package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/play"
)

// idleTime is how long a guild's app stays open after the last who needed it:
// commands, and what completes them, come in flocks.
const idleTime = 30 * time.Second

// house opens the tables of Discord's guilds. Each guild has an app of its own,
// with its own database, so that nothing of one is known in another. It is open
// while a session runs or a command needs it, and a while longer. It is safe for
// concurrent use; close ends it.
type house struct {
	app  *play.Game // whose metrics they share
	log  *slog.Logger
	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup // timers, and what opens apps ahead of need

	reading sync.Mutex    // held while the NPC files are read anew
	parsing chan struct{} // holds one while a campaign file is parsed

	mu     sync.Mutex     // guards the fields below
	config *config.Config // with the NPCs that were read last
	guilds map[string]*lodging
	closed bool
}

// newHouse returns a house over a's configuration and metrics.
func newHouse(a *play.Game, log *slog.Logger) *house {
	h := &house{app: a, log: log, config: a.Config, guilds: map[string]*lodging{}, parsing: make(chan struct{}, 1)}
	h.life, h.end = context.WithCancel(context.Background())
	return h
}

// close closes all apps, once nobody is in need of them any more.
func (h *house) close() error {
	h.end()
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	var errs []error
	for _, l := range h.guilds { // none is added any more
		errs = append(errs, l.clear())
	}
	h.work.Wait()
	return errors.Join(errs...)
}

// latest is the configuration with the NPCs that were read last.
func (h *house) latest() *config.Config {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.config
}

// errClosedHouse keeps paths of this machine from those who give commands.
var errClosedHouse = errors.New("what is kept of this server could not be opened; whoever runs the bot finds the reason in its log")

// errGone is what commands are told that come while the bot stops.
var errGone = errors.New("the bot is going offline")

// guildID is what may be part of a path.
var guildID = regexp.MustCompile(`^[0-9]{1,20}$`)

// guildsDir is where guilds have their directories.
func guildsDir(cfg *config.Config) string { return filepath.Join(cfg.DataDir, "guilds") }

// lodging returns the part of the house that is a guild's.
func (h *house) lodging(guild string) (*lodging, error) {
	if !guildID.MatchString(guild) {
		return nil, errors.New("this is no id of a Discord server")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errGone
	}
	l := h.guilds[guild]
	if l == nil {
		dir := filepath.Join(guildsDir(h.config), guild)
		l = &lodging{house: h, guild: guild, dir: dir, book: guildBook{dir: dir}}
		h.guilds[guild] = l
	}
	return l, nil
}

// enter opens the app of a guild, or takes the one that is open. Whoever enters
// leaves.
func (h *house) enter(ctx context.Context, guild string) (*play.Game, func() error, error) {
	l, err := h.lodging(guild)
	if err != nil {
		return nil, nil, err
	}
	return l.enter(ctx)
}

// lodging is what a guild has: an app, while somebody needs it, and what is kept
// of the guild beside that.
type lodging struct {
	house *house
	guild string
	dir   string
	book  guildBook

	turn    sync.Mutex // held while a session begins, the campaign changes, somebody is forgotten, or it is looked for what was cut off
	letters sync.Mutex // held while the feedback is written

	mu     sync.Mutex    // guards the fields below, and is held while an app opens or closes
	suite  *suite        // nil while none is open
	seated *play.Session // in play
	taken  bool          // a session is in play or about to be
	shut   bool
}

// suite is the app of a campaign. Its fields are guarded by its lodging.
type suite struct {
	app    *play.Game
	guests int
	visits int         // by guests, so far
	timer  *time.Timer // closes it; nil while there are guests
}

func (l *lodging) enter(ctx context.Context) (*play.Game, func() error, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shut {
		return nil, nil, errGone
	}
	if l.suite == nil {
		cfg, err := l.config()
		if err != nil {
			return nil, nil, l.trouble("reading what is kept of a guild", err)
		}
		if l.suite, err = l.open(ctx, cfg); err != nil {
			return nil, nil, l.trouble("opening a guild's database", err)
		}
	}
	s := l.suite
	l.welcome(s)
	return s.app, sync.OnceValue(func() error { return l.leave(s) }), nil
}

// trouble is what is told of an error that only the operator can do something
// about.
func (l *lodging) trouble(doing string, err error) error {
	l.house.log.Error(doing, "guild", l.guild, "reason", err)
	return errClosedHouse
}

// open opens an app without guests.
func (l *lodging) open(ctx context.Context, cfg *config.Config) (*suite, error) {
	a, err := play.Open(ctx, play.Options{Config: cfg, Log: l.house.log.With("guild", l.guild), Metrics: l.house.app.Metrics, Rules: l.house.app.Registry.Rules})
	if err != nil {
		return nil, err
	}
	return &suite{app: a}, nil
}

// welcome takes in a guest.
func (l *lodging) welcome(s *suite) {
	s.guests++
	s.visits++
	s.app.SetCast(l.house.latest().NPCs)
	l.stay(s)
}

// stay keeps an app open that was about to be closed.
func (l *lodging) stay(s *suite) {
	if s.timer != nil && s.timer.Stop() {
		l.house.work.Done()
	}
	s.timer = nil
}

func (l *lodging) leave(s *suite) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.guests--
	return l.settle(s)
}

// settle closes an app without guests: at once if it is not the guild's any
// more, else when it was idle for a while and no call waits for approval.
func (l *lodging) settle(s *suite) error {
	switch {
	case s.guests > 0:
		return nil
	case s != l.suite:
		return s.app.Close()
	case l.shut:
		l.suite = nil
		return s.app.Close()
	}
	l.stay(s)
	l.house.work.Add(1)
	wait, visits := max(idleTime, time.Until(s.app.Registry.Governance.Policy.Awaited())), s.visits
	s.timer = time.AfterFunc(wait, func() {
		defer l.house.work.Done()
		l.expire(s, visits)
	})
	return nil
}

// expire closes an app whose time is over, unless somebody has come since.
func (l *lodging) expire(s *suite, visits int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s != l.suite || s.visits != visits {
		return
	}
	l.suite = nil
	if err := s.app.Close(); err != nil {
		l.house.log.Error("closing a guild's database", "guild", l.guild, "reason", err)
	}
}

// vacate has the next guest open another app; the present one closes with its
// last guest.
func (l *lodging) vacate() error {
	s := l.suite
	l.suite = nil
	if s == nil {
		return nil
	}
	l.stay(s)
	return l.settle(s)
}

// clear closes the app as soon as it has no guests; nobody enters any more.
func (l *lodging) clear() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shut = true
	if l.suite == nil {
		return nil
	}
	l.stay(l.suite)
	return l.settle(l.suite)
}

// config is that of the campaign that is played.
func (l *lodging) config() (*config.Config, error) {
	e, err := l.book.read()
	if err != nil {
		return nil, err
	}
	c, known := e.campaign(e.Campaign)
	if !known {
		return nil, fmt.Errorf("%s names no campaign %q", filepath.Join(l.dir, guildFile), e.Campaign)
	}
	return l.configOf(c), nil
}

// configOf is the common configuration with a place of a campaign's own for what
// is kept. A campaign that was loaded brings its name, its system, its world and
// its scene; the cast is the configured one.
func (l *lodging) configOf(c keptCampaign) *config.Config {
	own := *l.house.latest()
	own.DataDir = l.dir
	if c.ID != "" {
		own.DataDir = l.campaignDir(c.ID)
		own.Campaign = config.Campaign{Name: c.Name, System: c.System, World: filepath.Join(own.DataDir, campaignFile)}
	}
	own.Memory.Path = filepath.Join(own.DataDir, "glyphoxa.db")
	return &own
}

package play

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/internal/world"
)

// Options are what [NewGuilds] needs.
type GuildsOptions struct {
	// Config is the configuration that all guilds share.
	Config *config.Config
	// Front names where the guilds are, as in the records of who did what. See
	// [UserRef].
	Front string
	// Open opens a campaign for a guild; cfg is the configuration with what is that
	// guild's own.
	Open func(ctx context.Context, guild string, cfg *config.Config) (*Game, error)
	// Log is where operators read; if nil, nothing is logged.
	Log *slog.Logger
}

// Guilds are those of a front. It is safe for concurrent use; Close ends it.
type Guilds struct {
	front    string
	openGame func(ctx context.Context, guild string, cfg *config.Config) (*Game, error)
	log      *slog.Logger
	life     context.Context
	end      context.CancelFunc
	work     sync.WaitGroup // timers, and what opens campaigns ahead of need

	rereading sync.Mutex    // held while the NPC files are read anew
	parsing   chan struct{} // holds one while a campaign file is parsed

	mu     sync.Mutex     // guards the fields below
	config *config.Config // with the NPCs that were read last
	guilds map[string]*Guild
	closed bool
}

// NewGuilds returns the guilds of a front.
func NewGuilds(o GuildsOptions) *Guilds {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	gs := &Guilds{front: o.Front, openGame: o.Open, log: o.Log, config: o.Config, guilds: map[string]*Guild{}, parsing: make(chan struct{}, 1)}
	gs.life, gs.end = context.WithCancel(context.Background())
	return gs
}

// UserRef is the name of a front's user in what is kept.
func UserRef(front, user string) string { return front + ":" + user }

// Close closes what is open, once nobody needs it any more.
func (gs *Guilds) Close() error {
	gs.end()
	gs.mu.Lock()
	gs.closed = true
	gs.mu.Unlock()
	var errs []error
	for _, g := range gs.guilds { // none is added any more
		errs = append(errs, g.pool.close())
	}
	gs.work.Wait()
	return errors.Join(errs...)
}

// latestConfig is the configuration with the NPCs that were read last.
func (gs *Guilds) latestConfig() *config.Config {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	return gs.config
}

// Language is the main language of the tables, as a BCP 47 tag, empty if none is
// configured.
func (gs *Guilds) Language() string {
	if all := gs.latestConfig().Language; len(all) > 0 {
		return all[0]
	}
	return ""
}

// errClosing is what is told to those who come while the program stops.
var errClosing = errors.New("the bot is going offline")

// validID is what may be part of a path.
var validID = regexp.MustCompile(`^[0-9]{1,20}$`)

// GuildsDir is where guilds have their directories.
func GuildsDir(cfg *config.Config) string { return filepath.Join(cfg.DataDir, "guilds") }

// Guild returns the guild of an id.
func (gs *Guilds) Guild(id string) (*Guild, error) {
	if !validID.MatchString(id) {
		return nil, errors.New("this is no id of a server")
	}
	gs.mu.Lock()
	defer gs.mu.Unlock()
	if gs.closed {
		return nil, errClosing
	}
	g := gs.guilds[id]
	if g == nil {
		dir := filepath.Join(GuildsDir(gs.config), id)
		g = newGuild(gs, id, dir)
		gs.guilds[id] = g
	}
	return g, nil
}

// CutOff is a session that was cut off.
type CutOff struct {
	// Channel is where it was played: the thread, if in one.
	Guild, Channel string
	// Voice is the voice channel it was heard in, empty if in none.
	Voice string
	// Lines is how many lines were said in it.
	Lines int
}

// CutOffSessions returns the sessions that were cut off since it was asked last,
// those of another process included.
func (gs *Guilds) CutOffSessions(ctx context.Context) (all []CutOff) {
	dirs, err := os.ReadDir(GuildsDir(gs.latestConfig()))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		gs.log.Error("looking for sessions that were cut off", "reason", err)
	}
	for _, d := range dirs {
		g, err := gs.Guild(d.Name())
		if err != nil {
			continue // it is no guild's
		}
		cut, err := g.takeCutOff(ctx)
		if err != nil {
			g.log.Error("looking for a session that was cut off", "reason", err)
		} else if cut.Lines > 0 {
			all = append(all, cut)
		}
	}
	return all
}

// rereadNPCs reads the NPC files anew, for a session and for those to come in any
// guild.
func (gs *Guilds) rereadNPCs(ctx context.Context, s *Session) ([]config.NPC, Recast, error) {
	gs.rereading.Lock()
	defer gs.rereading.Unlock()
	now := gs.latestConfig()
	file, err := filepath.Abs(now.File)
	if err != nil {
		return nil, Recast{}, err
	}
	shown := func(p userfile.Problem) userfile.Problem { return RelativeTo(filepath.Dir(file), p) }
	r, err := Reread(now)
	var wrong userfile.Problems
	if errors.As(err, &wrong) {
		wrong = slices.Clone(wrong)
		for i := range wrong {
			wrong[i] = shown(wrong[i])
		}
		return nil, Recast{}, wrong.Err()
	}
	if err != nil {
		return nil, Recast{}, err
	}
	r.Shown = shown
	changed, err := s.Recast(ctx, r)
	if err != nil {
		return nil, Recast{}, err
	}
	gs.mu.Lock()
	gs.config = r.Config
	gs.mu.Unlock()
	return r.Config.NPCs, changed, nil
}

// maxFaults bounds how much of what is wrong with a campaign file is told.
const maxFaults = 20

// parseCampaign reads a campaign file that somebody sent. That is done one at a
// time: while it is read, a file takes up to 160 times its size.
func (gs *Guilds) parseCampaign(ctx context.Context, file string, data []byte) (*world.Campaign, error) {
	select {
	case gs.parsing <- struct{}{}:
		defer func() { <-gs.parsing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c, err := world.ParseCampaign(file, data)
	var wrong userfile.Problems
	if errors.As(err, &wrong) && len(wrong) > maxFaults {
		more := userfile.Problem{File: file, Line: wrong[maxFaults].Line, What: fmt.Sprintf("and %d more from here on", len(wrong)-maxFaults)}
		return nil, append(slices.Clone(wrong[:maxFaults]), more).Err()
	}
	return c, err
}

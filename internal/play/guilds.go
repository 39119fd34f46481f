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

// GuildsOptions configure [NewGuilds].
type GuildsOptions struct {
	// Config is the configuration that all guilds share.
	Config *config.Config
	// Front is the name of the guilds' front in records of who did what. See [UserRef].
	Front string
	// Open opens a campaign for a guild. cfg is the shared configuration with the guild's own settings.
	Open func(ctx context.Context, guild string, cfg *config.Config) (*Game, error)
	// Log receives messages for operators. If nil, nothing is logged.
	Log *slog.Logger
}

// Guilds holds the guilds of a front. It is safe for concurrent use. Close ends it.
type Guilds struct {
	front    string
	openGame func(ctx context.Context, guild string, cfg *config.Config) (*Game, error)
	log      *slog.Logger
	life     context.Context
	end      context.CancelFunc
	work     sync.WaitGroup // timers, and goroutines that open campaigns in advance

	rereading sync.Mutex    // held while the NPC files are read again
	parsing   chan struct{} // holds one value while a campaign file is parsed

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

// UserRef returns the name of a front's user in stored data.
func UserRef(front, user string) string { return front + ":" + user }

// Close closes all open campaigns once they have no leases.
func (gs *Guilds) Close() error {
	gs.end()
	gs.mu.Lock()
	gs.closed = true
	gs.mu.Unlock()
	var errs []error
	for _, g := range gs.guilds { // no guild is added any more
		errs = append(errs, g.pool.close())
	}
	gs.work.Wait()
	return errors.Join(errs...)
}

// latestConfig returns the configuration with the NPCs that were read last.
func (gs *Guilds) latestConfig() *config.Config {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	return gs.config
}

// Language returns the main language of the tables, as a BCP 47 tag; empty if none is configured.
func (gs *Guilds) Language() string {
	if all := gs.latestConfig().Language; len(all) > 0 {
		return all[0]
	}
	return ""
}

// errClosing is returned while the program stops.
var errClosing = errors.New("the bot is going offline")

// validID matches ids that may be part of a path.
var validID = regexp.MustCompile(`^[0-9]{1,20}$`)

// GuildsDir returns the directory that contains the directories of the guilds.
func GuildsDir(cfg *config.Config) string { return filepath.Join(cfg.DataDir, "guilds") }

// Guild returns the guild of an id.
func (gs *Guilds) Guild(id string) (*Guild, error) {
	if !validID.MatchString(id) {
		return nil, errors.New("this is not the id of a server")
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

// CutOff is a session that ended with a crash.
type CutOff struct {
	// Channel is the channel, or the thread, in which it was played.
	Guild, Channel string
	// Voice is the voice channel in which it was heard; empty if there was none.
	Voice string
	// Lines is the number of lines in it.
	Lines int
}

// CutOffSessions returns the sessions that were cut off since the last call, including those of other
// processes.
func (gs *Guilds) CutOffSessions(ctx context.Context) (all []CutOff) {
	dirs, err := os.ReadDir(GuildsDir(gs.latestConfig()))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		gs.log.Error("looking for sessions that were cut off", "reason", err)
	}
	for _, d := range dirs {
		g, err := gs.Guild(d.Name())
		if err != nil {
			continue // not a guild's directory
		}
		cut, err := g.popCutOff(ctx)
		if err != nil {
			g.log.Error("looking for a session that was cut off", "reason", err)
		} else if cut.Lines > 0 {
			all = append(all, cut)
		}
	}
	return all
}

// rereadNPCs reads the NPC files again, for a running session and for later ones in any guild.
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

// maxFaults bounds how many problems of a campaign file are reported.
const maxFaults = 20

// parseCampaign parses a campaign file that a user sent. It parses one file at a time, because parsing takes
// up to 160 times the file's size in memory.
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

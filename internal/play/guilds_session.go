package play

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// GuildSessionOptions say who is told what happens in a session.
type GuildSessionOptions struct {
	// Sink takes the table's events.
	Sink table.Sink
	// Tell is told at any time what people should know, as in [table.Notice]. It
	// may be called by any goroutine and does not wait.
	Tell func(level, text string)
	// Channel is where it is played: the thread, if in one.
	Channel string
	// Voice is the voice channel it is heard in, empty if in none, and OpenSound opens
	// the sound of that, see [SessionOptions]; nil without one.
	Voice     string
	OpenSound func() (Sound, error)
	// Resume goes on with the session that was cut off, if there is one in which
	// something was said. Else what is left of it is ended, and another begins.
	Resume bool
	// Last, if not nil, is called once the table has ended. It returns what NPCs said
	// that nobody could read: that is not kept.
	Last func() []table.Unread
}

// GuildSession is a session that runs. Its methods are safe for concurrent use.
type GuildSession struct {
	Table           *table.Table
	Campaign, Scene string
	Cast            []config.NPC
	// Notices are what whoever runs the program should know before the first line.
	Notices []string
	// Scripted is whether the NPCs have prepared lines only, and no model.
	Scripted bool

	guild     *Guild
	played    *Session
	lease     lease
	preparing sync.WaitGroup
	prepared  context.CancelFunc // ends preparing
	close     func() error
	last      func() []table.Unread
}

// StartSession opens a table for a guild that has none. The caller closes it
// before the guild's next is started.
func (g *Guild) StartSession(ctx context.Context, o GuildSessionOptions) (*GuildSession, error) {
	g.changing.Lock()
	defer g.changing.Unlock()
	l, err := g.pool.acquire(ctx)
	if err != nil {
		return nil, err
	}
	if err := g.reserveSession(); err != nil {
		return nil, errors.Join(err, l.giveBack())
	}
	played, notices, err := g.beginSession(ctx, l.Game, o)
	g.setSession(played)
	if err != nil {
		return nil, errors.Join(err, l.giveBack())
	}
	s := &GuildSession{
		Table: played.Table, Campaign: l.Config.Campaign.Name, Scene: l.World.Scene(), Cast: l.Cast(), Notices: notices, Scripted: played.Scripted,
		guild: g, played: played, lease: l, last: o.Last,
	}
	s.close = sync.OnceValue(s.closeOnce)
	preparing, cancel := context.WithCancel(g.guilds.life)
	s.prepared = cancel
	s.preparing.Go(func() {
		l.Prepare(preparing, func(level, text string) {
			if level != "info" { // a wait for servers is nothing to write to a channel
				o.Tell(level, text)
			}
		})
	})
	return s, nil
}

// Reload reads the NPC files anew and has the table go on with those NPCs. It
// returns them and what people should know. What is wrong with the files comes
// back with file and line, and nothing changes then.
func (s *GuildSession) Reload(ctx context.Context) (cast []config.NPC, changed Recast, err error) {
	return s.guild.guilds.rereadNPCs(ctx, s.played)
}

// Cost is what the session has cost since it began or went on. It is for DMs alone.
func (s *GuildSession) Cost() cost.Report { return s.played.Cost() }

// Date is the day in the world, empty if it is not known.
func (s *GuildSession) Date() string { return s.played.Date() }

// SetDate has it be another day in the world, see [Game.SetDate].
func (s *GuildSession) SetDate(ctx context.Context, text string) (string, error) {
	return s.played.SetDate(ctx, text)
}

// KeepVoice notes the voice channel that the session is heard in from now on, empty for
// none: one that is cut off is offered to go on there. It is on the disk when KeepVoice
// returns. After Close it does nothing.
func (s *GuildSession) KeepVoice(channel string) error {
	return s.guild.records.changeRecord(func(r *record) error {
		if r.Table != nil && s.guild.runningSession() == s.played {
			r.Table.Voice = channel
		}
		return nil
	})
}

// WaitingCalls returns the calls in the guild's campaign that wait for a DM, the oldest
// first, and a channel that is closed when others do; see [access.Engine.PendingChanged].
func (s *GuildSession) WaitingCalls() ([]access.Approval, <-chan struct{}) {
	rules := s.lease.Registry.Governance.Policy
	changed := rules.PendingChanged()
	return rules.Pending(), changed
}

// DecidedCall returns what was decided on a call, and whether anything was.
func (s *GuildSession) DecidedCall(id string) (access.Decision, bool) {
	return s.lease.Registry.Governance.Policy.Decision(id)
}

// Close ends the table; what was said is kept.
func (s *GuildSession) Close() error { return s.close() }

func (s *GuildSession) closeOnce() error {
	s.prepared()
	s.preparing.Wait()
	err := errors.Join(s.played.Close(), s.forgetUnread(), s.guild.clearPlace())
	s.guild.setSession(nil)
	return errors.Join(err, s.lease.giveBack())
}

// forgetTimeout bounds taking back what nobody could read.
const forgetTimeout = 5 * time.Second

// forgetUnread takes back what nobody could read of what was said last.
func (s *GuildSession) forgetUnread() error {
	if s.last == nil {
		return nil
	}
	unread := s.last()
	ctx, cancel := context.WithTimeout(context.Background(), forgetTimeout)
	defer cancel()
	return table.ForgetUnread(ctx, s.lease.Store, s.played.ID(), unread...)
}

// beginSession begins a session, or goes on with the one that was cut off, and
// returns what people should know.
func (g *Guild) beginSession(ctx context.Context, game *Game, o GuildSessionOptions) (_ *Session, notices []string, err error) {
	cut, open, err := lastOpenSession(ctx, game.Store)
	if err != nil {
		return nil, nil, err
	}
	so := SessionOptions{Sink: o.Sink, Tell: o.Tell, OpenSound: o.OpenSound}
	if o.Resume && cut.Lines > 0 {
		so.Resume = cut
	}
	if err := g.records.changeRecord(func(r *record) error { r.Table = &place{o.Channel, o.Voice}; return nil }); err != nil {
		return nil, nil, logTrouble(g.log, "noting where a session is played", err)
	}
	s, err := game.StartSession(ctx, so)
	if err != nil {
		return nil, nil, errors.Join(err, g.clearPlace())
	}
	if !open || so.Resume.ID != "" {
		return s, s.Notices, nil
	}
	if err := game.Store.EndSession(ctx, cut.ID); err != nil {
		return nil, nil, errors.Join(err, s.Close(), g.clearPlace())
	}
	if cut.Lines > 0 {
		notices = append(notices, fmt.Sprintf("the last session was cut off; its %d lines are kept, and /session recap shows the latest", cut.Lines))
	}
	return s, append(notices, s.Notices...), nil
}

// lastOpenSession returns the last session if it was not ended, and whether it is
// so: if none is running, a crash cut it off.
func lastOpenSession(ctx context.Context, log memory.SessionLog) (memory.Session, bool, error) {
	last, err := log.Sessions(ctx, 1)
	if err != nil || len(last) == 0 || !last[0].Ended.IsZero() {
		return memory.Session{}, false, err
	}
	return last[0], true, nil
}

// reserveSession makes sure that a guild has one session at a time.
func (g *Guild) reserveSession() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.reserved {
		return errors.New("a session is running already")
	}
	g.reserved = true
	return nil
}

// setSession says which session was begun of the one that was reserved; nil gives
// it back.
func (g *Guild) setSession(s *Session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.session, g.reserved = s, s != nil
}

// hasSession reports whether a session is running, or is about to.
func (g *Guild) hasSession() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.reserved
}

// runningSession is the session that is running, nil if none is.
func (g *Guild) runningSession() *Session {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.session
}

// clearPlace notes that no session is played any more.
func (g *Guild) clearPlace() error {
	return g.records.changeRecord(func(r *record) error { r.Table = nil; return nil })
}

// InterruptedSession returns the session that a crash cut off, and whether there is
// one in which something was said. While another runs there is none.
func (g *Guild) InterruptedSession(ctx context.Context) (s memory.Session, cut bool, err error) {
	g.changing.Lock()
	defer g.changing.Unlock()
	err = g.withCampaign(ctx, func(game *Game) (err error) {
		if g.hasSession() {
			return nil
		}
		s, cut, err = lastOpenSession(ctx, game.Store)
		return err
	})
	return s, cut && s.Lines > 0, err
}

// takeCutOff returns the session that was cut off, without lines if none was, and
// forgets where it was played.
func (g *Guild) takeCutOff(ctx context.Context) (cut CutOff, err error) {
	g.changing.Lock()
	defer g.changing.Unlock()
	r, err := g.records.readRecord()
	if err != nil || r.Table == nil || g.hasSession() {
		return cut, err
	}
	cfg, err := g.currentConfig()
	if err != nil {
		return cut, err
	}
	kept, err := OpenStore(ctx, cfg.Memory, StoreOptions{})
	if err != nil {
		return cut, err
	}
	s, _, err := lastOpenSession(ctx, kept)
	if err = errors.Join(err, kept.Close()); err != nil {
		return cut, err
	}
	return CutOff{Guild: g.id, Channel: r.Table.Channel, Voice: r.Table.Voice, Lines: s.Lines}, g.clearPlace()
}

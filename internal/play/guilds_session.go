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
	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// GuildSessionOptions configure a session in a guild.
type GuildSessionOptions struct {
	// Sink receives the table's events.
	Sink table.Sink
	// Notify receives notices for people, as in [table.Notice]. It may be called at any time from any goroutine
	// and must not block.
	Notify func(level, text string)
	// Channel is the channel, or the thread, in which it is played.
	Channel string
	// Voice is the voice channel in which it is heard; empty if there is none. OpenSound opens the sound of that
	// channel, see [SessionOptions]; nil without one.
	Voice     string
	OpenSound func() (Sound, error)
	// Resume continues the session that was cut off, if it has lines. Otherwise the cut-off session is ended,
	// and a new one begins.
	Resume bool
	// Last, if not nil, is called once the table has ended. It returns what NPCs said that was not shown, which
	// is not kept.
	Last func() []table.Unread
}

// GuildSession is a running session. Its methods are safe for concurrent use.
type GuildSession struct {
	Table           *table.Table
	Campaign, Scene string
	Cast            []config.NPC
	// Notices are for the operator, before the first line.
	Notices []string
	// Scripted says that the NPCs have only prepared lines, and no model.
	Scripted bool

	guild     *Guild
	played    *Session
	lease     lease
	preparing sync.WaitGroup
	prepared  context.CancelFunc // cancels preparing
	close     func() error
	last      func() []table.Unread
}

// StartSession starts a session in a guild that has none. The caller must close it before the guild's next
// one is started.
func (g *Guild) StartSession(ctx context.Context, o GuildSessionOptions) (*GuildSession, error) {
	g.changing.Lock()
	defer g.changing.Unlock()
	l, err := g.pool.acquire(ctx)
	if err != nil {
		return nil, err
	}
	if err := g.reserveSession(); err != nil {
		return nil, errors.Join(err, l.release())
	}
	played, notices, err := g.beginSession(ctx, l.Game, o)
	g.setSession(played)
	if err != nil {
		return nil, errors.Join(err, l.release())
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
			if level != "info" { // waiting for servers is not worth a message in a channel
				o.Notify(level, text)
			}
		})
	})
	return s, nil
}

// Reload reads the NPC files again and replaces the cast of the table. It returns the NPCs and notes for
// people. Problems in the files are returned with file and line, and then nothing changes.
func (s *GuildSession) Reload(ctx context.Context) (cast []config.NPC, changed Recast, err error) {
	return s.guild.guilds.rereadNPCs(ctx, s.played)
}

// Cost returns the cost of the session since it began or was resumed. Only DMs may see it.
func (s *GuildSession) Cost() cost.Report { return s.played.Cost() }

// Date returns the day in the world; empty if it is unknown.
func (s *GuildSession) Date() string { return s.played.Date() }

// SetDate sets the day in the world, see [Game.SetDate].
func (s *GuildSession) SetDate(ctx context.Context, text string) (string, error) {
	return s.played.SetDate(ctx, text)
}

// StoreVoiceChannel stores the voice channel in which the session is heard from now on, empty for none, so that it
// can be resumed there if it is cut off. The value is durable when StoreVoiceChannel returns. After Close it does
// nothing.
func (s *GuildSession) StoreVoiceChannel(channel string) error {
	return s.guild.records.changeRecord(func(r *record) error {
		if r.Table != nil && s.guild.runningSession() == s.played {
			r.Table.Voice = channel
		}
		return nil
	})
}

// WaitingCalls returns the calls in the guild's campaign that wait for a DM, oldest first, and a channel that
// is closed when they change; see [access.Engine.PendingChanged].
func (s *GuildSession) WaitingCalls() ([]access.Approval, <-chan struct{}) {
	rules := s.lease.Registry.Governance.Policy
	changed := rules.PendingChanged()
	return rules.Pending(), changed
}

// DecidedCall returns the decision on a call, and reports whether there is one.
func (s *GuildSession) DecidedCall(id string) (access.Decision, bool) {
	return s.lease.Registry.Governance.Policy.Decision(id)
}

// Close ends the table. The stored lines stay.
func (s *GuildSession) Close() error { return s.close() }

func (s *GuildSession) closeOnce() error {
	s.prepared()
	s.preparing.Wait()
	err := errors.Join(s.played.Close(), s.forgetUnread(), s.guild.clearPlace())
	s.guild.setSession(nil)
	return errors.Join(err, s.lease.release())
}

// forgetTimeout bounds the removal of lines that were not shown.
const forgetTimeout = 5 * time.Second

// forgetUnread removes the last lines that were not shown.
func (s *GuildSession) forgetUnread() error {
	if s.last == nil {
		return nil
	}
	unread := s.last()
	ctx, cancel := context.WithTimeout(context.Background(), forgetTimeout)
	defer cancel()
	return table.ForgetUnread(ctx, s.lease.Store, s.played.ID(), unread...)
}

// beginSession begins a session, or resumes the one that was cut off, and returns notices for people.
func (g *Guild) beginSession(ctx context.Context, game *Game, o GuildSessionOptions) (_ *Session, notices []string, err error) {
	cut, open, err := lastOpenSession(ctx, game.Store)
	if err != nil {
		return nil, nil, err
	}
	so := SessionOptions{Sink: o.Sink, Notify: o.Notify, OpenSound: o.OpenSound}
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
		notices = append(notices, fmt.Sprintf("the last session was cut off; its %s saved, and /session recap shows the latest", plural.Count(cut.Lines, "line is", "lines are")))
	}
	return s, append(notices, s.Notices...), nil
}

// lastOpenSession returns the last session, and reports whether it was not ended. Unless it is running, a
// crash cut it off.
func lastOpenSession(ctx context.Context, log memory.SessionLog) (memory.Session, bool, error) {
	last, err := log.Sessions(ctx, 1)
	if err != nil || len(last) == 0 || !last[0].Ended.IsZero() {
		return memory.Session{}, false, err
	}
	return last[0], true, nil
}

// reserveSession makes sure that a guild has only one session at a time.
func (g *Guild) reserveSession() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.reserved {
		return errors.New("a session is already running")
	}
	g.reserved = true
	return nil
}

// setSession sets the session for which reserveSession was called. nil releases the reservation.
func (g *Guild) setSession(s *Session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.session, g.reserved = s, s != nil
}

// hasSession reports whether a session is running or about to begin.
func (g *Guild) hasSession() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.reserved
}

// runningSession returns the running session, or nil.
func (g *Guild) runningSession() *Session {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.session
}

// clearPlace records that no session is played any more.
func (g *Guild) clearPlace() error {
	return g.records.changeRecord(func(r *record) error { r.Table = nil; return nil })
}

// InterruptedSession returns the session that a crash cut off, and reports whether there is one with lines.
// While a session is running there is none.
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

// popCutOff returns the session that was cut off, without lines if there is none, and clears the place where
// it was played.
func (g *Guild) popCutOff(ctx context.Context) (cut CutOff, err error) {
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

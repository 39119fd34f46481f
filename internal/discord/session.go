package discord

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// hearer is the part of a table that takes in what players write.
type hearer interface {
	Hear(ctx context.Context, u table.Utterance) error
	Keep(ctx context.Context, us ...table.Utterance) error
	Reword(ctx context.Context, ref, text string) error
	Retract(ctx context.Context, ref string) error
	DropUnread(ctx context.Context, u table.Unread) error
}

// session is a session of a guild: a table, and the channel it is played in.
type session struct {
	log            *slog.Logger
	guild, channel string
	parent         string // of channel, if that is a thread
	began          time.Time
	lang           Language // of what the channel reads
	played         *play.GuildSession
	paused         atomic.Bool // nothing is heard
	rolled         privateRolls
	hearer         hearer // the session's table
	inbox          *inbox
	reactions      chan reaction // to lines of NPCs
	sender         *sender
	status         *statusMessage
	voice          *voiceRoom // nil where there is no voice at all; voiceless says why
	voiceless      error

	stopHearing context.CancelFunc // ends hearing
	cancel      context.CancelFunc // ends everything
	hearing     sync.WaitGroup     // what asks the table: hearMessages, applyChanges and the status message
	posting     sync.WaitGroup
	once        sync.Once // of closing
	err         error     // of closing
	quiet       error     // why there is no voice where there should be one
	why         string    // it is closed
	unread      *unreadLines

	reloading sync.Mutex // held while the cast is read anew

	mu   sync.Mutex // guards the fields below
	npcs []config.NPC
}

// sessionStart is how a session starts.
type sessionStart struct {
	channel, parent string // parent is that of a thread
	voice           string // the voice channel it is heard in, empty if in none
	after           string // an id that Discord gave before anything of the session is posted
	resume          bool   // the session goes on that was cut off
}

// startSession starts a session, or with resume goes on with the one that was cut
// off: first whether the channel can be written to, then the table.
func (b *Bot) startSession(ctx context.Context, g *play.Guild, at sessionStart) (*session, error) {
	run, end := context.WithCancel(b.tasks.context())
	hear, stopHearing := context.WithCancel(run)
	r := &session{
		log: b.log, guild: g.ID(), channel: at.channel, parent: at.parent, began: time.Now(), lang: b.language(), inbox: newInbox(),
		sender: newSender(b.rest, b.log, at.channel, at.parent, b.language()), cancel: end, stopHearing: stopHearing, unread: newUnreadLines(),
		reactions: make(chan reaction, maxReactions),
	}
	r.sender.posted = at.after
	r.sender.hooks.unread, r.sender.hooks.say = r.unread.add, b.say
	r.sender.hooks.lost = func(why string) { b.tasks.spawn(func(context.Context) { b.sessions.endSession(r, "") }); b.say(why) }
	err := errors.Join(b.consents.loadDeclined(ctx, g), r.sender.findWebhook(ctx))
	var quiet error // why there is no voice
	if err == nil {
		o := play.GuildSessionOptions{Tell: r.noteForOperator, Channel: at.channel, Voice: at.voice, Resume: at.resume, Last: r.sayLastWords}
		var next noticeSink
		next, o.OpenSound, quiet = b.giveVoice(r, at.voice == "")
		r.status = newStatusMessage(b.rest, at.channel, r.lang, next)
		r.status.voice, o.Sink = r.voice, r.status
		r.played, err = g.StartSession(ctx, o)
	}
	if err != nil {
		r.closeVoice()
		end()
		return nil, err
	}
	r.voiceless = quiet
	if r.voice != nil {
		r.voice.keepPlacesBy(r.played.KeepVoice, at.voice)
	}
	if at.voice != "" {
		r.quiet = r.joinVoice(ctx, b, at.voice, quiet)
	}
	for _, n := range r.played.Notices {
		r.noteForOperator("info", n)
	}
	r.hearer = r.played.Table
	r.setNPCs(r.played.Cast)
	r.status.name, r.status.table = r.played.Campaign, r.played.Table
	r.posting.Go(func() { r.sender.run(run) })
	r.hearing.Go(func() { // it asks the table, so it ends before it
		r.sender.checkPosted(r.status.run(hear))
	})
	r.hearing.Go(func() { r.hearMessages(hear) })
	r.hearing.Go(func() { r.applyChanges(hear) })
	r.hearing.Go(func() { r.takeReactions(hear) })
	r.hearing.Go(func() { r.dropUnread(hear) })
	r.hearing.Go(func() { newApprovalCards(b, r).run(hear) })
	if r.voice != nil {
		r.hearing.Go(func() { b.hearVoice(hear, r) })
		r.hearing.Go(func() { b.askForRoles(hear, r) })
	}
	return r, nil
}

// noteForOperator takes in what only whoever runs the bot can mend: it is in the log,
// and DMs are told who ask how the session goes.
func (r *session) noteForOperator(level, text string) {
	r.log.Warn("a session's notice", "guild", r.guild, "level", level, "text", text)
	if level != "info" {
		r.status.noteTold(text)
	}
}

// presentNPCs is who is at the table. It is not to be changed.
func (r *session) presentNPCs() []config.NPC {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.npcs
}

// setNPCs learns who is at the table from now on.
func (r *session) setNPCs(all []config.NPC) {
	r.mu.Lock()
	r.npcs = all
	r.mu.Unlock()
	r.sender.setAvatars(all)
}

// reloadNPCs has the table go on with the NPCs that are in the files now, and says
// what has changed.
func (r *session) reloadNPCs(ctx context.Context) (play.Recast, error) {
	r.reloading.Lock()
	defer r.reloading.Unlock()
	all, changed, err := r.played.Reload(ctx)
	if err == nil {
		r.setNPCs(all)
	}
	return changed, err
}

// close ends the table, tells what it said last, and waits for everything.
func (r *session) close(why string) error {
	r.once.Do(func() {
		r.why = why
		r.sender.hurry()
		r.stopHearing()
		r.hearing.Wait()
		if r.voice != nil {
			r.voice.awaitLastWords()
		}
		r.err = errors.Join(r.keepUnheard(), r.played.Close())
		r.closeVoice()
		r.cancel()
		r.posting.Wait()
	})
	return r.err
}

// sayLastWords tells what is yet to be told once the table has ended, and returns what of it
// could not be.
func (r *session) sayLastWords() []table.Unread {
	if r.why != "" {
		r.sender.postNotice("end", SessionEnded.In(r.lang, r.why))
	}
	r.sender.sendRest()
	return r.unread.takeAll()
}

// takeMessage takes in a message.
func (r *session) takeMessage(m message) {
	if m.text != "" && r.inbox.addMessage(m) {
		r.tellTooMuch(m)
	}
}

// tellTooMuch tells a player that messages are dropped.
func (r *session) tellTooMuch(m message) {
	r.sender.postNotice("warning", TooMuchOfOne.In(r.sender.currentHome().language, escapeMarkup(m.speaker)))
}

// changeMessage changes a message; an empty text takes it back.
func (r *session) changeMessage(id, text string) {
	if r.inbox.changeMessage(id, text) {
		r.sender.postNotice("warning", TooManyChanges.In(r.lang))
	}
}

// hearMessages hands messages to the table, in order.
func (r *session) hearMessages(ctx context.Context) {
	for {
		m, ok := r.inbox.takeMessage()
		if !ok {
			select {
			case <-r.inbox.arrived:
				continue
			case <-ctx.Done():
				return
			}
		}
		switch err := r.hearer.Hear(ctx, m.utterance()); {
		case errors.Is(err, table.ErrTooMuch), errors.Is(err, table.ErrFlood):
			if r.inbox.refuseTaken() {
				r.tellTooMuch(m)
			}
		case err != nil:
			r.inbox.returnTaken()
			return
		default:
			r.inbox.confirmTaken()
		}
	}
}

// applyChanges hands the table what players changed of what it has heard.
func (r *session) applyChanges(ctx context.Context) {
	for {
		c, ok := r.inbox.takeChange()
		if !ok {
			select {
			case <-r.inbox.changed:
				continue
			case <-ctx.Done():
				return
			}
		}
		if err := r.applyChange(ctx, c); ctx.Err() != nil && err != nil {
			r.inbox.returnChange(c)
			return
		}
	}
}

// applyChange changes what the table has heard.
func (r *session) applyChange(ctx context.Context, c change) error {
	var err error
	if c.text == "" {
		err = r.hearer.Retract(ctx, c.id)
	} else {
		err = r.hearer.Reword(ctx, c.id, c.text)
	}
	if err != nil && ctx.Err() == nil {
		r.log.Error("changing what was heard", "guild", r.guild, "reason", err)
		r.sender.postNotice("warning", ChangeNotMade.In(r.lang))
	}
	return err
}

// keepUnheard gives the table what it has yet to hear, so that it is kept, however
// much that is.
func (r *session) keepUnheard() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	var errs []error
	for {
		c, ok := r.inbox.takeChange()
		if !ok {
			break
		}
		errs = append(errs, r.applyChange(ctx, c))
	}
	if rest := r.inbox.takeRest(); len(rest) > 0 {
		errs = append(errs, r.hearer.Keep(ctx, rest...))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("keeping what was written last: %w", err)
	}
	return nil
}

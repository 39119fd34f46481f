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

// messageReceiver is the part of a table that receives players' messages.
type messageReceiver interface {
	Hear(ctx context.Context, u table.Utterance) error
	StoreUnanswered(ctx context.Context, us ...table.Utterance) error
	Reword(ctx context.Context, ref, text string) error
	Retract(ctx context.Context, ref string) error
	DropUnread(ctx context.Context, u table.Unread) error
}

// session is a running session of a guild: a table and its channel.
type session struct {
	log            *slog.Logger
	guild, channel string
	parent         string // the thread's channel, "" outside threads
	began          time.Time
	lang           Language // for texts in the channel
	played         *play.GuildSession
	paused         atomic.Bool // messages and speech are ignored
	rolled         privateRolls
	receiver       messageReceiver // the session's table
	inbox          *inbox
	reactions      chan reaction // reactions to NPCs' lines
	sender         *sender
	status         *statusMessage
	voice          *voiceRoom // nil without voice; voiceless is the reason
	voiceless      error

	stopHearing context.CancelFunc // ends the goroutines in hearing
	cancel      context.CancelFunc // ends all goroutines
	hearing     sync.WaitGroup     // goroutines that call the table, such as deliverMessages and applyChanges
	posting     sync.WaitGroup
	once        sync.Once // guards closing
	err         error     // result of closing
	joinErr     error     // why the bot could not join the voice channel
	closeReason string    // reason for closing the session
	unread      *unreadLines

	reloading sync.Mutex // held while the cast is reloaded

	mu   sync.Mutex // guards the fields below
	npcs []config.NPC
}

// sessionStart describes how a session starts.
type sessionStart struct {
	channel, parent string // parent is the thread's channel
	voice           string // voice channel to join, "" for none
	after           string // an id older than all of the session's messages
	resume          bool   // resume the interrupted session
}

// startSession starts a session, or resumes the interrupted one. It first checks that the bot can post in the
// channel, and then opens the table.
func (b *Bot) startSession(ctx context.Context, g *play.Guild, at sessionStart) (*session, error) {
	run, end := context.WithCancel(b.tasks.context())
	hear, stopHearing := context.WithCancel(run)
	r := &session{
		log: b.log, guild: g.ID(), channel: at.channel, parent: at.parent, began: time.Now(), lang: b.language(), inbox: newInbox(),
		sender: newSender(b.rest, b.log, at.channel, at.parent, b.language()), cancel: end, stopHearing: stopHearing, unread: newUnreadLines(),
		reactions: make(chan reaction, maxReactions),
	}
	r.sender.posted = at.after
	r.sender.hooks.unread, r.sender.hooks.report = r.unread.add, b.report
	r.sender.hooks.channelLost = func(why string) { b.tasks.spawn(func(context.Context) { b.sessions.endSession(r, "") }); b.report(why) }
	err := errors.Join(b.consents.loadDeclined(ctx, g), r.sender.findWebhook(ctx))
	var quiet error // why there is no voice
	if err == nil {
		o := play.GuildSessionOptions{Notify: r.reportToOperator, Channel: at.channel, Voice: at.voice, Resume: at.resume, Last: r.postRest}
		var next noticeSink
		next, o.OpenSound, quiet = b.prepareVoice(r, at.voice == "")
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
		r.voice.setPlaceStore(r.played.StoreVoiceChannel, at.voice)
	}
	if at.voice != "" {
		r.joinErr = r.joinVoice(ctx, b, at.voice, quiet)
	}
	for _, n := range r.played.Notices {
		r.reportToOperator("info", n)
	}
	r.receiver = r.played.Table
	r.setNPCs(r.played.Cast)
	r.status.name, r.status.table = r.played.Campaign, r.played.Table
	r.posting.Go(func() { r.sender.run(run) })
	r.hearing.Go(func() { // it calls the table, so it must end first
		r.sender.checkPosted(r.status.run(hear))
	})
	r.hearing.Go(func() { r.deliverMessages(hear) })
	r.hearing.Go(func() { r.applyChanges(hear) })
	r.hearing.Go(func() { r.handleReactions(hear) })
	r.hearing.Go(func() { r.dropUnread(hear) })
	r.hearing.Go(func() { newApprovalCards(b, r).run(hear) })
	if r.voice != nil {
		r.hearing.Go(func() { b.serveVoice(hear, r) })
		r.hearing.Go(func() { b.refreshRoles(hear, r) })
	}
	return r, nil
}

// reportToOperator logs a problem that only the operator can fix. DMs see it in /session status.
func (r *session) reportToOperator(level, text string) {
	r.log.Warn("a session's notice", "guild", r.guild, "level", level, "text", text)
	if level != "info" {
		r.status.recordWarning(text)
	}
}

// presentNPCs returns the NPCs at the table. The slice must not be changed.
func (r *session) presentNPCs() []config.NPC {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.npcs
}

// setNPCs sets the NPCs at the table.
func (r *session) setNPCs(all []config.NPC) {
	r.mu.Lock()
	r.npcs = all
	r.mu.Unlock()
	r.sender.setAvatars(all)
}

// reloadNPCs reloads the NPC files and returns what changed at the table.
func (r *session) reloadNPCs(ctx context.Context) (play.Recast, error) {
	r.reloading.Lock()
	defer r.reloading.Unlock()
	all, changed, err := r.played.Reload(ctx)
	if err == nil {
		r.setNPCs(all)
	}
	return changed, err
}

// close ends the table, posts its last lines, and waits for all goroutines.
func (r *session) close(why string) error {
	r.once.Do(func() {
		r.closeReason = why
		r.sender.hurry()
		r.stopHearing()
		r.hearing.Wait()
		if r.voice != nil {
			r.voice.awaitLastWords()
		}
		r.err = errors.Join(r.storeUnheard(), r.played.Close())
		r.closeVoice()
		r.cancel()
		r.posting.Wait()
	})
	return r.err
}

// postRest posts the remaining lines after the table has ended, and returns those that could not be
// posted.
func (r *session) postRest() []table.Unread {
	if r.closeReason != "" {
		r.sender.postNotice("end", SessionEnded.In(r.lang, r.closeReason))
	}
	r.sender.sendRest()
	return r.unread.drain()
}

// enqueueMessage queues a message.
func (r *session) enqueueMessage(m message) {
	if m.text != "" && r.inbox.addMessage(m) {
		r.reportTooMuch(m)
	}
}

// reportTooMuch tells a player that their messages are being dropped.
func (r *session) reportTooMuch(m message) {
	r.sender.postNotice("warning", TooMuchOfOne.In(r.sender.currentReportTarget().language, escapeMarkup(m.speaker)))
}

// changeMessage changes a message; an empty text takes it back.
func (r *session) changeMessage(id, text string) {
	if r.inbox.changeMessage(id, text) {
		r.sender.postNotice("warning", TooManyChanges.In(r.lang))
	}
}

// deliverMessages passes messages to the table in order.
func (r *session) deliverMessages(ctx context.Context) {
	for {
		m, ok := r.inbox.popMessage()
		if !ok {
			select {
			case <-r.inbox.arrived:
				continue
			case <-ctx.Done():
				return
			}
		}
		switch err := r.receiver.Hear(ctx, m.utterance()); {
		case errors.Is(err, table.ErrTooMuch), errors.Is(err, table.ErrFlood):
			if r.inbox.dropInFlight() {
				r.reportTooMuch(m)
			}
		case err != nil:
			r.inbox.requeueInFlight()
			return
		default:
			r.inbox.confirmInFlight()
		}
	}
}

// applyChanges passes changes of messages to the table.
func (r *session) applyChanges(ctx context.Context) {
	for {
		c, ok := r.inbox.popChange()
		if !ok {
			select {
			case <-r.inbox.changed:
				continue
			case <-ctx.Done():
				return
			}
		}
		if err := r.applyChange(ctx, c); ctx.Err() != nil && err != nil {
			r.inbox.requeueChange(c)
			return
		}
	}
}

// applyChange changes a line that the table has heard.
func (r *session) applyChange(ctx context.Context, c change) error {
	var err error
	if c.text == "" {
		err = r.receiver.Retract(ctx, c.id)
	} else {
		err = r.receiver.Reword(ctx, c.id, c.text)
	}
	if err != nil && ctx.Err() == nil {
		r.log.Error("changing what was heard", "guild", r.guild, "reason", err)
		r.sender.postNotice("warning", ChangeNotMade.In(r.lang))
	}
	return err
}

// storeUnheard stores all messages and changes that the table has not received yet.
func (r *session) storeUnheard() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	var errs []error
	for {
		c, ok := r.inbox.popChange()
		if !ok {
			break
		}
		errs = append(errs, r.applyChange(ctx, c))
	}
	if rest := r.inbox.drain(); len(rest) > 0 {
		errs = append(errs, r.receiver.StoreUnanswered(ctx, rest...))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("keeping what was written last: %w", err)
	}
	return nil
}

package discord

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/discord/markup"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// hearer is the part of a table that takes in what players write.
type hearer interface {
	Hear(ctx context.Context, u table.Utterance) error
	Keep(ctx context.Context, us ...table.Utterance) error
	Reword(ctx context.Context, ref, text string) error
	Retract(ctx context.Context, ref string) error
}

// room is a session of a guild: a table, and the channel it is played in.
type room struct {
	bot            *Bot
	guild, channel string
	parent         string // of channel, if that is a thread
	began          time.Time
	sitting        *Sitting
	hearer         hearer // the sitting's table
	inbox          *inbox
	mouth          *mouth
	board          *board

	deafen context.CancelFunc // ends the ears
	end    context.CancelFunc // ends everything
	ears   sync.WaitGroup     // what asks the table: listen, correct and the board
	work   sync.WaitGroup
	once   sync.Once // of closing
	err    error     // of closing

	reloading sync.Mutex // held while the cast is read anew

	mu   sync.Mutex // guards the fields below
	npcs []NPC
}

// open starts a session, or with resume goes on with the one that was cut off:
// first whether the channel can be written to, then the table.
func (b *Bot) open(ctx context.Context, guild, channel, parent string, resume bool) (*room, error) {
	if err := b.reserve(guild); err != nil {
		return nil, err
	}
	r, err := b.furnish(ctx, guild, channel, parent, resume)
	b.mu.Lock()
	late := b.rooms == nil
	switch {
	case late:
	case err != nil:
		delete(b.rooms, guild)
	default:
		b.rooms[guild] = r
	}
	b.mu.Unlock()
	if late && err == nil {
		r.close("")
		return nil, errGoing
	}
	return r, err
}

// reserve makes sure that a guild has one session at a time.
func (b *Bot) reserve(guild string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.taken(guild); err != nil {
		return err
	}
	b.rooms[guild] = nil
	return nil
}

// free says why no session can begin in a guild now, if none can.
func (b *Bot) free(guild string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.taken(guild)
}

// taken is free for whoever holds b.mu.
func (b *Bot) taken(guild string) error {
	r, taken := b.rooms[guild]
	switch {
	case b.rooms == nil:
		return errGoing
	case taken && r == nil:
		return errors.New("a session is being started or stopped; wait a moment")
	case taken:
		return fmt.Errorf("a session is running in <#%s>; /session stop ends it", r.channel)
	}
	return nil
}

func (b *Bot) furnish(ctx context.Context, guild, channel, parent string, resume bool) (*room, error) {
	b.mu.Lock()
	life := b.life
	b.mu.Unlock()
	run, end := context.WithCancel(life)
	hear, deafen := context.WithCancel(run)
	r := &room{bot: b, guild: guild, channel: channel, parent: parent, began: time.Now(), end: end, deafen: deafen, inbox: newInbox()}
	r.mouth = newMouth(b.api, b.log, channel, parent)
	r.mouth.lost = func(why string) { b.spawn(func(context.Context) { b.finish(r, "") }); b.say(why) }
	err := errors.Join(b.learnDeclined(ctx, guild), r.mouth.prepare(ctx))
	if err == nil {
		r.board = newBoard(b.api, channel, r.mouth)
		r.sitting, err = b.backend.Sit(ctx, guild, SitOptions{Sink: r.board, Tell: r.mouth.tell, Channel: channel, Resume: resume})
	}
	if err != nil {
		end()
		return nil, err
	}
	r.hearer = r.sitting.Table
	r.recast(r.sitting.Cast)
	r.board.name, r.board.table = r.sitting.Campaign, r.sitting.Table
	r.work.Go(func() { r.mouth.run(run) })
	r.ears.Go(func() { // it asks the table, so it ends before it
		r.mouth.settle(r.board.run(hear))
	})
	r.ears.Go(func() { r.listen(hear) })
	r.ears.Go(func() { r.correct(hear) })
	return r, nil
}

// cast is who is at the table. It is not to be changed.
func (r *room) cast() []NPC {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.npcs
}

// recast learns who is at the table from now on.
func (r *room) recast(all []NPC) {
	r.mu.Lock()
	r.npcs = all
	r.mu.Unlock()
	r.mouth.cast(all)
}

// reload has the table go on with the NPCs that are in the files now, and says
// what has changed.
func (r *room) reload(ctx context.Context) (string, error) {
	r.reloading.Lock()
	defer r.reloading.Unlock()
	all, said, err := r.sitting.Reload(ctx)
	if err == nil {
		r.recast(all)
	}
	return said, err
}

// finish ends a session and says why in its channel, unless why is empty.
func (b *Bot) finish(r *room, why string) error {
	b.mu.Lock()
	ours := b.rooms != nil && b.rooms[r.guild] == r
	if ours {
		b.rooms[r.guild] = nil // until it is closed, no other opens
	}
	b.mu.Unlock()
	err := r.close(why)
	if err != nil {
		b.log.Error("closing a session", "guild", r.guild, "reason", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if ours && b.rooms != nil {
		delete(b.rooms, r.guild)
	}
	return err
}

// close ends the table, tells what it said last, and waits for everything.
func (r *room) close(why string) error {
	r.once.Do(func() {
		r.deafen()
		r.ears.Wait()
		r.err = errors.Join(r.hearOut(), r.sitting.Close())
		if why != "" {
			r.mouth.tell("end", "The session has ended: "+why+". What was said is kept.")
		}
		r.mouth.finish()
		r.end()
		r.work.Wait()
	})
	return r.err
}

// write takes in a message.
func (r *room) write(m message) {
	if m.text != "" && r.inbox.put(m) {
		r.mouth.tell("warning", "Too much at once: what "+markup.Escape(m.speaker)+" wrote was not heard. rest.Wait for the answers, then write it again.")
	}
}

// rewrite changes a message; an empty text takes it back.
func (r *room) rewrite(id, text string) {
	if r.inbox.rewrite(id, text) {
		r.mouth.tell("warning", "Too many messages were edited or deleted at once: some are kept as they were. /privacy forget deletes all that somebody wrote.")
	}
}

// listen hands messages to the table, in order.
func (r *room) listen(ctx context.Context) {
	for {
		m, ok := r.inbox.next()
		if !ok {
			select {
			case <-r.inbox.arrived:
				continue
			case <-ctx.Done():
				return
			}
		}
		if err := r.hearer.Hear(ctx, m.utterance()); err != nil {
			r.inbox.putBack()
			return
		}
		r.inbox.heard()
	}
}

// correct hands the table what players changed of what it has heard.
func (r *room) correct(ctx context.Context) {
	for {
		c, ok := r.inbox.nextChange()
		if !ok {
			select {
			case <-r.inbox.changed:
				continue
			case <-ctx.Done():
				return
			}
		}
		if err := r.amend(ctx, c); ctx.Err() != nil && err != nil {
			r.inbox.restore(c)
			return
		}
	}
}

// amend changes what the table has heard.
func (r *room) amend(ctx context.Context, c change) error {
	var err error
	if c.text == "" {
		err = r.hearer.Retract(ctx, c.id)
	} else {
		err = r.hearer.Reword(ctx, c.id, c.text)
	}
	if err != nil && ctx.Err() == nil {
		r.bot.log.Error("changing what was heard", "guild", r.guild, "reason", err)
		r.mouth.tell("warning", "A message that was edited or deleted is kept as it was: the bot could not change it.")
	}
	return err
}

// hearOut gives the table what it has yet to hear, so that it is kept, however
// much that is.
func (r *room) hearOut() error {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	var errs []error
	for {
		c, ok := r.inbox.nextChange()
		if !ok {
			break
		}
		errs = append(errs, r.amend(ctx, c))
	}
	if rest := r.inbox.rest(); len(rest) > 0 {
		errs = append(errs, r.hearer.Keep(ctx, rest...))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("keeping what was written last: %w", err)
	}
	return nil
}

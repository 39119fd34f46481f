package discord

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
)

// maxUnheard bounds the messages that wait for the table; beyond that they are
// dropped, and somebody is told.
const maxUnheard = 64

// room is a session of a guild: a table, and the channel it is played in.
type room struct {
	bot            *Bot
	guild, channel string
	parent         string // of channel, if that is a thread
	began          time.Time
	sitting        *Sitting
	mouth          *mouth
	board          *board

	deafen context.CancelFunc // ends listen and the board
	end    context.CancelFunc // ends everything
	ears   sync.WaitGroup     // listen and the board
	work   sync.WaitGroup
	once   sync.Once // of closing
	err    error     // of closing

	mu      sync.Mutex // guards the fields below
	npcs    []NPC
	inbox   []message
	arrived chan struct{} // receives when inbox has something
	dropped bool          // the last message was
}

// message is what a player wrote, until the table hears it.
type message struct{ id, speaker, text string }

// open starts a session: first whether the channel can be written to, then the
// table.
func (b *Bot) open(ctx context.Context, guild, channel, parent string) (*room, error) {
	if err := b.reserve(guild); err != nil {
		return nil, err
	}
	r, err := b.furnish(ctx, guild, channel, parent)
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
	if b.rooms == nil {
		return errGoing
	}
	if r, taken := b.rooms[guild]; taken && r == nil {
		return errors.New("a session is being started or stopped; wait a moment")
	} else if taken {
		return fmt.Errorf("a session is running in <#%s>; /session stop ends it", r.channel)
	}
	b.rooms[guild] = nil
	return nil
}

func (b *Bot) furnish(ctx context.Context, guild, channel, parent string) (*room, error) {
	b.mu.Lock()
	life := b.life
	b.mu.Unlock()
	run, end := context.WithCancel(life)
	hear, deafen := context.WithCancel(run)
	r := &room{bot: b, guild: guild, channel: channel, parent: parent, began: time.Now(), end: end, deafen: deafen, arrived: make(chan struct{}, 1)}
	r.mouth = newMouth(b.api, b.log, channel, parent)
	r.mouth.lost = func(why string) { b.spawn(func(context.Context) { b.finish(r, "") }); b.say(why) }
	err := r.mouth.prepare(ctx)
	if err == nil {
		r.board = &board{api: b.api, channel: channel, next: r.mouth}
		r.sitting, err = b.backend.Sit(ctx, guild, SitOptions{Sink: r.board, Tell: r.mouth.tell})
	}
	if err != nil {
		end()
		return nil, err
	}
	r.recast(r.sitting.Cast)
	r.board.name, r.board.table = r.sitting.Campaign, r.sitting.Table
	r.work.Go(func() { r.mouth.run(run) })
	r.ears.Go(func() { // it asks the table, so it ends before it
		r.mouth.settle(r.board.run(hear))
	})
	r.ears.Go(func() { r.listen(hear) })
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
		r.hearOut()
		r.err = r.sitting.Close()
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
func (r *room) write(id, speaker, text string) {
	if text == "" {
		return
	}
	r.mu.Lock()
	full := len(r.inbox) >= maxUnheard
	first := full && !r.dropped
	r.dropped = full
	if !full {
		r.inbox = append(r.inbox, message{id, speaker, text})
	}
	r.mu.Unlock()
	if first {
		r.mouth.tell("warning", "Too much at once: what "+escape(speaker)+" wrote was not heard. Wait for the answers, then write it again.")
	}
	r.wake()
}

// rewrite changes a message the table has not heard yet; an empty text takes it
// back.
func (r *room) rewrite(id, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.inbox {
		if r.inbox[i].id == id {
			r.inbox[i].text = text
		}
	}
}

func (r *room) wake() {
	select {
	case r.arrived <- struct{}{}:
	default: // it is awake
	}
}

// next takes the oldest message, false if there is none.
func (r *room) next() (message, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.inbox) > 0 {
		m := r.inbox[0]
		r.inbox = r.inbox[1:]
		if strings.TrimSpace(m.text) != "" {
			return m, true
		}
	}
	return message{}, false
}

// listen hands messages to the table, in order.
func (r *room) listen(ctx context.Context) {
	for {
		m, ok := r.next()
		if !ok {
			select {
			case <-r.arrived:
				continue
			case <-ctx.Done():
				return
			}
		}
		if err := r.sitting.Table.Hear(ctx, table.Utterance{Speaker: m.speaker, Text: m.text}); err != nil {
			r.mu.Lock()
			r.inbox = append([]message{m}, r.inbox...)
			r.mu.Unlock()
			return
		}
	}
}

// hearOut gives the table what it has yet to hear, so that it is kept.
func (r *room) hearOut() {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	for {
		m, ok := r.next()
		if !ok {
			return
		}
		if err := r.sitting.Table.Hear(ctx, table.Utterance{Speaker: m.speaker, Text: m.text}); err != nil {
			r.bot.log.Error("hearing what was written last", "guild", r.guild, "reason", err)
			return
		}
	}
}

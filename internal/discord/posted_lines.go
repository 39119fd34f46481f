package discord

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

const (
	// maxPosted bounds the messages of which it is known in which turn they were said, and
	// maxUnsaid the turns that are remembered to be taken back.
	maxPosted, maxUnsaid = 512, 128
)

// errUnsaid says that a message is not to be posted any more.
var errUnsaid = errors.New("it was taken back")

// postedLine is a message of an NPC.
type postedLine struct {
	id   string
	turn int64
	by   *discordgo.Webhook // through which it was posted; nil if by the bot
	gone bool               // it was taken back, and is deleted or cannot be
}

// earlyReaction is a reaction to a message of which nobody has told the sender yet that it was
// posted: people may be quicker than Discord's answer.
type earlyReaction struct {
	message string
	take    func(turn int64)
}

// maxEarly bounds the early reactions; beyond it the oldest is forgotten.
const maxEarly = 16

// postedLines are the last messages of NPCs, and which of them are not to be read any more. It
// is safe for concurrent use.
type postedLines struct {
	erasing chan struct{} // receives when there may be something to delete

	mu     sync.Mutex // guards the fields below
	all    []postedLine
	unsaid []int64 // the last turns whose answers were taken back
	erased []int64 // of those, the ones of which nothing is kept any more
	early  []earlyReaction
}

func newPostedLines() *postedLines { return &postedLines{erasing: make(chan struct{}, 1)} }

// add notes in which turn a message was said.
func (p *postedLines) add(id string, turn int64, by *discordgo.Webhook) {
	p.mu.Lock()
	p.all = append(p.all[max(len(p.all)-maxPosted+1, 0):], postedLine{id: id, turn: turn, by: by})
	if slices.Contains(p.erased, turn) { // it was on its way when it was taken back
		wakeup.Signal(p.erasing)
	}
	var came []earlyReaction
	p.early = slices.DeleteFunc(p.early, func(e earlyReaction) bool {
		if e.message == id {
			came = append(came, e)
		}
		return e.message == id
	})
	p.mu.Unlock()
	for _, e := range came {
		e.take(turn)
	}
}

// whenPosted has take, which does not wait, told in which turn an NPC said a message: now, or
// when it is known to be one. Of what was deleted, and of what others wrote, never.
func (p *postedLines) whenPosted(message string, take func(turn int64)) {
	p.mu.Lock()
	i := slices.IndexFunc(p.all, func(l postedLine) bool { return l.id == message })
	if i < 0 {
		p.early = append(p.early[max(len(p.early)-maxEarly+1, 0):], earlyReaction{message, take})
		p.mu.Unlock()
		return
	}
	l := p.all[i]
	p.mu.Unlock()
	if !l.gone {
		take(l.turn)
	}
}

// contains reports whether a message is one of an NPC, be it taken back.
func (p *postedLines) contains(message string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.all, func(l postedLine) bool { return l.id == message })
}

// markUnsaid notes that what was said in a turn is not to be posted any more.
func (p *postedLines) markUnsaid(turn int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unsaid = append(p.unsaid[max(len(p.unsaid)-maxUnsaid+1, 0):], turn)
}

func (p *postedLines) isUnsaid(turn int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return turn != 0 && slices.Contains(p.unsaid, turn)
}

// markErased notes that nothing is kept of what was said in a turn: what was posted of it may
// go. As long as something is kept, it has to be there to be read.
func (p *postedLines) markErased(turn int64) {
	p.mu.Lock()
	p.erased = append(p.erased[max(len(p.erased)-maxUnsaid+1, 0):], turn)
	p.mu.Unlock()
	wakeup.Signal(p.erasing)
}

// toDelete are the messages of turns of which nothing is kept.
func (p *postedLines) toDelete() (all []postedLine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.all {
		if !l.gone && slices.Contains(p.erased, l.turn) {
			all = append(all, l)
		}
	}
	return all
}

// markGone notes that a message is not to be deleted any more.
func (p *postedLines) markGone(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.all {
		if p.all[i].id == id {
			p.all[i].gone = true
		}
	}
}

// deleteErased deletes what was posted of turns of which nothing is kept, beside run, so that
// no line waits for that. Once settled is closed it ends when that is done, and in any case
// when ctx does.
func (s *sender) deleteErased(ctx context.Context, settled <-chan struct{}) {
	for {
		s.deleteLines(ctx)
		select {
		case <-s.lines.erasing:
		case <-settled:
			s.deleteLines(ctx)
			return
		}
	}
}

// deleteLines deletes what is to be deleted, however often that takes, for as long as a
// message is tried to be posted. What cannot be deleted stays in the channel, which is told.
func (s *sender) deleteLines(ctx context.Context) {
	since := map[string]time.Time{} // by message: when it was first tried
	for failed := 0; ; failed++ {
		left := false
		for _, l := range s.lines.toDelete() {
			if since[l.id].IsZero() {
				since[l.id] = time.Now()
			}
			err := l.delete(ctx, s)
			if err != nil && !RefusedAnswer(err) && ctx.Err() == nil && time.Since(since[l.id]) <= s.patience() {
				left = true
				continue
			}
			if err != nil {
				s.tellNotDeleted(err)
			}
			s.lines.markGone(l.id)
		}
		if !left {
			return
		}
		s.pause(ctx, min(firstRetry<<min(failed, 6), longestRetry))
	}
}

// tellNotDeleted tells the channel and the operator that a line can be read that nobody has
// in mind any more.
func (s *sender) tellNotDeleted(err error) {
	s.log.Warn("deleting what was taken back", "channel", s.channel, "reason", err)
	s.hooks.say("discord: a line that was taken back could not be deleted in its channel; the NPC has forgotten it all the same")
	s.postNotice("warning", NotDeleted.In(s.currentHome().language))
}

// delete deletes a message; one that is gone already is deleted.
func (l postedLine) delete(ctx context.Context, s *sender) (err error) {
	if l.by != nil {
		thread := ""
		if s.parent != "" {
			thread = s.channel
		}
		err = s.rest.DeleteWebhookMessage(ctx, l.by, thread, l.id)
	} else {
		err = s.rest.DeleteMessage(ctx, s.channel, l.id)
	}
	if ErrorCode(err) == discordgo.ErrCodeUnknownMessage {
		return nil
	}
	return err
}

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
	// maxPosted bounds the messages whose turn is known, and maxRetracted the turns that are remembered as taken
	// back.
	maxPosted, maxRetracted = 512, 128
)

// errRetracted reports that a message must not be posted any more.
var errRetracted = errors.New("it was taken back")

// postedLine is a message of an NPC.
type postedLine struct {
	id           string
	turn         int64
	by           *discordgo.Webhook // the webhook that posted it; nil if the bot did
	deletionDone bool               // it was deleted, or cannot be deleted
}

// earlyReaction is a reaction to a message that the sender does not know yet, because people can react before
// Discord's response arrives.
type earlyReaction struct {
	message string
	handle  func(turn int64)
}

// maxEarly bounds the early reactions. At the limit, the oldest is dropped.
const maxEarly = 16

// postedLines are the latest messages of NPCs, and which of them were taken back. It is safe for concurrent
// use.
type postedLines struct {
	erasing chan struct{} // receives when there may be something to delete

	mu        sync.Mutex // guards the fields below
	all       []postedLine
	retracted []int64 // the latest turns whose answers were taken back
	erased    []int64 // those of unsaid whose stored lines were erased
	early     []earlyReaction
}

func newPostedLines() *postedLines { return &postedLines{erasing: make(chan struct{}, 1)} }

// add records the turn of a posted message.
func (p *postedLines) add(id string, turn int64, by *discordgo.Webhook) {
	p.mu.Lock()
	p.all = append(p.all[max(len(p.all)-maxPosted+1, 0):], postedLine{id: id, turn: turn, by: by})
	if slices.Contains(p.erased, turn) { // the turn was taken back while the message was being posted
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
		e.handle(turn)
	}
}

// whenPosted calls take, which must not block, with the turn of an NPC's message: now, or when the message
// becomes known. It never calls take for deleted messages and those of others.
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
	if !l.deletionDone {
		take(l.turn)
	}
}

// contains reports whether a message is an NPC's, even if it was taken back.
func (p *postedLines) contains(message string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.all, func(l postedLine) bool { return l.id == message })
}

// markRetracted records that a turn's answer must not be posted any more.
func (p *postedLines) markRetracted(turn int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.retracted = append(p.retracted[max(len(p.retracted)-maxRetracted+1, 0):], turn)
}

func (p *postedLines) isRetracted(turn int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return turn != 0 && slices.Contains(p.retracted, turn)
}

// markErased records that a turn's stored lines were erased, so that its messages can be deleted. Until then
// they stay, because stored lines must also be visible.
func (p *postedLines) markErased(turn int64) {
	p.mu.Lock()
	p.erased = append(p.erased[max(len(p.erased)-maxRetracted+1, 0):], turn)
	p.mu.Unlock()
	wakeup.Signal(p.erasing)
}

// toDelete returns the messages of erased turns.
func (p *postedLines) toDelete() (all []postedLine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.all {
		if !l.deletionDone && slices.Contains(p.erased, l.turn) {
			all = append(all, l)
		}
	}
	return all
}

// markDeletionDone records that a message needs no deletion any more.
func (p *postedLines) markDeletionDone(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.all {
		if p.all[i].id == id {
			p.all[i].deletionDone = true
		}
	}
}

// deleteErased deletes the messages of erased turns. It runs beside run, so that deletions do not delay
// lines. It returns when settled is closed and all deletions are done. When ctx ends, it makes no more
// retries.
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

// deleteLines deletes the messages of erased turns. It retries as long as it would retry a post, then gives
// up on a message and reports that in the channel.
func (s *sender) deleteLines(ctx context.Context) {
	since := map[string]time.Time{} // first attempt, by message
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
				s.reportNotDeleted(err)
			}
			s.lines.markDeletionDone(l.id)
		}
		if !left {
			return
		}
		s.pause(ctx, min(firstRetry<<min(failed, 6), longestRetry))
	}
}

// reportNotDeleted reports to the channel and the operator that a line is still visible although it was taken
// back.
func (s *sender) reportNotDeleted(err error) {
	s.log.Warn("deleting what was taken back", "channel", s.channel, "reason", err)
	s.hooks.report("discord: a line that was taken back could not be deleted in its channel, but the NPC has forgotten it")
	s.postNotice("warning", NotDeleted.In(s.currentReportTarget().language))
}

// delete deletes a message. A missing message is no error.
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

package discord

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/discord/rest"
)

const (
	// maxPosted bounds the messages of which it is known in which turn they were said, and
	// maxUnsaid the turns that are remembered to be taken back.
	maxPosted, maxUnsaid = 512, 128
	// deleteTries is how often it is tried to delete a message.
	deleteTries = 3
)

// errUnsaid says that a message is not to be posted any more.
var errUnsaid = errors.New("it was taken back")

// postedLine is a message of an NPC.
type postedLine struct {
	id   string
	turn int64
	by   *discordgo.Webhook // through which it was posted; nil if by the bot
	gone bool               // it is taken back
}

// earlyReaction is a reaction to a message of which nobody has told the sender yet that it was
// posted: people may be quicker than Discord's answer.
type earlyReaction struct {
	message string
	take    func(turn int64)
}

// maxEarly bounds the early reactions; beyond it the oldest is forgotten.
const maxEarly = 16

// noteLine notes in which turn a message was said.
func (s *sender) noteLine(id string, turn int64, by *discordgo.Webhook) {
	s.mu.Lock()
	s.lines = append(s.lines[max(len(s.lines)-maxPosted+1, 0):], postedLine{id: id, turn: turn, by: by})
	var came []earlyReaction
	s.early = slices.DeleteFunc(s.early, func(e earlyReaction) bool {
		if e.message == id {
			came = append(came, e)
		}
		return e.message == id
	})
	s.mu.Unlock()
	for _, e := range came {
		e.take(turn)
	}
}

// whenPosted has take, which does not wait, told in which turn an NPC said a message: now, or
// when it is known to be one. Of what was taken back, and of what others wrote, never.
func (s *sender) whenPosted(message string, take func(turn int64)) {
	s.mu.Lock()
	i := slices.IndexFunc(s.lines, func(l postedLine) bool { return l.id == message })
	if i < 0 {
		s.early = append(s.early[max(len(s.early)-maxEarly+1, 0):], earlyReaction{message, take})
		s.mu.Unlock()
		return
	}
	l := s.lines[i]
	s.mu.Unlock()
	if !l.gone {
		take(l.turn)
	}
}

// isLineOf reports whether a message is one of an NPC that s posted, be it taken back.
func isLineOf(s *sender, message string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.lines, func(l postedLine) bool { return l.id == message })
}

// markUnsaid notes that what was said in a turn is not to be read any more.
func (s *sender) markUnsaid(turn int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unsaid = append(s.unsaid[max(len(s.unsaid)-maxUnsaid+1, 0):], turn)
}

func (s *sender) isUnsaid(turn int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return turn != 0 && slices.Contains(s.unsaid, turn)
}

// deleteLines deletes what was posted of a turn. What cannot be deleted stays in the
// channel, and the operator is told: nobody keeps it in mind any more.
func (s *sender) deleteLines(ctx context.Context, turn int64) {
	if s.turn == turn {
		s.text = ""
	}
	s.mu.Lock()
	var gone []postedLine
	for i := range s.lines {
		if l := &s.lines[i]; l.turn == turn && !l.gone {
			gone = append(gone, *l)
			l.gone = true
		}
	}
	s.mu.Unlock()
	for _, l := range gone {
		if err := l.delete(ctx, s); err != nil {
			s.log.Warn("deleting what was taken back", "channel", s.channel, "reason", err)
			s.say("discord: a line that was taken back could not be deleted in its channel; the NPC has forgotten it all the same")
		}
	}
}

// delete deletes a message; one that is gone already is deleted.
func (l postedLine) delete(ctx context.Context, s *sender) error {
	for try := 1; ; try++ {
		var err error
		if l.by != nil {
			thread := ""
			if s.parent != "" {
				thread = s.channel
			}
			err = s.rest.DeleteWebhookMessage(ctx, l.by, thread, l.id)
		} else {
			err = s.rest.DeleteMessage(ctx, s.channel, l.id)
		}
		switch {
		case err == nil || rest.ErrorCode(err) == discordgo.ErrCodeUnknownMessage:
			return nil
		case rest.Refused(err) || try == deleteTries || ctx.Err() != nil:
			return err
		}
		s.pause(ctx, time.Duration(try)*firstRetry)
	}
}

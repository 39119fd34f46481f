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
	deleteTries = 5
)

// errUnsaid says that a message is not to be posted any more.
var errUnsaid = errors.New("it was taken back")

// postedLine is a message of an NPC.
type postedLine struct {
	id   string
	turn int64
	by   *discordgo.Webhook // through which it was posted; nil if by the bot
}

// noteLine notes in which turn a message was said.
func (s *sender) noteLine(id string, turn int64, by *discordgo.Webhook) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines[max(len(s.lines)-maxPosted+1, 0):], postedLine{id, turn, by})
}

// turnOf is the turn in which a message of an NPC was said.
func (s *sender) turnOf(message string) (turn int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.lines, func(l postedLine) bool { return l.id == message })
	if i < 0 {
		return 0, false
	}
	return s.lines[i].turn, true
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
	s.lines = slices.DeleteFunc(s.lines, func(l postedLine) bool {
		if l.turn == turn {
			gone = append(gone, l)
		}
		return l.turn == turn
	})
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
		code := rest.ErrorCode(err)
		switch {
		case err == nil || code == discordgo.ErrCodeUnknownMessage || code == discordgo.ErrCodeUnknownWebhook:
			return nil
		case rest.Refused(err) || try == deleteTries || ctx.Err() != nil:
			return err
		}
		s.pause(ctx, time.Duration(try)*firstRetry)
	}
}

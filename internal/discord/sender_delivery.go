package discord

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/discord/markup"
	"github.com/MrWong99/glyphoxa/internal/discord/rest"
	"github.com/MrWong99/glyphoxa/internal/discord/wording"
	"github.com/MrWong99/glyphoxa/internal/table"
)

const (
	// heldAfter is how long a message waits before people are told.
	heldAfter = 10 * time.Second
	// giveUpAfter is how long a message is tried for. An answer that comes later has
	// nothing to do any more with what is said by then.
	giveUpAfter = 5 * time.Minute
	// firstRetry is the pause after the first failure, doubled with each up to
	// longestRetry. It gives Discord time to show what it took without saying so.
	firstRetry   = time.Second
	longestRetry = 15 * time.Second
)

// posting is a message on its way to the channel.
type posting struct {
	npc, text string // without an NPC it is the bot's own
	turn      int64
	since     time.Time // when it was due
	heard     bool      // somebody heard it, too

	nonce   string             // the message's own
	renewed bool               // the webhook was looked for anew
	doubt   bool               // Discord may have taken it
	by      *discordgo.Webhook // through which it was posted last; nil if by the bot
}

// errNotTaken says that a message was tried for as long as it is worth.
var errNotTaken = wording.NotTakenInTime.With()

// deliver posts a message, however often that takes; messages after it wait. What
// becomes of one that is not posted: its loss is told in the channel, and whoever keeps
// what was said is told of it.
func (s *sender) deliver(ctx context.Context, p posting) {
	s.tellLosses(ctx)
	if err := s.postUntilTaken(ctx, &p); err != nil {
		if errors.Is(err, errUnsaid) {
			return
		}
		s.checkPosted(err)
		if p.npc != "" {
			s.losses = append(s.losses, loss{p.npc, err, p.heard})
			if !p.heard {
				s.unread(table.Unread{Turn: p.turn, Text: p.text})
			}
		}
		return
	}
	s.tellHeld(ctx)
}

// postUntilTaken posts a message once. It tries again until Discord takes it, refuses it, or
// giveUpAfter is over; before it does, it looks whether Discord has it already, if
// that is open. Discord keeps from double posts by nonces, but not with webhooks.
func (s *sender) postUntilTaken(ctx context.Context, p *posting) error {
	p.nonce = newNonce()
	for failed := 0; ; failed++ {
		id, err := s.postIfMissing(ctx, p)
		switch {
		case err == nil:
			s.posted = id
			if p.npc != "" {
				s.lines.add(id, p.turn, p.by)
			}
			return nil
		case rest.Refused(err) || errors.Is(err, errUnsaid):
			return err
		case ctx.Err() != nil || time.Since(p.since) > s.patience():
			return fmt.Errorf("%w: %w", errNotTaken, err)
		}
		p.doubt = p.doubt || rest.Doubtful(err)
		s.noteHeld(p, err)
		s.pause(ctx, min(firstRetry<<min(failed, 6), longestRetry))
	}
}

// patience is for how long a message is tried.
func (s *sender) patience() time.Duration {
	select {
	case <-s.hurried:
		return closeTimeout
	default:
		return giveUpAfter
	}
}

// pause waits before the next attempt, no longer than it takes until the end is near.
func (s *sender) pause(ctx context.Context, d time.Duration) {
	if s.patience() == closeTimeout {
		rest.Wait(ctx, min(d, firstRetry))
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.hurried:
	case <-ctx.Done():
	}
}

// postIfMissing posts a message that is not in the channel yet, and returns its id.
func (s *sender) postIfMissing(ctx context.Context, p *posting) (id string, err error) {
	if p.doubt {
		id, err := s.findPosted(ctx, p)
		if err != nil && !rest.Refused(err) || id != "" {
			return id, err
		}
	}
	if s.lines.isUnsaid(p.turn) {
		return "", errUnsaid
	}
	return s.postOnce(ctx, p)
}

// noteHeld notes that a message waits, and tells the operator once it does for long.
func (s *sender) noteHeld(p *posting, err error) {
	if s.heldSince.IsZero() {
		s.heldSince = p.since
	}
	if s.heldTold || time.Since(s.heldSince) < heldAfter {
		return
	}
	s.heldTold = true
	s.log.Warn("posting is held up", "channel", s.channel, "reason", err)
	s.say(fmt.Sprintf("discord: what NPCs say is held up (%v); it is posted when Discord takes it", err))
}

// tellHeld tells the channel, once messages are taken again, that some came late.
func (s *sender) tellHeld(ctx context.Context) {
	since, told := s.heldSince, s.heldTold
	s.heldSince, s.heldTold = time.Time{}, false
	if !told {
		return
	}
	s.log.Info("posting goes on", "channel", s.channel, "held_up", time.Since(since))
	s.say("discord: Discord takes again what NPCs say")
	p := posting{text: noticeText("warning", wording.CameLate.In(s.currentHome().language, int(time.Since(since).Seconds()))), since: time.Now()}
	s.checkPosted(s.postUntilTaken(ctx, &p))
}

// loss is a message that was not posted, and why.
type loss struct {
	npc   string
	err   error
	heard bool
}

// tellLosses tells the channel what was not posted. It tries once, so that what is said
// next need not wait for it any longer, and is called again.
func (s *sender) tellLosses(ctx context.Context) {
	if s.lossTold == nil && len(s.losses) > 0 {
		s.lossTold = &posting{text: lossNotice(s.currentHome().language, s.losses), nonce: newNonce()}
		s.losses = nil
	}
	if s.lossTold == nil {
		return
	}
	id, err := s.postIfMissing(ctx, s.lossTold)
	switch {
	case err == nil:
		s.posted, s.lossTold = id, nil
	case rest.Refused(err):
		s.lossTold = nil
		s.checkPosted(err)
	default:
		s.lossTold.doubt = s.lossTold.doubt || rest.Doubtful(err)
	}
}

// lossNotice says what was not posted.
func lossNotice(l wording.Language, all []loss) string {
	var lost, heard []string
	for _, one := range all {
		if name := markup.Escape(one.npc); one.heard {
			heard = append(heard, name)
		} else {
			lost = append(lost, name)
		}
	}
	why := all[len(all)-1].err
	if errors.Is(why, errNotTaken) {
		why = errNotTaken
	}
	var said []string
	switch {
	case len(lost) == 1:
		said = append(said, wording.LineLost.In(l, lost[0], why))
	case len(lost) > 1:
		said = append(said, wording.LinesLost.In(l, len(lost), joinNames(lost), why))
	}
	if len(heard) > 0 {
		said = append(said, wording.HeardNotWritten.In(l, joinNames(heard), why))
	}
	return noticeText("warning", strings.Join(said, " "))
}

// newNonce makes the nonce of a message.
func newNonce() string { return rand.Text()[:24] }

// joinNames lists names, each once.
func joinNames(all []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(all))), ", ")
}

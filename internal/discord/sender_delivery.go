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
var errNotTaken = NotTakenInTime.With()

// deliver posts a message, with as many attempts as that takes; messages after it wait. A line that
// is not posted is a loss, which reportLosses posts; if it was not heard either, the hook unread is
// called, so that it is not kept.
func (s *sender) deliver(ctx context.Context, p posting) {
	s.reportLosses(ctx)
	if err := s.postUntilTaken(ctx, &p); err != nil {
		if errors.Is(err, errUnsaid) {
			return
		}
		s.checkPosted(err)
		if p.npc != "" {
			s.losses.untold = append(s.losses.untold, loss{p.npc, err, p.heard})
			if !p.heard {
				s.hooks.unread(table.Unread{Turn: p.turn, Text: p.text})
			}
		}
		return
	}
	s.endDelay(ctx)
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
		case RefusedAnswer(err) || errors.Is(err, errUnsaid):
			return err
		case ctx.Err() != nil || time.Since(p.since) > s.patience():
			return fmt.Errorf("%w: %w", errNotTaken, err)
		}
		p.doubt = p.doubt || DoubtfulAnswer(err)
		s.recordDelay(p, err)
		s.pause(ctx, min(firstRetry<<min(failed, 6), longestRetry))
	}
}

// patience is for how long a message is tried.
func (s *sender) patience() time.Duration {
	select {
	case <-s.ending.hurried:
		return closeTimeout
	default:
		return giveUpAfter
	}
}

// pause waits before the next attempt, no longer than it takes until the end is near.
func (s *sender) pause(ctx context.Context, d time.Duration) {
	if s.patience() == closeTimeout {
		WaitFor(ctx, min(d, firstRetry))
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.ending.hurried:
	case <-ctx.Done():
	}
}

// postIfMissing posts a message that is not in the channel yet, and returns its id.
func (s *sender) postIfMissing(ctx context.Context, p *posting) (id string, err error) {
	if p.doubt {
		id, err := s.findPosted(ctx, p)
		if err != nil && !RefusedAnswer(err) || id != "" {
			return id, err
		}
	}
	if s.lines.isUnsaid(p.turn) {
		return "", errUnsaid
	}
	return s.postOnce(ctx, p)
}

// delay is how long posting is held up. The zero value is not at all.
type delay struct {
	since time.Time // when the first message was due that waits; zero if none does
	told  bool      // the operator knows
}

// recordDelay records that a message waits, and reports it to the operator after heldAfter.
func (s *sender) recordDelay(p *posting, err error) {
	if s.delay.since.IsZero() {
		s.delay.since = p.since
	}
	if s.delay.told || time.Since(s.delay.since) < heldAfter {
		return
	}
	s.delay.told = true
	s.log.Warn("posting is held up", "channel", s.channel, "reason", err)
	s.hooks.say(fmt.Sprintf("discord: what NPCs say is held up (%v); it is posted when Discord takes it", err))
}

// endDelay posts in the channel, once messages are taken again, that some came late.
func (s *sender) endDelay(ctx context.Context) {
	since, told := s.delay.since, s.delay.told
	s.delay = delay{}
	if !told {
		return
	}
	s.log.Info("posting goes on", "channel", s.channel, "held_up", time.Since(since))
	s.hooks.say("discord: Discord takes again what NPCs say")
	p := posting{text: noticeText("warning", CameLate.In(s.currentHome().language, int(time.Since(since).Seconds()))), since: time.Now()}
	s.checkPosted(s.postUntilTaken(ctx, &p))
}

// loss is a message that was not posted, and why.
type loss struct {
	npc   string
	err   error
	heard bool
}

// losses are the messages that were not posted, as far as the channel does not know it.
type losses struct {
	untold []loss
	notice *posting // says so of some, and is not taken yet; nil if there is none
}

// reportLosses posts in the channel what was not posted. It tries once, because what is said next
// must not wait for it, and is called again until Discord takes the notice.
func (s *sender) reportLosses(ctx context.Context) {
	if s.losses.notice == nil && len(s.losses.untold) > 0 {
		s.losses.notice = &posting{text: lossNotice(s.currentHome().language, s.losses.untold), nonce: newNonce()}
		s.losses.untold = nil
	}
	if s.losses.notice == nil {
		return
	}
	id, err := s.postIfMissing(ctx, s.losses.notice)
	switch {
	case err == nil:
		s.posted, s.losses.notice = id, nil
	case RefusedAnswer(err):
		s.losses.notice = nil
		s.checkPosted(err)
	default:
		s.losses.notice.doubt = s.losses.notice.doubt || DoubtfulAnswer(err)
	}
}

// lossNotice says what was not posted.
func lossNotice(l Language, all []loss) string {
	var lost, heard []string
	for _, one := range all {
		if name := escapeMarkup(one.npc); one.heard {
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
		said = append(said, LineLost.In(l, lost[0], why))
	case len(lost) > 1:
		said = append(said, LinesLost.In(l, len(lost), joinNames(lost), why))
	}
	if len(heard) > 0 {
		said = append(said, HeardNotWritten.In(l, joinNames(heard), why))
	}
	return noticeText("warning", strings.Join(said, " "))
}

// newNonce makes the nonce of a message.
func newNonce() string { return rand.Text()[:24] }

// joinNames lists names, each once.
func joinNames(all []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(all))), ", ")
}

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
	// reportDelayAfter is the delay after which held-up posts are reported.
	reportDelayAfter = 10 * time.Second
	// giveUpAfter bounds the attempts to post a message. A later answer no longer fits the conversation.
	giveUpAfter = 5 * time.Minute
	// firstRetry is the pause after the first failure; it doubles with each failure up to longestRetry. It
	// gives Discord time to show a message that it accepted without confirming it.
	firstRetry   = time.Second
	longestRetry = 15 * time.Second
)

// posting is a message on its way to the channel.
type posting struct {
	npc, text string // without an NPC it is a message of the bot
	turn      int64
	since     time.Time // when it was enqueued
	heard     bool      // the line was also heard

	nonce   string             // unique to the message
	renewed bool               // the webhook was looked up again
	doubt   bool               // Discord may have accepted the message
	by      *discordgo.Webhook // the webhook of the last attempt; nil if the bot posted
}

// errNotAccepted reports that a message was given up after its last attempt.
var errNotAccepted = NotTakenInTime.With()

// deliver posts a message with retries, during which later messages wait. A line that cannot be posted is a
// loss, which reportLosses reports. If it was not heard either, deliver calls the hook unread, so that the
// line is not stored.
func (s *sender) deliver(ctx context.Context, p posting) {
	s.reportLosses(ctx)
	if err := s.postWithRetries(ctx, &p); err != nil {
		if errors.Is(err, errRetracted) {
			return
		}
		s.checkPosted(err)
		if p.npc != "" {
			s.losses.unreported = append(s.losses.unreported, loss{p.npc, err, p.heard})
			if !p.heard {
				s.hooks.unread(table.Unread{Turn: p.turn, Text: p.text})
			}
		}
		return
	}
	s.endDelay(ctx)
}

// postWithRetries posts a message once. It retries until Discord accepts or refuses the message, or
// giveUpAfter has passed. If an earlier attempt may have succeeded, it first looks for the message in the
// channel. Discord's nonces prevent duplicates, but not for webhooks.
func (s *sender) postWithRetries(ctx context.Context, p *posting) error {
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
		case RefusedAnswer(err) || errors.Is(err, errRetracted):
			return err
		case ctx.Err() != nil || time.Since(p.since) > s.patience():
			return fmt.Errorf("%w: %w", errNotAccepted, err)
		}
		p.doubt = p.doubt || DoubtfulAnswer(err)
		s.recordDelay(p, err)
		s.pause(ctx, min(firstRetry<<min(failed, 6), longestRetry))
	}
}

// patience returns how long attempts to post a message may go on.
func (s *sender) patience() time.Duration {
	select {
	case <-s.ending.hurried:
		return closeTimeout
	default:
		return giveUpAfter
	}
}

// pause waits before the next attempt, less if the session is ending.
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

// postIfMissing posts a message if it is not in the channel yet, and returns its id.
func (s *sender) postIfMissing(ctx context.Context, p *posting) (id string, err error) {
	if p.doubt {
		id, err := s.findPosted(ctx, p)
		if err != nil && !RefusedAnswer(err) || id != "" {
			return id, err
		}
	}
	if s.lines.isRetracted(p.turn) {
		return "", errRetracted
	}
	return s.postOnce(ctx, p)
}

// delay describes for how long posts have been held up. The zero value means they are not.
type delay struct {
	since    time.Time // when the oldest waiting message was enqueued; zero if none waits
	reported bool      // the operator was told
}

// recordDelay records that a message is held up, and reports it to the operator after reportDelayAfter.
func (s *sender) recordDelay(p *posting, err error) {
	if s.delay.since.IsZero() {
		s.delay.since = p.since
	}
	if s.delay.reported || time.Since(s.delay.since) < reportDelayAfter {
		return
	}
	s.delay.reported = true
	s.log.Warn("posting is held up", "channel", s.channel, "reason", err)
	s.hooks.report(fmt.Sprintf("discord: what NPCs say is delayed (%v); the bot posts it as soon as Discord accepts it", err))
}

// endDelay ends a delay. If the delay was reported, it posts that messages came late.
func (s *sender) endDelay(ctx context.Context) {
	since, told := s.delay.since, s.delay.reported
	s.delay = delay{}
	if !told {
		return
	}
	s.log.Info("posting goes on", "channel", s.channel, "held_up", time.Since(since))
	s.hooks.report("discord: Discord accepts what NPCs say again")
	p := posting{text: noticeText("warning", CameLate.In(s.currentReportTarget().language, int(time.Since(since).Seconds()))), since: time.Now()}
	s.checkPosted(s.postWithRetries(ctx, &p))
}

// loss is a message that was not posted, with the reason.
type loss struct {
	npc   string
	err   error
	heard bool
}

// losses are the lost messages that the channel was not told about yet.
type losses struct {
	unreported []loss
	notice     *posting // reports losses and is not posted yet; nil if there is none
}

// reportLosses posts a notice about lost messages. It makes one attempt, so that it does not delay the next
// line, and is called again until Discord accepts the notice.
func (s *sender) reportLosses(ctx context.Context) {
	if s.losses.notice == nil && len(s.losses.unreported) > 0 {
		s.losses.notice = &posting{text: lossNotice(s.currentReportTarget().language, s.losses.unreported), nonce: newNonce()}
		s.losses.unreported = nil
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

// lossNotice returns the notice about lost messages.
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
	if errors.Is(why, errNotAccepted) {
		why = errNotAccepted
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

// newNonce returns a random nonce.
func newNonce() string { return rand.Text()[:24] }

// joinNames lists names in order, without duplicates.
func joinNames(all []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(all))), ", ")
}

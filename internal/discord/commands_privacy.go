package discord

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// forgettingShown is the interval between progress reports. Forgetting a user who said little ends before the
// first.
const forgettingShown = 3 * time.Second

// showPrivacy explains which data about people is stored.
func showPrivacy(ctx context.Context, c *call) (string, error) {
	declined, err := c.guild.Declined(ctx)
	if err != nil {
		return "", err
	}
	if slices.Contains(declined, c.by.ID) {
		return c.format(PrivacyInfo) + "\n" + c.format(NowNotHeard), nil
	}
	return c.format(PrivacyInfo) + "\n" + c.format(NowHeard), nil
}

// changeConsent stores whether the user may be heard.
func changeConsent(ctx context.Context, c *call) (string, error) {
	heard := c.textOption("heard") == "yes"
	if err := c.bot.consents.setHeard(ctx, c.guild, c.by.ID, heard); err != nil {
		return "", err
	}
	if heard {
		return c.format(HeardAgain), nil
	}
	return c.format(NotHeard), nil
}

// forgetUser deletes everything stored about the user after a confirmation.
func forgetUser(ctx context.Context, c *call) (string, error) {
	switch c.pressed {
	case "":
		c.buttons = []button{{c.format(YesForGood), "privacy forget " + c.by.ID, discordgo.DangerButton}}
		return c.format(ForgetSure), nil
	case c.by.ID:
	default:
		return "", YourButton.With()
	}
	if r := c.bot.sessions.findSession(c.guild.ID()); r != nil {
		r.inbox.dropUser(c.by.ID)
	}
	watch := c.showForgetting(ctx)
	n, err := c.guild.ForgetUser(ctx, c.by.ID, watch.record, c.name)
	watch.stop()
	c.notifyOfMentions(ctx)
	if err != nil {
		return "", err
	}
	return c.format(Forgotten, LinesGone.Of(n)), nil
}

// notifyOfMentions sends a direct message to the DM who started the session if others mention forgotten users.
// The message contains no names, because direct messages persist. Without a session, DMs see the notice with
// their next command.
func (c *call) notifyOfMentions(ctx context.Context) {
	places := c.guild.Mentions()
	r := c.bot.sessions.findSession(c.guild.ID())
	if places == 0 || r == nil {
		return
	}
	r.sender.messageStarter(ctx, func(l Language) string { return MentionsWait.In(l, places) })
}

// forgettingProgress shows progress in place of the answer until stop is called.
type forgettingProgress struct {
	mu       sync.Mutex // guards far
	progress memory.Forgetting
	end      context.CancelFunc
	work     sync.WaitGroup
}

// showForgetting starts showing the progress.
func (c *call) showForgetting(ctx context.Context) *forgettingProgress {
	p := &forgettingProgress{}
	ctx, p.end = context.WithCancel(ctx)
	p.work.Go(func() {
		tick := time.NewTicker(forgettingShown)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			p.mu.Lock()
			far := p.progress
			p.mu.Unlock()
			if far.Phases > 0 {
				c.showMeanwhile(ctx, c.format(IsForgetting, far.Phase, far.Phases, LinesSoFar.Of(far.Lines)))
			}
		}
	})
	return p
}

// record records the progress.
func (p *forgettingProgress) record(f memory.Forgetting) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.progress = f
}

func (p *forgettingProgress) stop() {
	p.end()
	p.work.Wait()
}

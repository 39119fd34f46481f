package play

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// errNoUser is what is told of an id that is none.
var errNoUser = errors.New("this is no id of a user")

// Declined lists the users who do not want to be heard in the guild.
func (g *Guild) Declined(context.Context) ([]string, error) {
	r, err := g.records.readRecord()
	if err != nil {
		return nil, logTrouble(g.log, "reading who does not want to be heard", err)
	}
	return r.Unheard, nil
}

// SetConsent keeps whether a user wants to be heard. Who never said so is.
func (g *Guild) SetConsent(_ context.Context, user string, heard bool) error {
	if !validID.MatchString(user) {
		return errNoUser
	}
	err := g.records.changeRecord(func(r *record) error {
		r.Unheard = slices.DeleteFunc(r.Unheard, func(u string) bool { return u == user })
		if !heard {
			r.Unheard = append(r.Unheard, user)
		}
		return nil
	})
	if err != nil {
		return logTrouble(g.log, "keeping whether somebody wants to be heard", err)
	}
	return nil
}

// errNotForgotten is what is told when something of a user may be left.
var errNotForgotten = errors.New("not everything could be forgotten; give the command again, and if that does not help, ask whoever runs the bot")

// ForgetUser takes everything a user said or wrote out of what is kept of the
// guild: in all its campaigns, at the table that is running, in the feedback, and
// the user's id and words in the audit log. What others wrote stays as it is; where it mentions the
// user by a name under which they spoke, or by one of those given, is kept for [Member.TakeMentions].
// It returns how many lines it deleted. An error means that something may be left. progress, if not
// nil, is called with how far it is in the campaign that is played.
func (g *Guild) ForgetUser(ctx context.Context, user string, progress func(memory.Forgetting), names ...string) (lines int, err error) {
	if !validID.MatchString(user) {
		return 0, errNoUser
	}
	g.changing.Lock()
	defer g.changing.Unlock()
	err = g.withCampaign(ctx, func(game *Game) (err error) {
		lines, err = g.forgetUser(ctx, game, user, progress, names)
		return err
	})
	if err != nil {
		g.log.Error("forgetting a user", "reason", err)
		return lines, errNotForgotten
	}
	return lines, nil
}

// forgetUser goes on where something fails, so that as little as can be is left.
func (g *Guild) forgetUser(ctx context.Context, game *Game, user string, progress func(memory.Forgetting), names []string) (n int, err error) {
	ref := UserRef(g.guilds.front, user)
	r, err := g.records.readRecord()
	errs := []error{err}
	var running *table.Table
	if s := g.runningSession(); s != nil {
		running = s.Table
	}
	m, n, err := ForgetUser(ctx, game, running, ref, progress, names...)
	g.mentions.Add(m)
	errs = append(errs, err, g.forgetFeedback(user))
	for _, c := range append([]keptCampaign{{}}, r.Campaigns...) {
		if c.ID == g.campaignIDOf(game) {
			continue
		}
		lines, err := g.forgetIn(ctx, c, ref, names)
		n += lines
		errs = append(errs, err)
	}
	return n, errors.Join(errs...)
}

// forgetIn has a campaign forget a user that is not the one played.
func (g *Guild) forgetIn(ctx context.Context, c keptCampaign, ref string, names []string) (n int, err error) {
	cfg := g.configOf(c)
	if MayExist(cfg.Memory) {
		kept, err := OpenStore(ctx, cfg.Memory, StoreOptions{Logger: g.log})
		if err != nil {
			return 0, err
		}
		m := FindMentions(ctx, kept, ref, names...)
		m.Campaign = cfg.Campaign.Name
		g.mentions.Add(m)
		noted := Withhold(WithheldFile(cfg), ref)
		n, err = kept.ForgetUser(ctx, ref, nil)
		err = errors.Join(noted, err, ForgetLearnt(ctx, kept, ref))
		if err = errors.Join(err, kept.Close()); err != nil {
			return n, err
		}
	}
	if !mayExist(AuditFile(cfg)) {
		return n, nil
	}
	log, err := OpenAudit(ctx, cfg, g.log)
	if err != nil {
		return n, err
	}
	_, err = log.Forget(ctx, ref)
	return n, errors.Join(err, log.Close())
}

// mayExist reports whether there is something at a path, or may be.
func mayExist(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

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

// errNoUser is returned for an invalid user id.
var errNoUser = errors.New("this is not the id of a user")

// Declined returns the users who do not want to be heard in the guild.
func (g *Guild) Declined(context.Context) ([]string, error) {
	r, err := g.records.readRecord()
	if err != nil {
		return nil, logTrouble(g.log, "reading who does not want to be heard", err)
	}
	return r.Unheard, nil
}

// SetConsent stores whether a user wants to be heard. By default, users are heard.
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

// errNotForgotten is returned when some of a user's data may be left.
var errNotForgotten = errors.New("not everything could be deleted; use the command again, and if that does not help, ask the person running the bot")

// ForgetUser deletes everything a user said or wrote from the guild: in all its campaigns, at the running
// table, in the feedback, and the user's id and words in the audit log. It does not change what others wrote.
// Places where that mentions the user, by a name under which the user spoke or one of names, are stored for
// [Member.PopMentions]. It returns how many lines it deleted. An error means that something may be left.
// progress, if not nil, is called with the progress in the current campaign.
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

// forgetUser continues after errors, so that as little as possible is left.
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
	errs = append(errs, err, g.deleteFeedback(user))
	for _, c := range append([]loadedCampaign{{}}, r.Campaigns...) {
		if c.ID == g.campaignIDOf(game) {
			continue
		}
		lines, err := g.forgetIn(ctx, c, ref, names)
		n += lines
		errs = append(errs, err)
	}
	return n, errors.Join(errs...)
}

// forgetIn deletes a user's data from a campaign that is not the current one.
func (g *Guild) forgetIn(ctx context.Context, c loadedCampaign, ref string, names []string) (n int, err error) {
	cfg := g.configOf(c)
	if MayExist(cfg.Memory) {
		kept, err := OpenStore(ctx, cfg.Memory, StoreOptions{Logger: g.log})
		if err != nil {
			return 0, err
		}
		m := FindMentions(ctx, kept, ref, names...)
		m.Campaign = cfg.Campaign.Name
		g.mentions.Add(m)
		noted := RecordForgotten(ForgottenUsersFile(cfg), ref)
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

// mayExist reports whether there is, or may be, a file at a path.
func mayExist(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

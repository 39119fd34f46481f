package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/MrWong99/glyphoxa/internal/campaign"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/discord"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/policy"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/problem"
)

const (
	// campaignsDir holds a directory for each campaign of a guild that was loaded.
	campaignsDir = "campaigns"
	// campaignFile is the file it was loaded from.
	campaignFile = "campaign.yaml"
	// maxCampaigns bounds the campaigns of a guild.
	maxCampaigns = 100
	// maxFaults bounds how much of what is wrong with a campaign file is told.
	maxFaults = 20
)

// parse reads a campaign file that came with a command. That is done one at a
// time: a file of 10 MB takes a gigabyte while it is read.
func (h *house) parse(ctx context.Context, file string, data []byte) (*campaign.Campaign, error) {
	select {
	case h.parsing <- struct{}{}:
		defer func() { <-h.parsing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c, err := campaign.Parse(file, data)
	var wrong problem.List
	if errors.As(err, &wrong) && len(wrong) > maxFaults {
		more := problem.Problem{File: file, Line: wrong[maxFaults].Line, What: fmt.Sprintf("and %d more from here on", len(wrong)-maxFaults)}
		return nil, append(slices.Clone(wrong[:maxFaults]), more).Err()
	}
	return c, err
}

func (l *lodging) campaignDir(id string) string { return filepath.Join(l.dir, campaignsDir, id) }

// campaign returns the campaign of an id; the configured one has none.
func (e *guildEntry) campaign(id string) (keptCampaign, bool) {
	for _, c := range e.Campaigns {
		if c.ID == id {
			return c, true
		}
	}
	return keptCampaign{}, id == ""
}

// campaignID is where a campaign of a name is kept.
func campaignID(name string) string {
	if id := config.Slug(name); id != "" {
		return id
	}
	return fmt.Sprintf("campaign-%x", sha256.Sum256([]byte(name)))[:len("campaign-")+8]
}

// Campaigns implements [discord.Records].
func (h *house) Campaigns(_ context.Context, guild string) ([]discord.Campaign, error) {
	l, err := h.lodging(guild)
	if err != nil {
		return nil, err
	}
	return l.campaigns()
}

func (l *lodging) campaigns() ([]discord.Campaign, error) {
	e, err := l.book.read()
	if err != nil {
		return nil, l.trouble("reading what is kept of a guild", err)
	}
	configured := l.house.latest().Campaign
	all := []discord.Campaign{{Name: configured.Name, System: configured.System, Current: e.Campaign == ""}}
	for _, c := range e.Campaigns {
		all = append(all, discord.Campaign{ID: c.ID, Name: c.Name, System: c.System, Current: c.ID == e.Campaign})
	}
	return all, nil
}

// Campaign implements [discord.Records].
func (h *house) Campaign(ctx context.Context, guild string) (c discord.Campaign, err error) {
	l, err := h.lodging(guild)
	if err != nil {
		return c, err
	}
	a, leave, err := l.enter(ctx)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, leave()) }()
	entities, _, err := a.Store.World(ctx)
	if err != nil {
		return c, err
	}
	sessions, err := a.Store.Sessions(ctx, 0)
	if err != nil {
		return c, err
	}
	return discord.Campaign{
		ID: l.campaignOf(a), Current: true,
		Name: a.Config.Campaign.Name, System: a.Config.Campaign.System, Scene: a.World.Scene(),
		NPCs: len(a.Cast()), Entities: len(entities), Sessions: len(sessions),
	}, nil
}

// campaignOf is the id of the campaign that an app of the guild plays.
func (l *lodging) campaignOf(a *play.Game) string {
	if a.Config.DataDir == l.dir {
		return ""
	}
	return filepath.Base(a.Config.DataDir)
}

// LoadCampaign implements [discord.Records].
func (h *house) LoadCampaign(ctx context.Context, guild string, by discord.Caller, file string, data []byte) (c discord.Campaign, err error) {
	l, err := h.lodging(guild)
	if err != nil {
		return c, err
	}
	target := mcp.Target{Tool: "campaign_load", Source: "server", Permission: policy.WorldWrite}
	err = l.governed(ctx, by, target, attached(file, data), func() error {
		read, err := h.parse(ctx, file, data)
		if err != nil {
			return err
		}
		k := keptCampaign{ID: campaignID(read.Name), Name: read.Name, System: cmp.Or(read.System, h.latest().Campaign.System)}
		current, err := l.shelve(k, data)
		c = discord.Campaign{ID: k.ID, Name: k.Name, System: k.System, Scene: read.Scene, Entities: len(read.Entities), Current: current}
		return err
	})
	return c, err
}

// shelve keeps a campaign, in place of the file it was loaded from before, and
// reports whether it is the current one.
func (l *lodging) shelve(c keptCampaign, data []byte) (current bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, err := l.book.read()
	if err != nil {
		return false, l.trouble("reading what is kept of a guild", err)
	}
	was, known := e.campaign(c.ID)
	current = e.Campaign == c.ID
	switch {
	case current && l.taken:
		return current, errors.New("a session of this campaign is running; /session stop ends it, or /entity import takes in what is new at once")
	case known && was.Name != c.Name:
		return current, fmt.Errorf("there is a campaign already whose name looks the same, %q; give this one another name", was.Name)
	case !known && len(e.Campaigns) >= maxCampaigns:
		return current, fmt.Errorf("there are %d campaigns already, which is the most; write in a file of one of them", len(e.Campaigns))
	}
	err = replaceFile(filepath.Join(l.campaignDir(c.ID), campaignFile), data)
	if err == nil {
		err = l.book.change(func(e *guildEntry) error {
			e.Campaigns = slices.DeleteFunc(e.Campaigns, func(k keptCampaign) bool { return k.ID == c.ID })
			e.Campaigns = append(e.Campaigns, c)
			return nil
		})
	}
	if err != nil {
		return current, l.trouble("keeping a campaign", err)
	}
	if current { // the next to enter finds what the file says now
		return current, l.vacate()
	}
	return current, nil
}

// SwitchCampaign implements [discord.Records].
func (h *house) SwitchCampaign(ctx context.Context, guild string, by discord.Caller, id string) (c discord.Campaign, err error) {
	l, err := h.lodging(guild)
	if err != nil {
		return c, err
	}
	target := mcp.Target{Tool: "campaign_switch", Source: "server", Permission: policy.SessionControl}
	err = l.governed(ctx, by, target, map[string]any{"campaign": id}, func() error { return l.turnTo(ctx, id) })
	if err != nil {
		return c, err
	}
	return h.Campaign(ctx, guild)
}

// turnTo has the guild play a campaign from now on. What cannot be opened is not
// turned to.
func (l *lodging) turnTo(ctx context.Context, id string) error {
	l.turn.Lock()
	defer l.turn.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	e, err := l.book.read()
	if err != nil {
		return l.trouble("reading what is kept of a guild", err)
	}
	c, known := e.campaign(id)
	switch {
	case !known:
		return fmt.Errorf("there is no campaign %q; /campaign load loads one", id)
	case e.Campaign == id:
		return nil
	case l.taken:
		return errors.New("a session is running; /session stop ends it, then switch")
	}
	next, err := l.open(ctx, l.configOf(c))
	if err != nil {
		return l.trouble("opening a guild's campaign", err)
	}
	if err := l.book.change(func(e *guildEntry) error { e.Campaign = id; return nil }); err != nil {
		return errors.Join(l.trouble("noting which campaign is played", err), next.app.Close())
	}
	err = l.vacate()
	l.suite = next
	return errors.Join(err, l.settle(next))
}

// governed does something for who gives a command, by the rules of every call.
func (l *lodging) governed(ctx context.Context, by discord.Caller, t mcp.Target, args map[string]any, do func() error) (err error) {
	a, leave, err := l.enter(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	if ctx, err = calledBy(ctx, a, by); err != nil {
		return err
	}
	return governed(ctx, a, t, args, func(context.Context) error { return do() })
}

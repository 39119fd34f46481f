package play

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

const (
	// campaignsDir contains a directory for each campaign that was loaded in a guild.
	campaignsDir = "campaigns"
	// campaignFile is the file it was loaded from.
	campaignFile = "campaign.yaml"
	// maxCampaigns bounds the campaigns of a guild.
	maxCampaigns = 100
)

// GuildCampaign describes a campaign of a guild.
type GuildCampaign struct {
	// ID is empty for the configured campaign.
	ID string
	// Current says that it is the campaign being played.
	Current bool

	Name, System, Scene string
	// NPCs, Entities and Sessions are their numbers.
	NPCs, Entities, Sessions int
}

func (g *Guild) campaignDir(id string) string { return filepath.Join(g.dir, campaignsDir, id) }

// findCampaign returns the campaign of an id. The configured campaign has an empty id.
func (r *record) findCampaign(id string) (loadedCampaign, bool) {
	for _, c := range r.Campaigns {
		if c.ID == id {
			return c, true
		}
	}
	return loadedCampaign{}, id == ""
}

// newCampaignID returns the id for a campaign of a name.
func newCampaignID(name string) string {
	if id := config.Slug(name); id != "" {
		return id
	}
	return fmt.Sprintf("campaign-%x", sha256.Sum256([]byte(name)))[:len("campaign-")+8]
}

// campaignIDOf returns the id of an open campaign of the guild.
func (g *Guild) campaignIDOf(game *Game) string {
	if game.Config.DataDir == g.dir {
		return ""
	}
	return filepath.Base(game.Config.DataDir)
}

// Campaigns lists the campaigns of the guild, the configured one first, without scenes and counts.
func (g *Guild) Campaigns(context.Context) ([]GuildCampaign, error) {
	r, err := g.records.readRecord()
	if err != nil {
		return nil, logTrouble(g.log, "reading what is kept of a guild", err)
	}
	configured := g.guilds.latestConfig().Campaign
	all := []GuildCampaign{{Name: configured.Name, System: configured.System, Current: r.Campaign == ""}}
	for _, c := range r.Campaigns {
		all = append(all, GuildCampaign{ID: c.ID, Name: c.Name, System: c.System, Current: c.ID == r.Campaign})
	}
	return all, nil
}

// Campaign describes the campaign that is played in the guild.
func (g *Guild) Campaign(ctx context.Context) (c GuildCampaign, err error) {
	err = g.withCampaign(ctx, func(game *Game) error {
		entities, _, err := game.Store.World(ctx)
		if err != nil {
			return err
		}
		sessions, err := game.Store.Sessions(ctx, 0)
		c = GuildCampaign{
			ID: g.campaignIDOf(game), Current: true,
			Name: game.Config.Campaign.Name, System: game.Config.Campaign.System, Scene: game.World.Scene(),
			NPCs: len(game.Cast()), Entities: len(entities), Sessions: len(sessions),
		}
		return err
	})
	return c, err
}

// LoadCampaign stores a campaign file as one of the guild's campaigns. If there is one of the same name, the
// file replaces it, and its world is updated. Problems in the file are returned with their lines, and nothing
// changes.
func (m *Member) LoadCampaign(ctx context.Context, file string, data []byte) (c GuildCampaign, err error) {
	g := m.guild
	target := mcp.Target{Tool: "campaign_load", Source: "server", Permission: access.WorldWrite}
	err = m.runGoverned(ctx, target, fileArguments(file, data), func(ctx context.Context, _ *Game) error {
		read, err := g.guilds.parseCampaign(ctx, file, data)
		if err != nil {
			return err
		}
		k := loadedCampaign{ID: newCampaignID(read.Name), Name: read.Name, System: cmp.Or(read.System, g.guilds.latestConfig().Campaign.System)}
		current, err := g.storeCampaign(k, data)
		c = GuildCampaign{ID: k.ID, Name: k.Name, System: k.System, Scene: read.Scene, Entities: len(read.Entities), Current: current}
		return err
	})
	return c, err
}

// storeCampaign stores a campaign, replacing its previous file, and reports whether it is the current one.
func (g *Guild) storeCampaign(c loadedCampaign, data []byte) (current bool, err error) {
	g.changing.Lock()
	defer g.changing.Unlock()
	r, err := g.records.readRecord()
	if err != nil {
		return false, logTrouble(g.log, "reading what is kept of a guild", err)
	}
	was, known := r.findCampaign(c.ID)
	current = r.Campaign == c.ID
	switch {
	case current && g.hasSession():
		return current, errors.New("a session of this campaign is running; end it with /session stop, or add what is new right away with /entity import")
	case known && was.Name != c.Name:
		return current, fmt.Errorf("there is already a campaign whose name looks the same, %q; give this one another name", was.Name)
	case !known && len(r.Campaigns) >= maxCampaigns:
		return current, fmt.Errorf("there are already %d campaigns, which is the limit; load a new version of one of them", len(r.Campaigns))
	}
	err = replaceFile(filepath.Join(g.campaignDir(c.ID), campaignFile), data)
	if err == nil {
		err = g.records.changeRecord(func(r *record) error {
			r.Campaigns = slices.DeleteFunc(r.Campaigns, func(k loadedCampaign) bool { return k.ID == c.ID })
			r.Campaigns = append(r.Campaigns, c)
			return nil
		})
	}
	if err != nil {
		return current, logTrouble(g.log, "keeping a campaign", err)
	}
	if current { // the next lease reads the new file
		return current, g.pool.retire()
	}
	return current, nil
}

// SwitchCampaign switches the guild to another campaign, by its id, with its own world and memory. It fails
// while a session is running.
func (m *Member) SwitchCampaign(ctx context.Context, id string) (GuildCampaign, error) {
	target := mcp.Target{Tool: "campaign_switch", Source: "server", Permission: access.SessionControl}
	err := m.runGoverned(ctx, target, map[string]any{"campaign": id}, func(ctx context.Context, _ *Game) error { return m.guild.switchTo(ctx, id) })
	if err != nil {
		return GuildCampaign{}, err
	}
	return m.guild.Campaign(ctx)
}

// switchTo switches the guild to a campaign. If the campaign cannot be opened, nothing changes.
func (g *Guild) switchTo(ctx context.Context, id string) error {
	g.changing.Lock()
	defer g.changing.Unlock()
	r, err := g.records.readRecord()
	if err != nil {
		return logTrouble(g.log, "reading what is kept of a guild", err)
	}
	c, known := r.findCampaign(id)
	switch {
	case !known:
		return fmt.Errorf("there is no campaign %q; /campaign load loads one", id)
	case r.Campaign == id:
		return nil
	case g.hasSession():
		return errors.New("a session is running; /session stop ends it, then switch")
	}
	return g.pool.replace(ctx, g.configOf(c), func() error {
		if err := g.records.changeRecord(func(r *record) error { r.Campaign = id; return nil }); err != nil {
			return logTrouble(g.log, "noting which campaign is played", err)
		}
		return nil
	})
}

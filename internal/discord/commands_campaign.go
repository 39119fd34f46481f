package discord

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/discord/markup"
	"github.com/MrWong99/glyphoxa/internal/guilds"
)

// configuredCampaign names the configured campaign where an id is asked for: it has none,
// and Discord takes no empty text.
const configuredCampaign = ":configured"

func showCampaign(ctx context.Context, c *call) (string, error) {
	k, err := c.guild.Campaign(ctx)
	if err != nil {
		return "", err
	}
	out := fmt.Sprintf("%s: %s, a world of %s, %s so far.", campaignTitle(k), counted(k.NPCs, "NPC", "NPCs"), countedEntities(k.Entities), counted(k.Sessions, "session", "sessions"))
	if scene := strings.TrimSpace(k.Scene); scene != "" {
		out += "\n" + scene
	}
	if !c.by.DM { // what else may come is for the DM to tell
		return out, nil
	}
	all, err := c.guild.Campaigns(ctx)
	if err != nil {
		return "", err
	}
	var others []string
	for _, k := range all {
		if !k.Current {
			others = append(others, campaignTitle(k))
		}
	}
	if len(others) > 0 {
		out += "\n-# /campaign switch plays another: " + strings.Join(others, ", ")
	}
	return out, nil
}

// countedEntities is a number of entities in words.
func countedEntities(n int) string { return counted(n, "entity", "entities") }

// campaignTitle is a campaign's name and its rules.
func campaignTitle(k guilds.Campaign) string {
	out := "**" + markup.Escape(campaignName(k)) + "**"
	if k.System != "" {
		out += " (" + markup.Escape(k.System) + ")"
	}
	return out
}

// campaignName is a campaign's name.
func campaignName(k guilds.Campaign) string {
	switch {
	case k.Name != "":
		return k.Name
	case k.ID == "":
		return "the configured campaign"
	}
	return k.ID
}

// loadCampaign keeps a campaign file that came with the command.
func loadCampaign(ctx context.Context, c *call) (string, error) {
	name, data, err := fetchAttachment(ctx, c)
	if err != nil {
		return "", err
	}
	k, err := c.by.LoadCampaign(ctx, name, data)
	if err != nil {
		return "", err
	}
	out := fmt.Sprintf("%s was read from %s: a world of %s.", campaignTitle(k), markup.Escape(name), countedEntities(k.Entities))
	if !k.Current {
		out += " /campaign switch plays it, with a memory of its own."
	}
	return out, nil
}

// switchCampaign has the guild play another of its campaigns.
func switchCampaign(ctx context.Context, c *call) (string, error) {
	all, err := c.guild.Campaigns(ctx)
	if err != nil {
		return "", err
	}
	id, err := findCampaign(all, c.textOption("campaign"))
	if err != nil {
		return "", err
	}
	k, err := c.by.SwitchCampaign(ctx, id)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("From now on %s is played here: a world of %s, %s so far. /session start begins one.", campaignTitle(k), countedEntities(k.Entities), counted(k.Sessions, "session", "sessions")), nil
}

// findCampaign returns the id of the campaign that somebody calls by id or name.
func findCampaign(all []guilds.Campaign, word string) (string, error) {
	if word == configuredCampaign {
		return "", nil
	}
	for _, k := range all {
		if k.ID == word && word != "" {
			return k.ID, nil
		}
	}
	var names []string
	for _, k := range all {
		if strings.EqualFold(campaignName(k), word) {
			return k.ID, nil
		}
		names = append(names, markup.Escape(campaignName(k)))
	}
	if len(all) < 2 {
		return "", errors.New("there is no other campaign here yet; /campaign load adds one")
	}
	return "", fmt.Errorf("there is no campaign %q; there are %s", word, strings.Join(names, ", "))
}

package discord

import (
	"context"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/play"
)

// configuredCampaign stands for the configured campaign as an option's value: it has no id, and Discord
// rejects empty values.
const configuredCampaign = ":configured"

func showCampaign(ctx context.Context, c *call) (string, error) {
	k, err := c.guild.Campaign(ctx)
	if err != nil {
		return "", err
	}
	lines := []string{c.format(CampaignIs, c.campaignTitle(k), NPCs.Of(k.NPCs), OfEntities.Of(k.Entities), Sessions.Of(k.Sessions))}
	if scene := strings.TrimSpace(k.Scene); scene != "" {
		lines = append(lines, splitMessage(scene, maxLine)...)
	}
	if c.by.DM { // only DMs may see the other campaigns
		others, err := c.otherCampaigns(ctx)
		if err != nil {
			return "", err
		}
		lines = append(lines, others...)
	}
	return c.showPage("campaign info", "", lines, "")
}

// otherCampaigns lists the other campaigns under a heading. It returns nothing if there are none.
func (c *call) otherCampaigns(ctx context.Context) (lines []string, err error) {
	all, err := c.guild.Campaigns(ctx)
	for _, k := range all {
		if !k.Current {
			lines = append(lines, "- "+c.campaignTitle(k))
		}
	}
	if len(lines) > 0 {
		lines = append([]string{c.format(OtherPlays)}, lines...)
	}
	return lines, err
}

// campaignTitle returns a campaign's name and its rule system.
func (c *call) campaignTitle(k play.GuildCampaign) string {
	out := "**" + escapeMarkup(campaignName(c.lang, k)) + "**"
	if k.System != "" {
		out += " (" + escapeMarkup(k.System) + ")"
	}
	return out
}

// campaignName returns a campaign's name, or its id if it has none.
func campaignName(l Language, k play.GuildCampaign) string {
	switch {
	case k.Name != "":
		return k.Name
	case k.ID == "":
		return Configured.In(l)
	}
	return k.ID
}

// loadCampaign stores the attached campaign file.
func loadCampaign(ctx context.Context, c *call) (string, error) {
	name, data, err := fetchAttachment(ctx, c)
	if err != nil {
		return "", err
	}
	k, err := c.by.LoadCampaign(ctx, name, data)
	if err != nil {
		return "", err
	}
	out := c.format(WasRead, c.campaignTitle(k), escapeMarkup(name), OfEntities.Of(k.Entities))
	if !k.Current {
		out += " " + c.format(SwitchPlays)
	}
	return out, nil
}

// switchCampaign switches the guild to another of its campaigns.
func switchCampaign(ctx context.Context, c *call) (string, error) {
	all, err := c.guild.Campaigns(ctx)
	if err != nil {
		return "", err
	}
	id, err := findCampaign(c.lang, all, c.textOption("campaign"))
	if err != nil {
		return "", err
	}
	k, err := c.by.SwitchCampaign(ctx, id)
	if err != nil {
		return "", err
	}
	return c.format(NowPlayed, c.campaignTitle(k), OfEntities.Of(k.Entities), Sessions.Of(k.Sessions)), nil
}

// findCampaign returns the id of the campaign with an id or name.
func findCampaign(l Language, all []play.GuildCampaign, word string) (string, error) {
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
		if strings.EqualFold(campaignName(l, k), word) {
			return k.ID, nil
		}
		names = append(names, escapeMarkup(campaignName(l, k)))
	}
	if len(all) < 2 {
		return "", NoOther.With()
	}
	return "", NoCampaign.With(word, strings.Join(names, ", "))
}

package discord

import (
	"context"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/play"
)

// configuredCampaign names the configured campaign where an id is asked for: it has none,
// and Discord takes no empty text.
const configuredCampaign = ":configured"

func showCampaign(ctx context.Context, c *call) (string, error) {
	k, err := c.guild.Campaign(ctx)
	if err != nil {
		return "", err
	}
	lines := []string{c.say(CampaignIs, c.campaignTitle(k), NPCs.Of(k.NPCs), OfEntities.Of(k.Entities), Sessions.Of(k.Sessions))}
	if scene := strings.TrimSpace(k.Scene); scene != "" {
		lines = append(lines, splitMessage(scene, maxLine)...)
	}
	if c.by.DM { // what else may come is for the DM to tell
		others, err := c.otherCampaigns(ctx)
		if err != nil {
			return "", err
		}
		lines = append(lines, others...)
	}
	return c.showPage("campaign info", "", lines, "")
}

// otherCampaigns lists what else may be played, under a heading; nothing if there is nothing.
func (c *call) otherCampaigns(ctx context.Context) (lines []string, err error) {
	all, err := c.guild.Campaigns(ctx)
	for _, k := range all {
		if !k.Current {
			lines = append(lines, "- "+c.campaignTitle(k))
		}
	}
	if len(lines) > 0 {
		lines = append([]string{c.say(OtherPlays)}, lines...)
	}
	return lines, err
}

// campaignTitle is a campaign's name and its rules.
func (c *call) campaignTitle(k play.GuildCampaign) string {
	out := "**" + escapeMarkup(campaignName(c.lang, k)) + "**"
	if k.System != "" {
		out += " (" + escapeMarkup(k.System) + ")"
	}
	return out
}

// campaignName is a campaign's name.
func campaignName(l Language, k play.GuildCampaign) string {
	switch {
	case k.Name != "":
		return k.Name
	case k.ID == "":
		return Configured.In(l)
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
	out := c.say(WasRead, c.campaignTitle(k), escapeMarkup(name), OfEntities.Of(k.Entities))
	if !k.Current {
		out += " " + c.say(SwitchPlays)
	}
	return out, nil
}

// switchCampaign has the guild play another of its campaigns.
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
	return c.say(NowPlayed, c.campaignTitle(k), OfEntities.Of(k.Entities), Sessions.Of(k.Sessions)), nil
}

// findCampaign returns the id of the campaign that somebody calls by id or name.
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

package discord

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/discord/markup"
)

// configured names the configured campaign where an id is asked for: it has none,
// and Discord takes no empty text.
const configured = ":configured"

func (b *Bot) campaignInfo(ctx context.Context, c *call) (string, error) {
	k, err := b.backend.Campaign(ctx, c.guild)
	if err != nil {
		return "", err
	}
	out := fmt.Sprintf("%s: %s, a world of %s, %s so far.", titled(k), counted(k.NPCs, "NPC", "NPCs"), entities(k.Entities), counted(k.Sessions, "session", "sessions"))
	if scene := strings.TrimSpace(k.Scene); scene != "" {
		out += "\n" + scene
	}
	if !c.by.DM { // what else may come is for the DM to tell
		return out, nil
	}
	all, err := b.backend.Campaigns(ctx, c.guild)
	if err != nil {
		return "", err
	}
	var others []string
	for _, k := range all {
		if !k.Current {
			others = append(others, titled(k))
		}
	}
	if len(others) > 0 {
		out += "\n-# /campaign switch plays another: " + strings.Join(others, ", ")
	}
	return out, nil
}

// entities is a number of entities in words.
func entities(n int) string { return counted(n, "entity", "entities") }

// titled is a campaign's name and its rules.
func titled(k Campaign) string {
	out := "**" + markup.Escape(called(k)) + "**"
	if k.System != "" {
		out += " (" + markup.Escape(k.System) + ")"
	}
	return out
}

// called is a campaign's name.
func called(k Campaign) string {
	switch {
	case k.Name != "":
		return k.Name
	case k.ID == "":
		return "the configured campaign"
	}
	return k.ID
}

// campaignLoad keeps a campaign file that came with the command.
func (b *Bot) campaignLoad(ctx context.Context, c *call) (string, error) {
	name, data, err := b.attachment(ctx, c)
	if err != nil {
		return "", err
	}
	k, err := b.backend.LoadCampaign(ctx, c.guild, c.by, name, data)
	if err != nil {
		return "", err
	}
	out := fmt.Sprintf("%s was read from %s: a world of %s.", titled(k), markup.Escape(name), entities(k.Entities))
	if !k.Current {
		out += " /campaign switch plays it, with a memory of its own."
	}
	return out, nil
}

// campaignSwitch has the guild play another of its campaigns.
func (b *Bot) campaignSwitch(ctx context.Context, c *call) (string, error) {
	all, err := b.backend.Campaigns(ctx, c.guild)
	if err != nil {
		return "", err
	}
	id, err := meant(all, c.str("campaign"))
	if err != nil {
		return "", err
	}
	k, err := b.backend.SwitchCampaign(ctx, c.guild, c.by, id)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("From now on %s is played here: a world of %s, %s so far. /session start begins one.", titled(k), entities(k.Entities), counted(k.Sessions, "session", "sessions")), nil
}

// meant returns the id of the campaign that somebody calls by id or name.
func meant(all []Campaign, word string) (string, error) {
	if word == configured {
		return "", nil
	}
	for _, k := range all {
		if k.ID == word && word != "" {
			return k.ID, nil
		}
	}
	var names []string
	for _, k := range all {
		if strings.EqualFold(called(k), word) {
			return k.ID, nil
		}
		names = append(names, markup.Escape(called(k)))
	}
	if len(all) < 2 {
		return "", errors.New("there is no other campaign here yet; /campaign load adds one")
	}
	return "", fmt.Errorf("there is no campaign %q; there are %s", word, strings.Join(names, ", "))
}

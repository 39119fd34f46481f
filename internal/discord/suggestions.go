package discord

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/play"
)

const (
	// maxSuggestions is Discord's limit.
	maxSuggestions = 25
	// maxChoice bounds a suggestion, in characters.
	maxChoice = 100
	// suggestTimeout bounds a search for suggestions, because the user keeps typing.
	suggestTimeout = 100 * time.Millisecond
)

// suggestFunc returns suggestions that complete a text. Suggestions beyond Discord's limit are dropped.
type suggestFunc func(ctx context.Context, c *call, typed string) ([]suggestion, error)

// suggestion is a suggested value for an option, and its label.
type suggestion struct{ name, value string }

// suggestOptions suggests values for the option being typed. A user who may not use the command gets none.
func (d *dispatcher) suggestOptions(ctx context.Context, s *discordgo.Session, i *discordgo.Interaction) {
	name, given := commandPath(i.ApplicationCommandData())
	choices := []*discordgo.ApplicationCommandOptionChoice{}
	var work sync.WaitGroup
	defer work.Wait()
	c, a, err := d.prepareCall(s, i, name)
	for _, o := range given {
		if err != nil || !o.Focused || a.suggest == nil {
			continue
		}
		typed, _ := o.Value.(string)
		c.focused = o.Name
		for _, k := range d.findSuggestions(ctx, &work, c, a.suggest, strings.TrimSpace(typed)) {
			if runes := []rune(k.name); len(runes) > maxChoice {
				k.name = string(runes[:maxChoice-1]) + "…"
			}
			if k.name != "" && k.value != "" && len([]rune(k.value)) <= maxChoice && len(choices) < maxSuggestions {
				choices = append(choices, &discordgo.ApplicationCommandOptionChoice{Name: k.name, Value: k.value})
			}
		}
	}
	d.sendChoices(ctx, i, choices)
}

// sendChoices sends suggestions.
func (d *dispatcher) sendChoices(ctx context.Context, i *discordgo.Interaction, choices []*discordgo.ApplicationCommandOptionChoice) {
	err := d.rest.Respond(ctx, i, &discordgo.InteractionResponse{
		Type: discordgo.InteractionApplicationCommandAutocompleteResult,
		Data: &discordgo.InteractionResponseData{Choices: choices},
	})
	if err != nil {
		d.log.Debug("suggesting", "reason", err)
	}
}

// findSuggestions returns suggestions, or none if the search takes too long. The search's goroutine is added
// to work.
func (d *dispatcher) findSuggestions(ctx context.Context, work *sync.WaitGroup, c *call, look suggestFunc, typed string) []suggestion {
	ctx, cancel := context.WithTimeout(ctx, suggestTimeout)
	defer cancel()
	found := make(chan []suggestion, 1)
	work.Go(func() {
		all, err := look(ctx, c, typed)
		if err != nil {
			d.log.Debug("looking for suggestions", "reason", err)
		}
		found <- all
	})
	select {
	case all := <-found:
		return all
	case <-ctx.Done():
		return nil
	}
}

// suggestNPCs suggests the NPCs at the table.
func suggestNPCs(_ context.Context, c *call, typed string) (out []suggestion, err error) {
	r, err := c.runningSession()
	if err != nil {
		return nil, nil // no NPCs without a session
	}
	for _, n := range r.presentNPCs() {
		if containsFold(n.Name, typed) {
			out = append(out, suggestion{n.Name, n.Name})
		}
	}
	return out, nil
}

// suggestNPCsOrAll suggests the NPCs at the table, and last all of them.
func suggestNPCsOrAll(ctx context.Context, c *call, typed string) ([]suggestion, error) {
	out, err := suggestNPCs(ctx, c, typed)
	if len(out) >= maxSuggestions {
		out = out[:maxSuggestions-1]
	}
	if _, none := c.runningSession(); none == nil && (containsFold(everyNPC, typed) || containsFold(c.format(EveryNPC), typed)) {
		out = append(out, suggestion{c.format(EveryNPC), everyNPC})
	}
	return out, err
}

// suggestByOption selects the suggestFunc by the option being typed.
func suggestByOption(by map[string]suggestFunc) suggestFunc {
	return func(ctx context.Context, c *call, typed string) ([]suggestion, error) {
		if look := by[c.focused]; look != nil {
			return look(ctx, c, typed)
		}
		return nil, nil
	}
}

// suggester searches a guild for suggestions.
type suggester interface {
	Suggest(ctx context.Context, what play.Suggestion, typed string) ([]play.Choice, error)
}

// suggestFromGuild suggests items of the guild.
func suggestFromGuild(what play.Suggestion) suggestFunc {
	return func(ctx context.Context, c *call, typed string) (out []suggestion, err error) {
		all, err := c.bot.dispatcher.suggesterFor(c.by).Suggest(ctx, what, typed)
		for _, k := range all {
			out = append(out, c.describeChoice(ctx, what, k))
		}
		return out, err
	}
}

// describeChoice formats an item of the guild as a suggestion.
func (c *call) describeChoice(ctx context.Context, what play.Suggestion, k play.Choice) suggestion {
	switch {
	case what == play.SuggestCampaign && k.Value == "":
		return suggestion{campaignName(c.lang, play.GuildCampaign{Name: k.Name}), configuredCampaign}
	case k.Kind != "":
		k.Name += " (" + kindWord(c.lang, k.Kind) + ")"
	case k.Call != nil:
		cast, _ := c.knownNPCs(ctx) // without a cast, the NPC's id is shown
		k.Name = c.format(WaitingCall, k.Value, cmp.Or(plainCaller(k.Call.Caller, cast), c.format(SomePlayer)), k.Call.Tool, k.Call.Args)
	case what == play.SuggestHeldTool && k.New:
		k.Name += " " + c.format(ToolIsNew)
	case what == play.SuggestHeldTool:
		k.Name += " " + c.format(ToolDiffers)
	}
	return suggestion{k.Name, k.Value}
}

// containsFold reports whether a text contains another, ignoring case.
func containsFold(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

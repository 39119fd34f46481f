package discord

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
)

const (
	// maxSuggestions is the most that Discord shows.
	maxSuggestions = 25
	// maxChoice bounds a suggestion, in characters.
	maxChoice = 100
	// suggestTime bounds looking for suggestions: who types does not wait.
	suggestTime = 100 * time.Millisecond
)

// finder looks for what completes a text. Of what it returns no more is shown
// than Discord takes.
type finder func(ctx context.Context, c *call, typed string) ([]suggestion, error)

// suggestion is what may be put into an option: how it looks, and what the
// command is told.
type suggestion struct{ name, value string }

// suggest completes what somebody types into an option. Who may not give the
// command is told nothing.
func (b *Bot) suggest(ctx context.Context, s *discordgo.Session, i *discordgo.Interaction) {
	name, given := ordered(i.ApplicationCommandData())
	choices := []*discordgo.ApplicationCommandOptionChoice{}
	var work sync.WaitGroup
	defer work.Wait()
	c, a, err := b.called(s, i, name)
	for _, o := range given {
		if err != nil || !o.Focused || a.suggest == nil {
			continue
		}
		typed, _ := o.Value.(string)
		for _, k := range b.find(ctx, &work, c, a.suggest, strings.TrimSpace(typed)) {
			if runes := []rune(k.name); len(runes) > maxChoice {
				k.name = string(runes[:maxChoice-1]) + "…"
			}
			if k.name != "" && k.value != "" && len([]rune(k.value)) <= maxChoice && len(choices) < maxSuggestions {
				choices = append(choices, &discordgo.ApplicationCommandOptionChoice{Name: k.name, Value: k.value})
			}
		}
	}
	b.offer(ctx, i, choices)
}

// offer answers who types with choices.
func (b *Bot) offer(ctx context.Context, i *discordgo.Interaction, choices []*discordgo.ApplicationCommandOptionChoice) {
	err := b.api.Respond(ctx, i, &discordgo.InteractionResponse{
		Type: discordgo.InteractionApplicationCommandAutocompleteResult,
		Data: &discordgo.InteractionResponseData{Choices: choices},
	})
	if err != nil {
		b.log.Debug("suggesting", "reason", err)
	}
}

// find returns what completes a text, nothing if that is not known in time. What
// it starts is of work.
func (b *Bot) find(ctx context.Context, work *sync.WaitGroup, c *call, look finder, typed string) []suggestion {
	ctx, cancel := context.WithTimeout(ctx, suggestTime)
	defer cancel()
	found := make(chan []suggestion, 1)
	work.Go(func() {
		all, err := look(ctx, c, typed)
		if err != nil {
			b.log.Debug("looking for suggestions", "reason", err)
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

// npcs suggests who is at the table.
func npcs(_ context.Context, c *call, typed string) (out []suggestion, err error) {
	r, err := c.room()
	if err != nil {
		return nil, nil // nobody is
	}
	for _, n := range r.cast() {
		if contains(n.Name, typed) {
			out = append(out, suggestion{n.Name, n.Name})
		}
	}
	return out, nil
}

// npcsOrAll suggests who is at the table, and after them everyone.
func npcsOrAll(ctx context.Context, c *call, typed string) ([]suggestion, error) {
	out, err := npcs(ctx, c, typed)
	if len(out) >= maxSuggestions {
		out = out[:maxSuggestions-1]
	}
	if _, none := c.room(); none == nil && contains("all", typed) {
		out = append(out, suggestion{"all", "all"})
	}
	return out, err
}

// office suggests what the guild has.
func (b *Bot) office(what Suggestion) finder {
	return func(ctx context.Context, c *call, typed string) (out []suggestion, err error) {
		all, err := b.backend.Suggest(ctx, c.guild, c.by, what, typed)
		for _, k := range all {
			if what == SuggestCampaign && k.Value == "" {
				k.Name, k.Value = called(Campaign{Name: k.Name}), configured
			}
			out = append(out, suggestion{k.Name, k.Value})
		}
		return out, err
	}
}

// contains reports whether a text has another in it, in whatever case.
func contains(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

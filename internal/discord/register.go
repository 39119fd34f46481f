package discord

import (
	"slices"

	"github.com/bwmarrin/discordgo"
)

// sameCommands reports whether the registered commands are those wanted. What
// Discord adds to them does not count.
func sameCommands(have, want []*discordgo.ApplicationCommand) bool {
	if len(have) != len(want) {
		return false
	}
	for _, w := range want {
		i := slices.IndexFunc(have, func(h *discordgo.ApplicationCommand) bool { return h.Name == w.Name })
		if i < 0 || have[i].Description != w.Description || !sameOptions(have[i].Options, w.Options) {
			return false
		}
	}
	return true
}

func sameOptions(have, want []*discordgo.ApplicationCommandOption) bool {
	return slices.EqualFunc(have, want, func(h, w *discordgo.ApplicationCommandOption) bool {
		return h.Type == w.Type && h.Name == w.Name && h.Description == w.Description &&
			h.Required == w.Required && h.Autocomplete == w.Autocomplete && h.MaxLength == w.MaxLength &&
			h.MaxValue == w.MaxValue && sameBound(h.MinValue, w.MinValue) && sameChoices(h.Choices, w.Choices) && sameOptions(h.Options, w.Options)
	})
}

func sameBound(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func sameChoices(have, want []*discordgo.ApplicationCommandOptionChoice) bool {
	return slices.EqualFunc(have, want, func(h, w *discordgo.ApplicationCommandOptionChoice) bool {
		return h.Name == w.Name && h.Value == w.Value
	})
}

package discord

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/bwmarrin/discordgo"
)

// registrar registers the bot's commands with Discord: in one guild if only that one is configured, else
// globally. It is safe for concurrent use.
type registrar struct {
	rest   *RestClient
	guild  string // empty if the bot plays everywhere
	dms    dmRoles
	report func(string)

	mu         sync.Mutex      // guards done
	registered map[string]bool // guilds with current commands; "" means global
}

// registerCommands replaces the commands of a guild, or the global ones if guild is "", if they are outdated.
func (r *registrar) registerCommands(ctx context.Context, guild string) {
	r.mu.Lock()
	done := r.registered[guild]
	r.registered[guild] = true
	r.mu.Unlock()
	if done {
		return
	}
	want := commandDefinitions(r.dms)
	if guild != r.guild { // they belong to the other scope, where they may have been registered earlier
		want = []*discordgo.ApplicationCommand{}
	}
	have, err := r.rest.Commands(ctx, guild)
	if err == nil && !sameCommands(have, want) {
		err = r.rest.ReplaceCommands(ctx, guild, want)
	}
	if err == nil || ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	delete(r.registered, guild) // the next connection retries
	r.mu.Unlock()
	if ErrorCode(err) == discordgo.ErrCodeMissingAccess {
		err = fmt.Errorf("%w; invite the bot with the scope applications.commands", err)
	}
	r.report(fmt.Sprintf("discord: registering the slash commands: %v", err))
}

// sameCommands reports whether the registered commands equal those wanted, apart from fields that Discord
// adds.
func sameCommands(have, want []*discordgo.ApplicationCommand) bool {
	if len(have) != len(want) {
		return false
	}
	for _, w := range want {
		i := slices.IndexFunc(have, func(h *discordgo.ApplicationCommand) bool { return h.Name == w.Name })
		if i < 0 || !sameCommand(have[i], w) {
			return false
		}
	}
	return true
}

func sameCommand(h, w *discordgo.ApplicationCommand) bool {
	return h.Description == w.Description && sameTranslations(h.NameLocalizations, w.NameLocalizations) && sameValue(h.DefaultMemberPermissions, w.DefaultMemberPermissions) &&
		sameTranslations(h.DescriptionLocalizations, w.DescriptionLocalizations) && sameOptions(h.Options, w.Options)
}

func sameTranslations(a, b *map[discordgo.Locale]string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return maps.Equal(*a, *b)
}

func sameOptions(have, want []*discordgo.ApplicationCommandOption) bool {
	return slices.EqualFunc(have, want, func(h, w *discordgo.ApplicationCommandOption) bool {
		return h.Type == w.Type && h.Name == w.Name && h.Description == w.Description && maps.Equal(h.DescriptionLocalizations, w.DescriptionLocalizations) &&
			h.Required == w.Required && h.Autocomplete == w.Autocomplete && h.MaxLength == w.MaxLength &&
			h.MaxValue == w.MaxValue && sameValue(h.MinValue, w.MinValue) && sameChoices(h.Choices, w.Choices) && sameOptions(h.Options, w.Options)
	})
}

func sameValue[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func sameChoices(have, want []*discordgo.ApplicationCommandOptionChoice) bool {
	return slices.EqualFunc(have, want, func(h, w *discordgo.ApplicationCommandOptionChoice) bool {
		return h.Name == w.Name && h.Value == w.Value && maps.Equal(h.NameLocalizations, w.NameLocalizations)
	})
}

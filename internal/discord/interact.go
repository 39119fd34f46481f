package discord

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"
)

const (
	// ackAfter is how long a command may take before Discord is told that the
	// answer is coming; it waits three seconds for the first word.
	ackAfter = 300 * time.Millisecond
	// actTime bounds a command. Discord takes answers for a quarter of an hour.
	actTime = 5 * time.Minute
	// maxAnswers bounds the messages one answer is split into.
	maxAnswers = 5
	// maxSuggestions is the most that Discord shows.
	maxSuggestions = 25
)

// call is a command that somebody gave.
type call struct {
	bot     *Bot
	guild   string
	channel *discordgo.Channel
	rights  int64 // of the bot in the channel
	by      Caller
	options map[string]*discordgo.ApplicationCommandInteractionDataOption
	files   map[string]*discordgo.MessageAttachment // by id
	// confirmed is whether who gave the command was asked if it is meant so. What
	// needs that and was not confirmed sets confirm to what to do then, as a
	// command and an id.
	confirmed bool
	confirm   string
}

// str is a text option, empty if it was not given.
func (c *call) str(name string) string {
	if o := c.options[name]; o != nil {
		s, _ := o.Value.(string)
		return strings.TrimSpace(s)
	}
	return ""
}

// file is an attached file, nil if none was given.
func (c *call) file(name string) *discordgo.MessageAttachment { return c.files[c.str(name)] }

// num is a whole number, 0 if it was not given.
func (c *call) num(name string) int {
	if o := c.options[name]; o != nil {
		f, _ := o.Value.(float64) // as JSON has it
		return int(f)
	}
	return 0
}

// room is the session of the guild.
func (c *call) room() (*room, error) {
	if r := c.bot.room(c.guild); r != nil {
		return r, nil
	}
	return nil, errNoSession
}

// interacted takes in an interaction, and waits while too many are at work.
func (b *Bot) interacted(s *discordgo.Session, e *discordgo.InteractionCreate) {
	i := e.Interaction
	b.slots <- struct{}{}
	done := func() { <-b.slots }
	switch i.Type {
	case discordgo.InteractionApplicationCommand:
		b.spawnOr(done, func(ctx context.Context) { b.command(ctx, s, i) })
	case discordgo.InteractionApplicationCommandAutocomplete:
		b.spawnOr(done, func(ctx context.Context) { b.suggest(ctx, i) })
	case discordgo.InteractionMessageComponent:
		b.spawnOr(done, func(ctx context.Context) { b.pressed(ctx, s, i) })
	default:
		done()
	}
}

// spawnOr spawns do; done is called once it has ended, or was not begun.
func (b *Bot) spawnOr(done func(), do func(ctx context.Context)) {
	b.mu.Lock()
	ended := b.rooms == nil || b.life.Err() != nil
	if !ended {
		life := b.life
		b.work.Go(func() {
			defer done()
			do(life)
		})
	}
	b.mu.Unlock()
	if ended {
		done()
	}
}

// path names the command and subcommand of an interaction, and returns the
// options.
func path(d discordgo.ApplicationCommandInteractionData) (string, []*discordgo.ApplicationCommandInteractionDataOption) {
	if len(d.Options) == 1 && d.Options[0].Type == discordgo.ApplicationCommandOptionSubCommand {
		return d.Name + " " + d.Options[0].Name, d.Options[0].Options
	}
	return d.Name, d.Options
}

// command carries out a slash command and answers it.
func (b *Bot) command(ctx context.Context, s *discordgo.Session, i *discordgo.Interaction) {
	ctx, cancel := context.WithTimeout(ctx, actTime)
	defer cancel()
	data := i.ApplicationCommandData()
	name, given := path(data)
	a, ok := b.book[name]
	var refusal error
	dm := i.Member != nil && b.isDM(s, i)
	switch {
	case i.GuildID == "" || i.Member == nil || i.Member.User == nil:
		refusal = errors.New("this works in a server only")
	case b.cfg.Guild != "" && i.GuildID != b.cfg.Guild:
		refusal = errors.New("this bot plays in another server (discord.guild)")
	case !ok:
		refusal = fmt.Errorf("there is no command /%s any more; restart Discord to see those there are", name)
	case !a.everyone && !dm:
		refusal = b.dmOnly()
	}
	if refusal != nil {
		b.reply(ctx, i, answer{err: refusal})
		return
	}
	c := &call{bot: b, guild: i.GuildID, rights: i.AppPermissions, by: Caller{ID: i.Member.User.ID, DM: dm}, options: map[string]*discordgo.ApplicationCommandInteractionDataOption{}}
	for _, o := range given {
		c.options[o.Name] = o
	}
	if data.Resolved != nil {
		c.files = data.Resolved.Attachments
	}
	if c.channel, _ = s.State.Channel(i.ChannelID); c.channel == nil {
		c.channel = &discordgo.Channel{ID: i.ChannelID}
	}
	done := make(chan answer, 1)
	go func() { // ends before command does: what it does obeys ctx
		text, err := a.do(ctx, c)
		done <- answer{text: text, err: err, open: a.open, confirm: c.confirm}
	}()
	timer := time.NewTimer(ackAfter)
	defer timer.Stop()
	select {
	case o := <-done:
		b.reply(ctx, i, o)
		return
	case <-timer.C:
	}
	err := b.api.respond(ctx, i, &discordgo.InteractionResponse{
		Type: discordgo.InteractionResponseDeferredChannelMessageWithSource,
		Data: &discordgo.InteractionResponseData{Flags: flags(a.open)},
	})
	if err != nil {
		b.log.Warn("acknowledging a command", "command", name, "reason", err)
	}
	o := <-done
	o.deferred = true
	b.reply(ctx, i, o)
}

// answer is what is told to who gave a command.
type answer struct {
	text string
	err  error
	// open shows it to everyone; deferred says that it was announced.
	open, deferred bool
	// confirm, if not empty, is what a button does that goes with it.
	confirm string
}

// buttons are those of an answer: none, or one that confirms.
func (a answer) buttons() []discordgo.MessageComponent {
	if a.confirm == "" || a.err != nil {
		return []discordgo.MessageComponent{}
	}
	return []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
		discordgo.Button{Label: "Yes, for good", Style: discordgo.DangerButton, CustomID: a.confirm},
	}}}
}

// flags of an answer that everyone sees, or only who asked.
func flags(open bool) discordgo.MessageFlags {
	if open {
		return 0
	}
	return discordgo.MessageFlagsEphemeral
}

// reply answers an interaction, in several messages if the text is long.
func (b *Bot) reply(ctx context.Context, i *discordgo.Interaction, a answer) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTime)
	defer cancel()
	if a.err != nil {
		a.text, a.open = sentence(a.err), a.open && a.deferred // whether all see it is settled then
	}
	parts := split(a.text, maxMessage)
	if len(parts) == 0 {
		parts = []string{"Done."} // Discord takes no empty answer
	}
	if len(parts) > maxAnswers {
		parts = append(parts[:maxAnswers-1], "…")
	}
	for n, part := range parts {
		var err error
		switch buttons := a.buttons(); {
		case n > 0:
			err = b.api.followUp(ctx, i, &discordgo.WebhookParams{Content: part, AllowedMentions: nobody(), Flags: flags(a.open)})
		case a.deferred:
			err = b.api.amend(ctx, i, &discordgo.WebhookEdit{Content: &part, Components: &buttons, AllowedMentions: nobody()})
		default:
			err = b.api.respond(ctx, i, &discordgo.InteractionResponse{
				Type: discordgo.InteractionResponseChannelMessageWithSource,
				Data: &discordgo.InteractionResponseData{Content: part, Components: buttons, AllowedMentions: nobody(), Flags: flags(a.open)},
			})
		}
		if err != nil {
			b.log.Warn("answering a command", "reason", err)
			return
		}
	}
}

// pressed does what a button confirms, and puts what came of it in the place of
// the question.
func (b *Bot) pressed(ctx context.Context, s *discordgo.Session, i *discordgo.Interaction) {
	ctx, cancel := context.WithTimeout(ctx, actTime)
	defer cancel()
	words := strings.Fields(i.MessageComponentData().CustomID)
	o := answer{err: errors.New("this button is too old; give the command again")}
	switch {
	case i.Member == nil || i.Member.User == nil || len(words) != 3:
	case !b.isDM(s, i):
		o.err = b.dmOnly()
	default:
		if a, ok := b.book[words[0]+" "+words[1]]; ok {
			c := &call{bot: b, guild: i.GuildID, by: Caller{ID: i.Member.User.ID, DM: true}, confirmed: true}
			c.options = map[string]*discordgo.ApplicationCommandInteractionDataOption{"id": {Name: "id", Value: words[2]}}
			o.text, o.err = a.do(ctx, c)
		}
	}
	if o.err != nil {
		o.text = sentence(o.err)
	}
	err := b.api.respond(ctx, i, &discordgo.InteractionResponse{
		Type: discordgo.InteractionResponseUpdateMessage,
		Data: &discordgo.InteractionResponseData{Content: o.text, Components: o.buttons(), AllowedMentions: nobody()},
	})
	if err != nil {
		b.log.Warn("answering a button", "reason", err)
	}
}

// sentence is an error as people read it.
func sentence(err error) string {
	text := err.Error()
	if word, _, _ := strings.Cut(text, " "); !strings.ContainsAny(word, ".:/_") { // else it is no word but a file or a key
		first, n := utf8.DecodeRuneInString(text)
		text = string(unicode.ToUpper(first)) + text[n:]
	}
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") {
		text += "."
	}
	return "⚠ " + text
}

// isDM reports whether who gave a command has a DM's role. Where no role is
// configured it takes the right to manage the server.
func (b *Bot) isDM(s *discordgo.Session, i *discordgo.Interaction) bool {
	if len(b.cfg.DMRoles) == 0 {
		return i.Member.Permissions&(discordgo.PermissionAdministrator|discordgo.PermissionManageGuild) != 0
	}
	for _, id := range i.Member.Roles {
		if slices.Contains(b.cfg.DMRoles, id) {
			return true
		}
		role, err := s.State.Role(i.GuildID, id)
		if err == nil && slices.ContainsFunc(b.cfg.DMRoles, func(name string) bool { return strings.EqualFold(name, role.Name) }) {
			return true
		}
	}
	return false
}

// dmOnly says who may do what another wanted to do.
func (b *Bot) dmOnly() error {
	var names []string
	for _, r := range b.cfg.DMRoles {
		if _, err := strconv.ParseUint(r, 10, 64); err == nil {
			r = "<@&" + r + ">"
		}
		names = append(names, r)
	}
	if len(names) == 0 {
		return errors.New("only a dungeon master may do that: somebody with the right Manage Server")
	}
	return fmt.Errorf("only a dungeon master may do that: somebody with the role %s", strings.Join(names, " or "))
}

// suggest completes what somebody types into an option.
func (b *Bot) suggest(ctx context.Context, i *discordgo.Interaction) {
	_, given := path(i.ApplicationCommandData())
	choices := []*discordgo.ApplicationCommandOptionChoice{}
	r := b.room(i.GuildID)
	for _, o := range given {
		typed, _ := o.Value.(string)
		if !o.Focused || o.Name != "npc" || r == nil {
			continue
		}
		for _, n := range r.sitting.Cast {
			if strings.Contains(strings.ToLower(n.Name), strings.ToLower(strings.TrimSpace(typed))) && len(choices) < maxSuggestions {
				choices = append(choices, &discordgo.ApplicationCommandOptionChoice{Name: n.Name, Value: n.Name})
			}
		}
	}
	err := b.api.respond(ctx, i, &discordgo.InteractionResponse{
		Type: discordgo.InteractionApplicationCommandAutocompleteResult,
		Data: &discordgo.InteractionResponseData{Choices: choices},
	})
	if err != nil {
		b.log.Debug("suggesting names", "reason", err)
	}
}

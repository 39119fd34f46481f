package discord

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/discord/rest"
	"github.com/MrWong99/glyphoxa/internal/table"
)

const (
	// ackAfter is how long a command may take before Discord is told that the
	// answer is coming; it waits three seconds for the first word.
	ackAfter = 300 * time.Millisecond
	// actTime bounds a command. Discord takes answers for a quarter of an hour.
	actTime = 5 * time.Minute
)

// call is a command that somebody gave, a button that was pressed, or a form
// that was filled in.
type call struct {
	bot     *Bot
	guild   string
	channel *discordgo.Channel
	rights  int64 // of the bot in the channel
	by      Caller
	options map[string]any
	files   map[string]*discordgo.MessageAttachment // by id
	// pressed is what the button says that was pressed, empty if none was.
	pressed string
	// filled is whether the options come from a form.
	filled bool

	// What goes with the answer.
	buttons  []button
	attached []rest.File
}

// str is a text option, empty if it was not given.
func (c *call) str(name string) string {
	s, _ := c.options[name].(string)
	return strings.TrimSpace(s)
}

// file is an attached file, nil if none was given.
func (c *call) file(name string) *discordgo.MessageAttachment { return c.files[c.str(name)] }

// num is a whole number, 0 if it was not given.
func (c *call) num(name string) int {
	f, _ := c.options[name].(float64) // as JSON has it
	return int(f)
}

// attach lets the answer carry a file.
func (c *call) attach(name string, data []byte) {
	c.attached = append(c.attached, rest.File{Name: name, Data: data})
}

// given is a text option that may not be blank; what says what belongs there.
func (c *call) given(name, what string) (string, error) {
	if s := c.str(name); s != "" {
		return s, nil
	}
	return "", fmt.Errorf("there is nothing under %s; write %s", name, what)
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
	do := map[discordgo.InteractionType]func(context.Context, *discordgo.Session, *discordgo.Interaction){
		discordgo.InteractionApplicationCommand:             b.command,
		discordgo.InteractionApplicationCommandAutocomplete: b.suggest,
		discordgo.InteractionMessageComponent:               b.pressed,
		discordgo.InteractionModalSubmit:                    b.filledIn,
	}[i.Type]
	if do == nil {
		return
	}
	if !b.admit(i.GuildID) {
		do = b.busy
	}
	b.slots <- struct{}{}
	done := func() {
		b.release(i.GuildID)
		<-b.slots
	}
	begun := b.spawn(func(ctx context.Context) {
		defer done()
		ctx, cancel := context.WithTimeout(ctx, actTime)
		defer cancel()
		do(ctx, s, i)
	})
	if !begun {
		done()
	}
}

// admit counts an interaction of a guild, and reports whether there are not too
// many at work, so that one guild does not keep all others waiting.
func (b *Bot) admit(guild string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.atWork[guild]++
	return b.atWork[guild] <= maxAtOnce
}

// release counts an interaction of a guild as done.
func (b *Bot) release(guild string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.atWork[guild]--; b.atWork[guild] == 0 {
		delete(b.atWork, guild)
	}
}

// errTooMuch says why nothing is done.
var errTooMuch = errors.New("too much is being asked for in this server at once; try again in a moment")

// busy answers an interaction that there is no room for.
func (b *Bot) busy(ctx context.Context, _ *discordgo.Session, i *discordgo.Interaction) {
	if i.Type == discordgo.InteractionApplicationCommandAutocomplete {
		b.offer(ctx, i, []*discordgo.ApplicationCommandOptionChoice{})
		return
	}
	b.reply(ctx, i, answer{err: errTooMuch})
}

// ordered names the command and subcommand of an interaction, and returns the
// options.
func ordered(d discordgo.ApplicationCommandInteractionData) (string, []*discordgo.ApplicationCommandInteractionDataOption) {
	if len(d.Options) == 1 && d.Options[0].Type == discordgo.ApplicationCommandOptionSubCommand {
		return d.Name + " " + d.Options[0].Name, d.Options[0].Options
	}
	return d.Name, d.Options
}

// command carries out a slash command and answers it.
func (b *Bot) command(ctx context.Context, s *discordgo.Session, i *discordgo.Interaction) {
	data := i.ApplicationCommandData()
	name, given := ordered(data)
	c, a, err := b.called(s, i, name)
	if err != nil {
		b.reply(ctx, i, answer{err: err})
		return
	}
	for _, o := range given {
		c.options[o.Name] = o.Value
	}
	if data.Resolved != nil {
		c.files = data.Resolved.Attachments
	}
	b.carryOut(ctx, i, c, a)
}

// pressed does what a button says, and puts what came of it in the place of the
// question.
func (b *Bot) pressed(ctx context.Context, s *discordgo.Session, i *discordgo.Interaction) {
	words := strings.SplitN(i.MessageComponentData().CustomID, " ", 3)
	if len(words) < 3 {
		b.reply(ctx, i, answer{err: errTooOld})
		return
	}
	c, a, err := b.called(s, i, words[0]+" "+words[1])
	if err != nil {
		b.reply(ctx, i, answer{err: err})
		return
	}
	c.pressed = words[2]
	b.carryOut(ctx, i, c, a)
}

// errTooOld says that a button is of another time.
var errTooOld = errors.New("this button is too old; give the command again")

// filledIn carries out the command that a form was for.
func (b *Bot) filledIn(ctx context.Context, s *discordgo.Session, i *discordgo.Interaction) {
	data := i.ModalSubmitData()
	c, a, err := b.called(s, i, data.CustomID)
	if err != nil {
		b.reply(ctx, i, answer{err: err})
		return
	}
	for _, row := range data.Components {
		line, ok := row.(*discordgo.ActionsRow)
		if !ok {
			continue
		}
		for _, in := range line.Components {
			if field, ok := in.(*discordgo.TextInput); ok {
				c.options[field.CustomID] = field.Value
			}
		}
	}
	c.filled = true
	b.carryOut(ctx, i, c, a)
}

// called returns the call of a command, without its options, and what the command
// does. The error says why who gave it may not.
func (b *Bot) called(s *discordgo.Session, i *discordgo.Interaction, name string) (*call, action, error) {
	a, known := b.book[name]
	dm := i.Member != nil && b.isDM(s, i)
	switch {
	case i.GuildID == "" || i.Member == nil || i.Member.User == nil:
		return nil, a, errors.New("this works in a server only")
	case b.cfg.Guild != "" && i.GuildID != b.cfg.Guild:
		return nil, a, errors.New("this bot plays in another server (discord.guild)")
	case b.leaving():
		return nil, a, errGoing
	case !known:
		return nil, a, fmt.Errorf("there is no command /%s any more; restart Discord to see those there are", name)
	case !a.everyone && !dm:
		return nil, a, b.dmOnly()
	}
	c := &call{
		bot: b, guild: i.GuildID, rights: i.AppPermissions, by: Caller{ID: i.Member.User.ID, DM: dm},
		options: map[string]any{},
	}
	if c.channel, _ = s.State.Channel(i.ChannelID); c.channel == nil {
		c.channel = &discordgo.Channel{ID: i.ChannelID}
	}
	return c, a, nil
}

// carryOut does what a call asks for and answers it. If that takes long, Discord
// is told that the answer is coming. Where a form is to be filled in first, that
// is the answer.
func (b *Bot) carryOut(ctx context.Context, i *discordgo.Interaction, c *call, a action) {
	if a.form != nil && !c.filled {
		if f := a.form(c); f != nil { // Discord takes a form as a first word only
			if err := b.api.Respond(ctx, i, f.response()); err != nil {
				b.log.Warn("opening a form", "reason", err)
			}
			return
		}
	}
	done := make(chan answer, 1)
	go func() { // ends before carryOut does: what it does obeys ctx
		text, err := a.do(ctx, c)
		done <- answer{
			text: text, err: explained(ctx, err), open: a.open, instead: c.pressed != "",
			buttons: c.buttons, files: c.attached,
		}
	}()
	timer := time.NewTimer(ackAfter)
	defer timer.Stop()
	select {
	case o := <-done:
		b.reply(ctx, i, o)
		return
	case <-timer.C:
	}
	coming := &discordgo.InteractionResponse{
		Type: discordgo.InteractionResponseDeferredChannelMessageWithSource,
		Data: &discordgo.InteractionResponseData{Flags: flags(a.open)},
	}
	if c.pressed != "" {
		coming = &discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredMessageUpdate}
	}
	if err := b.api.Respond(ctx, i, coming); err != nil {
		b.log.Warn("announcing an answer", "reason", err)
	}
	o := <-done
	o.deferred = true
	b.reply(ctx, i, o)
}

// errGoing says that nothing is done any more.
var errGoing = errors.New("the bot is going offline; try again when it is back")

// explained is an error in the words of those who give commands.
func explained(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, table.ErrClosed):
		return errNoSession
	case errors.Is(ctx.Err(), context.Canceled):
		return errGoing
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return errors.New("it took too long; try again")
	}
	return err
}

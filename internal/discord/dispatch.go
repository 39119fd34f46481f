package discord

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
)

const (
	// commandTimeout bounds a command. Discord accepts answers for 15 minutes.
	commandTimeout = 5 * time.Minute
)

const (
	// maxInteractions bounds the running interactions. At the limit, the gateway's goroutine blocks.
	maxInteractions = 256
	// maxAtOnce bounds those of one guild; more are refused.
	maxAtOnce = 32
	// slotsForDMs is the part of maxAtOnce reserved for DMs.
	slotsForDMs = 8
	// maxOwnAtOnce bounds those of one member; more are refused.
	maxOwnAtOnce = 4
)

// dispatcher handles interactions: it checks permissions, runs commands, and answers. It is safe for
// concurrent use.
type dispatcher struct {
	bot     *Bot
	log     *slog.Logger
	rest    *RestClient
	dms     dmRoles
	answers responder
	actions map[string]action // by command and subcommand
	// suggesterFor returns the source of a member's suggestions.
	suggesterFor func(*play.Member) suggester
	slots        chan struct{} // one per running interaction in all guilds

	mu      sync.Mutex     // guards the fields below
	running map[string]int // running interactions, by guild and by guild and member
	recent  recentIDs      // interactions, because the gateway may send one twice
}

func newDispatcher(b *Bot) *dispatcher {
	return &dispatcher{
		bot: b, log: b.log, rest: b.rest, dms: b.cfg.DMRoles, answers: responder{b.rest, b.log}, actions: commandActions(),
		suggesterFor: func(m *play.Member) suggester { return m },
		slots:        make(chan struct{}, maxInteractions), running: map[string]int{},
	}
}

// onInteraction handles an interaction. It blocks while maxInteractions are running.
func (d *dispatcher) onInteraction(s *discordgo.Session, e *discordgo.InteractionCreate) {
	i := e.Interaction
	if i.Member != nil && i.Member.User != nil {
		d.bot.recordRoles(i.GuildID, i.Member.User.ID, i.Member)
	}
	do := map[discordgo.InteractionType]func(context.Context, *discordgo.Session, *discordgo.Interaction){
		discordgo.InteractionApplicationCommand:             d.runCommand,
		discordgo.InteractionApplicationCommandAutocomplete: d.suggestOptions,
		discordgo.InteractionMessageComponent:               d.pressButton,
		discordgo.InteractionModalSubmit:                    d.submitForm,
	}[i.Type]
	if do == nil {
		return
	}
	if d.isRepeated(i.ID) {
		return
	}
	release, refused := d.admitInteraction(s, i)
	if refused != nil {
		do = func(ctx context.Context, _ *discordgo.Session, i *discordgo.Interaction) {
			d.refuseBusy(ctx, i, refused)
		}
	}
	d.slots <- struct{}{}
	done := func() {
		release()
		<-d.slots
	}
	begun := d.bot.tasks.spawn(func(ctx context.Context) {
		defer done()
		ctx, cancel := context.WithTimeout(ctx, commandTimeout)
		defer cancel()
		do(ctx, s, i)
	})
	if !begun {
		done()
	}
}

// isRepeated reports whether an interaction was received before.
func (d *dispatcher) isRepeated(id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, is := d.recent.find(id)
	d.recent.record(id, "")
	return is
}

// admitInteraction counts an interaction until release is called. It returns an error for the member if too
// many are running, so that one guild cannot block others, one member cannot block a guild, and all players
// together cannot block their DMs.
func (d *dispatcher) admitInteraction(s *discordgo.Session, i *discordgo.Interaction) (release func(), refused error) {
	counts, most := []string{i.GuildID}, maxAtOnce
	if i.Member != nil && i.Member.User != nil {
		counts = append(counts, i.GuildID+" "+i.Member.User.ID)
		if !d.dms.isDM(s, i) {
			most -= slotsForDMs
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.running[counts[0]] >= most:
		return func() {}, TooManyAsked.With()
	case len(counts) > 1 && d.running[counts[1]] >= maxOwnAtOnce:
		return func() {}, YouAskTooMuch.With()
	}
	for _, c := range counts {
		d.running[c]++
	}
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, c := range counts {
			if d.running[c]--; d.running[c] == 0 {
				delete(d.running, c)
			}
		}
	}, nil
}

// refuseBusy answers an interaction that exceeds a limit.
func (d *dispatcher) refuseBusy(ctx context.Context, i *discordgo.Interaction, refused error) {
	if i.Type == discordgo.InteractionApplicationCommandAutocomplete {
		d.sendChoices(ctx, i, []*discordgo.ApplicationCommandOptionChoice{})
		return
	}
	d.answers.sendAnswer(ctx, i, answer{err: refused})
}

// commandPath returns an interaction's command and subcommand, and the options.
func commandPath(d discordgo.ApplicationCommandInteractionData) (string, []*discordgo.ApplicationCommandInteractionDataOption) {
	if len(d.Options) == 1 && d.Options[0].Type == discordgo.ApplicationCommandOptionSubCommand {
		return d.Name + " " + d.Options[0].Name, d.Options[0].Options
	}
	return d.Name, d.Options
}

// runCommand runs a slash command and answers it.
func (d *dispatcher) runCommand(ctx context.Context, s *discordgo.Session, i *discordgo.Interaction) {
	data := i.ApplicationCommandData()
	name, given := commandPath(data)
	c, a, err := d.prepareCall(s, i, name)
	if err != nil {
		d.answers.sendAnswer(ctx, i, answer{err: err})
		return
	}
	for _, o := range given {
		c.options[o.Name] = o.Value
	}
	if c.options[privateName] == true {
		a.open, c.lang = false, languageOf(i)
	}
	if data.Resolved != nil {
		c.files = data.Resolved.Attachments
	}
	d.runAction(ctx, i, c, a)
}

// pressButton runs the command of a button, and replaces the button's message with the answer.
func (d *dispatcher) pressButton(ctx context.Context, s *discordgo.Session, i *discordgo.Interaction) {
	words := strings.SplitN(i.MessageComponentData().CustomID, " ", 3)
	if len(words) < 3 {
		d.answers.sendAnswer(ctx, i, answer{err: errStaleButton})
		return
	}
	name, does := words[0]+" "+words[1], words[2]
	if _, known := d.actions[words[0]]; known { // the command has no subcommands
		name, does = words[0], words[1]+" "+words[2]
	}
	c, a, err := d.prepareCall(s, i, name)
	if err != nil {
		d.answers.sendAnswer(ctx, i, answer{err: err})
		return
	}
	c.pressed = does
	d.runAction(ctx, i, c, a)
}

// errStaleButton is the answer to a button from an earlier version.
var errStaleButton = StaleButton.With()

// submitForm runs the command that a form belongs to.
func (d *dispatcher) submitForm(ctx context.Context, s *discordgo.Session, i *discordgo.Interaction) {
	data := i.ModalSubmitData()
	name, does := data.CustomID, ""
	if words := strings.SplitN(name, " ", 3); len(words) == 3 { // the argument of the button that opened the form
		name, does = words[0]+" "+words[1], words[2]
	}
	c, a, err := d.prepareCall(s, i, name)
	if err != nil {
		d.answers.sendAnswer(ctx, i, answer{err: err})
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
	c.filled, c.pressed = true, does
	d.runAction(ctx, i, c, a)
}

// prepareCall returns a call of a command, without its options, and the command's action. The error says why
// the user may not use the command.
func (d *dispatcher) prepareCall(s *discordgo.Session, i *discordgo.Interaction, name string) (*call, action, error) {
	a, known := d.actions[name]
	dm := i.Member != nil && d.dms.isDM(s, i)
	switch {
	case i.GuildID == "" || i.Member == nil || i.Member.User == nil:
		return nil, a, OnlyInServer.With()
	case d.bot.cfg.Guild != "" && i.GuildID != d.bot.cfg.Guild:
		return nil, a, OtherServer.With()
	case d.bot.sessions.goingOffline():
		return nil, a, errGoingOffline
	case !known:
		return nil, a, NoCommand.With(name)
	case !a.everyone && !dm:
		return nil, a, d.dms.dmOnlyError()
	}
	g, err := d.bot.guilds.Guild(i.GuildID)
	if err != nil {
		return nil, a, err
	}
	c := &call{
		bot: d.bot, guild: g, id: i.ID, rights: i.AppPermissions, by: g.Member(i.Member.User.ID, dm), name: memberName(i.Member.Nick, i.Member.User),
		options: map[string]any{}, lang: languageOf(i),
	}
	if a.open {
		c.lang = d.bot.language()
	}
	if c.channel, _ = s.State.Channel(i.ChannelID); c.channel == nil {
		c.channel = &discordgo.Channel{ID: i.ChannelID}
	}
	return c, a, nil
}

// languageOf returns the language of the user who caused an interaction.
func languageOf(i *discordgo.Interaction) Language {
	return LanguageOf(string(i.Locale))
}

// runAction runs a command and answers it. It first tells Discord that the answer will follow. If Discord does
// not acknowledge that, the command does not run, because Discord tells the user that it failed. If a form
// must be filled in first, the form is the answer.
func (d *dispatcher) runAction(ctx context.Context, i *discordgo.Interaction, c *call, a action) {
	if a.form != nil && !c.filled {
		if f := a.form(ctx, c); f != nil { // Discord accepts a form only as the first response
			if err := d.rest.Respond(ctx, i, f.modalResponse()); err != nil {
				d.log.Warn("opening a form", "reason", err)
			}
			return
		}
	}
	if err := d.deferAnswer(ctx, i, a.open, c.pressed != ""); err != nil {
		d.log.Warn("a command was not carried out", "reason", err)
		d.reportNotRun(ctx, i)
		return
	}
	c.showMeanwhile = func(ctx context.Context, text string) {
		if err := d.rest.EditResponse(ctx, i, &discordgo.WebhookEdit{Content: &text, Components: &[]discordgo.MessageComponent{}, AllowedMentions: noMentions()}); err != nil {
			d.log.Debug("showing how far a command is", "reason", err)
		}
	}
	text, err := a.do(ctx, c)
	if places := c.by.MentionsWait(); err == nil && !a.open && places > 0 { // only DMs see this
		text += "\n-# " + c.format(Verbatim, MentionsWait.Of(places))
	}
	d.answers.sendAnswer(ctx, i, answer{
		text: text, err: explainError(ctx, err), open: a.open, instead: c.pressed != "", deferred: true,
		buttons: c.buttons, files: c.attached,
	})
}

// errGoingOffline is the answer to commands while the bot shuts down.
var errGoingOffline = GoingOffline.With()

// explainError translates internal errors into the words of users.
func explainError(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, table.ErrClosed):
		return errNoSession
	case errors.Is(ctx.Err(), context.Canceled):
		return errGoingOffline
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return TookTooLong.With()
	}
	return err
}

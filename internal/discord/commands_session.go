package discord

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/discord/markup"
	"github.com/MrWong99/glyphoxa/internal/guilds"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// resumeWord is what the button says that goes on with a session that was cut off,
// before the session's id.
const resumeWord = "resume"

// beginSession begins a session in the channel. If the last one was cut off, it
// asks first whether that goes on.
func beginSession(ctx context.Context, c *call) (string, error) {
	parent, err := checkPlayable(ctx, c)
	if err != nil {
		return "", err
	}
	if err := c.bot.sessions.checkFree(c.guild.ID()); err != nil {
		return "", err
	}
	cut, is, err := c.guild.InterruptedSession(ctx)
	if err != nil {
		return "", err
	}
	does, id, _ := strings.Cut(c.pressed, " ")
	id, voiceIn, _ := strings.Cut(id, " ")
	if c.pressed == "" {
		if voiceIn, err = c.voiceOf(); err != nil {
			return "", err
		}
	}
	switch {
	case c.pressed == "" && is:
		c.buttons = resumeButtons(cut, voiceIn)
		return resumeQuestion(cut), nil
	case c.pressed != "" && (!is || id != cut.ID):
		return "", errors.New("somebody went on with that session, or began another; /session start begins one now")
	}
	r, err := c.bot.sessions.openSession(c.guild.ID(), func() (*session, error) {
		return c.bot.startSession(ctx, c.guild, sessionStart{c.channel.ID, parent, voiceIn, c.id, does == resumeWord})
	})
	if err != nil {
		return "", err
	}
	r.sender.setHome(home{c.guild.ID(), c.by.ID, c.bot.language()})
	return r.openingText(does == resumeWord, c.rights), nil
}

// resumeQuestion asks whether a session that was cut off goes on.
func resumeQuestion(cut memory.Session) string {
	lines := fmt.Sprintf("its %d lines are", cut.Lines)
	if cut.Lines == 1 {
		lines = "its one line is"
	}
	return fmt.Sprintf("The last session, begun <t:%d:f>, was cut off; %s kept. Go on with it, or begin anew? A dungeon master decides.", cut.Started.Unix(), lines)
}

func resumeButtons(cut memory.Session, voiceIn string) []button {
	in := strings.TrimRight(cut.ID+" "+voiceIn, " ")
	return []button{
		{"Go on", "session start " + resumeWord + " " + in, discordgo.PrimaryButton},
		{"Begin anew", "session start anew " + in, discordgo.SecondaryButton},
	}
}

// offerToResume asks, where sessions were cut off before the bot was there, whether
// they go on.
func (b *Bot) offerToResume(ctx context.Context) {
	for _, c := range b.guilds.CutOffSessions(ctx) {
		if b.cfg.Guild != "" && c.Guild != b.cfg.Guild {
			continue
		}
		err := b.offerToResumeIn(ctx, c)
		if err != nil { // /session start asks, too
			b.log.Warn("offering to go on with a session", "guild", c.Guild, "reason", err)
		}
	}
}

// offerToResumeIn asks where a session was cut off.
func (b *Bot) offerToResumeIn(ctx context.Context, c guilds.CutOff) error {
	g, err := b.guilds.Guild(c.Guild)
	if err != nil {
		return err
	}
	cut, is, err := g.InterruptedSession(ctx)
	if err != nil || !is {
		return err
	}
	_, err = b.rest.CreateMessage(ctx, c.Channel, &discordgo.MessageSend{Content: resumeQuestion(cut), Components: buttonRow(resumeButtons(cut, c.Voice)), AllowedMentions: noMentions()})
	return err
}

// checkPlayable reports why a session cannot be played in a channel. Of a thread it
// returns the channel.
func checkPlayable(ctx context.Context, c *call) (parent string, err error) {
	if c.channel.Type == 0 && c.channel.ParentID == "" && c.channel.GuildID == "" { // the state does not know it
		asked, err := c.bot.rest.Channel(ctx, c.channel.ID)
		if err != nil {
			return "", fmt.Errorf("looking at this channel: %w; give the bot View Channel here", err)
		}
		c.channel = asked
	}
	switch c.channel.Type {
	case discordgo.ChannelTypeGuildText, discordgo.ChannelTypeGuildVoice, discordgo.ChannelTypeGuildStageVoice: // which have a chat
	case discordgo.ChannelTypeGuildPublicThread, discordgo.ChannelTypeGuildPrivateThread:
		parent = c.channel.ParentID
	default:
		return "", fmt.Errorf("a session needs a text channel or a thread")
	}
	if lacking := missingToPlay(c.rights, parent != ""); len(lacking) > 0 {
		return "", fmt.Errorf("the bot cannot play here; give it %s in this channel", strings.Join(lacking, " and "))
	}
	return parent, nil
}

// openingText is what everybody reads as a session begins, or goes on. rights are the
// bot's in the channel.
func (r *session) openingText(again bool, rights int64) string {
	var out strings.Builder
	name := r.played.Campaign
	if name == "" {
		name = "The session"
	}
	fmt.Fprintf(&out, "**%s**", markup.Escape(name))
	if again {
		out.WriteString(" goes on")
	}
	out.WriteString("\n")
	if r.played.Scene != "" {
		fmt.Fprintf(&out, "%s\n", strings.TrimSpace(r.played.Scene))
	}
	var names []string
	for _, n := range r.presentNPCs() {
		names = append(names, markup.Escape(n.Name))
	}
	fmt.Fprintf(&out, "At the table: %s.\nWrite here to play, and begin with the name of whom you speak to. `/session stop` ends the session.", strings.Join(names, ", "))
	notices := append(r.voiceNotices(), r.played.Notices...)
	if !r.sender.hasWebhook() {
		notices = append(notices, "the bot speaks for the NPCs: give it the permission Manage Webhooks here, and start again, so that they speak under their own names")
	}
	if rights&(discordgo.PermissionEmbedLinks|discordgo.PermissionAdministrator) == 0 {
		notices = append(notices, "how the session goes cannot be shown: give the bot the permission Embed Links here, and start again")
	}
	notices = append(notices, "what is written here from now on is kept on the machine that runs the bot; /privacy info says more")
	for _, n := range notices {
		fmt.Fprintf(&out, "\n%s", noticeText("info", n))
	}
	return out.String()
}

// stopSession ends the session.
func stopSession(_ context.Context, c *call) (string, error) {
	r, err := c.runningSession()
	if err != nil {
		return "", err
	}
	if err := c.bot.sessions.endSession(r, ""); err != nil {
		return "", fmt.Errorf("the session has ended, but not in order: %w", err)
	}
	return fmt.Sprintf("The session has ended after %s. What was said is kept.", sessionLength(time.Since(r.began))), nil
}

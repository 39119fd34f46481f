package discord

import (
	"context"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// resumeWord is the word of the button that resumes an interrupted session. The session's id follows it.
const resumeWord = "resume"

// beginSession starts a session in the channel. If the last one was interrupted, it first asks whether to
// resume it.
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
		c.buttons = resumeButtons(c.lang, cut, voiceIn)
		return resumeQuestion(c.lang, cut), nil
	case c.pressed != "" && (!is || id != cut.ID):
		return "", SessionTaken.With()
	}
	r, err := c.bot.sessions.openSession(c.guild.ID(), func() (*session, error) {
		return c.bot.startSession(ctx, c.guild, sessionStart{c.channel.ID, parent, voiceIn, c.id, does == resumeWord})
	})
	if err != nil {
		return "", err
	}
	r.sender.setReportTarget(reportTarget{c.guild.ID(), c.by.ID, c.bot.language()})
	if does != resumeWord && cut.Lines > 0 {
		return r.openingText(false, c.rights, LinesOfBefore.Of(cut.Lines)), nil
	}
	return r.openingText(does == resumeWord, c.rights), nil
}

// resumeQuestion asks whether to resume an interrupted session.
func resumeQuestion(l Language, cut memory.Session) string {
	return SessionCutOff.In(l, cut.Started.Unix(), LinesAreKept.Of(cut.Lines))
}

func resumeButtons(l Language, cut memory.Session, voiceIn string) []button {
	in := strings.TrimRight(cut.ID+" "+voiceIn, " ")
	return []button{
		{GoOn.In(l), "session start " + resumeWord + " " + in, discordgo.PrimaryButton},
		{BeginAnew.In(l), "session start anew " + in, discordgo.SecondaryButton},
	}
}

// offerToResume asks in each channel with an interrupted session whether to resume it.
func (b *Bot) offerToResume(ctx context.Context) {
	for _, c := range b.guilds.CutOffSessions(ctx) {
		if b.cfg.Guild != "" && c.Guild != b.cfg.Guild {
			continue
		}
		err := b.offerToResumeIn(ctx, c)
		if err != nil { // /session start asks as well
			b.log.Warn("offering to go on with a session", "guild", c.Guild, "reason", err)
		}
	}
}

// offerToResumeIn asks in the channel of one interrupted session.
func (b *Bot) offerToResumeIn(ctx context.Context, c play.CutOff) error {
	g, err := b.guilds.Guild(c.Guild)
	if err != nil {
		return err
	}
	cut, is, err := g.InterruptedSession(ctx)
	if err != nil || !is {
		return err
	}
	_, err = b.rest.CreateMessage(ctx, c.Channel, &discordgo.MessageSend{Content: resumeQuestion(b.language(), cut), Components: buttonRow(resumeButtons(b.language(), cut, c.Voice)), AllowedMentions: noMentions()})
	return err
}

// checkPlayable reports why a session cannot be played in a channel. For a thread, it returns the parent
// channel.
func checkPlayable(ctx context.Context, c *call) (parent string, err error) {
	if c.channel.Type == 0 && c.channel.ParentID == "" && c.channel.GuildID == "" { // not in discordgo's state
		asked, err := c.bot.rest.Channel(ctx, c.channel.ID)
		if err != nil {
			return "", CannotSeeChannel.With(err)
		}
		c.channel = asked
	}
	switch c.channel.Type {
	case discordgo.ChannelTypeGuildText, discordgo.ChannelTypeGuildVoice, discordgo.ChannelTypeGuildStageVoice: // voice and stage channels have a text chat
	case discordgo.ChannelTypeGuildPublicThread, discordgo.ChannelTypeGuildPrivateThread:
		parent = c.channel.ParentID
	default:
		return "", NeedsTextChannel.With()
	}
	if lacking := missingToPlay(c.rights, parent != ""); lacking != nil {
		return "", CannotPlayHere.With(lacking)
	}
	return parent, nil
}

// openingText returns the message that opens a session or resumes it. rights are the bot's permissions in the
// channel, and more is shown before the other notices.
func (r *session) openingText(again bool, rights int64, more ...*Phrase) string {
	name := escapeMarkup(r.played.Campaign)
	if name == "" {
		name = TheSession.In(r.lang)
	}
	heading := "**" + name + "**"
	if again {
		heading = GoesOn.In(r.lang, name)
	}
	lines := []string{heading}
	if r.played.Scene != "" {
		lines = append(lines, strings.TrimSpace(r.played.Scene))
	}
	var names []string
	for _, n := range r.presentNPCs() {
		names = append(names, escapeMarkup(n.Name))
	}
	lines = append(lines, AtTheTable.In(r.lang, strings.Join(names, ", ")), HowToPlay.In(r.lang))
	for _, n := range append(more, r.openingNotices(rights)...) {
		lines = append(lines, noticeText("info", n.In(r.lang)))
	}
	return strings.Join(lines, "\n")
}

// openingNotices returns what players should know before the first line. Problems that only the operator can
// fix are logged instead.
func (r *session) openingNotices(rights int64) (all []*Phrase) {
	all = r.voiceNotices()
	if r.played.Scripted {
		all = append(all, Scripted.With())
	}
	if !r.sender.hasWebhook() {
		all = append(all, NeedsHook.With())
	}
	if rights&(discordgo.PermissionEmbedLinks|discordgo.PermissionAdministrator) == 0 {
		all = append(all, NeedsEmbeds.With())
	}
	return append(all, WhatIsKept.With())
}

// stopSession ends the session.
func stopSession(ctx context.Context, c *call) (string, error) {
	r, err := c.runningSession()
	if err != nil {
		return "", err
	}
	if err := c.bot.sessions.endSession(r, ""); err != nil {
		return "", EndedInDisorder.With(err)
	}
	return c.format(SessionStopped, DurationPhrase(time.Since(r.began))) + proposalsNotice(ctx, c), nil
}

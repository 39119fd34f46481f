package discord

import (
	"context"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/orders"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// voiceSink receives the events of a table with a voice channel. It confirms spoken orders, and drops spoken
// lines if captions are off.
type voiceSink struct {
	noticeSink
	room *voiceRoom
	// end asks for confirmation that a speaker wants to end the session.
	end func(speaker string)
}

// Emit implements table.Sink.
func (s *voiceSink) Emit(e table.Event) {
	switch e := e.(type) {
	case *table.Heard:
		s.room.recordActivity()
	case *table.Ordered:
		s.room.recordActivity()
		s.confirmOrder(e)
	case *table.TurnStarted, *table.Sentence, *table.CutSentence, *table.Filler:
		if !s.room.captions.Load() && s.room.hasListener() {
			return
		}
	}
	s.noticeSink.Emit(e)
}

// confirmOrder confirms a spoken order.
func (s *voiceSink) confirmOrder(e *table.Ordered) {
	if e.Order == orders.EndSession.String() {
		s.end(e.Speaker)
		return
	}
	s.postNotice("order", OrderGiven.In(s.room.lang, escapeMarkup(e.Speaker), orderText(s.room.lang, e)))
}

// orderText describes the effect of a spoken order, or why it failed.
func orderText(l Language, e *table.Ordered) string {
	who, tier := escapeMarkup(e.NPC), TierWord(e.Tier).In(l)
	switch {
	case e.Problem != "":
		return "⚠ " + escapeMarkup(Translate(l, e.Problem))
	case e.Order == orders.Quiet.String():
		return NPCMuted.In(l, who)
	case e.Order == orders.Resume.String():
		return NPCUnmuted.In(l, who)
	case e.Order == orders.Say.String():
		return WillSayIt.In(l, who)
	case e.Turns > 0:
		return NPCRaised.In(l, who, tier, e.Until.Unix(), Answers.Of(e.Turns))
	case e.Tier == mcp.BudgetDeep.String():
		return NPCUncapped.In(l, who)
	}
	return NPCCapped.In(l, who, tier)
}

// prepareVoice prepares voice for a session that is about to start; later means that it joins no channel at the
// start. It returns the sink for the table's events, and the function that opens its sound.
func (b *Bot) prepareVoice(r *session, later bool) (noticeSink, func() (play.Sound, error), error) {
	room, err := b.newVoiceRoom(r.guild, r.sender.postNotice)
	if err != nil {
		return r.sender, nil, err
	}
	r.voice, r.sender.hooks.audible = room, room.hasListener
	end := func(speaker string) {
		b.tasks.spawn(func(ctx context.Context) { r.offerEnd(ctx, b, speaker) })
	}
	open := func() (play.Sound, error) { return play.Sound{Outlet: room, Unheard: room.unheard, Later: later}, nil }
	return &voiceSink{noticeSink: r.sender, room: room, end: end}, open, nil
}

// joinVoice joins the voice channel of a new session. The error says why there is no voice.
func (r *session) joinVoice(ctx context.Context, b *Bot, channel string, missing error) error {
	if r.voice == nil || missing != nil {
		return missing
	}
	if b.isChannelGone(ctx, channel) {
		return VoiceGone.With(channel)
	}
	return r.voice.join(ctx, channel)
}

// isChannelGone reports whether a channel does not exist. If Discord does not answer, it returns false.
func (b *Bot) isChannelGone(ctx context.Context, channel string) bool {
	_, err := b.rest.Channel(ctx, channel)
	return ErrorCode(err) == discordgo.ErrCodeUnknownChannel
}

// voiceNotices returns the notices about voice for the session's first message.
func (r *session) voiceNotices() (all []*Phrase) {
	if r.joinErr != nil {
		all = append(all, VoiceMissing.With(r.joinErr))
	}
	if r.voice == nil || r.voice.place() == "" {
		return all
	}
	all = append(all, VoiceOn.With(r.voice.place()))
	if missing := r.voice.parts.recognition; missing != nil {
		all = append(all, VoiceNotHeard.With(missing))
	}
	return all
}

// closeVoice closes the session's voice room, if any.
func (r *session) closeVoice() {
	if r.voice != nil {
		r.voice.close()
	}
}

// offerEnd posts a button that ends the session.
func (r *session) offerEnd(ctx context.Context, b *Bot, speaker string) {
	l := b.language()
	_, err := b.rest.CreateMessage(ctx, r.channel, &discordgo.MessageSend{
		Content: OrderEnd.In(l, escapeMarkup(speaker)), AllowedMentions: noMentions(),
		Components: buttonRow([]button{{OrderEndButton.In(l), "session stop now", discordgo.DangerButton}}),
	})
	if err != nil {
		r.log.Warn("asking whether the session ends", "reason", err)
	}
}

// refreshRoles keeps the speakers' roles up to date until ctx ends.
func (b *Bot) refreshRoles(ctx context.Context, r *session) {
	r.voice.requestRoles(ctx, func(ctx context.Context, user string) {
		if _, err := b.fetchMember(ctx, r.guild, user); err != nil && ctx.Err() == nil {
			b.log.Warn("asking for the roles of somebody who speaks", "guild", r.guild, "reason", err)
		}
	})
}

// serveVoice serves the players in the voice channel until ctx ends. If the session is idle for too long, it
// ends the session.
func (b *Bot) serveVoice(ctx context.Context, r *session) {
	p := players{
		join: func(ctx context.Context, speaker string, o *table.JoinOptions) (listeningSeat, error) {
			return r.played.Table.Join(ctx, speaker, o)
		},
		name: func(ctx context.Context, user string) (string, bool) { return b.fetchName(ctx, r.guild, user) },
	}
	if r.voice.run(ctx, p) {
		why := VoiceIdle.In(b.language(), int(r.voice.idle/time.Minute))
		b.tasks.spawn(func(context.Context) { b.sessions.endSession(r, why) })
	}
}

// fetchName requests a user's name in a guild, and whether the user is a person.
func (b *Bot) fetchName(ctx context.Context, guild, user string) (name string, person bool) {
	m, err := b.fetchMember(ctx, guild, user)
	if err != nil {
		b.log.Warn("asking for the name of somebody in a voice channel", "guild", guild, "reason", err)
		return user, true
	}
	return memberName(m.Nick, m.User), !m.User.Bot
}

// fetchMember requests a member of a guild and records the member's roles.
func (b *Bot) fetchMember(ctx context.Context, guild, user string) (*discordgo.Member, error) {
	m, err := b.rest.Member(ctx, guild, user)
	if err == nil {
		b.recordRoles(guild, user, m)
	}
	return m, err
}

// rejoinVoice rejoins the voice channels after a shard's session was replaced.
func (b *Bot) rejoinVoice(ctx context.Context) {
	for _, r := range b.voiceStates.allRooms() {
		r.rejoin(ctx)
	}
}

// voiceOf returns the voice channel for a session: the one in the option, or the command's own channel if it
// is a voice channel, or "".
func (c *call) voiceOf() (string, error) {
	if asked := c.textOption("voice"); asked != "" {
		ch, err := c.bot.rest.Channel(context.Background(), asked)
		if err != nil || ch.GuildID != c.guild.ID() || !isVoiceChannel(ch.Type) {
			return "", VoiceNoChannel.With(asked)
		}
		return asked, nil
	}
	if isVoiceChannel(c.channel.Type) {
		return c.channel.ID, nil
	}
	return "", nil
}

// isVoiceChannel reports whether a channel type has voice.
func isVoiceChannel(t discordgo.ChannelType) bool {
	return t == discordgo.ChannelTypeGuildVoice || t == discordgo.ChannelTypeGuildStageVoice
}

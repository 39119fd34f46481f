package discord

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// voiceActions returns the actions of the voice commands.
func voiceActions() map[string]action {
	return map[string]action{
		"session join":  {open: true, do: joinVoice},
		"session leave": {open: true, do: leaveVoice},
		"voice":         {do: tryVoice, suggest: suggestByOption(map[string]suggestFunc{"npc": suggestNPCs, "voice": suggestFromGuild(play.SuggestVoice)})},
		"captions on":   {open: true, do: func(_ context.Context, c *call) (string, error) { return setCaptions(c, true) }},
		"captions off":  {open: true, do: func(_ context.Context, c *call) (string, error) { return setCaptions(c, false) }},
		"privacy code":  {do: showPrivacyCode},
	}
}

// voiceOption selects a voice channel.
func voiceOption() *discordgo.ApplicationCommandOption {
	o := optionOf(discordgo.ApplicationCommandOptionChannel, "voice", OptVoice)
	o.ChannelTypes = []discordgo.ChannelType{discordgo.ChannelTypeGuildVoice, discordgo.ChannelTypeGuildStageVoice}
	return o
}

// captionsCommand defines /captions.
func captionsCommand() *discordgo.ApplicationCommand {
	return commandGroup("captions", CmdCaptions, subcommand("on", CmdCaptionsOn), subcommand("off", CmdCaptionsOff))
}

// voiceCommand defines /voice.
func voiceCommand() *discordgo.ApplicationCommand {
	return commandGroup("voice", CmdVoice, npcOption(), withSuggestions(textOption("voice", OptVoiceID, true, 100)))
}

// voiceRoom returns the voice room of the running session.
func (c *call) voiceRoom() (*voiceRoom, error) {
	r, err := c.runningSession()
	if err != nil {
		return nil, err
	}
	if r.voice == nil {
		return nil, VoiceTextOnly.With(r.voiceless)
	}
	return r.voice, nil
}

// joinVoice makes the bot join a voice channel for the running session.
func joinVoice(ctx context.Context, c *call) (string, error) {
	room, err := c.voiceRoom()
	if err != nil {
		return "", err
	}
	channel, err := c.voiceOf()
	if err != nil {
		return "", err
	}
	if channel == "" {
		channel = c.bot.voiceStates.channelOf(c.guild.ID(), c.by.ID)
	}
	if channel == "" {
		return "", VoiceWhich.With()
	}
	if err := room.join(ctx, channel); err != nil {
		return "", err
	}
	text := c.format(VoiceOn, channel)
	if missing := room.parts.recognition; missing != nil {
		text += "\n" + noticeText("info", c.format(VoiceNotHeard, missing))
	}
	return text, nil
}

// leaveVoice makes the bot leave the voice channel.
func leaveVoice(ctx context.Context, c *call) (string, error) {
	room, err := c.voiceRoom()
	if err != nil {
		return "", err
	}
	if room.wantedChannel() == "" {
		return "", VoiceNone.With()
	}
	if err := room.leave(ctx); err != nil {
		return "", err
	}
	return c.format(VoiceOff), nil
}

// setCaptions switches the captions of players' speech on or off.
func setCaptions(c *call, on bool) (string, error) {
	room, err := c.voiceRoom()
	if err != nil {
		return "", err
	}
	room.captions.Store(on)
	if on {
		return c.format(CaptionsAreOn), nil
	}
	return c.format(CaptionsAreOff), nil
}

// tryVoice plays a sample sentence of an NPC with another voice.
func tryVoice(ctx context.Context, c *call) (string, error) {
	room, err := c.voiceRoom()
	if err != nil {
		return "", err
	}
	if room.place() == "" {
		return "", VoiceNone.With()
	}
	voice, err := c.requireText("voice", VoiceNotNamed)
	if err != nil {
		return "", err
	}
	n, err := c.orderNPC(func(t *table.Table, npc string) error {
		return t.TryVoice(ctx, npc, voice, VoiceSample.In(room.lang))
	})
	return c.format(VoiceTried, escapeMarkup(n.Name), escapeMarkup(voice)), err
}

// inFives groups a code's digits by five, as Discord shows it.
func inFives(code string) string {
	var groups []string
	for len(code) > 5 {
		groups, code = append(groups, code[:5]), code[5:]
	}
	return strings.Join(append(groups, code), " ")
}

// showPrivacyCode shows the privacy code of the voice channel's encryption.
func showPrivacyCode(_ context.Context, c *call) (string, error) {
	room, err := c.voiceRoom()
	if err != nil {
		return "", err
	}
	if room.place() == "" {
		return "", VoiceNone.With()
	}
	if code := room.conn.PrivacyCode(); code != "" {
		text := c.format(VoiceCode, inFives(code))
		if own, err := room.conn.VerificationCode(c.by.ID); err == nil { // the user is in the channel
			text += "\n" + c.format(VoiceOwnCode, inFives(own))
		}
		return text, nil
	}
	return c.format(VoiceNoCode), nil
}

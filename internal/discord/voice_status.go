package discord

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
)

// describe describes the voice channel: the connection, and how each player is heard. It returns nothing if
// the bot should be in no channel.
func (r *voiceRoom) describe(l Language) []string {
	channel := r.wantedChannel()
	if channel == "" {
		return nil
	}
	st := r.conn.Stats()
	lines := []string{VoiceConnecting.In(l, channel)}
	if st.Connected {
		how := VoiceUnencrypted
		if st.DAVE > 0 {
			how = VoiceEncrypted
		}
		lines = []string{VoiceIn.In(l, channel, how.In(l))}
		if trip := max(st.UDPRoundTrip, st.GatewayRoundTrip); trip > 0 {
			lines[0] += ", " + VoiceRoundTrip.In(l, trip.Milliseconds())
		}
	}
	all := r.states.occupants(r.guild, channel)
	slices.SortFunc(all, func(a, b occupant) int { return cmp.Compare(a.name+a.user, b.name+b.user) })
	for _, o := range all {
		if line := r.describeEar(l, o); line != "" {
			lines = append(lines, line)
		}
	}
	if failed := describeFailures(l, st.In); failed != "" {
		lines = append(lines, VoiceUndecipherd.In(l, failed))
	}
	return lines
}

// describeEar describes how a player is heard. It returns "" for bots.
func (r *voiceRoom) describeEar(l Language, o occupant) string {
	r.mu.Lock()
	s := r.seats[o.user]
	r.mu.Unlock()
	name := escapeMarkup(o.name)
	switch {
	case o.bot || o.user == r.states.selfID():
		return ""
	case !r.consents.isHeard(r.guild, o.user):
		return VoiceEarDeclined.In(l, name)
	case s == nil:
		return ""
	case o.mute:
		return VoiceEarMuted.In(l, escapeMarkup(s.seat.Speaker()))
	}
	how := VoiceEar
	if time.Since(time.Unix(0, s.lastPacket.Load())) < speakingFor {
		how = VoiceEarSpeaking
	}
	st := s.seat.Stats().Packets
	return how.In(l, escapeMarkup(s.seat.Speaker()), st.Lost, st.Late)
}

// describeFailures lists the numbers of undecryptable packets by cause.
func describeFailures(l Language, in voice.Received) string {
	var out []string
	for _, f := range []struct {
		n   uint64
		why Text
	}{
		{in.Transport, BadTransport}, {in.Padding, BadPadding}, {in.NoKey, BadNoKey}, {in.Passthrough, BadPassthrough},
		{in.Replay, BadReplay}, {in.TooOld, BadTooOld}, {in.Broken, BadBroken}, {in.Unknown, BadUnknown},
	} {
		if f.n > 0 {
			out = append(out, f.why.In(l, f.n))
		}
	}
	return strings.Join(out, ", ")
}

// voiceFields returns the status message's fields about the voice channel.
func (r *voiceRoom) voiceFields() []*discordgo.MessageEmbedField {
	if r == nil {
		return nil
	}
	lines := r.describe(r.lang)
	if len(lines) == 0 {
		return nil
	}
	return []*discordgo.MessageEmbedField{embedField(r.lang, VoiceField.In(r.lang), lines)}
}

package discord

import (
	"context"
	"errors"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// reactionsTo maps the emoji of a reaction to an NPC's line, without the variation selector, to its effect:
// the line is taken back and, with again, the NPC answers again.
var reactionsTo = map[string]struct{ again bool }{"❌": {}, "✖": {}, "❎": {}, "🔁": {again: true}, "🔄": {again: true}}

// maxReactions bounds the reactions waiting for the table. More are dropped; people can react again.
const maxReactions = 16

// reaction asks to take back an NPC's line.
type reaction struct {
	turn  int64
	user  string
	leads bool
	again bool
}

// onReaction handles a reaction to a message. Only reactions to NPCs' lines in the running session have an
// effect.
func (b *Bot) onReaction(s *discordgo.Session, e *discordgo.MessageReactionAdd) {
	r := b.sessions.findSession(e.GuildID)
	wish, known := reactionsTo[trimPresentation(e.Emoji.Name)]
	if r == nil || r.channel != e.ChannelID || !known || e.Emoji.ID != "" || e.Member == nil || e.Member.User != nil && e.Member.User.Bot {
		return
	}
	b.recordRoles(e.GuildID, e.UserID, e.Member)
	leads := dmRoles(b.cfg.DMRoles).memberIsDM(s.State, e.GuildID, e.UserID, e.Member.Roles)
	r.sender.lines.whenPosted(e.MessageID, func(turn int64) {
		select {
		case r.reactions <- reaction{turn, e.UserID, leads, wish.again}:
		default:
			b.log.Warn("too many reactions at once; one is dropped", "guild", e.GuildID)
		}
	})
}

// trimPresentation removes variation selectors from an emoji.
func trimPresentation(emoji string) string {
	var kept []rune
	for _, c := range emoji {
		if c != '\ufe0f' && c != '\ufe0e' {
			kept = append(kept, c)
		}
	}
	return string(kept)
}

// handleReactions passes reactions to the table. A refusal is only logged, because any reply to a reaction
// would be visible to everyone.
func (r *session) handleReactions(ctx context.Context) {
	for {
		select {
		case w := <-r.reactions:
			if w.again && r.paused.Load() {
				continue
			}
			_, err := r.played.Table.RetractAnswer(ctx, table.RetractionRequest{Turn: w.turn, By: play.UserRef(Front, w.user), Leads: w.leads, Again: w.again})
			switch {
			case ctx.Err() != nil:
			case err == nil:
				r.log.Info("a line is taken back", "guild", r.guild, "turn", w.turn, "user", w.user, "again", w.again)
			case errors.Is(err, table.ErrNotRetractable):
				r.log.Info("a line is not taken back", "guild", r.guild, "turn", w.turn, "user", w.user, "reason", err)
			default:
				r.reportToOperator("warning", "what an NPC said could not be taken back: "+err.Error())
			}
		case <-ctx.Done():
			return
		}
	}
}

package discord

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/bwmarrin/discordgo"
)

// ErrAway says that a shard is not connected just now.
var ErrAway = errors.New("the connection to Discord is lost just now; try again in a moment")

// MoveVoice asks Discord to put the bot into a guild's voice channel, or out of voice
// for an empty one, over the shard that has the guild. Discord answers, if it does, by
// the events of the bot's voice state and voice server. It returns [ErrAway] where
// that shard is not connected.
func (g *Gateway) MoveVoice(ctx context.Context, guild, channel string) error {
	id, err := strconv.ParseUint(guild, 10, 64)
	if err != nil {
		return fmt.Errorf("%q is no id of a server", guild)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	g.mu.Lock()
	all := g.shards
	g.mu.Unlock()
	if len(all) == 0 {
		return ErrAway
	}
	return all[(id>>22)%uint64(len(all))].moveVoice(guild, channel)
}

// moveVoice asks over this shard.
func (s *shard) moveVoice(guild, channel string) (err error) {
	d := s.live.Load()
	if d == nil {
		return ErrAway
	}
	// discordgo takes its connection away without a lock when it is lost, and would
	// then write to none.
	defer func() {
		if recover() != nil {
			err = ErrAway
		}
	}()
	if err := d.ChannelVoiceJoinManual(guild, channel, false, false); err != nil {
		return ErrAway
	}
	return nil
}

// setLive says which session can be asked for something; nil is none.
func (s *shard) setLive(d *discordgo.Session) { s.live.Store(d) }

package discord

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/bwmarrin/discordgo"
)

// ErrDisconnected reports that a shard is not connected at the moment.
var ErrDisconnected = errors.New("the connection to Discord is lost right now; try again in a moment")

// MoveVoice asks Discord to move the bot into a guild's voice channel, or out of voice if channel is empty,
// through the guild's shard. If Discord agrees, it sends the bot's voice state and voice server events.
// MoveVoice returns [ErrDisconnected] if the shard is not connected.
func (g *Gateway) MoveVoice(ctx context.Context, guild, channel string) error {
	id, err := strconv.ParseUint(guild, 10, 64)
	if err != nil {
		return fmt.Errorf("%q is not the id of a server", guild)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	g.mu.Lock()
	all := g.shards
	g.mu.Unlock()
	if len(all) == 0 {
		return ErrDisconnected
	}
	return all[(id>>22)%uint64(len(all))].moveVoice(guild, channel)
}

// moveVoice sends the request on this shard.
func (s *shard) moveVoice(guild, channel string) (err error) {
	d := s.live.Load()
	if d == nil {
		return ErrDisconnected
	}
	// discordgo clears its connection without a lock when it is lost, and then writes to nil.
	defer func() {
		if recover() != nil {
			err = ErrDisconnected
		}
	}()
	if err := d.ChannelVoiceJoinManual(guild, channel, false, false); err != nil {
		return ErrDisconnected
	}
	return nil
}

// setLive sets the connected session; nil means none.
func (s *shard) setLive(d *discordgo.Session) { s.live.Store(d) }

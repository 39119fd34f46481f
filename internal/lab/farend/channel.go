package farend

import (
	"crypto/rand"
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/disgoorg/godave"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
)

// channel is a voice channel with permanent players and a bot.
type channel struct {
	s         *Server
	number    int
	guild, id string
	ssrc      uint32 // the bot's

	mu      sync.Mutex // guards the fields below
	bot     *client    // nil while there is none
	version int        // of the end-to-end encryption that the bot supports
	addr    netip.AddrPort
	sealer  *voice.Sealer // nil until the bot has its keys
	opener  *voice.Opener
	players []*player
	group   group
}

// player is a player in a channel.
type player struct {
	member
	ssrc      uint32
	named     bool // the bot knows the ssrc's user
	seq       uint16
	timestamp uint32
	at        time.Time // of the last packet
	packet    []byte    // the packet to send; owned by the goroutine that sends this player's sound
}

var errAway = errors.New("no bot has keys in this channel")

func newChannel(s *Server, n int) *channel {
	c := &channel{s: s, number: n, guild: GuildID(n), id: ChannelID(n), ssrc: uint32(n+1) * perChannel}
	for i := range s.opts.Players {
		c.players = append(c.players, &player{ssrc: c.ssrc + 1 + uint32(i)})
	}
	return c
}

// begin begins a bot's session, unless there is another.
func (c *channel) begin(bot *client, version int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bot != nil {
		return false
	}
	c.bot, c.version, c.addr, c.sealer, c.opener = bot, version, netip.AddrPort{}, nil, nil
	if c.s.opts.Plain {
		c.version = 0
	}
	return true
}

// discover records the source address of the bot's packets.
func (c *channel) discover(from netip.AddrPort) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.addr = from
}

// enter sends the bot its keys and introduces the players.
func (c *channel) enter(bot *client, mode string) (err error) {
	key := make([]byte, voice.KeySize)
	_, _ = rand.Read(key) // cannot fail
	numbers := make([]int, len(key))
	for i, b := range key {
		numbers[i] = int(b)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bot != bot || c.sealer != nil {
		return errAway
	}
	if c.opener, err = voice.NewOpener(mode, key); err != nil {
		return err
	}
	if c.sealer, err = voice.NewSealer(mode, key); err != nil {
		return err
	}
	bot.put(opDescription, map[string]any{"mode": mode, "secret_key": numbers, "dave_protocol_version": c.version})
	var users []string
	for i, p := range c.players {
		users = append(users, PlayerID(c.number, i))
		p.named = false
	}
	bot.put(opClientsConnect, map[string]any{"user_ids": users})
	if c.version > 0 {
		return c.beginGroup()
	}
	return nil
}

// leave ends a bot's session.
func (c *channel) leave(bot *client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bot == bot {
		c.bot, c.sealer, c.opener, c.group = nil, nil, nil, group{}
	}
}

// seal returns a player's packet and its destination, or nil if it cannot be
// sent.
func (c *channel) seal(n int, opus []byte) ([]byte, netip.AddrPort) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.players[n]
	if c.sealer == nil || !c.addr.IsValid() {
		return nil, netip.AddrPort{}
	}
	payload, ok := p.encrypt(c.version, p.ssrc, opus)
	if !ok {
		return nil, netip.AddrPort{}
	}
	if !p.named {
		p.named = true
		c.bot.put(opSpeaking, map[string]any{"user_id": PlayerID(c.number, n), "ssrc": p.ssrc, "speaking": 1})
	}
	p.seq++
	now := time.Now()
	p.timestamp += voice.FrameSamples * max(1, uint32(min(now.Sub(p.at), time.Hour)/(20*time.Millisecond)))
	p.at = now
	packet, err := c.sealer.Seal(p.packet[:0], voice.Header{PayloadType: voice.PayloadType, Sequence: p.seq, Timestamp: p.timestamp, SSRC: p.ssrc}, payload)
	if err != nil {
		return nil, netip.AddrPort{}
	}
	p.packet = packet
	return packet, c.addr
}

// open decrypts a bot's packet as the first player.
func (c *channel) open(packet []byte) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.opener == nil {
		return nil, errAway
	}
	_, payload, err := c.opener.Open(packet)
	if err != nil || c.version == 0 {
		return payload, err
	}
	n, err := c.players[0].session.Decrypt(godave.UserID(BotID), payload, payload)
	return payload[:n], err
}

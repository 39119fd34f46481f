package voicetest

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// A Client is the server's record of a user's session.
type Client struct {
	Connected   bool // its WebSocket is connected
	InChannel   bool // it has its keys
	Channel     string
	SSRC        uint32
	Mode        string
	Speaking    int // the flags of its last Speaking
	Spoke       int // how often it sent Speaking
	Identified  int // sessions begun in a row, and resumed
	Resumed     int
	Heartbeats  int
	SeqAck      int // in the last heartbeat
	KeepAlives  int
	Packets     int // received from it
	Forwarded   int // sent to it
	Lost        int // lost by the wire on their way to it
	Transitions int // transitions it was ready for
	Invalid     int // commits and welcomes it could not process
	KeyPackages int
	Commits     int // commits it sent
	CommitsWon  int // those that came first
}

// Client returns the state of a user's session, and whether it exists.
func (s *Server) Client(guild, user string) (Client, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.find(guild, user)
	if p == nil {
		return Client{}, false
	}
	return p.snapshot(), true
}

// AwaitClient returns when cond accepts a user's session.
func (s *Server) AwaitClient(ctx context.Context, guild, user string, cond func(Client) bool) (Client, error) {
	var c Client
	err := s.await(ctx, "user "+user, func() bool {
		p := s.find(guild, user)
		if p == nil {
			c = Client{}
			return cond(c)
		}
		c = p.snapshot()
		return cond(c)
	})
	return c, err
}

func (p *participant) snapshot() Client {
	c := p.stats
	c.Connected, c.InChannel, c.Channel, c.SSRC, c.Speaking = p.conn != nil, p.described, p.room.channel, p.ssrc, p.flags
	return c
}

// Arrivals returns the last packets of a user's session, up to the number in
// Options.
func (s *Server) Arrivals(guild, user string) []Arrival {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.find(guild, user); p != nil {
		return slices.Clone(p.inbound.arrivals)
	}
	return nil
}

// find returns a user's session in a guild, or nil.
func (s *Server) find(guild, user string) *participant {
	var found *participant
	for _, p := range s.ssrcs {
		if p.room.guild == guild && p.user == user && (found == nil || p.ssrc > found.ssrc) {
			found = p
		}
	}
	return found
}

// must returns a user's session. It panics on an unknown user, because the test
// is wrong then and a panic shows its line.
func (s *Server) must(guild, user string) *participant {
	p := s.find(guild, user)
	if p == nil {
		panic(fmt.Sprintf("voicetest: user %s is not connected", user))
	}
	return p
}

// mustRoom returns the guild's only room.
func (s *Server) mustRoom(guild, channel string) *room {
	r := s.rooms[guild+"/"+channel]
	if r == nil {
		panic(fmt.Sprintf("voicetest: nobody was in channel %s", channel))
	}
	return r
}

// Drop breaks a user's WebSocket without a close frame. The session can be
// resumed.
func (s *Server) Drop(guild, user string) { s.CloseWith(guild, user, 0) }

// CloseWith closes a user's WebSocket. Codes that end a session end it.
func (s *Server) CloseWith(guild, user string, code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.must(guild, user)
	if !resumable(code) {
		p.end(code, "")
	} else if p.conn != nil {
		p.conn.leave(code, "")
	}
}

// Forget makes the resume of a user's session fail.
func (s *Server) Forget(guild, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.must(guild, user).forgotten = true
}

// DropUDP drops all packets from and to a user, until it is reverted.
func (s *Server) DropUDP(guild, user string, drop bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.must(guild, user).silent = drop
}

// Mute says whether a user may not speak. The others then get five frames of
// silence once, and no more sound. The setting of a disconnected user stays as
// admitted.
func (s *Server) Mute(guild, user string, mute bool) {
	s.mu.Lock()
	p := s.find(guild, user)
	if p == nil || p.muted == mute {
		s.mu.Unlock()
		return
	}
	if mute {
		s.sendSilence(p, 5)
	}
	p.muted = mute
	s.mu.Unlock()
	s.flush()
}

// LoseDiscovery loses the next IP discovery packets.
func (s *Server) LoseDiscovery(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deafUDP = n
}

// SwallowHeartbeats leaves the next heartbeats of any client unanswered.
func (s *Server) SwallowHeartbeats(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.swallow = n
}

// Withhold drops messages with these opcodes to a user, instead of the opcodes
// set before. They get no number.
func (s *Server) Withhold(guild, user string, ops ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.must(guild, user).withheld = ops
}

// SetWire sets the wire for packets to a user; an empty user means all in a
// channel without their own wire.
func (s *Server) SetWire(guild, channel, user string, w Wire) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if user == "" {
		s.mustRoom(guild, channel).wire = w
	} else {
		s.must(guild, user).wire = &w
	}
}

// SpeakLate delays Speaking to others, while sound is forwarded at once.
func (s *Server) SpeakLate(by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late = by
}

// ShowVideo adds a video stream to each packet of a user, like a camera.
func (s *Server) ShowVideo(guild, user string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.must(guild, user)
	p.video = on
	for _, o := range p.room.others(p) {
		o.send(opVideo, map[string]any{"user_id": p.user, "audio_ssrc": p.outSSRC, "video_ssrc": p.outSSRC + videoOffset, "rtx_ssrc": 0})
	}
}

// SwitchSSRC announces a second audio ssrc of a user to the others. The first
// is not withdrawn.
func (s *Server) SwitchSSRC(guild, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.must(guild, user)
	s.lastSSRC++
	p.outSSRC = s.lastSSRC
	for _, o := range p.room.others(p) {
		o.send(opSpeaking, map[string]any{"user_id": p.user, "ssrc": p.outSSRC, "speaking": p.flags})
	}
}

// SendSilence sends the others silence frames in a user's name, as Discord does
// for a user muted by a moderator. The user's state does not change.
func (s *Server) SendSilence(guild, user string, frames int) {
	s.mu.Lock()
	s.sendSilence(s.must(guild, user), frames)
	s.mu.Unlock()
	s.flush()
}

func (s *Server) sendSilence(p *participant, frames int) {
	for range frames {
		p.rtp.shift++
		s.unsent = append(s.unsent, p.room.forward(p, outgoing{
			kind: payloadOpus, seq: p.rtp.seq + 1 - p.rtp.shift, timestamp: p.rtp.timestamp + samplesPerFrame*(1-uint32(p.rtp.shift)), payload: silence,
		})...)
	}
}

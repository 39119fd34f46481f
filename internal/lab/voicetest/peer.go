package voicetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
)

// UpdateState sends the peer its own voice state, for example after a moderator
// moved it.
func (p *Peer) UpdateState(session, channel string) {
	p.all.mu.Lock()
	p.session, p.channel = session, channel
	p.all.mu.Unlock()
	var id *string
	if channel != "" {
		id = &channel
	}
	p.order("state", map[string]any{"data": map[string]any{
		"guild_id": p.guild, "channel_id": id, "user_id": p.user, "session_id": session,
	}})
}

// UpdateServer sends the peer the address of its voice server, also when it
// changes.
func (p *Peer) UpdateServer(at Address) {
	p.order("server", map[string]any{"data": map[string]any{"guild_id": p.guild, "token": at.Token, "endpoint": at.Endpoint}})
}

// order sends a command to the process.
func (p *Peer) order(do string, fields map[string]any) {
	if fields == nil {
		fields = map[string]any{}
	}
	fields["user"], fields["do"] = p.user, do
	p.all.writing.Lock()
	defer p.all.writing.Unlock()
	_, _ = p.all.stdin.Write(append(mustJSON(fields), '\n')) // await reports if the process is gone
}

// User returns the peer's user id.
func (p *Peer) User() string { return p.user }

// Join lets the peer join a channel and returns when it can send.
func (p *Peer) Join(ctx context.Context, channel string) error {
	p.order("join", map[string]any{"guild": p.guild, "channel": channel, "dave": !p.opts.NoDAVE})
	return p.AwaitStatus(ctx, "ready")
}

// Leave lets the peer leave its channel.
func (p *Peer) Leave(ctx context.Context) error {
	p.order("leave", nil)
	return p.AwaitStatus(ctx, "destroyed")
}

// AwaitStatus returns when the peer's connection has a status: signalling,
// connecting, ready, disconnected or destroyed.
func (p *Peer) AwaitStatus(ctx context.Context, status string) error {
	return p.all.await(ctx, fmt.Sprintf("user %s to be %s", p.user, status), func() bool { return p.status == status })
}

// Play sends Opus frames of 20 ms as the peer, one after another, and returns
// when all are sent. It replaces earlier sound.
func (p *Peer) Play(ctx context.Context, frames [][]byte) error {
	id := p.start(frames)
	return p.all.await(ctx, fmt.Sprintf("user %s to have spoken", p.user), func() bool { return p.played[id] })
}

// Start is Play without the wait.
func (p *Peer) Start(frames [][]byte) { p.start(frames) }

// start returns the number that identifies the end of the sound.
func (p *Peer) start(frames [][]byte) int {
	p.all.mu.Lock()
	p.all.orders++
	id := p.all.orders
	p.all.mu.Unlock()
	p.order("play", map[string]any{"frames": frames, "id": id})
	return id
}

// Stop stops the peer's sound.
func (p *Peer) Stop() { p.order("stop", nil) }

// Heard returns everything the peer has received from a user, including
// silence.
func (p *Peer) Heard(user string) []Heard {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	return slices.Clone(p.heard[user])
}

// Sound returns the frames the peer has received from a user, without silence.
func (p *Peer) Sound(user string) [][]byte {
	var frames [][]byte
	for _, h := range p.Heard(user) {
		if !h.Silent() {
			frames = append(frames, h.Payload)
		}
	}
	return frames
}

// AwaitSound returns when the peer has received n frames of a user, without
// silence.
func (p *Peer) AwaitSound(ctx context.Context, user string, frames int) error {
	return p.all.await(ctx, fmt.Sprintf("user %s to hear %d frames of %s", p.user, frames, user), func() bool {
		n := 0
		for _, h := range p.heard[user] {
			if !h.Silent() {
				n++
			}
		}
		return n >= frames
	})
}

// AwaitFrame returns when the peer has received a frame of a user.
func (p *Peer) AwaitFrame(ctx context.Context, user string, frame []byte) error {
	return p.all.await(ctx, fmt.Sprintf("user %s to hear a frame of %s", p.user, user), func() bool {
		return slices.ContainsFunc(p.heard[user], func(h Heard) bool { return bytes.Equal(h.Payload, frame) })
	})
}

// AwaitTransitions returns when the peer has moved to a new group or epoch n
// times since its creation.
func (p *Peer) AwaitTransitions(ctx context.Context, n int) error {
	return p.all.await(ctx, fmt.Sprintf("%d transitions of user %s", n, p.user), func() bool {
		seen := 0
		for _, e := range p.events {
			if e.Kind == "transitioned" {
				seen++
			}
		}
		return seen >= n
	})
}

// PrivacyCode returns the displayable code of the peer's group, or "" without
// end-to-end encryption.
func (p *Peer) PrivacyCode(ctx context.Context) (string, error) {
	p.all.mu.Lock()
	before := len(p.codes)
	p.all.mu.Unlock()
	p.order("code", nil)
	code := ""
	err := p.all.await(ctx, "a privacy code", func() bool {
		if len(p.codes) > before {
			code = p.codes[before]
		}
		return len(p.codes) > before
	})
	return code, err
}

// Events returns the peer's reports so far.
func (p *Peer) Events() []PeerEvent {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	return slices.Clone(p.events)
}

// AwaitEvent returns when cond accepts a report of the peer.
func (p *Peer) AwaitEvent(ctx context.Context, cond func(PeerEvent) bool) (PeerEvent, error) {
	var found PeerEvent
	err := p.all.await(ctx, "an event of user "+p.user, func() bool {
		at := slices.IndexFunc(p.events, cond)
		if at >= 0 {
			found = p.events[at]
		}
		return at >= 0
	})
	return found, err
}

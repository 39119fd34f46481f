package farend

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/disgoorg/godave"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/internal/lab/davesender"
)

// group is a channel's end-to-end encryption, guarded by channel.mu.
type group struct {
	service *davesender.Service // nil while no bot with encryption is there
	since   time.Time           // when the waiting transition began, or zero
	seq     uint16              // of the gateway's binary messages
}

// transitionLimit bounds how long a transition waits for all clients.
const transitionLimit = 2 * time.Second

// member is a player's side of the encryption, with the program's own
// implementation. It implements godave.Callbacks.
type member struct {
	id      uint64
	session *voice.Group
	said    []said // not delivered yet
	frame   []byte
}

// said is a member's message to the gateway.
type said struct {
	op   int
	data []byte
}

var _ godave.Callbacks = (*member)(nil)

// begin starts the encryption of a channel's player.
func (m *member) begin(c *channel, n int) (err error) {
	id := PlayerID(c.number, n)
	m.said = nil
	if m.id, err = strconv.ParseUint(id, 10, 64); err != nil {
		return err
	}
	m.session, err = voice.NewGroup(godave.UserID(id), godave.ChannelID(firstChannel+c.number), m, nil)
	return err
}

func (m *member) say(op int, data []byte) error {
	m.said = append(m.said, said{op, append([]byte(nil), data...)})
	return nil
}

// SendMLSKeyPackage implements [godave.Callbacks].
func (m *member) SendMLSKeyPackage(b []byte) error { return m.say(voice.OpKeyPackage, b) }

// SendMLSCommitWelcome implements [godave.Callbacks].
func (m *member) SendMLSCommitWelcome(b []byte) error { return m.say(voice.OpCommitWelcome, b) }

// SendReadyForTransition implements [godave.Callbacks].
func (m *member) SendReadyForTransition(id uint16) error {
	return m.say(voice.OpTransitionReady, fmt.Appendf(nil, `{"transition_id":%d}`, id))
}

// SendInvalidCommitWelcome implements [godave.Callbacks].
func (m *member) SendInvalidCommitWelcome(id uint16) error {
	return m.say(voice.OpInvalidCommit, fmt.Appendf(nil, `{"transition_id":%d}`, id))
}

// encrypt encrypts a frame, and reports false while there are no keys.
func (m *member) encrypt(version int, ssrc uint32, opus []byte) ([]byte, bool) {
	if version == 0 {
		return opus, true
	}
	if need := m.session.MaxEncryptedFrameSize(len(opus)); len(m.frame) < need {
		m.frame = make([]byte, need)
	}
	n, err := m.session.Encrypt(ssrc, opus, m.frame)
	return m.frame[:n], err == nil
}

// beginGroup starts the key agreement between the players and the bot.
func (c *channel) beginGroup() error {
	c.group = group{service: davesender.NewService(uint64(firstChannel + c.number))}
	for n, p := range c.players {
		if err := p.begin(c, n); err != nil {
			return err
		}
		for i := range c.players {
			p.session.AddUser(godave.UserID(PlayerID(c.number, i)))
		}
		p.session.AddUser(godave.UserID(BotID))
		c.deliver(c.group.service.Join(p.id, voice.DAVEVersion))
		p.session.OnSelectProtocolAck(voice.DAVEVersion)
		c.settle()
	}
	c.deliver(c.group.service.Join(botNumber(), c.version))
	c.settle()
	return nil
}

func botNumber() uint64 {
	id, err := strconv.ParseUint(BotID, 10, 64)
	if err != nil {
		panic(err) // the id is a constant
	}
	return id
}

// receiveFromBot handles a message of the bot's encryption.
func (c *channel) receiveFromBot(bot *client, op int, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bot != bot || c.group.service == nil {
		return
	}
	if out, err := c.group.service.Receive(botNumber(), op, data); err == nil { // otherwise the message came too late
		c.deliver(out)
		c.settle()
	}
}

// settle delivers the players' messages until there are none.
func (c *channel) settle() {
	for busy := true; busy; {
		busy = false
		for _, p := range c.players {
			words := p.said
			p.said = nil
			for _, w := range words {
				busy = true
				if out, err := c.group.service.Receive(p.id, w.op, w.data); err == nil {
					c.deliver(out)
				}
			}
		}
	}
}

// deliver passes the service's messages to their recipients.
func (c *channel) deliver(all []davesender.Message) {
	for _, m := range all {
		if m.To == botNumber() {
			c.tellBot(m)
			continue
		}
		for _, p := range c.players {
			if p.id == m.To {
				_ = p.session.Receive(m.Op, m.Data) // The session itself reports what it cannot follow.
			}
		}
	}
}

func (c *channel) tellBot(m davesender.Message) {
	if !davesender.Binary(m.Op) {
		c.bot.put(m.Op, json.RawMessage(m.Data))
		return
	}
	c.group.seq++
	head := append(binary.BigEndian.AppendUint16(nil, c.group.seq), byte(m.Op))
	c.bot.conn.SendBinary(append(head, m.Data...))
}

// tick handles timeouts.
func (c *channel) tick(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.group.service == nil {
		return
	}
	for _, p := range c.players {
		if due := p.session.Due(); !due.IsZero() && !now.Before(due) {
			p.session.Tick()
			c.settle() // the next player then need not commit
		}
	}
	waiting := c.group.service.Pending()
	switch {
	case len(waiting) == 0:
		c.group.since = time.Time{}
	case c.group.since.IsZero():
		c.group.since = now
	case now.Sub(c.group.since) > transitionLimit:
		c.group.since = time.Time{}
		c.deliver(c.group.service.Execute(waiting[0]))
		c.settle()
	}
}

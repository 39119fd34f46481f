package voice_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/disgoorg/godave"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/internal/lab/davesender"
	"github.com/MrWong99/glyphoxa/internal/lab/peers/davey"
)

// The encryption does not use the ssrc.
const ssrc = 1

const channelID = 7

// e2eeBot is one of our bots. It implements godave.Callbacks.
type e2eeBot struct {
	*voice.Group
	said []davey.Message // messages not sent yet
}

func (b *e2eeBot) say(op int, data []byte) error {
	b.said = append(b.said, davey.Message{Op: op, Data: bytes.Clone(data)})
	return nil
}

func (b *e2eeBot) SendMLSKeyPackage(p []byte) error    { return b.say(voice.OpKeyPackage, p) }
func (b *e2eeBot) SendMLSCommitWelcome(p []byte) error { return b.say(voice.OpCommitWelcome, p) }
func (b *e2eeBot) SendReadyForTransition(id uint16) error {
	return b.say(voice.OpTransitionReady, fmt.Appendf(nil, `{"transition_id":%d}`, id))
}
func (b *e2eeBot) SendInvalidCommitWelcome(id uint16) error {
	return b.say(voice.OpInvalidCommit, fmt.Appendf(nil, `{"transition_id":%d}`, id))
}

func (b *e2eeBot) sent() []davey.Message {
	said := b.said
	b.said = nil
	return said
}

// channel is a voice channel with our bots (ids from 20) and davey's users, connected by a
// delivery service.
type channel struct {
	t       testing.TB
	service *davesender.Service
	peers   *davey.Process
	bots    map[uint64]*e2eeBot
	users   []uint64
	slow    map[uint64]bool // users whose commits arrive after all others
	late    []late          // commits held back for that
	heard   []said          // every message sent to the service
	refused []error         // errors of the service
	drop    func(to uint64, op int) bool
	onHear  func(from uint64, op int)

	onDeliver func(message)
}

type message = davesender.Message

type said struct {
	from uint64
	op   int
}

type late struct {
	from uint64
	m    davey.Message
}

func isBot(id uint64) bool { return id >= 20 }

func name(id uint64) godave.UserID { return godave.UserID(strconv.FormatUint(id, 10)) }

func newChannel(t testing.TB) *channel {
	return &channel{t: t, service: davesender.NewService(channelID), bots: map[uint64]*e2eeBot{}, slow: map[uint64]bool{}}
}

// join adds users, one after another.
func (c *channel) join(ids ...uint64) {
	c.t.Helper()
	for _, id := range ids {
		c.run(c.enter(id))
	}
}

// enter adds a user and returns the service's messages after the user's first ones.
func (c *channel) enter(id uint64) []message {
	c.t.Helper()
	version := c.service.Version(1)
	c.users = append(c.users, id)
	var first []davey.Message
	if isBot(id) {
		b := &e2eeBot{}
		s, err := voice.NewGroup(name(id), channelID, b, nil)
		if err != nil {
			c.t.Fatal(err)
		}
		b.Group = s
		c.bots[id] = b
		b.OnSelectProtocolAck(uint16(version))
		first = b.sent()
	} else {
		if c.peers == nil {
			c.peers = davey.Start(c.t)
		}
		first = c.peers.Connect(c.t, id, channelID, version)
	}
	c.tellUsers()
	messages := c.service.Join(id, 1)
	for _, m := range first {
		messages = append(messages, c.receive(id, m)...)
	}
	return messages
}

// tellUsers sends every user the list of users.
func (c *channel) tellUsers() {
	for _, id := range c.users {
		if b := c.bots[id]; b != nil {
			for _, other := range c.users {
				b.AddUser(name(other))
			}
		} else {
			c.peers.Clients(c.t, id, c.users)
		}
	}
}

// leave removes a user.
func (c *channel) leave(id uint64) {
	c.t.Helper()
	c.users = slices.DeleteFunc(c.users, func(u uint64) bool { return u == id })
	delete(c.bots, id)
	for _, b := range c.bots {
		b.RemoveUser(name(id))
	}
	c.run(c.service.Leave(id))
}

// receive passes a user's message to the service.
func (c *channel) receive(from uint64, m davey.Message) []message {
	c.heard = append(c.heard, said{from: from, op: m.Op})
	if c.onHear != nil {
		c.onHear(from, m.Op)
	}
	out, err := c.service.Receive(from, m.Op, m.Data)
	if err != nil {
		c.refused = append(c.refused, fmt.Errorf("%d, op %d: %w", from, m.Op, err))
	}
	return out
}

// deliver passes a message to a user and returns the user's replies.
func (c *channel) deliver(m message) []davey.Message {
	c.t.Helper()
	if c.drop != nil && c.drop(m.To, m.Op) || !slices.Contains(c.users, m.To) {
		return nil
	}
	if c.onDeliver != nil {
		c.onDeliver(m)
	}
	if b := c.bots[m.To]; b != nil {
		if err := b.Receive(m.Op, m.Data); err != nil {
			c.t.Error(err)
		}
		return b.sent()
	}
	return c.peers.Receive(c.t, m.To, m.Op, m.Data)
}

// run delivers messages and all replies to them. While bots wait it advances the time, by at
// most one second per step.
func (c *channel) run(messages []message) {
	c.t.Helper()
	for {
		for len(messages) > 0 {
			m := messages[0]
			messages = messages[1:]
			for _, reply := range c.deliver(m) {
				messages = append(messages, c.accept(m.To, reply)...)
			}
		}
		replies := c.wait(time.Second)
		if len(replies) == 0 && len(c.late) == 0 {
			return
		}
		for _, r := range replies {
			messages = append(messages, c.accept(r.from, r.m)...)
		}
		for _, l := range c.late {
			messages = append(messages, c.receive(l.from, l.m)...)
		}
		c.late = nil
	}
}

// accept is receive, but holds back the commits of slow users.
func (c *channel) accept(from uint64, m davey.Message) []message {
	if m.Op == voice.OpCommitWelcome && c.slow[from] {
		c.late = append(c.late, late{from: from, m: m})
		return nil
	}
	return c.receive(from, m)
}

// wait sleeps until a bot sends something, at most for the given time.
func (c *channel) wait(most time.Duration) (replies []late) {
	until := time.Now().Add(most)
	for len(replies) == 0 {
		next := until
		for _, b := range c.bots {
			if due := b.Due(); !due.IsZero() && due.Before(next) {
				next = due
			}
		}
		if next.Equal(until) {
			return nil
		}
		time.Sleep(time.Until(next))
		for _, id := range c.users {
			if b := c.bots[id]; b != nil {
				b.Tick()
				for _, m := range b.sent() {
					replies = append(replies, late{from: id, m: m})
				}
			}
		}
	}
	return replies
}

// encrypt encrypts a user's frames.
func (c *channel) encrypt(id uint64, frames [][]byte) [][]byte {
	c.t.Helper()
	b := c.bots[id]
	if b == nil {
		return c.peers.Encrypt(c.t, id, frames)
	}
	var out [][]byte
	for _, f := range frames {
		sealed := make([]byte, b.MaxEncryptedFrameSize(len(f)))
		n, err := b.Encrypt(ssrc, f, sealed)
		if err != nil {
			c.t.Fatalf("%d does not encrypt: %v", id, err)
		}
		out = append(out, sealed[:n])
	}
	return out
}

// decrypt decrypts another user's frames. A frame that fails is nil.
func (c *channel) decrypt(id, from uint64, frames [][]byte) [][]byte {
	c.t.Helper()
	b := c.bots[id]
	if b == nil {
		return c.peers.Decrypt(c.t, id, from, frames)
	}
	out := make([][]byte, len(frames))
	for i, f := range frames {
		plain := make([]byte, len(f))
		if n, err := b.Decrypt(name(from), f, plain); err == nil {
			out[i] = plain[:n]
		}
	}
	return out
}

func (c *channel) code(id uint64) string {
	if b := c.bots[id]; b != nil {
		return b.PrivacyCode()
	}
	return c.peers.Code(c.t, id)
}

// frames returns n different frames of a user.
func frames(from uint64, n int) [][]byte {
	var out [][]byte
	for i := range n {
		out = append(out, append(bytes.Repeat([]byte{byte(from)}, 20+i%140), byte(i), byte(i>>8)))
	}
	return out
}

// wantSpeech checks that every user's n frames are encrypted and understood by all others, and
// that all see the same privacy code.
func (c *channel) wantSpeech(n int) {
	c.t.Helper()
	for _, from := range c.users {
		plain := frames(from, n)
		sealed := c.encrypt(from, plain)
		if slices.ContainsFunc(sealed, func(s []byte) bool { return bytes.Contains(s, plain[0][:12]) }) {
			c.t.Errorf("%d speaks in the clear", from)
		}
		for _, to := range c.users {
			if to == from {
				continue
			}
			understood := 0
			for i, got := range c.decrypt(to, from, sealed) {
				if bytes.Equal(got, plain[i]) {
					understood++
				}
			}
			if understood != n {
				c.t.Errorf("%d understands %d of %d frames of %d", to, understood, n, from)
			}
		}
		if a, b := c.code(from), c.code(c.users[0]); a != b || len(a) != 30 {
			c.t.Errorf("privacy codes are %q and %q", a, b)
		}
	}
	if c.t.Failed() {
		c.t.Logf("sent: %v; refused: %v", c.heard, c.refused)
	}
}

// sentBy counts an operation that a user sent.
func (c *channel) sentBy(from uint64, op int) (n int) {
	for _, h := range c.heard {
		if h.from == from && h.op == op {
			n++
		}
	}
	return n
}

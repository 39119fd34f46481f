package davesender_test

import (
	"bytes"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/davesender"
	"github.com/MrWong99/glyphoxa/internal/lab/peers/davey"
)

// call is a channel whose users run different DAVE implementations.
type call struct {
	t       *testing.T
	service *davesender.Service
	peers   *davey.Process
}

func newCall(t *testing.T) *call {
	return &call{t: t, service: davesender.NewService(7), peers: davey.Start(t)}
}

// deliver passes on messages and the replies to them until none are left. It
// returns the messages that the service ignored.
func (c *call) deliver(messages []davesender.Message) (unheeded []error) {
	c.t.Helper()
	for len(messages) > 0 {
		m := messages[0]
		messages = messages[1:]
		for _, reply := range c.peers.Receive(c.t, m.To, m.Op, m.Data) {
			out, err := c.service.Receive(m.To, reply.Op, reply.Data)
			if err != nil {
				unheeded = append(unheeded, err)
			}
			messages = append(messages, out...)
		}
	}
	return unheeded
}

func (c *call) join(id uint64, known ...uint64) []error {
	c.t.Helper()
	var messages []davesender.Message
	version := c.service.Version(1)
	replies := c.peers.Connect(c.t, id, 7, version)
	for _, u := range append(known, id) {
		c.peers.Clients(c.t, u, append(known, id))
	}
	messages = append(messages, c.service.Join(id, 1)...)
	unheeded := c.deliver(messages)
	for _, reply := range replies {
		out, err := c.service.Receive(id, reply.Op, reply.Data)
		if err != nil {
			c.t.Fatal(err)
		}
		unheeded = append(unheeded, c.deliver(out)...)
	}
	return unheeded
}

// wantSpeech requires that every member of a group understands every other.
func (c *call) wantSpeech(ids ...uint64) {
	c.t.Helper()
	for _, from := range ids {
		frames := [][]byte{bytes.Repeat([]byte{byte(from)}, 100), []byte("second")}
		sealed := c.peers.Encrypt(c.t, from, frames)
		if bytes.Equal(sealed[0], frames[0]) {
			c.t.Errorf("%d speaks in the clear", from)
		}
		for _, to := range ids {
			if to == from {
				continue
			}
			for i, got := range c.peers.Decrypt(c.t, to, from, sealed) {
				if !bytes.Equal(got, frames[i]) {
					c.t.Errorf("%d hears %q from %d", to, got, from)
				}
			}
		}
		if a, b := c.peers.Code(c.t, from), c.peers.Code(c.t, ids[0]); a != b || len(a) != 30 {
			c.t.Errorf("privacy codes are %q and %q", a, b)
		}
	}
}

func TestAnEvening(t *testing.T) {
	c := newCall(t)
	c.join(11)
	c.join(12, 11)
	if c.service.Epoch() != 1 {
		t.Fatalf("epoch = %d, want 1", c.service.Epoch())
	}
	c.wantSpeech(11, 12)
	c.join(13, 11, 12)
	c.wantSpeech(11, 12, 13)
	c.deliver(c.service.Leave(11))
	if got := c.service.Members(); len(got) != 2 {
		t.Fatalf("members = %v", got)
	}
	c.wantSpeech(12, 13)
	c.join(14, 12, 13) // takes the free leaf
	c.wantSpeech(12, 13, 14)

	c.deliver(c.service.Join(99, 0)) // a client without encryption
	if s := c.peers.Encrypt(t, 12, [][]byte{[]byte("plain")}); string(s[0]) != "plain" {
		t.Errorf("after the downgrade %x is said", s[0])
	}
	c.deliver(c.service.Leave(99))
	c.wantSpeech(12, 13, 14)

	c.deliver(c.service.Leave(13))
	c.deliver(c.service.Leave(14))
	if c.service.Epoch() != 0 {
		t.Errorf("epoch of a sole member = %d", c.service.Epoch())
	}
	c.join(15, 12)
	c.wantSpeech(12, 15)
}

func TestCommitsThatDoNotCount(t *testing.T) {
	c := newCall(t)
	c.join(11)
	c.join(12, 11)
	for _, data := range [][]byte{nil, {0, 1}, bytes.Repeat([]byte{0xff}, 300)} {
		if out, err := c.service.Receive(11, davesender.OpCommitWelcome, data); err == nil {
			t.Errorf("commit %x is announced: %v", data, out)
		}
		if out, err := c.service.Receive(11, davesender.OpKeyPackage, data); err == nil {
			t.Errorf("key package %x is proposed: %v", data, out)
		}
	}
	if _, err := c.service.Receive(11, davesender.OpTransitionReady, []byte(`{"transition_id":77}`)); err == nil {
		t.Error("a transition that never was is ready")
	}
	c.wantSpeech(11, 12)
}

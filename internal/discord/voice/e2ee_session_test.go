package voice_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/internal/lab/peers/davey"
)

// TestHold checks that a bot waits 300 ms for another member's commit if another member may
// commit.
func TestHold(t *testing.T) {
	tests := []struct {
		name  string
		users []uint64
		act   func(*channel) // causes a proposal that bot 21 could commit
		after time.Duration  // delay of the commit
		times int
	}{
		{name: "nobody_else_commits", users: []uint64{21}, act: func(c *channel) { c.slow[11] = true; c.join(11) }, after: 300 * time.Millisecond, times: 1},
		{name: "davey_commits", users: []uint64{11, 21}, act: func(c *channel) { c.join(12) }},
		{name: "davey_is_slow", users: []uint64{11, 21}, act: func(c *channel) { c.slow[11] = true; c.join(12) }, after: 300 * time.Millisecond, times: 1},
		{name: "who_leaves_needs_no_welcome", users: []uint64{11, 21, 12}, act: func(c *channel) { c.slow[11] = true; c.leave(12) }, times: 1},
		{name: "the_only_other_leaves", users: []uint64{11, 21}, act: func(c *channel) {
			c.slow[11] = true
			messages := c.enter(12)
			c.users = slices.DeleteFunc(c.users, func(u uint64) bool { return u == 11 })
			c.bots[21].RemoveUser(name(11))
			c.run(append(messages, c.service.Leave(11)...))
		}, times: 2}, // one commit adds a member, the other removes one
		{name: "the_new_one_leaves", users: []uint64{11, 21}, act: func(c *channel) {
			c.slow[11] = true
			messages := c.enter(12)
			c.users = slices.DeleteFunc(c.users, func(u uint64) bool { return u == 12 })
			c.run(append(messages, c.service.Leave(12)...))
		}},
	}
	peers := davey.Start(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newChannel(t)
				c.peers = peers
				c.join(tt.users...)
				c.heard = nil
				sent := c.bots[21].Stats().CommitsSent
				start := time.Now()
				c.onHear = func(from uint64, op int) {
					if from == 21 && op == voice.OpCommitWelcome {
						if took := time.Since(start); took != tt.after {
							t.Errorf("committed after %v, want %v", took, tt.after)
						}
					}
				}
				tt.act(c)
				if n := c.sentBy(21, voice.OpCommitWelcome); n != tt.times {
					t.Errorf("committed %d times, want %d", n, tt.times)
				}
				if n := c.bots[21].Stats().CommitsSent - sent; n != uint64(tt.times) {
					t.Errorf("%d commits are counted, want %d", n, tt.times)
				}
				c.slow = map[uint64]bool{}
				c.wantSpeech(5)
			})
		})
	}
}

// TestProposalsDuringACommit adds a user while a commit without that user is in flight.
func TestProposalsDuringACommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChannel(t)
		c.join(21, 22)
		c.slow[22], c.refused = true, nil
		first := c.enter(11)
		for _, m := range first {
			if m.To == 21 {
				c.deliver(m)
			}
		}
		time.Sleep(300 * time.Millisecond)
		c.bots[21].Tick()
		tooEarly := c.bots[21].sent()
		if len(tooEarly) != 1 || tooEarly[0].Op != voice.OpCommitWelcome {
			t.Fatalf("the bot sent %v", tooEarly)
		}
		second := c.enter(12)
		c.receive(21, tooEarly[0])
		if len(c.refused) != 1 {
			t.Fatalf("refused: %v", c.refused)
		}
		c.run(append(slices.DeleteFunc(first, func(m message) bool { return m.To == 21 }), second...))
		c.wantSpeech(5)
		if n := c.sentBy(21, voice.OpInvalidCommit) + c.sentBy(22, voice.OpInvalidCommit); n != 0 {
			t.Errorf("op 31 was sent %d times", n)
		}
	})
}

// TestSenderToldAgain repeats the external sender while the bot's commit is in flight.
func TestSenderToldAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChannel(t)
		var sender message
		c.onDeliver = func(m message) {
			if m.Op == voice.OpExternalSender {
				sender = m
			}
			if m.To == 21 && m.Op == voice.OpAnnounceCommit {
				if err := c.bots[21].Receive(sender.Op, sender.Data); err != nil {
					t.Error(err)
				}
			}
		}
		c.slow[22] = true
		c.join(21, 22)
		c.wantSpeech(5)
		if st := c.bots[21].Stats(); st.Recoveries != 0 || st.Epochs != 1 {
			t.Errorf("stats are %+v", st)
		}
	})
}

// TestNothingAnnounced checks that the bot starts over three times while the voice gateway is
// silent.
func TestNothingAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChannel(t)
		c.join(21)
		c.drop = func(to uint64, op int) bool { return op == voice.OpAnnounceCommit || op == voice.OpWelcome }
		c.slow[11] = true
		c.run(c.enter(11))
		b := c.bots[21]
		for i := range 4 {
			due := b.Due()
			if due.IsZero() {
				t.Fatalf("it gave up after %d times", i)
			}
			time.Sleep(time.Until(due))
			b.Tick()
			sent := b.sent()
			if i == 3 {
				break
			}
			if len(sent) != 2 || sent[0].Op != voice.OpInvalidCommit || sent[1].Op != voice.OpKeyPackage {
				t.Fatalf("the bot sent %v", sent)
			}
		}
		if n := b.Stats().Recoveries; n != 3 || !b.State().Failed {
			t.Errorf("it began anew %d times, want 3, and is %+v", n, b.State())
		}
		b.OnSelectProtocolAck(1)
		if b.State().Failed {
			t.Error("a new connection has failed already")
		}
	})
}

// TestWindows checks that plain frames pass only in the protocol's windows.
func TestWindows(t *testing.T) {
	plain := frames(11, 1)
	passes := func(c *channel) bool { return c.decrypt(21, 11, plain)[0] != nil }
	tests := []struct {
		name string
		open func(*channel)
		want time.Duration
	}{
		{name: "never", open: func(*channel) {}},
		{name: "new_epoch_1", open: func(c *channel) {
			_ = c.bots[21].Receive(voice.OpPrepareEpoch, []byte(`{"protocol_version":1,"epoch":1}`))
		}, want: 10 * time.Second},
		{name: "another_epoch", open: func(c *channel) {
			_ = c.bots[21].Receive(voice.OpPrepareEpoch, []byte(`{"protocol_version":1,"epoch":5}`))
		}},
		{name: "pending_downgrade", open: func(c *channel) {
			_ = c.bots[21].Receive(voice.OpPrepareTransition, []byte(`{"protocol_version":0,"transition_id":90}`))
		}, want: 24 * time.Second},
		{name: "pending_transition", open: func(c *channel) {
			_ = c.bots[21].Receive(voice.OpPrepareTransition, []byte(`{"protocol_version":1,"transition_id":90}`))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newChannel(t)
				c.join(22, 21)
				start := time.Now()
				tt.open(c)
				for passes(c) && time.Since(start) < time.Minute {
					time.Sleep(time.Second / 2)
				}
				if got := time.Since(start); got != tt.want {
					t.Errorf("plain frames pass for %v, want %v", got, tt.want)
				}
				if silence := [][]byte{[]byte(voice.Silence)}; c.decrypt(21, 11, silence)[0] == nil {
					t.Error("silence does not pass")
				}
				padded := append(c.encrypt(22, frames(22, 1))[0], 0, 0, 3)
				if _, err := c.bots[21].Decrypt(name(22), padded, make([]byte, len(padded))); !errors.Is(err, voice.ErrFramePadding) {
					t.Errorf("padding left on: %v", err)
				}
				tampered := c.encrypt(22, frames(22, 1))[0]
				tampered[0] ^= 1
				if _, err := c.bots[21].Decrypt(name(22), tampered, make([]byte, len(tampered))); !errors.Is(err, voice.ErrTag) {
					t.Errorf("changed: %v", err)
				}
				if _, err := c.bots[21].Decrypt(name(77), tampered, make([]byte, len(tampered))); !errors.Is(err, voice.ErrNoKey) {
					t.Errorf("of a stranger: %v", err)
				}
				f := c.bots[21].Stats().Failed
				if f != (voice.GroupFailures{Plain: 1, Padding: 1, Tag: 1, NoKey: 1}) || f.Total() != 4 {
					t.Errorf("failures are %+v", f)
				}
			})
		})
	}
}

// TestNothingLeavesInTheClear encrypts without keys, which must fail.
func TestNothingLeavesInTheClear(t *testing.T) {
	c := newChannel(t)
	c.enter(21)
	b := c.bots[21]
	refuse := func(when string) {
		t.Helper()
		out := make([]byte, 100)
		if n, err := b.Encrypt(ssrc, []byte("opus"), out); !errors.Is(err, voice.ErrNotReady) || n != 0 || b.Ready() {
			t.Errorf("%s: %q, %v, ready %t", when, out[:n], err, b.Ready())
		}
	}
	refuse("before there are keys")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	refuse("after the end")

	b.OnSelectProtocolAck(0)
	out := make([]byte, 4)
	if n, err := b.Encrypt(ssrc, []byte("opus"), out); err != nil || string(out[:n]) != "opus" || !b.Ready() {
		t.Errorf("at version 0: %q, %v", out, err)
	}
	if _, err := b.Encrypt(ssrc, []byte("opus"), out[:3]); err == nil {
		t.Error("there is no room")
	}
	if b.PrivacyCode() != "" {
		t.Error("there is a code without encryption")
	}
}

// TestStrangers refuses a group with a member who is not in the channel.
func TestStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChannel(t)
		c.join(21, 22)
		c.bots[21].RemoveUser(name(22))
		messages := c.enter(23)
		for _, other := range []uint64{23} {
			c.bots[21].RemoveUser(name(other))
		}
		c.run(messages)
		st := c.bots[21].Stats()
		if st.ProposalsRefused == 0 || st.ExchangesFailed == 0 || st.Recoveries == 0 {
			t.Errorf("stats are %+v", st)
		}
		if got := c.bots[21].State(); got.Members != 2 || !got.Failed {
			t.Errorf("the bot is at %+v", got)
		}
	})
}

func TestVerificationCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChannel(t)
		c.join(11, 21, 22)
		code := func(of, by uint64) string {
			t.Helper()
			got, err := c.bots[by].VerificationCode(name(of))
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		if a, b := code(22, 21), code(21, 22); a != b || len(a) != 45 {
			t.Errorf("codes are %q and %q", a, b)
		}
		if a, b := code(11, 21), c.peers.VerificationCode(t, 11, 21); a != b {
			t.Errorf("codes are %q and davey's %q", a, b)
		}
		for _, id := range []uint64{21, 77} {
			if got, err := c.bots[21].VerificationCode(name(id)); !errors.Is(err, voice.ErrNotMember) {
				t.Errorf("code with %d is %q, %v", id, got, err)
			}
		}
	})
}

// TestMessagesThatAreNone sends a session messages that no voice gateway sends.
func TestMessagesThatAreNone(t *testing.T) {
	c := newChannel(t)
	c.enter(21)
	for op := range 40 {
		for _, data := range [][]byte{nil, {0}, []byte("{}"), []byte("null"), []byte(`{"transition_id":-1}`), []byte(`{"epoch":"x"}`), bytes.Repeat([]byte{0xff}, 64)} {
			err := c.bots[21].Receive(op, data)
			if binary := op == 25 || op == 27 || (op == 29 || op == 30) && len(data) >= 2; (err == nil) != binary {
				t.Errorf("op %d, %q: %v", op, data, err)
			}
		}
	}
	if _, err := voice.NewGroup("me", 1, &e2eeBot{}, nil); err == nil {
		t.Error("a user without an id has a session")
	}
}

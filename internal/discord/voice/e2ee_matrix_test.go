package voice_test

import (
	"bytes"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/internal/lab/peers/davey"
)

// TestMatrix lets our bots and davey's users join in every order, with either committing first.
func TestMatrix(t *testing.T) {
	tests := []struct {
		name  string
		users []uint64
		slow  []uint64
	}{
		{name: "ours_joins_davey", users: []uint64{11, 21}},
		{name: "davey_joins_ours", users: []uint64{21, 11}},
		{name: "ours_joins_davey_and_commits_first", users: []uint64{11, 21}, slow: []uint64{11}},
		{name: "davey_joins_ours_which_commits_first", users: []uint64{21, 11}, slow: []uint64{11}},
		{name: "ours_joins_ours", users: []uint64{21, 22}},
		{name: "ours_joins_two", users: []uint64{11, 12, 21}},
		{name: "ours_joins_both_kinds", users: []uint64{11, 21, 22}},
		{name: "davey_joins_both_kinds", users: []uint64{11, 21, 12}},
		{name: "davey_joins_both_kinds_and_ours_commits_first", users: []uint64{11, 21, 12}, slow: []uint64{11, 12}},
		{name: "davey_joins_two_of_ours", users: []uint64{21, 22, 11}},
		{name: "eight", users: []uint64{21, 11, 22, 12, 23, 13, 24, 14}},
	}
	peers := davey.Start(t)
	for _, tt := range tests {
		for _, atOnce := range []bool{false, true} {
			kind := map[bool]string{false: "/", true: "/at_once/"}[atOnce]
			t.Run(kind+tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := newChannel(t)
					c.peers = peers
					c.service.FirstAtOnce = atOnce
					for _, id := range tt.slow {
						c.slow[id] = true
					}
					c.join(tt.users...)
					n := 500
					if len(tt.users) > 3 {
						n = 20
					}
					c.wantSpeech(n)
				})
			})
		}
	}
}

func TestLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChannel(t)
		c.join(11, 21, 12, 22)
		before := c.code(21)
		c.leave(12)
		c.wantSpeech(20)
		if c.code(21) == before {
			t.Error("who has left still knows the keys")
		}
		c.leave(22)
		c.wantSpeech(20)
		c.join(13)
		c.wantSpeech(20)
	})
}

// TestSoleMember leaves the bot alone twice, and lets a user join each time.
func TestSoleMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChannel(t)
		c.join(11, 21)
		codes := map[string]bool{}
		for range 2 {
			c.wantSpeech(20)
			codes[c.code(21)] = true
			c.leave(11)
			st := c.bots[21].State()
			if !st.Encrypted || st.Members != 1 || st.Epoch != 0 {
				t.Fatalf("alone, the bot is at %+v", st)
			}
			codes[c.code(21)] = true
			a := c.encrypt(21, frames(21, 1))
			if err := c.bots[21].Receive(voice.OpPrepareTransition, []byte(`{"transition_id":0,"protocol_version":1}`)); err != nil {
				t.Fatal(err)
			}
			if b := c.encrypt(21, frames(21, 1)); bytes.Equal(a[0], b[0]) {
				t.Error("a nonce served twice")
			}
			c.join(11)
		}
		c.wantSpeech(20)
		if len(codes) != 4 {
			t.Errorf("%d different codes of 4 groups", len(codes))
		}
	})
}

func TestDownAndUpgrade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChannel(t)
		c.join(11, 21)
		c.wantSpeech(20)
		inFlight := c.encrypt(11, frames(11, 3))
		c.run(c.service.Join(99, 0))
		if st := c.bots[21].State(); st.Version != 0 || st.Encrypted || c.code(21) != "" {
			t.Fatalf("after the downgrade the bot is at %+v", st)
		}
		for _, ids := range [][2]uint64{{11, 21}, {21, 11}} {
			plain := frames(ids[0], 3)
			sealed := c.encrypt(ids[0], plain)
			for i, got := range c.decrypt(ids[1], ids[0], sealed) {
				if !bytes.Equal(got, plain[i]) || !bytes.Equal(sealed[i], plain[i]) {
					t.Errorf("%d hears %q from %d", ids[1], got, ids[0])
				}
			}
		}
		if got := c.decrypt(21, 11, inFlight); !bytes.Equal(got[0], frames(11, 3)[0]) {
			t.Error("what was under way at the downgrade is lost")
		}
		c.run(c.service.Leave(99))
		c.wantSpeech(20)
		// For a short time a user who has not upgraded yet may still send plain frames.
		plain := frames(11, 1)
		if got := c.decrypt(21, 11, plain); !bytes.Equal(got[0], plain[0]) {
			t.Error("just after the upgrade nothing plain is let through")
		}
		time.Sleep(10 * time.Second)
		if got := c.decrypt(21, 11, plain); got[0] != nil {
			t.Error("long after the upgrade a plain frame is let through")
		}
		if f := c.bots[21].Stats().Failed; f != (voice.GroupFailures{Plain: 1}) {
			t.Errorf("failures are %+v", f)
		}
	})
}

// TestBadMessages checks that the bot reports an invalid message and rejoins.
func TestBadMessages(t *testing.T) {
	for _, op := range []int{voice.OpAnnounceCommit, voice.OpWelcome} {
		synctest.Test(t, func(t *testing.T) {
			c := newChannel(t)
			c.join(11, 12, 21)
			b := c.bots[21]
			if err := b.Receive(op, append([]byte{0, 200}, bytes.Repeat([]byte{1}, 50)...)); err != nil {
				t.Fatal(err)
			}
			for _, m := range b.sent() {
				c.run(c.receive(21, m))
			}
			if n := c.sentBy(21, voice.OpInvalidCommit); n != 1 {
				t.Errorf("op 31 was sent %d times", n)
			}
			c.wantSpeech(20)
			if st := b.Stats(); st.ExchangesFailed != 1 || st.Recoveries != 1 {
				t.Errorf("stats are %+v", st)
			}
		})
	}
}

// TestLostKeys lets the bot miss a commit. It notices the frames that do not decrypt, and
// rejoins.
func TestLostKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChannel(t)
		c.join(11, 12, 21)
		c.drop = func(to uint64, op int) bool {
			return to == 21 && (op == voice.OpAnnounceCommit || op == voice.OpProposals)
		}
		c.join(13)
		for _, id := range c.service.Pending() {
			c.run(c.service.Execute(id)) // later, and not at the bot
		}
		c.drop = nil
		b := c.bots[21]
		sealed := c.encrypt(11, frames(11, 38))
		c.decrypt(21, 11, sealed[:36])
		select {
		case <-b.Woken():
			t.Error("36 failures are too many")
		default:
		}
		c.decrypt(21, 11, sealed[36:37])
		select {
		case <-b.Woken():
		default:
			t.Fatal("37 failures are not too many")
		}
		b.Tick()
		for _, m := range b.sent() {
			c.run(c.receive(21, m))
		}
		if f := b.Stats(); f.Failed.Tag != 37 || f.Recoveries != 1 {
			t.Errorf("stats are %+v", f)
		}
		c.wantSpeech(20)
	})
}

// TestLateFrames delivers frames out of order, twice, too late, and from the previous epoch.
func TestLateFrames(t *testing.T) {
	for _, from := range []uint64{11, 22} {
		synctest.Test(t, func(t *testing.T) {
			c := newChannel(t)
			c.join(11, 21, 22)
			b := c.bots[21]
			plain := frames(from, 1202)
			sealed := c.encrypt(from, plain)
			want := func(what string, i int, ok bool) {
				t.Helper()
				got := c.decrypt(21, from, sealed[i:i+1])[0]
				if ok != bytes.Equal(got, plain[i]) || !ok && got != nil {
					t.Errorf("%s: %q", what, got)
				}
			}
			want("first", 2, true)
			want("earlier", 1, true)
			want("again", 1, false)
			want("far ahead", 1200, true)
			want("long missing", 201, true)
			want("beyond the window", 5, false)
			want("again in the window", 201, false)
			if f := b.Stats().Failed; f != (voice.GroupFailures{Replay: 2, TooOld: 1}) {
				t.Errorf("failures are %+v", f)
			}
			c.join(12)
			want("of the epoch before", 1201, true)
			want("again, of the epoch before", 1201, false)
			c.wantSpeech(5)
			time.Sleep(10 * time.Second)
			want("of an epoch long gone", 1199, false)
			if f := b.Stats().Failed; f != (voice.GroupFailures{Replay: 3, TooOld: 1, Tag: 1}) {
				t.Errorf("failures are %+v", f)
			}
		})
	}
}

// TestOverlap delays the transition on one side, because frames of both epochs must decrypt
// meanwhile.
func TestOverlap(t *testing.T) {
	for _, ahead := range []uint64{11, 21} {
		synctest.Test(t, func(t *testing.T) {
			c := newChannel(t)
			c.join(11, 21)
			behind := uint64(11 + 21 - ahead)
			c.drop = func(to uint64, op int) bool { return to == behind && op == voice.OpExecuteTransition }
			c.join(12)
			for _, ids := range [][2]uint64{{ahead, behind}, {behind, ahead}} {
				plain := frames(ids[0], 20)
				for i, got := range c.decrypt(ids[1], ids[0], c.encrypt(ids[0], plain)) {
					if !bytes.Equal(got, plain[i]) {
						t.Errorf("%d does not understand %d", ids[1], ids[0])
					}
				}
			}
		})
	}
}

// TestTwoPendingTransitions announces a second commit before the first is executed.
func TestTwoPendingTransitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChannel(t)
		c.join(11, 21)
		c.service.Hold = true
		c.join(12, 13)
		pending := c.service.Pending()
		if len(pending) != 2 {
			t.Fatalf("%d transitions wait", len(pending))
		}
		before := c.code(21)
		plain := frames(11, 5)
		for i, got := range c.decrypt(21, 11, c.encrypt(11, plain)) {
			if !bytes.Equal(got, plain[i]) {
				t.Error("the bot does not understand before either is executed")
			}
		}
		if c.code(21) != before {
			t.Error("the code changed before the transition")
		}
		for _, id := range pending {
			c.run(c.service.Execute(id))
		}
		c.service.Hold = false
		c.wantSpeech(20)
	})
}

// TestLongEpoch lets a sender change its key, which happens after 2^24 frames. Only bots take
// part, because davey rejects so many frames within a second.
func TestLongEpoch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChannel(t)
		c.join(21, 22)
		plain := frames(21, 6)
		sealed := c.encrypt(21, plain[:1])
		voice.SkipFrames(c.bots[21].Group, 1<<24-3)
		sealed = append(sealed, c.encrypt(21, plain[1:])...)
		for _, i := range []int{0, 1, 4, 2, 3, 5} {
			if got := c.decrypt(22, 21, sealed[i:i+1])[0]; !bytes.Equal(got, plain[i]) {
				t.Errorf("frame %d is not understood", i)
			}
		}
	})
}

// TestFramesWhileKeysChange sends and receives frames on another goroutine while the keys
// change.
func TestFramesWhileKeysChange(t *testing.T) {
	c := newChannel(t)
	c.join(21, 22)
	var g sync.WaitGroup
	stop := make(chan struct{})
	ours, theirs := c.bots[21].Group, c.bots[22].Group
	heard := 0
	g.Go(func() { // ends on stop, below
		plain := make([]byte, 160)
		frame := make([]byte, ours.MaxEncryptedFrameSize(len(plain)))
		for {
			select {
			case <-stop:
				return
			default:
			}
			if n, err := ours.Encrypt(ssrc, plain, frame); err == nil {
				if _, err := theirs.Decrypt(name(21), frame[:n], frame); err == nil {
					heard++
				}
			}
			_, _, _ = ours.State(), ours.Stats(), ours.PrivacyCode()
		}
	})
	c.join(23, 24)
	c.leave(23)
	close(stop)
	g.Wait()
	if st := ours.Stats(); heard == 0 || st.Epochs < 4 || uint64(heard) != st.Encrypted {
		t.Errorf("%d frames were understood of %+v", heard, st)
	}
}

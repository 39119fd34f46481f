package voice

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/disgoorg/godave"
)

// fakeEncryption encrypts by transforming bytes, once it is ready.
type fakeEncryption struct {
	s     *session
	woken chan struct{}

	mu       sync.Mutex // guards the fields below
	ready    bool
	version  int
	due      time.Time
	ticks    int
	received []int
	users    []string
	acks     []uint16
	failures error
	closed   bool
}

func (f *fakeEncryption) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *fakeEncryption) OnSelectProtocolAck(v uint16) {
	f.set(func() { f.acks = append(f.acks, v); f.version = int(v) })
	if v > 0 {
		_ = callbackSender{&f.s.outbox}.SendMLSKeyPackage([]byte("key package"))
	}
}

func (f *fakeEncryption) Receive(op int, data []byte) error {
	var err error
	f.set(func() {
		f.received = append(f.received, op)
		switch string(data) {
		case "ready":
			f.ready = true
		case "lost":
			f.ready = false
		case "bad":
			err = errors.New("it makes no sense")
		}
	})
	return err
}

func (f *fakeEncryption) AddUser(u godave.UserID) {
	f.set(func() { f.users = append(f.users, "+"+string(u)) })
}

func (f *fakeEncryption) RemoveUser(u godave.UserID) {
	f.set(func() { f.users = append(f.users, "-"+string(u)) })
}

func (f *fakeEncryption) Due() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.due
}

func (f *fakeEncryption) Woken() <-chan struct{} { return f.woken }
func (f *fakeEncryption) Tick()                  { f.set(func() { f.ticks++; f.due = time.Time{} }) }

func (f *fakeEncryption) Ready() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ready || f.version == 0
}

func (f *fakeEncryption) State() GroupState {
	f.mu.Lock()
	defer f.mu.Unlock()
	return GroupState{Version: f.version, Encrypted: f.ready}
}

func (f *fakeEncryption) PrivacyCode() string { return "12345" }
func (f *fakeEncryption) VerificationCode(u godave.UserID) (string, error) {
	return "67890" + string(u), nil
}
func (f *fakeEncryption) MaxEncryptedFrameSize(n int) int { return n }

func (f *fakeEncryption) Encrypt(_ uint32, plain, dst []byte) (int, error) {
	if !f.Ready() {
		return 0, ErrNotReady
	}
	for i, b := range plain {
		dst[i] = ^b
	}
	return len(plain), nil
}

func (f *fakeEncryption) Decrypt(_ godave.UserID, data, dst []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failures != nil {
		return 0, f.failures
	}
	return copy(dst, data), nil
}

func (f *fakeEncryption) Close() error { f.set(func() { f.closed = true }); return nil }

// encrypted runs a test on a connection with a fake encryption.
func encrypted(t *testing.T, test func(t *testing.T, tb *table, last func() *fakeEncryption)) {
	t.Helper()
	var mu sync.Mutex
	var fakes []*fakeEncryption
	inBubble(t, func(tb *table) {
		tb.dave = 1
		tb.c.encrypt = func(s *session) (encryption, error) {
			mu.Lock()
			defer mu.Unlock()
			fakes = append(fakes, &fakeEncryption{s: s, woken: make(chan struct{}, 1)})
			return fakes[len(fakes)-1], nil
		}
	}, func(t *testing.T, tb *table) {
		test(t, tb, func() *fakeEncryption {
			mu.Lock()
			defer mu.Unlock()
			return fakes[len(fakes)-1]
		})
	})
}

// TestJoinWaitsForEncryption: Join waits for the encryption only if others are in the channel.
func TestJoinWaitsForEncryption(t *testing.T) {
	encrypted(t, func(t *testing.T, tb *table, last func() *fakeEncryption) {
		done := tb.join(channelA)
		g := tb.dial()
		tb.begin(g)
		g.say(opClientsConnect, map[string]any{"user_ids": []string{aliceID}})
		if m := tb.expect(g, opKeyPackage); !m.binary || string(m.data) != "key package" {
			t.Errorf("key package = %q", m.data)
		}
		time.Sleep(3 * time.Second)
		if len(done) > 0 {
			t.Fatal("Join does not wait")
		}
		g.sayBinary(1, opWelcome, "ready")
		if err := <-done; err != nil {
			t.Error(err)
		}
		if f := last(); !slices.Equal(f.users, []string{"+" + aliceID}) || !slices.Equal(f.acks, []uint16{1}) {
			t.Errorf("told %v, %v", f.users, f.acks)
		}
	})
	encrypted(t, func(t *testing.T, tb *table, _ func() *fakeEncryption) {
		begun := time.Now()
		_, m := tb.connect()
		if took := time.Since(begun); took != companyTimeout {
			t.Errorf("Join took %v", took)
		}
		for range 2 * frameQueue { // no member hears it
			tb.talk(t)
		}
		if len(m.fromBot) > 0 {
			t.Error("sound was sent in the clear")
		}
	})
}

// TestEncryptionNeverAgreed: the session restarts if no agreement arrives.
func TestEncryptionNeverAgreed(t *testing.T) {
	encrypted(t, func(t *testing.T, tb *table, last func() *fakeEncryption) {
		tb.net.alive = true
		tb.join(channelA)
		g := tb.dial()
		tb.begin(g)
		g.say(opClientsConnect, map[string]any{"user_ids": []string{aliceID}})
		tb.expect(g, opKeyPackage)
		first := last()
		at := time.Now()
		g = tb.dial()
		if took := time.Since(at); took < readyTimeout-time.Second || took > readyTimeout+time.Second {
			t.Errorf("begun anew after %v", took)
		}
		tb.begin(g)
		g.say(opClientsConnect, map[string]any{"user_ids": []string{aliceID}})
		tb.expect(g, opKeyPackage)
		g.sayBinary(1, opWelcome, "ready")
		synctest.Wait()
		if !first.closed || last() == first {
			t.Error("the first session's encryption goes on")
		}
		g.sayBinary(2, opAnnounceCommit, "lost")
		at = time.Now()
		tb.expect(tb.dial(), opIdentify)
		if took := time.Since(at).Round(time.Second); took != agreeTimeout {
			t.Errorf("begun anew %v after the encryption was lost", took)
		}
	})
}

// TestWriteWaitsForEncryption: during a new agreement sound waits, because it must not leave in
// the clear.
func TestWriteWaitsForEncryption(t *testing.T) {
	encrypted(t, func(t *testing.T, tb *table, _ func() *fakeEncryption) {
		done := tb.join(channelA)
		g := tb.dial()
		m := tb.begin(g)
		g.say(opClientsConnect, map[string]any{"user_ids": []string{aliceID}})
		g.sayBinary(1, opWelcome, "ready")
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		tb.talk(t)
		drain(m)
		g.sayBinary(2, opAnnounceCommit, "lost")
		synctest.Wait()
		written := make(chan error, 8)
		go func() {
			for range frameQueue + 1 {
				written <- tb.c.Write(t.Context(), frame())
			}
		}()
		time.Sleep(keyPatience - time.Millisecond)
		synctest.Wait()
		if _, payloads := tb.received(m); len(written) != frameQueue || slices.ContainsFunc(payloads, func(p []byte) bool { return string(p) != Silence }) {
			t.Fatalf("%d frames were taken, %d packets sent", len(written), len(payloads))
		}
		g.sayBinary(3, opWelcome, "ready")
		synctest.Wait()
		if headers, _ := tb.received(m); len(headers) != frameQueue+1 {
			t.Errorf("%d packets were sent, want all that waited", len(headers))
		}
		if code, err := tb.c.VerificationCode("1"); code != "678901" || err != nil {
			t.Errorf("verification code is %q, %v", code, err)
		}
		if code := tb.c.PrivacyCode(); code != "12345" {
			t.Errorf("privacy code = %q", code)
		}
	})
}

// TestEncryptionMessages: messages of the encryption are sent in order and survive a lost
// connection. Incoming messages in the wrong form do not reach it.
func TestEncryptionMessages(t *testing.T) {
	encrypted(t, func(t *testing.T, tb *table, last func() *fakeEncryption) {
		g, _ := tb.connect()
		tb.expect(g, opKeyPackage)
		tb.take()
		f := last()
		for i, op := range []byte{opExternalSender, opProposals, opAnnounceCommit, opWelcome, opPrepareTransition, opKeyPackage, 99} {
			g.sayBinary(uint16(i), op, "x")
		}
		for _, op := range []int{opPrepareTransition, opExecuteTransition, opPrepareEpoch, opProposals, opKeyPackage, 99} {
			g.say(op, map[string]any{"transition_id": 1})
		}
		g.sayBinary(100, opProposals, "bad")
		synctest.Wait()
		want := []int{opExternalSender, opProposals, opAnnounceCommit, opWelcome, opPrepareTransition, opExecuteTransition, opPrepareEpoch, opProposals}
		f.mu.Lock()
		if !slices.Equal(f.received, want) {
			t.Errorf("the encryption received %v, want %v", f.received, want)
		}
		f.due = time.Now().Add(300 * time.Millisecond)
		f.mu.Unlock()
		if st := tb.c.Stats(); st.BadMessages != 3 {
			t.Errorf("%d bad messages, want 3", st.BadMessages)
		}
		f.woken <- struct{}{}
		synctest.Wait()
		f.set(func() { f.due = time.Now().Add(300 * time.Millisecond) })
		g.say(opHeartbeatAck, nil)
		time.Sleep(time.Second)
		f.mu.Lock()
		if f.ticks != 2 {
			t.Errorf("%d ticks, want one for being woken and one in time", f.ticks)
		}
		f.mu.Unlock()
		g.hangUp(0)
		synctest.Wait()
		to := callbackSender{&f.s.outbox}
		_ = to.SendReadyForTransition(7)
		_ = to.SendMLSCommitWelcome([]byte("commit"))
		_ = to.SendInvalidCommitWelcome(8)
		g = tb.dial()
		tb.expect(g, opResume)
		time.Sleep(time.Second)
		if len(g.fromBot) > 0 {
			t.Errorf("opcode %d was sent before Resumed", (<-g.fromBot).op)
		}
		g.say(opResumed, nil)
		for _, want := range []said{
			{op: opTransitionReady, data: json.RawMessage(`{"transition_id":7}`)}, {op: opCommitWelcome, binary: true, data: json.RawMessage("commit")},
			{op: opInvalidCommit, data: json.RawMessage(`{"transition_id":8}`)},
		} {
			if got := tb.expect(g, want.op); got.binary != want.binary || string(got.data) != string(want.data) {
				t.Errorf("opcode %d: %q, want %q", want.op, got.data, want.data)
			}
		}
		synctest.Wait()
		if _, events, _ := tb.take(); len(events) != 1 || names(events)[0][:16] != "EncryptionFailed" {
			t.Errorf("events = %v", names(events))
		}
		tell := message{op: opTransitionReady, data: []byte("{}")}
		f.s.outbox.mu.Lock() // otherwise some are sent before the outbox is full
		f.s.outbox.messages = slices.Repeat([]message{tell}, maxOutbox)
		f.s.outbox.mu.Unlock()
		f.s.outbox.put(tell)
		tb.expect(tb.dial(), opIdentify) // the outbox overflowed
	})
}

// TestDecryptionFailures counts failures by cause.
func TestDecryptionFailures(t *testing.T) {
	encrypted(t, func(t *testing.T, tb *table, last func() *fakeEncryption) {
		h := tb.listen()
		h.name(aliceID, aliceSSRC, 1)
		want := Received{}
		for i, row := range []struct {
			err error
			n   *uint64
		}{
			{ErrFramePadding, &want.Padding}, {ErrNoKey, &want.NoKey}, {ErrPlain, &want.Passthrough},
			{ErrReplay, &want.Replay}, {ErrTooOld, &want.TooOld}, {ErrTag, &want.Broken},
		} {
			last().set(func() { last().failures = row.err })
			h.send(Header{SSRC: aliceSSRC, Sequence: uint16(i)}, "x")
			synctest.Wait()
			*row.n, want.Packets = 1, want.Packets+1
		}
		h.check()
		if in := tb.c.Stats().In; in != want || in.Failed() != 6 {
			t.Errorf("stats = %+v, want %+v", in, want)
		}
	})
}

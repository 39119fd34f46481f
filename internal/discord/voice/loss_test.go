package voice_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/internal/lab/voicetest"
)

// within waits until cond returns true, at most for patience.
func within(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !cond(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("no %s within %v", what, patience)
			return
		}
	}
}

// TestSpeakThroughBadNetwork: an independent client and another bot decrypt every packet that
// arrives. Numbers and timestamps match, and a spurt ends for each listener although two of its
// five frames of silence are lost.
func TestSpeakThroughBadNetwork(t *testing.T) {
	t.Parallel()
	s, a, b := pair(t, nil)
	p := voicetest.NewPeers(t, s).Add(guild, alice, nil)
	mustJoin(t, p)
	a.awaitMembers(3)
	b.awaitMembers(3)
	a.say(10) // the peer drops packets of an unknown ssrc
	a.quiet(s)
	if err := p.AwaitSound(t.Context(), a.user, 1); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond) // wait for packets in flight
	s.SetWire(guild, tavern, alice, voicetest.Wire{Loss: .1, Jitter: 80 * time.Millisecond, LoseSilence: 2})
	s.SetWire(guild, tavern, b.user, voicetest.Wire{Loss: .1, Reorder: .05, LoseSilence: 2})
	const frames, silences = 120, 5 // few enough for a busy machine to send in one spurt
	client := func(user string) voicetest.Client {
		c, _ := s.Client(guild, user)
		return c
	}
	var peerBefore, botBefore voicetest.Client
	var heardBefore int
	var statsBefore voice.Received
	var spurt []voicetest.Arrival
	for range 20 {
		peerBefore, botBefore = client(alice), client(b.user)
		heardBefore, statsBefore = len(p.Heard(a.user)), b.c.Stats().In
		before := len(s.Arrivals(guild, a.user))
		a.say(frames)
		a.quiet(s)
		if spurt = s.Arrivals(guild, a.user)[before:]; len(spurt) == frames+silences {
			break
		}
		t.Logf("this machine did not say %d frames in one spurt, but with silence among them: %d packets", frames, len(spurt))
		time.Sleep(time.Second) // wait for packets in flight
	}
	if len(spurt) != frames+silences {
		t.Fatalf("%d packets arrived, want %d", len(spurt), frames+silences)
	}
	for i, h := range spurt[1:] {
		step, want := h.Timestamp-spurt[i].Timestamp, uint32(voice.FrameSamples)
		if i == frames-1 { // up to the silence that ends the spurt
			want = 3 * voice.FrameSamples
		}
		if h.Seq != spurt[i].Seq+1 || step%voice.FrameSamples != 0 || step < want || bytes.Equal(h.Payload, []byte(voice.Silence)) != (i >= frames-1) {
			t.Errorf("packet %d is %d samples after %d of %d, %x…", h.Seq, step, spurt[i].Seq, len(spurt), h.Payload[:3])
		}
	}

	lost := client(alice).Lost - peerBefore.Lost
	if lost < 2+frames/50 {
		t.Errorf("the wire lost %d packets only", lost)
	}
	within(t, "sound at the peer", func() bool { return len(p.Heard(a.user))-heardBefore == frames+silences-lost })
	silent := 0
	for _, h := range p.Heard(a.user)[heardBefore:] {
		if h.Silent() {
			silent++
		}
	}
	if silent == 0 || silent > silences-2 {
		t.Errorf("the peer heard %d frames of silence, want that the spurt has ended", silent)
	}
	for _, e := range p.Events() {
		if e.Kind == "error" {
			t.Errorf("the peer reports %s", e.Text)
		}
	}

	lost = client(b.user).Lost - botBefore.Lost
	within(t, "sound at the bot", func() bool { // the last packet may wait for a later one
		got := int(b.c.Stats().In.Heard - statsBefore.Heard)
		return got == frames+silences-lost || got == frames+silences-lost-1
	})
	if in := b.c.Stats().In; in.Failed() > 0 || in.Lost == statsBefore.Lost || int(in.Lost-statsBefore.Lost) > lost+1 {
		t.Errorf("stats = %+v, the wire lost %d", in, lost)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if heard := b.heard[a.user]; !isSilence(heard[len(heard)-1]) {
		t.Error("the other bot was not told that the spurt has ended")
	}
}

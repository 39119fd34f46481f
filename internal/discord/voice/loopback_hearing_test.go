package voice_test

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/voicetest"
)

// TestHearThroughBadNetwork: despite loss, disorder and duplicates each packet is heard once,
// with numbers by which a lane can sort them.
func TestHearThroughBadNetwork(t *testing.T) {
	t.Parallel()
	s := voicetest.New(t, nil)
	p := voicetest.NewPeers(t, s).Add(guild, alice, nil)
	b := newBot(t, s, botA)
	b.join(tavern)
	mustJoin(t, p)
	b.awaitMembers(2)
	s.SetWire(guild, tavern, b.user, voicetest.Wire{Loss: .05, Reorder: .05, Duplicate: .05, Padding: 3, EmptyExtension: true})
	const frames = 300
	if err := p.Play(t.Context(), append(speech(frames), speech(frames + 20)[frames:]...)); err != nil {
		t.Fatal(err)
	}
	b.await("sound", func() bool { return len(b.heard[alice]) > frames*9/10 })
	time.Sleep(200 * time.Millisecond) // wait for packets in flight
	numbers := b.numbersOf(alice)
	sorted := slices.Clone(numbers)
	slices.Sort(sorted)
	if len(slices.Compact(sorted)) != len(numbers) {
		t.Error("frames were heard twice")
	}
	st := b.c.Stats()
	c, _ := s.Client(guild, botA)
	if len(numbers) < (frames+20)*93/100 || slices.IsSorted(numbers) || st.In.Late == 0 {
		t.Errorf("heard %d frames, stats %+v", len(numbers), st)
	}
	if lost := int(st.In.Lost); lost == 0 || lost > c.Lost {
		t.Errorf("%d lost, the wire lost %d", lost, c.Lost)
	}
	if st.In.Failed() > 0 {
		t.Errorf("stats = %+v", st)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	first := b.heard[alice][0].Seq - uint16(numbers[0])
	for _, q := range b.heard[alice] {
		if !isSilence(q) && q.Seq != first+uint16(binary.BigEndian.Uint32(q.Payload[2:])) {
			t.Errorf("frame %x has number %d", q.Payload[2:6], q.Seq-first)
		}
	}
}

// sound counts the frames heard of a user, without silence. Callers hold b.mu.
func (b *bot) sound(user string) int {
	n := 0
	for _, p := range b.heard[user] {
		if !isSilence(p) {
			n++
		}
	}
	return n
}

func (b *bot) countSound(user string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sound(user)
}

// TestHearOddOnesOnLoopback: sound arrives before its user is known, a user gets another ssrc,
// a moderator mutes a user.
func TestHearOddOnesOnLoopback(t *testing.T) {
	t.Parallel()
	s, a, b := pair(t, nil)
	s.SpeakLate(200 * time.Millisecond)
	b.say(50)
	a.await("50 frames", func() bool { return a.sound(botB) == 50 })
	s.SpeakLate(0)
	b.quiet(s)
	s.SwitchSSRC(guild, botB)
	s.ShowVideo(guild, botB, true)
	b.say(20)
	a.await("70 frames", func() bool { return a.sound(botB) == 70 })
	s.Mute(guild, botB, true)
	a.await("silence", func() bool { return isSilence(a.heard[botB][len(a.heard[botB])-1]) })
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, p := range a.heard[botB][1:] {
		if p.Seq != a.heard[botB][i].Seq+1 {
			t.Errorf("packet %d has number %d after %d", i+1, p.Seq, a.heard[botB][i].Seq)
		}
	}
}

package voicetest_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/voicetest"
)

const (
	guild   = "81384788765712384"
	channel = "127121515262115840"
	alice   = "1090123456789012345"
	bob     = "1090123456789012346"
	carol   = "1090123456789012347"
	dave    = "1090123456789012348"
)

// speech returns n distinct frames, numbered from one. Their content is
// arbitrary, because these tests do not decode Opus.
func speech(speaker byte, from, n int) [][]byte {
	frames := make([][]byte, n)
	for i := range frames {
		f := []byte{0xFC, speaker}
		f = binary.BigEndian.AppendUint32(f, uint32(from+i))
		for len(f) < 60+i%40 {
			f = append(f, byte(i*7+len(f)))
		}
		frames[i] = f
	}
	return frames
}

// numbers returns the numbers of the received frames of a speech, in order.
func numbers(t *testing.T, speaker byte, from int, heard [][]byte) []int {
	t.Helper()
	var all []int
	for _, f := range heard {
		if len(f) < 6 || f[0] != 0xFC || f[1] != speaker && f[1] != 'w' {
			t.Errorf("heard %x, which nobody said", f)
			continue
		}
		if n := int(binary.BigEndian.Uint32(f[2:])); f[1] == speaker && n >= from {
			all = append(all, n)
		}
	}
	return all
}

// count returns the numbers 1 to n.
func count(from, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = from + i
	}
	return all
}

// explain logs a peer's reports if the test fails.
func explain(t *testing.T, all ...*voicetest.Peer) {
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		for _, p := range all {
			for _, e := range p.Events() {
				t.Logf("%s %s: %s %q %d", e.At.Format("05.000"), p.User(), e.Kind, e.Text, e.Number)
			}
		}
	})
}

// refuseErrors fails the test on any error of a peer.
func refuseErrors(t *testing.T, all ...*voicetest.Peer) {
	t.Helper()
	for _, p := range all {
		for _, e := range p.Events() {
			if e.Kind == "error" || e.Kind == "debug" && strings.Contains(e.Text, "Failed to decrypt") {
				t.Errorf("%s reports %s", p.User(), e.Text)
			}
		}
	}
}

// awaitTransition returns when each peer has moved to n groups or epochs.
func awaitTransition(t *testing.T, n int, all ...*voicetest.Peer) {
	t.Helper()
	for _, p := range all {
		if err := p.AwaitTransitions(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
}

// introduce lets each peer learn the ssrc of the others, because it drops sound
// before.
func introduce(t *testing.T, all ...*voicetest.Peer) {
	t.Helper()
	for _, mouth := range all {
		for _, ear := range all {
			for before := len(ear.Sound(mouth.User())); ear != mouth && len(ear.Sound(mouth.User())) == before; {
				if err := mouth.Play(t.Context(), speech('w', 0, 5)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// converse lets two peers send n frames to each other at once, numbered from
// one.
func converse(t *testing.T, a, b *voicetest.Peer, from, n int) {
	t.Helper()
	a.Start(speech('a', from, n))
	b.Start(speech('b', from, n))
	for _, side := range []struct {
		ear, mouth *voicetest.Peer
		speaker    byte
	}{{a, b, 'b'}, {b, a, 'a'}} {
		if err := side.ear.AwaitFrame(t.Context(), side.mouth.User(), speech(side.speaker, from, n)[n-1]); err != nil {
			t.Error(err)
		}
		if got := numbers(t, side.speaker, from, side.ear.Sound(side.mouth.User())); !slices.Equal(got, count(from, n)) {
			t.Errorf("%s heard %d frames of %s, want %d in order", side.ear.User(), len(got), side.mouth.User(), n)
		}
	}
}

// gather puts Alice and Bob into a channel, with each other's ssrc known.
func gather(t *testing.T, o *voicetest.Options, stage bool) (s *voicetest.Server, a, b *voicetest.Peer) {
	t.Helper()
	s = voicetest.New(t, o)
	ps := voicetest.NewPeers(t, s)
	po := &voicetest.PeerOptions{Stage: stage}
	a, b = ps.Add(guild, alice, po), ps.Add(guild, bob, po)
	explain(t, a, b)
	for _, p := range []*voicetest.Peer{a, b} {
		if err := p.Join(t.Context(), channel); err != nil {
			t.Fatal(err)
		}
	}
	if !stage {
		awaitTransition(t, 1, a, b)
	}
	introduce(t, a, b)
	return s, a, b
}

func TestPeersHearEachOther(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		mode   string
		stage  bool
		frames int
	}{
		{"aes without end-to-end encryption", voicetest.AES256GCM, true, 100},
		{"xchacha without end-to-end encryption", voicetest.XChaCha20, true, 500},
		{"aes", voicetest.AES256GCM, false, 500},
		{"xchacha", voicetest.XChaCha20, false, 100},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, a, b := gather(t, &voicetest.Options{Modes: []string{row.mode}}, row.stage)
			converse(t, a, b, 0, row.frames)
			refuseErrors(t, a, b)
			if code, err := a.PrivacyCode(t.Context()); err != nil || (code == "") != row.stage {
				t.Errorf("the privacy code is %q, %v, want none: %v", code, err, row.stage)
			}
		})
	}
}

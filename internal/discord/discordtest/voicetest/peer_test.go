package voicetest_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/discord/discordtest/voicetest"
)

const (
	guild   = "81384788765712384"
	channel = "127121515262115840"
	alice   = "1090123456789012345"
	bob     = "1090123456789012346"
	carol   = "1090123456789012347"
	dave    = "1090123456789012348"
)

// speech returns frames that are all different: nothing here decodes Opus.
func speech(speaker byte, n int) [][]byte {
	frames := make([][]byte, n)
	for i := range frames {
		f := []byte{0xFC, speaker}
		f = binary.BigEndian.AppendUint32(f, uint32(i))
		for len(f) < 60+i%40 {
			f = append(f, byte(i*7+len(f)))
		}
		frames[i] = f
	}
	return frames
}

// numbers returns which frames of a speech were heard, in their order.
func numbers(t *testing.T, speaker byte, heard [][]byte) []int {
	t.Helper()
	var all []int
	for _, f := range heard {
		if len(f) > 1 && f[1] == 'w' {
			continue // of introduce
		}
		if len(f) < 6 || f[0] != 0xFC || f[1] != speaker {
			t.Errorf("heard %x, which nobody said", f)
			continue
		}
		all = append(all, int(binary.BigEndian.Uint32(f[2:])))
	}
	return all
}

// want are the numbers of a speech of n frames.
func want(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// explain says what a peer reported, if the test fails.
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

// refuseErrors fails the test for whatever went wrong at a peer.
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

// awaitTransition returns once each peer has moved to so many groups or epochs.
func awaitTransition(t *testing.T, n int, all ...*voicetest.Peer) {
	t.Helper()
	for _, p := range all {
		if err := p.AwaitTransitions(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
}

// introduce has each peer know by which ssrc it hears the others: it drops what
// it hears before.
func introduce(t *testing.T, all ...*voicetest.Peer) {
	t.Helper()
	for _, mouth := range all {
		if err := mouth.Play(t.Context(), speech('w', 5)); err != nil {
			t.Fatal(err)
		}
		for _, ear := range all {
			if ear == mouth {
				continue
			}
			if err := ear.AwaitSound(t.Context(), mouth.User(), 1); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// converse has two peers say n frames to each other at once.
func converse(t *testing.T, a, b *voicetest.Peer, n int) {
	t.Helper()
	a.Start(speech('a', n))
	b.Start(speech('b', n))
	for _, pair := range []struct {
		ear, mouth *voicetest.Peer
		speaker    byte
	}{{a, b, 'b'}, {b, a, 'a'}} {
		last := speech(pair.speaker, n)[n-1]
		if err := pair.ear.AwaitFrame(t.Context(), pair.mouth.User(), last); err != nil {
			t.Error(err)
		}
		if got := numbers(t, pair.speaker, pair.ear.Sound(pair.mouth.User())); !slices.Equal(got, want(n)) {
			t.Errorf("%s heard %d frames of %s, want %d in order", pair.ear.User(), len(got), pair.mouth.User(), n)
		}
	}
}

func TestPeersHearEachOther(t *testing.T) {
	for _, row := range []struct {
		name  string
		modes []string
		stage bool
	}{
		{"aes without end-to-end encryption", []string{voicetest.AES256GCM}, true},
		{"xchacha without end-to-end encryption", []string{voicetest.XChaCha20}, true},
		{"aes", []string{voicetest.AES256GCM}, false},
		{"xchacha", []string{voicetest.XChaCha20}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := voicetest.New(t, &voicetest.Options{Modes: row.modes})
			ps := voicetest.NewPeers(t, s)
			o := &voicetest.PeerOptions{Stage: row.stage}
			a, b := ps.Add(guild, alice, o), ps.Add(guild, bob, o)
			explain(t, a, b)
			for _, p := range []*voicetest.Peer{a, b} {
				if err := p.Join(t.Context(), channel); err != nil {
					t.Fatal(err)
				}
			}
			if !row.stage {
				awaitTransition(t, 1, a, b)
			}
			introduce(t, a, b)
			converse(t, a, b, 500)
			refuseErrors(t, a, b)
		})
	}
}

package voice_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/internal/lab/voicetest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// tone returns a frame of 440 Hz.
func tone(n int) *audio.Frame {
	var f audio.Frame
	for i := range f {
		f[i] = int16(8000 * math.Sin(2*math.Pi*440*float64(n*len(f)+i)/audio.SampleRate))
	}
	return &f
}

// say plays n frames, one per 20 ms like the mixer.
func (b *bot) say(n int) {
	b.t.Helper()
	begun := time.Now()
	for i := range n {
		time.Sleep(time.Until(begun.Add(time.Duration(i) * audio.FrameDuration)))
		if err := b.c.Write(b.t.Context(), tone(i)); err != nil {
			b.t.Errorf("frame %d: %v", i, err)
			return
		}
	}
}

// speech returns n different payloads. Nothing decodes them on the way.
func speech(n int) [][]byte {
	frames := make([][]byte, n)
	for i := range frames {
		f := binary.BigEndian.AppendUint32([]byte{0xFC, 'a'}, uint32(i))
		for len(f) < 60+i%40 {
			f = append(f, byte(i*7+len(f)))
		}
		frames[i] = f
	}
	return frames
}

// numbersOf returns the numbers of the speech frames heard of a user, in order, and checks them
// against the packets' sequence numbers.
func (b *bot) numbersOf(user string) []int {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []int
	for _, p := range b.heard[user] {
		if isSilence(p) {
			continue
		}
		if len(p.Payload) < 6 || p.Payload[0] != 0xFC || p.Payload[1] != 'a' {
			b.t.Errorf("heard %x, which nobody said", p.Payload)
			continue
		}
		all = append(all, int(binary.BigEndian.Uint32(p.Payload[2:])))
	}
	return all
}

func isSilence(p voice.Packet) bool { return string(p.Payload) == "\xf8\xff\xfe" }

// awaitFrame waits until a speech frame of a user is heard.
func (b *bot) awaitFrame(user string, n int) {
	b.t.Helper()
	want := speech(n + 1)[n]
	b.await(fmt.Sprintf("frame %d of %s", n, user), func() bool {
		return slices.ContainsFunc(b.heard[user], func(p voice.Packet) bool { return bytes.Equal(p.Payload, want) })
	})
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// awaitTone waits until a peer has heard n frames of the bot, and checks that they contain the
// bot's tone.
func awaitTone(t *testing.T, p *voicetest.Peer, of string, n int) {
	t.Helper()
	if err := p.AwaitSound(t.Context(), of, n); err != nil {
		t.Fatal(err)
	}
	checkTone(t, p.Sound(of))
}

func checkTone(t *testing.T, payloads [][]byte) {
	t.Helper()
	library, err := opus.Load()
	if err != nil {
		t.Fatal(err)
	}
	decoder, err := opus.NewDecoder(library)
	if err != nil {
		t.Fatal(err)
	}
	quiet := 0
	for i, payload := range payloads {
		var f audio.Frame
		if err := decoder.Decode(&f, payload); err != nil {
			t.Fatalf("frame %d does not decode: %v", i, err)
		}
		if i > 2 && loudness(&f) < 1000 {
			quiet++
		}
	}
	if quiet > len(payloads)/10 {
		t.Errorf("%d of %d frames are quiet", quiet, len(payloads))
	}
}

// loudness returns the root mean square.
func loudness(f *audio.Frame) float64 {
	var sum float64
	for _, v := range f {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(len(f)))
}

// TestTalkWithPeer: the bot and an independent client hear each other, in either order of
// joining, under each encryption, with packets of every shape.
func TestTalkWithPeer(t *testing.T) {
	for _, row := range []struct {
		name      string
		modes     []string
		stage     bool
		peerFirst bool
		frames    int
	}{
		{"aes", nil, false, false, 500},
		{"xchacha_peer_first", []string{voicetest.XChaCha20}, false, true, 100},
		{"stage", nil, true, false, 100},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := voicetest.New(t, &voicetest.Options{Modes: row.modes})
			p := voicetest.NewPeers(t, s).Add(guild, alice, &voicetest.PeerOptions{Stage: row.stage})
			b := newBot(t, s, botA)
			b.stage = row.stage
			if row.peerFirst {
				mustJoin(t, p)
				b.join(tavern)
			} else {
				b.join(tavern)
				mustJoin(t, p)
			}
			awaitEvent(b, 1, func(e voice.UserJoined) bool { return e.User == alice })
			if !row.stage {
				b.awaitMembers(2)
			}
			s.SetWire(guild, tavern, b.user, voicetest.Wire{Padding: 7, Extension: 2, Reports: true})
			s.ShowVideo(guild, alice, true)
			introduce(t, b, p)
			p.Start(speech(row.frames))
			b.say(row.frames)
			b.awaitFrame(alice, row.frames-1)
			if got := b.numbersOf(alice); !slices.Equal(got, upTo(row.frames)) {
				t.Errorf("the bot heard %d frames, want %d in order", len(got), row.frames)
			}
			awaitTone(t, p, b.user, row.frames)
			checkCodes(t, b, p, row.stage)
			if st := b.c.Stats(); st.In.Failed() > 0 || st.Out.Dropped > 0 || st.In.Ignored == 0 || st.Encrypted == row.stage {
				t.Errorf("stats = %+v", st)
			}
		})
	}
}

// introduce makes both ssrcs known, because the peer drops sound of an unknown one.
func introduce(t *testing.T, b *bot, p *voicetest.Peer) {
	t.Helper()
	b.say(10)
	if err := p.AwaitSound(t.Context(), b.user, 1); err != nil {
		t.Fatal(err)
	}
}

func checkCodes(t *testing.T, b *bot, p *voicetest.Peer, stage bool) {
	t.Helper()
	code, err := p.PrivacyCode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := b.c.PrivacyCode(); digits(got) != digits(code) || (got == "") != stage {
		t.Errorf("privacy code = %q, the peer's is %q", got, code)
	}
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

func TestJoinOnLoopback(t *testing.T) {
	t.Run("lost_discovery", func(t *testing.T) {
		t.Parallel()
		s := voicetest.New(t, nil)
		s.LoseDiscovery(2)
		newBot(t, s, botA).join(tavern)
	})
	t.Run("certificate_nobody_trusts", func(t *testing.T) {
		t.Parallel()
		s := voicetest.New(t, nil)
		c := voice.New(voice.Options{Guild: guild, User: botA, Move: func(context.Context, string) error { return nil }})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		joined := make(chan error, 1)
		go func() { joined <- c.Join(ctx, tavern) }()
		for len(joined) == 0 && c.Stats().Channel == "" {
			c.UpdateState(voice.State{Channel: tavern, Session: "s"})
			c.UpdateServer(voice.Server{Token: "t", Endpoint: s.Endpoint()})
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(100 * time.Millisecond)
		cancel()
		if err := <-joined; err == nil {
			t.Error("Join succeeds")
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

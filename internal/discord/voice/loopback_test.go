package voice_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/discord/discordtest/voicetest"
	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

const (
	guild  = "81384788765712384"
	tavern = "127121515262115840"
	cellar = "127121515262115841"
	botA   = "1090123456789012340"
	botB   = "1090123456789012341"
	alice  = "1090123456789012345"
)

// patience bounds every wait.
const patience = 30 * time.Second

// bot is a connection with the main gateway that a test needs around it.
type bot struct {
	t    *testing.T
	c    *voice.Conn
	user string

	mu       sync.Mutex // guards the fields below
	server   *voicetest.Server
	stage    bool
	full     map[string]bool // channels that do not answer
	sessions int
	channel  string
	heard    map[string][]voice.Packet
	events   []voice.Event
	changed  chan struct{}
}

// newBot starts a bot that ends with the test.
func newBot(t *testing.T, s *voicetest.Server, user string) *bot {
	t.Helper()
	b := &bot{t: t, user: user, server: s, sessions: 1, full: map[string]bool{}, heard: map[string][]voice.Packet{}, changed: make(chan struct{})}
	b.c = voice.New(voice.Options{
		Guild: guild, User: user, Move: b.move, TLS: s.TLS(), Logger: slog.New(slog.DiscardHandler),
		Hear: func(user string, p voice.Packet) {
			b.note(func() { b.heard[user] = append(b.heard[user], p) })
		},
		Tell: func(e voice.Event) { b.note(func() { b.events = append(b.events, e) }) },
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.c.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run returned %v", err)
		}
		if t.Failed() {
			b.mu.Lock()
			defer b.mu.Unlock()
			t.Logf("bot %s: %+v\n%+v", user, b.c.Stats(), b.events)
		}
	})
	return b
}

func (b *bot) note(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
	close(b.changed)
	b.changed = make(chan struct{})
}

// move is the main gateway.
func (b *bot) move(_ context.Context, channel string) error {
	b.mu.Lock()
	s, full := b.server, b.full[channel]
	b.mu.Unlock()
	switch {
	case full:
	case channel == "":
		s.Expel(guild, b.user)
		b.c.UpdateState(voice.State{})
	default:
		b.admit(channel)
	}
	return nil
}

// admit tells the bot that it is in a channel, and where the voice server is.
func (b *bot) admit(channel string) {
	b.mu.Lock()
	session := fmt.Sprintf("session-%s-%d", b.user, b.sessions)
	join := voicetest.Join{Guild: guild, Channel: channel, User: b.user, Session: session, Stage: b.stage}
	s := b.server
	b.channel = channel
	b.mu.Unlock()
	at := s.Admit(join)
	b.c.UpdateState(voice.State{Channel: channel, Session: session})
	b.c.UpdateServer(voice.Server(at))
}

func (b *bot) join(channel string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	if err := b.c.Join(ctx, channel); err != nil {
		b.t.Fatalf("Join: %v", err)
	}
}

// await returns once cond, which runs under the lock, reports true.
func (b *bot) await(what string, cond func() bool) {
	b.t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		b.mu.Lock()
		done, changed := cond(), b.changed
		b.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-timer.C:
			b.t.Fatalf("bot %s: no %s within %v", b.user, what, patience)
		}
	}
}

// awaitEvent returns once so many events of a type were told, and how they are told
// apart if that matters.
func awaitEvent[E voice.Event](b *bot, n int, is func(E) bool) {
	b.t.Helper()
	b.await(fmt.Sprintf("%T", *new(E)), func() bool {
		found := 0
		for _, e := range b.events {
			if e, ok := e.(E); ok && (is == nil || is(e)) {
				found++
			}
		}
		return found >= n
	})
}

// forget drops the events told so far.
func (b *bot) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = nil
}

// tone is a frame of 440 Hz.
func tone(n int) *audio.Frame {
	var f audio.Frame
	for i := range f {
		f[i] = int16(8000 * math.Sin(2*math.Pi*440*float64(n*len(f)+i)/audio.SampleRate))
	}
	return &f
}

// say says n frames, one each 20 ms as the mixer does.
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

// speech returns payloads that are all different: nobody decodes them on the way.
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

// numbersOf returns which frames of speech were heard of a user, in order, and
// checks that the packets' own numbers go with them.
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

// awaitFrame returns once a frame of speech was heard of a user.
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

// awaitTone returns once a peer has heard n frames of the bot, and checks that they
// are the tone that the bot plays.
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

// loudness is the root of the mean square.
func loudness(f *audio.Frame) float64 {
	var sum float64
	for _, v := range f {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(len(f)))
}

// A client that nobody here wrote and the bot hear each other, whoever comes
// first, under each encryption, through packets of every shape.
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

func mustJoin(t *testing.T, p *voicetest.Peer) {
	t.Helper()
	if err := p.Join(t.Context(), tavern); err != nil {
		t.Fatal(err)
	}
}

// awaitMembers returns once the bot's keys are those of so many.
func (b *bot) awaitMembers(n int) {
	b.t.Helper()
	deadline := time.Now().Add(patience)
	for st := b.c.Stats(); !st.Encrypted || st.Members != n; st = b.c.Stats() {
		if time.Now().After(deadline) {
			b.t.Fatalf("no group of %d within %v: %+v", n, patience, st)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// introduce has both know each other's ssrc: the peer drops what it hears before.
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

// Loss, disorder and duplicates on the wire: what arrives is heard once, under
// numbers by which a lane can put it in order.
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
	time.Sleep(200 * time.Millisecond) // what is still on its way
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

// quiet waits until the bot has ended its spurt.
func (b *bot) quiet(s *voicetest.Server) {
	b.t.Helper()
	if _, err := s.AwaitClient(b.t.Context(), guild, b.user, func(c voicetest.Client) bool { return c.Speaking == 0 }); err != nil {
		b.t.Error(err)
	}
}

// pair is two bots in one channel, who hear each other.
func pair(t *testing.T, o *voicetest.Options) (s *voicetest.Server, a, b *bot) {
	t.Helper()
	s = voicetest.New(t, o)
	a, b = newBot(t, s, botA), newBot(t, s, botB)
	a.join(tavern)
	b.join(tavern)
	awaitEvent(a, 1, func(e voice.UserJoined) bool { return e.User == botB })
	awaitEvent(b, 1, func(e voice.UserJoined) bool { return e.User == botA })
	a.awaitMembers(2)
	b.awaitMembers(2)
	return s, a, b
}

// converse has two bots talk at once, and each hear it all.
func converse(t *testing.T, s *voicetest.Server, a, b *bot, n int) {
	t.Helper()
	before := map[*bot]int{a: a.countSound(b.user), b: b.countSound(a.user)}
	var both sync.WaitGroup
	for _, x := range []*bot{a, b} {
		both.Go(func() { x.say(n) })
	}
	both.Wait()
	for _, x := range []struct{ ear, mouth *bot }{{a, b}, {b, a}} {
		want := before[x.ear] + n
		x.ear.await(fmt.Sprintf("%d frames", n), func() bool { return x.ear.sound(x.mouth.user) >= want })
		x.ear.mu.Lock()
		var payloads [][]byte
		for _, p := range x.ear.heard[x.mouth.user] {
			if !isSilence(p) {
				payloads = append(payloads, p.Payload)
			}
		}
		x.ear.mu.Unlock()
		checkTone(t, payloads[before[x.ear]:])
	}
	a.quiet(s)
	b.quiet(s)
}

// sound is how many frames were heard of a user, without silence; b.mu is held.
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

func TestResumeOnLoopback(t *testing.T) {
	for _, row := range []struct {
		name string
		opts voicetest.Options
		trip func(s *voicetest.Server)
	}{
		{"dropped", voicetest.Options{}, func(s *voicetest.Server) { s.Drop(guild, botA) }},
		{"crashed", voicetest.Options{ReplayFirst: true}, func(s *voicetest.Server) { s.CloseWith(guild, botA, 4015) }},
		{"wrapped", voicetest.Options{FirstSequence: 65533}, func(s *voicetest.Server) { s.Drop(guild, botA) }},
		{"unanswered_heartbeat", voicetest.Options{Heartbeat: 400 * time.Millisecond}, func(s *voicetest.Server) { s.SwallowHeartbeats(2) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s, a, b := pair(t, &row.opts)
			a.forget()
			converse(t, s, a, b, 10)
			row.trip(s)
			if _, err := s.AwaitClient(t.Context(), guild, botA, func(c voicetest.Client) bool { return c.Resumed > 0 }); err != nil {
				t.Fatal(err)
			}
			converse(t, s, a, b, 25)
			if st := a.c.Stats(); st.Connections != 1 || st.In.Lost > 0 || st.In.Failed() > 0 {
				t.Errorf("stats = %+v", st)
			}
			a.mu.Lock()
			defer a.mu.Unlock()
			for _, e := range a.events {
				switch e.(type) {
				case voice.Interrupted, voice.Connected, voice.UserJoined:
					t.Errorf("told %+v", e)
				}
			}
		})
	}
}

// A session that cannot be resumed is begun anew, with an encryption of its own.
func TestBeginAnewOnLoopback(t *testing.T) {
	for _, row := range []struct {
		name string
		opts voicetest.Options
		trip func(s *voicetest.Server)
	}{
		{"forgotten", voicetest.Options{}, func(s *voicetest.Server) { s.Forget(guild, botA); s.Drop(guild, botA) }},
		{"nothing_kept", voicetest.Options{Replay: -1}, func(s *voicetest.Server) {
			s.Drop(guild, botA)
			gone := func(c voicetest.Client) bool { return !c.Connected }
			if _, err := s.AwaitClient(context.Background(), guild, botA, gone); err != nil {
				t.Error(err)
			}
			s.SwitchSSRC(guild, botB) // a message is missed
		}},
		{"invalid", voicetest.Options{}, func(s *voicetest.Server) { s.CloseWith(guild, botA, 4006) }},
		{"timed_out", voicetest.Options{}, func(s *voicetest.Server) { s.CloseWith(guild, botA, 4009) }},
		{"token_refused", voicetest.Options{}, func(s *voicetest.Server) { s.CloseWith(guild, botA, 4004) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s, a, b := pair(t, &row.opts)
			converse(t, s, a, b, 10)
			a.forget()
			row.trip(s)
			awaitEvent[voice.Interrupted](a, 1, nil)
			awaitEvent[voice.Connected](a, 1, nil)
			a.awaitMembers(2)
			b.awaitMembers(2)
			b.forget()
			a.say(5) // so that both know the new ssrc
			b.say(5)
			a.quiet(s)
			b.quiet(s)
			converse(t, s, a, b, 25)
			if a.c.PrivacyCode() != b.c.PrivacyCode() || a.c.PrivacyCode() == "" {
				t.Errorf("privacy codes %q and %q", a.c.PrivacyCode(), b.c.PrivacyCode())
			}
			ofB, errB := a.c.VerificationCode(botB)
			if ofA, err := b.c.VerificationCode(botA); ofA != ofB || err != nil || errB != nil {
				t.Errorf("verification codes %q, %v and %q, %v", ofA, err, ofB, errB)
			}
		})
	}
}

func TestKickOnLoopback(t *testing.T) {
	t.Parallel()
	s, a, b := pair(t, nil)
	s.Expel(guild, botA)
	a.c.UpdateState(voice.State{})
	awaitEvent(a, 1, func(e voice.Disconnected) bool { return e.Cause == voice.Kicked })
	awaitEvent(b, 1, func(e voice.UserLeft) bool { return e.User == botA })
	b.say(5) // to nobody
	a.join(tavern)
	a.awaitMembers(2)
	b.awaitMembers(2)
	converse(t, s, a, b, 25)
}

// The bot is moved to another channel by somebody, and goes to one by itself.
func TestMoveOnLoopback(t *testing.T) {
	t.Parallel()
	s, a, b := pair(t, nil)
	converse(t, s, a, b, 10)
	a.admit(cellar)
	awaitEvent(a, 1, func(e voice.Moved) bool { return e.Channel == cellar })
	awaitEvent(a, 1, func(e voice.Connected) bool { return e.Channel == cellar })
	awaitEvent(b, 1, func(e voice.UserLeft) bool { return e.User == botA })
	b.join(cellar)
	a.awaitMembers(2)
	b.awaitMembers(2)
	converse(t, s, a, b, 25)
	if st := b.c.Stats(); st.Channel != cellar {
		t.Errorf("stats = %+v", st)
	}
}

func TestRegionChangeOnLoopback(t *testing.T) {
	t.Parallel()
	s, a, b := pair(t, nil)
	other := voicetest.New(t, &voicetest.Options{Modes: []string{voicetest.XChaCha20}})
	for _, x := range []*bot{a, b} {
		s.Expel(guild, x.user)
		x.mu.Lock()
		x.server = other
		x.mu.Unlock()
		x.forget()
		x.c.UpdateServer(voice.Server{})
		x.admit(tavern)
	}
	for _, x := range []*bot{a, b} {
		awaitEvent[voice.Connected](x, 1, nil)
		x.awaitMembers(2)
	}
	converse(t, other, a, b, 25)
	if st := a.c.Stats(); st.Mode != voicetest.XChaCha20 {
		t.Errorf("mode = %s", st.Mode)
	}
}

// Somebody without end-to-end encryption comes and goes: the channel goes down to
// none and up again.
func TestDowngradeOnLoopback(t *testing.T) {
	t.Parallel()
	s := voicetest.New(t, &voicetest.Options{AllowPlain: true})
	b := newBot(t, s, botA)
	a := newBot(t, s, botB)
	a.join(tavern)
	b.join(tavern)
	b.awaitMembers(2)
	p := voicetest.NewPeers(t, s).Add(guild, alice, &voicetest.PeerOptions{NoDAVE: true})
	mustJoin(t, p)
	for _, x := range []*bot{a, b} {
		awaitEvent(x, 1, func(e voice.Encryption) bool { return e.Version == 0 })
	}
	introduce(t, b, p)
	p.Start(speech(50))
	b.say(50)
	b.awaitFrame(alice, 49)
	awaitTone(t, p, b.user, 50)
	b.quiet(s)
	if st := b.c.Stats(); st.DAVE != 0 || b.c.PrivacyCode() != "" {
		t.Errorf("stats = %+v", st)
	}
	if err := p.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, x := range []*bot{a, b} {
		awaitEvent(x, 2, func(e voice.Encryption) bool { return e.Version == 1 })
		x.awaitMembers(2)
	}
	converse(t, s, a, b, 25)
}

// Sound comes before it is known whose it is; a user gets another ssrc; a
// moderator mutes somebody.
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

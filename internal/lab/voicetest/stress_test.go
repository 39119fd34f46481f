package voicetest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/voicetest"
)

func TestPeersOnABadWire(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	s, a, b := gather(t, nil, false)
	for i, row := range []struct {
		name string
		wire voicetest.Wire
		do   func()
	}{
		{name: "padding", wire: voicetest.Wire{Padding: 13}},
		{name: "most padding", wire: voicetest.Wire{Padding: 255}},
		{name: "extension", wire: voicetest.Wire{Extension: 3}},
		{name: "empty extension", wire: voicetest.Wire{EmptyExtension: true}},
		{name: "padding and extension", wire: voicetest.Wire{Padding: 4, Extension: 1, Reports: true}},
		{name: "video and a second ssrc", do: func() {
			s.ShowVideo(guild, alice, true)
			s.SwitchSSRC(guild, alice)
			introduce(t, a, b)
		}},
		{name: "silence of the server", do: func() { s.SendSilence(guild, alice, 5) }},
		{name: "muted for a while", do: func() {
			s.Mute(guild, alice, true)
			if err := a.Play(t.Context(), speech('m', 0, 10)); err != nil {
				t.Error(err)
			}
			s.Mute(guild, alice, false)
		}},
	} {
		s.SetWire(guild, channel, "", row.wire)
		if row.do != nil {
			row.do()
		}
		if converse(t, a, b, 1000*i, 50); t.Failed() {
			t.Fatalf("with %s", row.name)
		}
	}
	refuseErrors(t, a, b)
}

// TestPeersLosePackets checks that every packet the wire did not lose was heard
// once.
func TestPeersLosePackets(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	s, a, b := gather(t, nil, false)
	s.SetWire(guild, channel, "", voicetest.Wire{Loss: 0.05, Duplicate: 0.02, Reorder: 0.02})
	a.Start(speech('a', 0, 500))
	if err := b.Play(t.Context(), speech('b', 0, 500)); err != nil {
		t.Fatal(err)
	}
	s.SetWire(guild, channel, "", voicetest.Wire{})
	introduce(t, a, b) // no earlier sound is in flight
	for _, side := range []struct {
		ear, mouth *voicetest.Peer
		speaker    byte
	}{{a, b, 'b'}, {b, a, 'a'}} {
		c, _ := s.Client(guild, side.ear.User())
		got := numbers(t, side.speaker, 0, side.ear.Sound(side.mouth.User()))
		// Some lost packets may be silence; a library rarely drops late ones.
		if c.Lost < 10 || len(got) < 500-c.Lost-2 || len(got) > 500-c.Lost+5 {
			t.Errorf("%s heard %d frames and %d packets were lost, want the others of 500", side.ear.User(), len(got), c.Lost)
		}
		if slices.IsSorted(got) {
			t.Errorf("%s heard all in order, want some after those behind them", side.ear.User())
		}
		slices.Sort(got)
		if len(slices.Compact(got)) != len(got) {
			t.Errorf("%s heard a frame twice: %v", side.ear.User(), got)
		}
	}
}

func TestPeersReconnect(t *testing.T) {
	t.Parallel()
	s, a, b := gather(t, nil, false)
	transitions := 1
	for i, row := range []struct {
		name    string
		lose    func()
		resumes bool
	}{
		{"dropped", func() { s.Drop(guild, alice) }, true},
		{"server crashed", func() { s.CloseWith(guild, alice, voicetest.CloseServerCrashed) }, true},
		{"session invalid", func() { s.CloseWith(guild, alice, voicetest.CloseSessionInvalid) }, false},
		{"dropped and forgotten", func() { s.Forget(guild, alice); s.Drop(guild, alice) }, false},
	} {
		before, _ := s.Client(guild, alice)
		row.lose()
		if _, err := s.AwaitClient(t.Context(), guild, alice, func(c voicetest.Client) bool {
			return c.Connected && c.InChannel && (c.SSRC == before.SSRC) == row.resumes && (c.Resumed > before.Resumed) == row.resumes
		}); err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		if !row.resumes { // a new group of two
			transitions++
		}
		awaitTransition(t, transitions, a)
		if err := a.AwaitStatus(t.Context(), "ready"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.AwaitGroup(t.Context(), guild, channel, func(g voicetest.Group) bool { return len(g.Members) == 2 && g.Waiting == 0 }); err != nil {
			t.Fatal(err)
		}
		introduce(t, a, b)
		converse(t, a, b, 1000*i, 25)
		if equalCodes(t, a, b); t.Failed() {
			t.Fatalf("after %s", row.name)
		}
	}
}

// equalCodes requires that peers have the same privacy code, which is not
// empty.
func equalCodes(t *testing.T, all ...*voicetest.Peer) string {
	t.Helper()
	want := ""
	for i, p := range all {
		code, err := p.PrivacyCode(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = code
		}
		if code != want || len(code) != 30 {
			t.Errorf("the privacy code of %s is %q, want %q", p.User(), code, want)
		}
	}
	return want
}

// TestPeersChangeTheirGroup lets a third peer join, the first leave, and the
// last stay alone until another joins.
func TestPeersChangeTheirGroup(t *testing.T) {
	t.Parallel()
	s, a, b := gather(t, nil, false)
	first := equalCodes(t, a, b)
	ps := voicetest.NewPeers(t, s)
	c := ps.Add(guild, carol, nil)
	explain(t, c)
	if err := c.Join(t.Context(), channel); err != nil {
		t.Fatal(err)
	}
	awaitTransition(t, 2, a, b)
	awaitTransition(t, 1, c)
	introduce(t, a, b, c)
	if second := equalCodes(t, a, b, c); second == first {
		t.Error("the privacy code is that of before Carol came")
	}
	if err := a.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitTransition(t, 3, b)
	awaitTransition(t, 2, c)
	converse(t, c, b, 0, 25) // as a and b of the speech
	equalCodes(t, b, c)
	if err := c.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AwaitGroup(t.Context(), guild, channel, func(g voicetest.Group) bool { return g.Epoch == 0 }); err != nil {
		t.Fatal(err)
	}
	awaitTransition(t, 4, b)
	d := ps.Add(guild, alice, nil)
	if err := d.Join(t.Context(), channel); err != nil {
		t.Fatal(err)
	}
	awaitTransition(t, 5, b)
	awaitTransition(t, 1, d)
	introduce(t, b, d)
	equalCodes(t, b, d)
	refuseErrors(t, b, c, d)
}

// TestPeersGoDownAndUp lets a client without encryption join and leave.
func TestPeersGoDownAndUp(t *testing.T) {
	t.Parallel()
	s, a, b := gather(t, &voicetest.Options{AllowPlain: true}, false)
	c := voicetest.NewPeers(t, s).Add(guild, carol, &voicetest.PeerOptions{NoDAVE: true})
	explain(t, c)
	if err := c.Join(t.Context(), channel); err != nil {
		t.Fatal(err)
	}
	awaitTransition(t, 2, a, b)
	introduce(t, a, b, c)
	for _, user := range []string{alice, bob} { // the sound is not encrypted
		arrived := s.Arrivals(guild, user)
		if last := arrived[len(arrived)-6].Payload; len(last) < 2 || last[1] != 'w' {
			t.Errorf("%s says %x where Carol has to understand it", user, last)
		}
	}
	if err := c.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitTransition(t, 3, a, b)
	before := len(s.Arrivals(guild, alice))
	converse(t, a, b, 0, 25)
	equalCodes(t, a, b)
	for _, arrived := range s.Arrivals(guild, alice)[before:] {
		// Encrypted frames end with a marker; ciphertext may begin with any
		// bytes.
		if said := string(arrived.Payload); strings.HasPrefix(said, "\xfca") && !strings.HasSuffix(said, "\xfa\xfa") {
			t.Errorf("alice says %x after everybody could encrypt again", arrived.Payload)
		}
	}
	refuseErrors(t, a, b)
}

// TestPeersRecover lets a peer miss a commit that all others apply.
func TestPeersRecover(t *testing.T) {
	t.Parallel()
	s, a, b := gather(t, &voicetest.Options{NumberFirst: true}, false) // after transition 0 the peer would give up instead
	s.Withhold(guild, bob, voicetest.OpAnnounceCommit, voicetest.OpExecuteTransition)
	s.SetCommitter(guild, channel, alice)
	c := voicetest.NewPeers(t, s).Add(guild, carol, nil)
	explain(t, c)
	if err := c.Join(t.Context(), channel); err != nil {
		t.Fatal(err)
	}
	awaitTransition(t, 2, a)
	awaitTransition(t, 1, c)
	s.Withhold(guild, bob)
	s.SetCommitter(guild, channel, "")
	a.Start(speech('a', 0, 200)) // Bob understands none of it
	if _, err := s.AwaitClient(t.Context(), guild, bob, func(c voicetest.Client) bool { return c.Invalid > 0 }); err != nil {
		t.Fatal(err)
	}
	awaitTransition(t, 2, b)
	introduce(t, a, b, c)
	equalCodes(t, a, b, c)
}

// TestPeersWithTwoTransitions announces two epochs before the first is
// executed.
func TestPeersWithTwoTransitions(t *testing.T) {
	t.Parallel()
	s, a, b := gather(t, nil, false)
	s.HoldTransitions(guild, channel, true)
	ps := voicetest.NewPeers(t, s)
	c, d := ps.Add(guild, carol, nil), ps.Add(guild, dave, nil)
	explain(t, c, d)
	for i, p := range []*voicetest.Peer{c, d} {
		if err := p.Join(t.Context(), channel); err != nil {
			t.Fatal(err)
		}
		if _, err := s.AwaitGroup(t.Context(), guild, channel, func(g voicetest.Group) bool { return len(g.Members) == 3+i && g.Waiting == 1+i }); err != nil {
			t.Fatal(err)
		}
	}
	s.HoldTransitions(guild, channel, false)
	awaitTransition(t, 3, a, b)
	introduce(t, a, b, c, d)
	equalCodes(t, a, b, c, d)
}

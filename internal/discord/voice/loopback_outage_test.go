package voice_test

import (
	"context"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/internal/lab/voicetest"
)

// quiet waits until the bot's spurt has ended.
func (b *bot) quiet(s *voicetest.Server) {
	b.t.Helper()
	if _, err := s.AwaitClient(b.t.Context(), guild, b.user, func(c voicetest.Client) bool { return c.Speaking == 0 }); err != nil {
		b.t.Error(err)
	}
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

// TestBeginAnewOnLoopback: a session that cannot be resumed starts over with a new encryption.
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
			s.SwitchSSRC(guild, botB) // the bot misses the message
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
			a.say(5) // tells both the new ssrc
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
	b.say(5) // the other bot has left
	a.join(tavern)
	a.awaitMembers(2)
	b.awaitMembers(2)
	converse(t, s, a, b, 25)
}

// TestMoveOnLoopback: a user moves the bot to another channel, and the bot moves by itself.
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

// TestDowngradeOnLoopback: a user without end-to-end encryption joins and leaves, so the
// channel turns encryption off and on again.
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

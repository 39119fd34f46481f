package discord

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// testSeats are the seats of a table that does not run.
type testSeats struct {
	mu   sync.Mutex
	here map[string]int // packets by speaker
	user map[string]string
}

type testSeat struct {
	all  *testSeats
	name string
}

func (s testSeat) Speaker() string { return s.name }
func (s testSeat) Push(ear.Packet) {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	s.all.here[s.name]++
}
func (testSeat) Stats() ear.Stats                      { return ear.Stats{} }
func (testSeat) Pending(context.Context) (bool, error) { return false, nil }
func (s testSeat) Leave() {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	delete(s.all.here, s.name)
}

func (ts *testSeats) join(_ context.Context, name string, o *table.JoinOptions) (listeningSeat, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if _, taken := ts.here[name]; taken { // like a real table
		name += " (2)"
	}
	ts.here[name], ts.user[name] = 0, o.User
	return testSeat{ts, name}, nil
}

func (ts *testSeats) names() (all []string) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for n := range ts.here {
		all = append(all, n)
	}
	slices.Sort(all)
	return all
}

// noted records values from several goroutines, the newest last.
type noted[T any] struct {
	mu  sync.Mutex // guards all
	all []T
}

func (n *noted[T]) add(v T) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, v)
}

func (n *noted[T]) list() []T {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.all)
}

// testRoom returns an unconnected room in channel 5 of guild 1.
func testRoom(t *testing.T, told *noted[string]) *voiceRoom {
	t.Helper()
	detection, err := providers.OpenDetection(config.Hearing{Detection: config.DetectionEnergy}, nil)
	if err != nil {
		t.Fatal(err)
	}
	states := newVoiceStates()
	states.setSelf("9")
	r := &voiceRoom{
		guild: "1", states: states, consents: newConsents(newSessions(nil)), parts: &voiceParts{detection: detection}, idle: idleAfter,
		notify: func(_, text string) { told.add(text) }, changed: make(chan struct{}, 1), seats: map[string]*voiceSeat{}, lastActivity: time.Now(),
	}
	r.setPlace("5", true)
	return r
}

// TestVoiceRoomSeatsWhoIsThere: the members of the channel are heard, under unique names,
// except bots, members elsewhere and members who declined.
func TestVoiceRoomSeatsWhoIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told noted[string]
		r := testRoom(t, &told)
		ts := &testSeats{here: map[string]int{}, user: map[string]string{}}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan bool)
		go func() {
			done <- r.run(ctx, players{ts.join, func(context.Context, string) (string, bool) { return "Zoe", true }})
		}()
		move := func(o occupant) {
			r.states.moveUser("1", o)
			r.signalChanged()
			synctest.Wait()
		}
		move(occupant{user: "11", channel: "5", name: "Ana"})
		move(occupant{user: "12", channel: "6", name: "Ben"})
		move(occupant{user: "13", channel: "5", name: "Music", bot: true})
		move(occupant{user: "9", channel: "5", name: "Glyphoxa"})
		move(occupant{user: "14", channel: "5"})
		move(occupant{user: "2215", channel: "5", name: "Ana"})
		if got := ts.names(); !slices.Equal(got, []string{"Ana", "Ana (2)", "Zoe"}) || ts.user["Ana"] != "discord:11" {
			t.Errorf("at the table sit %q as %v", got, ts.user)
		}
		r.handlePacket("11", voice.Packet{Payload: []byte{1}})
		r.handlePacket("12", voice.Packet{Payload: []byte{1}})
		if ts.here["Ana"] != 1 {
			t.Errorf("packets %v, want one of Ana", ts.here)
		}
		// The bot ignores the next packet of a user who declines, before it removes any seat.
		r.consents.declined["1"] = map[string]bool{"11": true}
		r.handlePacket("11", voice.Packet{Payload: []byte{1}})
		if ts.here["Ana"] != 1 {
			t.Errorf("a packet of somebody who declined is heard")
		}
		r.signalChanged()
		synctest.Wait()
		move(occupant{user: "14", channel: "6"})
		if got := ts.names(); !slices.Equal(got, []string{"Ana (2)"}) {
			t.Errorf("at the table sit %q after one declined and one left", got)
		}
		r.setPlace("", false)
		synctest.Wait()
		if got := ts.names(); len(got) != 0 {
			t.Errorf("at the table sit %q while the bot is in no channel", got)
		}
		cancel()
		if <-done {
			t.Error("a session that was ended is taken for an idle one")
		}
		if len(told.list()) != 0 {
			t.Errorf("told %q", told.list())
		}
	})
}

// TestVoiceRoomIsIdle: a quarter of an hour without a word ends the session, whatever noise the
// microphones send.
func TestVoiceRoomIsIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told noted[string]
		r := testRoom(t, &told)
		ts := &testSeats{here: map[string]int{}, user: map[string]string{}}
		r.states.moveUser("1", occupant{user: "11", channel: "5", name: "Ana"})
		start := time.Now()
		done := make(chan bool)
		go func() { done <- r.run(t.Context(), players{join: ts.join}) }()
		time.Sleep(10 * time.Minute)
		r.recordActivity()
		time.Sleep(10 * time.Minute)
		r.handlePacket("11", voice.Packet{Payload: []byte{1}})
		if idle := <-done; !idle || time.Since(start) != 25*time.Minute {
			t.Errorf("idle: %t after %v, want it after 25 minutes", idle, time.Since(start))
		}
	})
}

// TestVoiceRoomTellsWhatHappens: a move and a kick are reported, and the room follows the bot.
func TestVoiceRoomTellsWhatHappens(t *testing.T) {
	var told noted[string]
	r := testRoom(t, &told)
	r.handleEvent(voice.Moved{Channel: "6"})
	r.maintainPlace(t.Context())
	if r.place() != "6" || r.unheard() {
		t.Errorf("after a move the room is in %q", r.place())
	}
	r.handleEvent(voice.Disconnected{Cause: voice.Kicked, Reason: "someone disconnected the bot"})
	if r.place() != "" || !r.unheard() || len(told.list()) != 2 {
		t.Errorf("after a kick the room is in %q, told %q", r.place(), told.list())
	}
}

// TestVoiceRoomHasListener: the NPCs are audible while sound can be sent and another user is in
// the channel.
func TestVoiceRoomHasListener(t *testing.T) {
	var told noted[string]
	r := testRoom(t, &told)
	r.states.moveUser("1", occupant{user: "9", channel: "5"})
	r.states.moveUser("1", occupant{user: "13", channel: "5", name: "Music", bot: true})
	r.states.moveUser("1", occupant{user: "12", channel: "6"})
	if r.hasListener() {
		t.Error("heard by bots")
	}
	r.states.moveUser("1", occupant{user: "11", channel: "5"})
	if !r.hasListener() {
		t.Error("not heard by who is in the channel")
	}
	r.setPlace("5", false)
	if r.hasListener() {
		t.Error("heard without a connection")
	}
}

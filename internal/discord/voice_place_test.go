package discord

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
)

// lostRoom returns a room whose channel is unreachable until reachable is called. The room runs
// until the test ends.
func lostRoom(t *testing.T, told *noted[string]) (r *voiceRoom, tried *noted[time.Time], reachable func()) {
	t.Helper()
	r = testRoom(t, told)
	r.log = slog.New(slog.DiscardHandler)
	var up atomic.Bool
	tried = &noted[time.Time]{}
	r.joinConn = func(_ context.Context, channel string) error {
		tried.add(time.Now())
		if !up.Load() {
			return errors.New("no answer")
		}
		r.handleEvent(voice.Connected{Channel: channel})
		return nil
	}
	ts := &testSeats{here: map[string]int{}, user: map[string]string{}}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan bool)
	go func() { done <- r.run(ctx, players{join: ts.join}) }()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	synctest.Wait()
	return r, tried, func() { up.Store(true) }
}

// TestVoiceRoomComesBack: an unreachable channel is reported once, retried at growing
// intervals, and reported again when it is back. Lines are read as text meanwhile.
func TestVoiceRoomComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told noted[string]
		r, tried, reachable := lostRoom(t, &told)
		r.idle = time.Hour
		start := time.Now()
		r.handleEvent(voice.Interrupted{Reason: "it broke"})
		time.Sleep(shortInterruption + time.Millisecond)
		if !r.unheard() || len(told.list()) != 0 {
			t.Errorf("after %v the NPCs are read: %t, told %q", shortInterruption, r.unheard(), told.list())
		}
		time.Sleep(reportInterruptionAfter)
		if len(told.list()) != 1 || !strings.Contains(told.list()[0], "does not respond") {
			t.Errorf("after %v told %q", reportInterruptionAfter, told.list())
		}
		time.Sleep(30*time.Second - time.Since(start))
		r.handleEvent(voice.Disconnected{Cause: voice.GaveUp, Reason: "It cannot be reached."})
		if len(told.list()) != 2 || !strings.Contains(told.list()[1], "tries again") {
			t.Errorf("told %q once it was given up", told.list())
		}
		time.Sleep(3*time.Minute - time.Since(start))
		var after []time.Duration
		for _, at := range tried.list() {
			after = append(after, at.Sub(start))
		}
		if want := []time.Duration{45 * time.Second, 75 * time.Second, 135 * time.Second}; !slices.Equal(after, want) {
			t.Errorf("tried after %v, want %v", after, want)
		}
		reachable()
		time.Sleep(time.Minute)
		if r.place() != "5" || r.unheard() || len(tried.list()) != 4 {
			t.Errorf("in channel %q after %d tries", r.place(), len(tried.list()))
		}
		if len(told.list()) != 3 || !strings.Contains(told.list()[2], "again") {
			t.Errorf("told %q, want that it is back", told.list())
		}
	})
}

// TestVoiceRoomForgetsBriefBreaks checks that a break which is over before the report is due is
// not reported.
func TestVoiceRoomForgetsBriefBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told noted[string]
		r, _, _ := lostRoom(t, &told)
		for range 3 {
			r.handleEvent(voice.Interrupted{Reason: "it broke"})
			time.Sleep(reportInterruptionAfter - time.Second)
			if r.hasListener() {
				t.Error("heard without a connection")
			}
			r.handleEvent(voice.Connected{Channel: "5"})
			time.Sleep(reportInterruptionAfter)
			if r.unheard() {
				t.Error("not heard although the connection is back")
			}
		}
		if len(told.list()) != 0 {
			t.Errorf("told %q", told.list())
		}
	})
}

// TestVoiceRoomStaysAway: a bot that was removed or sent away does not come back by itself.
func TestVoiceRoomStaysAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told noted[string]
		r, tried, reachable := lostRoom(t, &told)
		reachable()
		r.handleEvent(voice.Disconnected{Cause: voice.GaveUp, Reason: "It cannot be reached."})
		synctest.Wait()
		r.setPlace("", false) // as leaving does
		time.Sleep(5 * time.Minute)
		r.setPlace("6", true)
		r.handleEvent(voice.Disconnected{Cause: voice.Kicked, Reason: "someone disconnected the bot"})
		time.Sleep(5 * time.Minute)
		if len(tried.list()) != 0 || r.place() != "" {
			t.Errorf("in %q after %d tries, want it away", r.place(), len(tried.list()))
		}
	})
}

// TestVoiceRoomKeepsItsPlace: the voice channel of a session is stored once per change, but an
// unreachable channel is no change.
func TestVoiceRoomKeepsItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told noted[string]
		var kept noted[string]
		r, _, reachable := lostRoom(t, &told)
		var full atomic.Bool
		full.Store(true)
		r.setPlaceStore(func(channel string) error {
			if full.Load() {
				return errors.New("the disk is full")
			}
			kept.add(channel)
			return nil
		}, "5")
		check := func(when string, want ...string) {
			t.Helper()
			synctest.Wait()
			if got := kept.list(); !slices.Equal(got, want) {
				t.Errorf("%s: kept %q, want %q", when, got, want)
			}
		}
		r.signalChanged()
		check("where it began")
		r.handleEvent(voice.Moved{Channel: "6"})
		synctest.Wait()
		full.Store(false)
		r.handleEvent(voice.Connected{Channel: "6"})
		check("moved, with a disk that was full", "6")
		r.handleEvent(voice.Disconnected{Cause: voice.GaveUp, Reason: "It cannot be reached."})
		check("out of reach", "6")
		reachable()
		time.Sleep(firstRejoinPause)
		check("back", "6")
		if err := r.join(t.Context(), "7"); err != nil {
			t.Fatal(err)
		}
		check("joined another one", "6", "7")
		r.handleEvent(voice.Disconnected{Cause: voice.Kicked, Reason: "someone disconnected the bot"})
		check("thrown out", "6", "7", "")
	})
}

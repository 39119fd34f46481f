package discord

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// everyNth injects a fault into every nth post of an NPC's line.
func everyNth(n int64, f discordtest.Fault) func(string) discordtest.Fault {
	var calls atomic.Int64
	return func(route string) discordtest.Fault {
		if route != webhookPosts || calls.Add(1)%n != 0 {
			return discordtest.Fault{}
		}
		return f
	}
}

// TestFaultyEvening plays evenings in which Discord fails: the channel has each stored line
// once and in order, and no other.
func TestFaultyEvening(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	const lines = 15
	for _, row := range []struct {
		name  string
		fails func(*evening)
		lost  int  // lines reported as lost
		late  bool // the operator reads that lines are delayed
	}{
		{name: "500", fails: func(e *evening) { e.d.Disturb(everyNth(2, discordtest.Fault{Status: 500})) }},
		{name: "502 after it was accepted", fails: func(e *evening) { e.d.Disturb(everyNth(2, discordtest.Fault{Status: 502, Accepted: true})) }},
		{name: "504 after it was accepted or not", fails: func(e *evening) {
			var n atomic.Int64
			e.d.Disturb(func(route string) discordtest.Fault {
				if route != webhookPosts {
					return discordtest.Fault{}
				}
				k := n.Add(1)
				return discordtest.Fault{Status: []int{0, 504}[k%2], Accepted: k%4 == 1}
			})
		}},
		{name: "cut off after it was accepted", fails: func(e *evening) { e.d.Disturb(everyNth(3, discordtest.Fault{Cut: true, Accepted: true})) }},
		{name: "cut off", fails: func(e *evening) { e.d.Disturb(everyNth(3, discordtest.Fault{Cut: true})) }},
		{name: "503 for half a minute", late: true, fails: func(e *evening) {
			until := time.Now().Add(30 * time.Second)
			e.d.Disturb(func(string) discordtest.Fault {
				if time.Now().Before(until) {
					return discordtest.Fault{Status: 503}
				}
				return discordtest.Fault{}
			})
		}},
		{name: "503 for seven minutes", lost: lines, late: true, fails: func(e *evening) {
			until := time.Now().Add(7 * time.Minute)
			e.d.Disturb(func(string) discordtest.Fault {
				if time.Now().Before(until) {
					return discordtest.Fault{Status: 503}
				}
				return discordtest.Fault{}
			})
		}},
		{name: "some refused", lost: lines / 5, fails: func(e *evening) { e.d.Disturb(everyNth(5, discordtest.Fault{Status: 400})) }},
		{name: "five seconds a call", fails: func(e *evening) {
			e.d.Disturb(func(string) discordtest.Fault { return discordtest.Fault{Delay: 5 * time.Second} })
		}},
		{name: "429 storm", late: true, fails: func(e *evening) {
			e.d.LimitRoute(webhookPosts, 1, 4*time.Second)
			e.d.RefuseAll(10 * time.Second)
			for range 10 {
				e.d.RefuseNext(webhookPosts, 3*time.Second)
			}
		}},
		{name: "events twice", fails: func(e *evening) { e.d.RepeatEvents(true) }},
		{name: "events out of order", fails: func(e *evening) { e.d.ReorderEvents(true) }},
		{name: "half a minute away", fails: func(e *evening) { e.d.GoAway(30 * time.Second) }},
		{name: "session invalid", fails: func(e *evening) { e.d.InvalidateSessions(false) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := beginEvening(t, discordtest.Options{})
				for n := range lines {
					e.asks(1000 + n)
					if n == lines/3 {
						row.fails(e)
					}
					time.Sleep(2 * time.Second)
				}
				time.Sleep(10 * time.Minute)
				e.d.ReorderEvents(false)
				e.d.Disturb(nil)
				time.Sleep(time.Minute)
				e.stop()
				if heard := e.judge(); len(heard) < lines-3-row.lost { // messages written while the session was gone are not heard
					t.Errorf("%d of %d lines are in the channel: %q", len(heard), lines, heard)
				}
				if _, hasty := e.d.Refused(); hasty > 0 {
					t.Errorf("%d calls did not wait as long as they were told", hasty)
				}
				told := strings.Contains(strings.Join(e.notices(), "\n"), "lost")
				if told != (row.lost > 0) {
					t.Errorf("the channel is told %q, want it to be told of lines that are lost: %t", e.notices(), row.lost > 0)
				}
				if late := strings.Contains(e.told(), "is delayed"); late != row.late {
					t.Errorf("the operator is told %q, want it to be told that lines are held up: %t", e.told(), row.late)
				}
			})
		})
	}
}

// judge checks that the channel has exactly the stored lines, once and in order, and returns
// the lines of the channel. The bot must have stopped.
func (e *evening) judge() (heard []string) {
	e.t.Helper()
	heard = e.heard()
	if kept := e.kept(); !slices.Equal(heard, kept) {
		e.t.Errorf("in the channel are\n%q, kept is\n%q; told: %q; operator: %s", heard, kept, e.notices(), e.told())
	}
	if once := slices.Compact(slices.Sorted(slices.Values(heard))); len(once) != len(heard) {
		e.t.Errorf("%d of %d lines are doubled: %q", len(heard)-len(once), len(once), heard)
	}
	lines := 0
	for _, m := range e.d.Messages(e.channel) {
		if m.WebhookID != "" && m.Author.Username == "Mira" {
			lines++
		}
	}
	if lines != len(heard) {
		e.t.Errorf("Mira said %d things to %d lines", lines, len(heard))
	}
	return heard
}

// TestStoppedWhileNothingIsTaken stops the bot during an outage: lines that it could not post
// are not stored.
func TestStoppedWhileNothingIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := beginEvening(t, discordtest.Options{})
		for n := range 6 {
			if n == 3 {
				e.d.Disturb(func(string) discordtest.Fault { return discordtest.Fault{Status: 503} })
			}
			e.asks(1000 + n)
			time.Sleep(2 * time.Second)
		}
		began := time.Now()
		e.stop()
		if got := e.judge(); len(got) != 3 {
			t.Errorf("in the channel is %q, want three lines", got)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("the bot took %v to stop", took)
		}
	})
}

// TestLongEvening plays 500 lines with random faults.
func TestLongEvening(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	const lines = 500
	synctest.Test(t, func(t *testing.T) {
		e := beginEvening(t, discordtest.Options{})
		chance, weather := rand.New(rand.NewPCG(15, 0)), rand.New(rand.NewPCG(15, 1))
		e.d.Disturb(func(string) (f discordtest.Fault) {
			f.Delay = time.Duration(weather.ExpFloat64() * float64(200*time.Millisecond))
			if weather.IntN(3) == 0 {
				f.Status = []int{500, 502, 503, 504}[weather.IntN(4)]
				f.Accepted, f.Cut = weather.IntN(2) == 0, weather.IntN(4) == 0
			}
			return f
		})
		for n := range lines {
			e.asks(1000 + n)
			switch chance.IntN(40) {
			case 0:
				e.d.DropConnections()
			case 1:
				e.d.RequestReconnect()
			case 2:
				e.d.RefuseAll(3 * time.Second)
			case 3:
				e.d.RefuseNext(webhookPosts, 2*time.Second)
			case 4:
				e.d.RepeatEvents(n%2 == 0)
			}
			time.Sleep(time.Duration(chance.ExpFloat64() * float64(3*time.Second)))
		}
		e.d.Disturb(nil)
		time.Sleep(10 * time.Minute)
		e.stop()
		heard := e.judge()
		if len(heard) < lines*9/10 {
			t.Errorf("%d of %d lines are in the channel", len(heard), lines)
		}
	})
}

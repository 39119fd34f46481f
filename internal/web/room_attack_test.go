package web_test

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/intruder"
	"github.com/MrWong99/glyphoxa/internal/lab/visitor"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/web"
)

// intrude lets an intruder join with a modified offer.
func (b *setting) intrude(change func(string) string) *intruder.Intruder {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	a, err := intruder.Join(ctx, b.url, b.invite(), "Mallory", change)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = a.Close() }) // it may have been ended
	return a
}

// watched is the peak of goroutines and heap.
type watched struct {
	goroutines int
	heap       uint64
}

// watch measures until the returned function is called.
func watch() (stop func() watched) {
	var most watched
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(10 * time.Millisecond)
		defer ticker.Stop()
		for n := 0; ; n++ {
			select {
			case <-ticker.C:
			case <-done:
				return
			}
			most.goroutines = max(most.goroutines, runtime.NumGoroutine())
			if n%10 == 0 {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most.heap = max(most.heap, m.HeapAlloc)
			}
		}
	}()
	return func() watched {
		close(done)
		<-ended
		return most
	}
}

// TestAttacksThroughWebRTC: a guest whose program floods the connection below HTTP uses little
// memory and few goroutines and is removed with a reason. The game master reads a notice, and
// the other guest still gets answers.
func TestAttacksThroughWebRTC(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	const many = 6000
	sources := func(a *intruder.Intruder) {
		for i := 0; i < many && !a.IsOver(); i++ {
			_ = a.Sound(uint32(0x10000+i), i)
			if i%20 == 0 {
				time.Sleep(time.Millisecond)
			}
		}
	}
	rows := []struct {
		name    string
		change  func(string) string
		network web.Network
		attack  func(*intruder.Intruder)
		own     int // goroutines that the attacker's own end may use
	}{
		{name: "sources_that_no_offer_names", change: intruder.Unnamed, attack: sources},
		{name: "sources_beside_the_named_one", change: intruder.Unchanged, attack: sources},
		{name: "sources_on_a_shared_port", change: intruder.Unnamed, network: web.Network{Port: freePort(t)}, attack: sources},
		{name: "reports_about_many_sources", change: intruder.Unchanged, attack: func(a *intruder.Intruder) {
			for i := 0; i < many && !a.IsOver(); i += 40 {
				var all []uint32
				for n := range 40 {
					all = append(all, uint32(0x10000+i+n))
				}
				if a.Report(all...) != nil {
					return
				}
				time.Sleep(time.Millisecond)
			}
		}},
		{name: "packets", change: intruder.Unchanged, attack: func(a *intruder.Intruder) {
			source := a.Source()
			for i := 0; i < 200*many && !a.IsOver(); i++ {
				_ = a.Sound(source, i)
			}
		}},
		{name: "channels", change: intruder.Unchanged, own: 1000, attack: func(a *intruder.Intruder) {
			for i := 0; i < 1000 && !a.IsOver(); i++ {
				if a.OpenChannel(fmt.Sprintf("table%d", i)) != nil {
					return
				}
			}
		}},
		{name: "messages", change: intruder.Unchanged, attack: func(a *intruder.Intruder) {
			for i := 0; i < many && !a.IsOver(); i++ {
				if a.Send(`{"type":"say","text":"Bartok, and what of this?"}`) != nil {
					return
				}
			}
		}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			b := open(t, setup{answer: "Welcome to the Flagon.", voiceless: true, options: web.RoomOptions{Network: row.network}})
			ben := b.enter("Ben")
			a := b.intrude(row.change)
			runtime.GC()
			var before runtime.MemStats
			runtime.ReadMemStats(&before)
			base, stop := runtime.NumGoroutine(), watch()
			row.attack(a)
			select {
			case <-a.Over():
			case <-time.After(patience):
				t.Error("the attacker is still at the table")
			}
			most := stop()
			t.Logf("goroutines %d, at most %d; heap %d kB, at most %d kB", base, most.goroutines, before.HeapAlloc>>10, most.heap>>10)
			if most.goroutines > base+50+row.own {
				t.Errorf("%d goroutines became %d", base, most.goroutines)
			}
			if most.heap > before.HeapAlloc+64<<20 {
				t.Errorf("%d MB of heap became %d MB", before.HeapAlloc>>20, most.heap>>20)
			}
			if why := a.Reason(); !strings.Contains(why, "more than this table accepts") {
				t.Errorf("the attacker was told %q", why)
			}
			b.awaitEvent("the notice to the game master", func(e table.Event) bool {
				n, ok := e.(*table.Notice)
				return ok && strings.Contains(n.Text, "Mallory")
			})
			if err := ben.Send(map[string]string{"type": "say", "text": "Bartok, a room for the night."}); err != nil {
				t.Fatal(err)
			}
			asked := ben.awaitMessage("Ben's line", func(m visitor.Message) bool { return m.Type == "line" && m.Speaker == "Ben" })
			ben.awaitMessage("the answer to it", func(m visitor.Message) bool {
				return m.Type == "line" && m.NPC && m.Final && strings.TrimPrefix(m.ID, "t") == strings.TrimPrefix(asked.ID, "u")
			})
			if got := b.room.Guests(); slices.Contains(got, "Mallory") && len(got) > 2 {
				t.Errorf("guests are %v", got)
			}
		})
	}
}

// freePort returns an unused UDP port.
func freePort(t *testing.T) uint16 {
	c, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return uint16(c.LocalAddr().(*net.UDPAddr).Port)
}

// TestChecksGoNowhereElse: an offer with ports of other machines causes no packets to them, and
// the guest still connects.
func TestChecksGoNowhereElse(t *testing.T) {
	b := open(t, setup{answer: "Hello.", voiceless: true})
	victim, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer victim.Close()
	port := victim.LocalAddr().(*net.UDPAddr).Port
	var all strings.Builder
	for i := range 60 {
		fmt.Fprintf(&all, "a=candidate:%d 1 udp %d 127.0.0.1 %d typ host\r\n", i, 2130706431-i, port)
	}
	b.intrude(intruder.WithCandidates(all.String()))
	if err := victim.SetReadDeadline(time.Now().Add(2 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, from, err := victim.ReadFrom(make([]byte, 1500)); err == nil {
		t.Errorf("%d bytes came from %v", n, from)
	}
}

// TestAFloodBesideAnotherGuest: while one guest sends lines as fast as possible, another
// guest's lines are answered at once, after turns that had begun already.
func TestAFloodBesideAnotherGuest(t *testing.T) {
	b := open(t, setup{answer: "Welcome to the Flagon, traveller. Sit down."})
	ben := b.enter("Ben")
	mallory := b.intrude(intruder.Unchanged)
	flooded := make(chan struct{})
	go func() {
		defer close(flooded)
		for n := 0; !mallory.IsOver() && mallory.Send(fmt.Sprintf(`{"type":"say","text":"Bartok, what of road %d?"}`, n)) == nil; n++ {
			time.Sleep(time.Millisecond)
		}
	}()
	const asked = 3
	for n := range asked {
		line := fmt.Sprintf("Bartok, a room for %d nights.", n+1)
		if err := ben.Send(map[string]string{"type": "say", "text": line}); err != nil {
			t.Fatal(err)
		}
		said := ben.awaitMessage("Ben's line", func(m visitor.Message) bool { return m.Type == "line" && m.Text == line })
		ben.awaitMessage("the answer to it", func(m visitor.Message) bool {
			return m.Type == "line" && m.NPC && m.Final && strings.TrimPrefix(m.ID, "t") == strings.TrimPrefix(said.ID, "u")
		})
	}
	<-flooded
	b.mu.Lock()
	defer b.mu.Unlock()
	speakers, begun := map[int64]string{}, map[string]int{}
	waiting := map[int64]int{} // Ben's waiting lines: number of Mallory's turns that began meanwhile
	for _, e := range b.events {
		turn := table.HeaderOf(e).Turn
		switch e := e.(type) {
		case *table.Heard:
			if speakers[turn] = e.Speaker; e.Speaker == "Ben" {
				waiting[turn] = 0
			}
		case *table.TurnStarted:
			who := speakers[turn]
			begun[who]++
			delete(waiting, turn)
			for w := range waiting {
				if waiting[w]++; who == "Mallory" && waiting[w] > 2 {
					t.Errorf("%d turns of Mallory's began while Ben waited", waiting[w])
				}
			}
		case *table.TurnEnded:
			if speakers[turn] == "Ben" {
				t.Logf("Ben: %s, first sound after %.0f ms", e.Outcome, e.Ledger.FirstSoundMS)
			}
		}
	}
	if begun["Ben"] != asked || begun["Mallory"] > 20 {
		t.Errorf("turns begun: %v, want all of Ben's and few of Mallory's", begun)
	}
}

package voice

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	// growth is the memory a session may gain in an hour, in bytes.
	growth = 64 << 10
	// soakFrames is the number of frames heard, and sent, per minute.
	soakFrames = 100
)

// TestHourOfTalk plays an hour in virtual time: players speak, leave and return with new ssrcs,
// the gateway is lost and resumed, and the bot speaks each minute. The connection must hold no
// more at the end than after ten minutes.
func TestHourOfTalk(t *testing.T) {
	var heard, sent, longest atomic.Int64
	count := func(tb *table) {
		tb.c.opts.OnPacket = func(string, Packet) { heard.Add(1) }
		tb.c.opts.OnEvent = func(Event) {}
		tb.c.opts.Sent = func(took time.Duration) {
			sent.Add(1)
			longest.Store(max(longest.Load(), int64(took)))
		}
	}
	inBubble(t, count, func(t *testing.T, tb *table) {
		g, m := tb.connect()
		seal, err := NewSealer(tb.mode(), tb.key)
		if err != nil {
			t.Fatal(err)
		}
		go drainSound(m)
		var before footprint
		for minute := range 60 {
			if minute%15 == 14 {
				g.hangUp(0)
				g = tb.resume()
			}
			tb.playMinute(g, m, seal, uint32(100+minute))
			if minute == 9 {
				before = takeFootprint()
			}
		}
		after := takeFootprint()
		if got, want := heard.Load(), int64(60*soakFrames); got != want {
			t.Errorf("heard %d frames, want %d", got, want)
		}
		if got, want := sent.Load(), int64(60*soakFrames); got != want || longest.Load() != 0 {
			t.Errorf("sent %d frames, up to %v after they were written; want %d at once", got, time.Duration(longest.Load()), want)
		}
		t.Logf("%d bytes alive after ten minutes, %d after an hour", before.heap, after.heap)
		if after.heap > before.heap+growth {
			t.Errorf("%d bytes are alive after an hour, %d after ten minutes", after.heap, before.heap)
		}
		if after.goroutines > before.goroutines {
			t.Errorf("%d goroutines after an hour, %d after ten minutes", after.goroutines, before.goroutines)
		}
	})
}

// footprint is the live memory and goroutines.
type footprint struct {
	heap       uint64 // bytes
	goroutines int
}

func takeFootprint() footprint {
	synctest.Wait()
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // objects with finalizers
	runtime.ReadMemStats(&m)
	return footprint{m.HeapAlloc, runtime.NumGoroutine()}
}

// drainSound discards the bot's packets until it closes its socket.
func drainSound(m *fakeMedia) {
	for {
		select {
		case <-m.fromBot:
		case <-m.closed:
			return
		}
	}
}

// resume plays the server's part of a resumed connection.
func (tb *table) resume() *fakeGateway {
	g := tb.dial()
	g.say(opHello, map[string]any{"v": 8, "heartbeat_interval": 13750.0})
	tb.expect(g, opResume)
	g.say(opResumed, nil)
	return g
}

// playMinute plays one minute: a user with a new ssrc sends some frames, an unnamed ssrc as
// many, then the bot speaks.
func (tb *table) playMinute(g *fakeGateway, m *fakeMedia, seal *Sealer, ssrc uint32) {
	minute := time.NewTimer(time.Minute)
	answering, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.answer(answering)
	}()
	g.say(opClientsConnect, map[string]any{"user_ids": []string{aliceID}})
	g.say(opSpeaking, map[string]any{"user_id": aliceID, "ssrc": ssrc, "speaking": 1})
	synctest.Wait()
	sound := make([]byte, 120)
	for n := range soakFrames {
		for _, from := range []uint32{ssrc, ssrc + 1000} {
			packet, err := seal.Seal(nil, Header{PayloadType: PayloadType, Sequence: uint16(n), SSRC: from}, sound)
			if err != nil {
				tb.t.Fatal(err)
			}
			m.toBot <- packet
		}
		time.Sleep(audio.FrameDuration)
	}
	for range soakFrames {
		if err := tb.c.Write(context.Background(), frame()); err != nil {
			tb.t.Errorf("Write: %v", err)
		}
		time.Sleep(audio.FrameDuration)
	}
	g.say(opClientDisconnect, map[string]any{"user_id": aliceID})
	<-minute.C
	stop()
	<-done
}

// answer discards the bot's messages and answers its heartbeats until ctx ends.
func (g *fakeGateway) answer(ctx context.Context) {
	for {
		select {
		case said := <-g.fromBot:
			if said.op == opHeartbeat {
				g.acknowledge(said)
			}
		case <-ctx.Done():
			return
		}
	}
}

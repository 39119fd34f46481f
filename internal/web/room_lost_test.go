package web_test

import (
	"net"
	"sync/atomic"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/visitor"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// cable is a network that can be unplugged: then it drops everything and reports no error.
type cable struct {
	net.PacketConn
	out atomic.Bool
}

func (c *cable) ReadFrom(p []byte) (n int, from net.Addr, err error) {
	for {
		if n, from, err = c.PacketConn.ReadFrom(p); err != nil || !c.out.Load() {
			return n, from, err
		}
	}
}

func (c *cable) WriteTo(p []byte, to net.Addr) (int, error) {
	if c.out.Load() {
		return len(p), nil
	}
	return c.PacketConn.WriteTo(p, to)
}

// TestTheNetworkIsLost: a player whose network fails during an answer leaves after a while, the
// others hear the whole answer, and the seat with the lines so far is there when the player
// returns.
func TestTheNetworkIsLost(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	const answer = "The road north is long and cold, and nobody comes back from it before the thaw, so they say in the village."
	b := open(t, setup{answer: answer})
	socket, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	way := &cable{PacketConn: socket}
	ana, err := b.join(visitor.Options{Name: "Ana", Socket: way})
	if err != nil {
		t.Fatal(err)
	}
	defer ana.Close()
	ben := b.enter("Ben")
	if err := ana.Send(map[string]string{"type": "say", "text": "Bartok, where does the road go?"}); err != nil {
		t.Fatal(err)
	}
	ana.await("the NPC's voice", func() bool { return len(ana.heard[0]) > audio.SampleRate/2 })
	way.out.Store(true)
	b.awaitEvent("the end of the answer", func(e table.Event) bool {
		ended, ok := e.(*table.TurnEnded)
		return ok && ended.Outcome == table.OutcomeDelivered
	})
	ben.awaitMessage("the whole answer", func(m visitor.Message) bool { return m.Type == "line" && m.NPC && m.Final && m.Text == answer })
	ben.awaitMessage("that Ana has left", func(m visitor.Message) bool { return m.Type == "state" && len(m.Players) == 1 })
	again, err := b.join(visitor.Options{Name: "Ana", Seat: ana.Seat})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Name != "Ana" {
		t.Errorf("who comes back is %q", again.Name)
	}
	again.awaitMessage("what was said meanwhile", func(m visitor.Message) bool { return m.Type == "line" && m.NPC && m.Text == answer })
}

package web_test

import (
	"net"
	"sync/atomic"
	"testing"

	"github.com/pion/turn/v5"

	"github.com/MrWong99/glyphoxa/internal/lab/visitor"
	"github.com/MrWong99/glyphoxa/internal/web"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// relayed starts a TURN server on loopback. It returns the server's configuration entry and the
// number of authentication requests.
func relayed(t *testing.T) (web.IceServer, *atomic.Int64) {
	t.Helper()
	const realm = "table.example"
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var given atomic.Int64
	key := turn.GenerateAuthKey("ana", realm, "secret")
	server, err := turn.NewServer(turn.ServerConfig{
		Realm: realm,
		AuthHandler: func(a *turn.RequestAttributes) (string, []byte, bool) {
			given.Add(1)
			return a.Username, key, a.Username == "ana"
		},
		PacketConnConfigs: []turn.PacketConnConfig{{
			PacketConn:            conn,
			RelayAddressGenerator: &turn.RelayAddressGeneratorStatic{RelayAddress: net.IPv4(127, 0, 0, 1), Address: "127.0.0.1"},
			PermissionHandler:     func(net.Addr, net.IP) bool { return true },
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return web.IceServer{URLs: []string{"turn:" + conn.LocalAddr().String() + "?transport=udp"}, Username: "ana", Credential: "secret"}, &given
}

// TestThroughATurnServer: a guest whose network reaches only the configured TURN server plays
// and hears the NPC.
func TestThroughATurnServer(t *testing.T) {
	server, given := relayed(t)
	b := open(t, setup{answer: "The road north is long and cold.", options: web.RoomOptions{Network: web.Network{Servers: []web.IceServer{server}}}})
	ana, err := b.join(visitor.Options{Name: "Ana", Relay: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := ana.Close(); err != nil {
			t.Error(err)
		}
	}()
	if given.Load() == 0 {
		t.Error("the server was asked for nothing")
	}
	if err := ana.Send(map[string]string{"type": "say", "text": "Bartok, where does the road go?"}); err != nil {
		t.Fatal(err)
	}
	ana.await("the NPC's voice", func() bool { return len(ana.heard[0]) > audio.SampleRate/2 })
}

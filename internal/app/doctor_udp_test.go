package app

import (
	"bytes"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// TestUDPFinding tries a server that answers over UDP, and then one that does not.
func TestUDPFinding(t *testing.T) {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var asked []byte
	var serving sync.WaitGroup
	serving.Go(func() {
		p := make([]byte, 2000)
		n, from, err := server.ReadFrom(p)
		if err != nil {
			t.Error(err)
			return
		}
		asked = p[:n]
		if _, err := server.WriteTo([]byte{0x80}, from); err != nil {
			t.Error(err)
		}
	})
	cfg := &config.Config{Discord: config.Discord{APIURL: "http://" + server.LocalAddr().String() + "/api"}}
	if f := udpFinding(t.Context(), cfg); !f.ok || !strings.Contains(f.state, "answers in") || f.fix != "" {
		t.Errorf("finding = %+v, want an answer", f)
	}
	serving.Wait()
	if !bytes.Equal(asked, versionProbe()) || len(asked) != 1200 {
		t.Errorf("asked with %d bytes, want a first packet of 1200", len(asked))
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	if f := udpFinding(t.Context(), cfg); !strings.Contains(f.state, "does not answer") || !strings.Contains(f.fix, "firewall") {
		t.Errorf("finding = %+v, want no answer and what to do", f)
	}
}

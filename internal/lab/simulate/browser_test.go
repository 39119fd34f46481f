package simulate

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pion/rtp"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/diceroller"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// TestTablesInBrowsers plays for some seconds with the players in this process.
// It checks the content of the report, not the speed of the machine.
func TestTablesInBrowsers(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	lib, host := codecAndHost(t)
	load := Load{Tables: 2, Players: 2, NPCs: 1, Duration: 10 * time.Second}
	j := &journal{}
	got, err := Run(t.Context(), load, Parts{host, j, void{}}, &Options{Library: lib, Seed: 1, Browser: &Browser{}})
	if err != nil {
		t.Fatal(err)
	}
	r, b := got.Report, got.Report.Browser
	if b == nil || r.Discord != nil || b.Guests != 4 || b.GuestsLost != 0 {
		t.Fatalf("browser = %+v, want four guests who are there to the end", b)
	}
	if r.Frames == 0 || r.FrameLateness == nil || r.Turns == 0 || len(j.lines) == 0 {
		t.Errorf("%d frames, %d turns, %d lines kept; want that NPCs answered", r.Frames, r.Turns, len(j.lines))
	}
	if b.Sent+2 < r.Frames || b.WriteLateness == nil { // a frame of each table may be in flight
		t.Errorf("%d packets for %d frames", b.Sent, r.Frames)
	}
	// Each guest hears each packet, and the silence that ends a spurt.
	if p := b.Peer; p.Packets < 2*(b.Sent-2) || p.Lost != 0 || p.Jitter == nil {
		t.Errorf("the guests report %+v of %d packets, want that both at a table heard them", p, b.Sent)
	}
	// Guests send all the time; the table accepts packets that are not muted.
	if sent := uint64(4 * 50 * 9); r.Packets == 0 || r.Packets >= sent || r.DroppedPackets != 0 {
		t.Errorf("the tables heard %d packets and dropped %d, want some, and fewer than %d, for who holds no button is muted", r.Packets, r.DroppedPackets, sent)
	}
	if p := b.Peer; p.Voices == 0 || p.VoicesLost != 0 {
		t.Errorf("guests heard %d packets of each other, and %d are missing between them", p.Voices, p.VoicesLost)
	}
}

// codecAndHost are the dependencies of tables with a far end. The host closes
// with the test.
func codecAndHost(t *testing.T) (*opus.Library, *mcphost.Host) {
	t.Helper()
	lib, err := opus.Load()
	if err != nil {
		t.Fatal(err)
	}
	host := mcphost.New()
	t.Cleanup(func() { _ = host.Close() })
	for _, tool := range diceroller.Tools() {
		if err := host.RegisterBuiltin(tool); err != nil {
			t.Fatal(err)
		}
	}
	return lib, host
}

// TestInterruptedWhilePlayersJoin checks that an interrupted run closes
// everything and says why there are no measurements.
func TestInterruptedWhilePlayersJoin(t *testing.T) {
	lib, host := codecAndHost(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := &Options{Library: lib, Browser: &Browser{}, Tell: func(text string) {
		if strings.HasSuffix(text, "players join") {
			cancel()
		}
	}}
	load := Load{Tables: 2, Players: 8, NPCs: 1, Duration: time.Hour}
	j := &journal{}
	if _, err := Run(ctx, load, Parts{host, j, void{}}, o); !errors.Is(err, ErrInterrupted) {
		t.Errorf("err = %v, want ErrInterrupted", err)
	}
	if j.sessions != 2 || j.ended != 2 {
		t.Errorf("%d sessions, %d ended, want 2 and 2", j.sessions, j.ended)
	}
}

func TestBrowsersNeedACodec(t *testing.T) {
	load := Load{Tables: 1, Players: 1, NPCs: 1, Duration: time.Second}
	if _, err := Run(t.Context(), load, Parts{}, &Options{Browser: &Browser{}}); !errors.Is(err, ErrNoCodec) {
		t.Errorf("err = %v, want ErrNoCodec", err)
	}
}

// TestGuestsWhoCannotJoin checks that the error names them.
func TestGuestsWhoCannotJoin(t *testing.T) {
	for _, row := range []struct{ name, in, want string }{
		{"a_table_too_many", `{"tables":1,"players":1,"browser":true}{"join":["http://127.0.0.1:1/#A","http://127.0.0.1:1/#B"]}`, "2 links to 1 tables in browsers"},
		{"a_table_nowhere", `{"tables":1,"players":1,"browser":true}{"join":["http://127.0.0.1:1/#A"]}`, "Player 1 cannot join http://127.0.0.1:1/"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := ServeFarEnd(t.Context(), strings.NewReader(row.in), &out); err != nil || !strings.Contains(out.String(), row.want) {
				t.Errorf("err = %v, answer %q; want %q in it", err, out.String(), row.want)
			}
		})
	}
}

// TestVoicesMissing counts packets of other players missing within each stream,
// without packets that are only late.
func TestVoicesMissing(t *testing.T) {
	m := newFarMeter(1, 1)
	g := &guest{meter: m}
	for _, p := range []struct {
		stream int
		seq    uint16
	}{{1, 65534}, {2, 7}, {1, 65535}, {1, 2}, {2, 8}, {1, 1}, {visitorStreams, 9}} {
		g.hear(p.stream, &rtp.Packet{Header: rtp.Header{SequenceNumber: p.seq}})
	}
	if r := m.report(); r.Voices != 6 || r.VoicesLost != 2 || r.Packets != 0 {
		t.Errorf("%+v, want 6 packets of voices and 2 missing", r)
	}
}

package simulate

import (
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/diceroller"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// TestTablesInBrowsers plays with the players in this process, for some seconds: it checks
// what the report holds, not how fast the machine is.
func TestTablesInBrowsers(t *testing.T) {
	lib, err := opus.Load()
	if err != nil {
		t.Fatal(err)
	}
	host := mcphost.New()
	defer func() { _ = host.Close() }()
	for _, tool := range diceroller.Tools() {
		if err := host.RegisterBuiltin(tool); err != nil {
			t.Fatal(err)
		}
	}
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
	if b.Sent+2 < r.Frames || b.WriteLateness == nil { // a frame of each table may be on its way
		t.Errorf("%d packets for %d frames", b.Sent, r.Frames)
	}
	// Each guest hears each packet, beside the silence that ends a spurt.
	if p := b.Peer; p.Packets < 2*(b.Sent-2) || p.Lost != 0 || p.Jitter == nil {
		t.Errorf("the guests report %+v of %d packets, want that both at a table heard them", p, b.Sent)
	}
	// Guests send all the time, of which the table takes what is not muted.
	if sent := uint64(4 * 50 * 9); r.Packets == 0 || r.Packets >= sent || r.DroppedPackets != 0 {
		t.Errorf("the tables heard %d packets and dropped %d, want some, and fewer than %d, for who holds no button is muted", r.Packets, r.DroppedPackets, sent)
	}
	if p := b.Peer; p.Voices == 0 || p.VoicesLost != 0 {
		t.Errorf("guests heard %d packets of each other, and %d are missing between them", p.Voices, p.VoicesLost)
	}
}

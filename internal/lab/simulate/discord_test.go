package simulate

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/internal/lab/farend"
)

// TestTablesInVoiceChannels plays for some seconds with the far end in this
// process. It checks the content of the report, not the speed of the machine.
func TestTablesInVoiceChannels(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	lib, host := codecAndHost(t)
	load := Load{Tables: 4, Players: 2, NPCs: 1, Duration: 10 * time.Second}
	got, err := Run(t.Context(), load, Parts{host, &journal{}, void{}}, &Options{Library: lib, Seed: 1, Discord: &Discord{}})
	if err != nil {
		t.Fatal(err)
	}
	r, d := got.Report, got.Report.Discord
	if d == nil || d.DAVE != 1 || d.Mode != voice.AES256GCM {
		t.Fatalf("discord = %+v, want both encryptions", d)
	}
	if d.Sent < r.Frames || d.Unsent != 0 || d.WriteLateness == nil {
		t.Errorf("%d packets for %d frames, %d unsent", d.Sent, r.Frames, d.Unsent)
	}
	if d.Received == 0 || d.DecryptFailures != 0 || r.Packets == 0 || d.Interruptions != 0 {
		t.Errorf("%d packets received, %d of them by tables, %d failed, %d interruptions", d.Received, r.Packets, d.DecryptFailures, d.Interruptions)
	}
	if p := d.Peer; p.Packets == 0 || p.DecryptFailures != 0 || p.Jitter == nil {
		t.Errorf("the peer reports %+v, want that it heard the NPCs", p)
	}
}

func TestDiscordNeedsACodec(t *testing.T) {
	load := Load{Tables: 1, Players: 1, NPCs: 1, Duration: time.Second}
	if _, err := Run(t.Context(), load, Parts{}, &Options{Discord: &Discord{}}); !errors.Is(err, ErrNoCodec) {
		t.Errorf("err = %v, want ErrNoCodec", err)
	}
}

func TestFarEndRefusesNonsense(t *testing.T) {
	setup := `{"tables":1,"players":1,"plain":true}`
	for _, row := range []struct{ name, in, want string }{
		{"nothing", "", "reading what to set up"},
		{"no tables", `{"players":1}`, "there has to be a table"},
		{"no order", setup + ` 17`, "reading an order"},
		{"a player there is not", setup + `{"player":3}`, "player 3 of table 0"},
		{"a table there is not", setup + `{"table":-1}`, "player 0 of table -1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if err := ServeFarEnd(t.Context(), strings.NewReader(row.in), io.Discard); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("err = %v, want %q", err, row.want)
			}
		})
	}
	var out bytes.Buffer
	if err := ServeFarEnd(t.Context(), strings.NewReader(setup), &out); err != nil || !strings.Contains(out.String(), "endpoint") {
		t.Errorf("err = %v, answer %q", err, out.String())
	}
}

// TestFarMeter measures the answer to a line: a spurt whose third packet is 3
// ms late, with one packet lost and one broken.
func TestFarMeter(t *testing.T) {
	m := newFarMeter(1, 1)
	at := time.Now()
	m.lineBegins(0)
	m.lineEnds(0, at)
	broken := errors.New("broken")
	for _, p := range []struct {
		n      uint16
		after  time.Duration
		err    error
		silent bool
	}{
		{n: 0, after: 900 * time.Millisecond},
		{n: 1, after: 920 * time.Millisecond},
		{n: 2, after: 943 * time.Millisecond},
		{n: 4, after: 980 * time.Millisecond, err: broken},
		{n: 5, after: 1060 * time.Millisecond, silent: true},
		{n: 6, after: 2000 * time.Millisecond}, // a second spurt is no answer
	} {
		m.packet(farend.Packet{At: at.Add(p.after), Seq: p.n, Timestamp: uint32(p.n) * voice.FrameSamples, Err: p.err, Silence: p.silent})
	}
	r := m.report()
	if r.Packets != 6 || r.Lost != 1 || r.DecryptFailures != 1 {
		t.Errorf("report = %+v, want 6 packets, 1 lost, 1 broken", r)
	}
	if d := m.jitter.distribution(); d.total != 2 || d.quantile(0.5) != 0 || d.max() != 3 {
		t.Errorf("jitter of %d packets is %v and %v ms, want 0 and 3 within the spurt", d.total, d.quantile(0.5), d.max())
	}
	if r.FirstSound == nil || r.FirstSound.P99 != 900 || m.first.distribution().total != 1 {
		t.Errorf("first sound = %+v, want 900 ms once", r.FirstSound)
	}
}

// TestWritingMatchesFrames joins the mixer's and the transport's data about a
// frame, in either order.
func TestWritingMatchesFrames(t *testing.T) {
	m := newMeter(newTally(), time.Minute, nil)
	l := &writing{meter: m}
	l.handedOver(2 * time.Millisecond)
	l.sent(3 * time.Millisecond)
	l.sent(10 * time.Millisecond)
	l.handedOver(10 * time.Millisecond)
	if d := m.written.distribution(); d.total != 2 || d.quantile(0.5) < 4.9 || d.quantile(0.5) > 5.2 || d.max() != 20 {
		t.Errorf("%d frames were %v and %v ms late, want 2 of 5 and 20", d.total, d.quantile(0.5), d.max())
	}
	for range 2 * unmatched {
		l.sent(0)
	}
	if len(l.waits) != unmatched {
		t.Errorf("%d frames are known by half, want %d at most", len(l.waits), unmatched)
	}
}

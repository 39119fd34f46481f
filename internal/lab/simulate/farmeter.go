package simulate

import (
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/internal/lab/farend"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// farMeter measures the packets arriving at the far end. It is safe for
// concurrent use.
type farMeter struct {
	jitter, first histogram

	mu      sync.Mutex // guards the fields below
	began   time.Time
	cpu     time.Duration // used before began
	streams []farStream   // listeners of the first table, then of the next
	packets uint64
	lost    uint64
	failed  uint64
	voices  uint64 // packets of other players
	gaps    uint64 // packets of other players that are missing

	listeners int // at each table
}

// farStream is a listener's last packet of the NPCs, and the line that it may
// answer.
type farStream struct {
	seq       uint16
	timestamp uint32
	at        time.Time // zero before any packet
	sound     time.Time // of the last packet with sound
	ended     time.Time // end of a player's last line, or zero once an answer has begun
}

// spurtGap is the time without sound between two spurts.
const spurtGap = 100 * time.Millisecond

// newFarMeter measures for a number of listeners at each table; a voice channel
// has one.
func newFarMeter(tables, listeners int) *farMeter {
	return &farMeter{streams: make([]farStream, tables*listeners), listeners: listeners}
}

func (m *farMeter) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.began = time.Now()
	m.cpu, _ = processorTime()
}

func (m *farMeter) lineBegins(table int) { m.lineEnds(table, time.Time{}) }

func (m *farMeter) lineEnds(table int, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.listeners {
		m.streams[table*m.listeners+i].ended = at
	}
}

// packet records a packet of the NPCs' sound; its channel is the number of the
// stream.
func (m *farMeter) packet(p farend.Packet) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := &m.streams[p.Channel]
	m.packets++
	if p.Err != nil {
		m.failed++
	}
	if !c.at.IsZero() {
		if missing := int16(p.Seq - c.seq - 1); missing > 0 {
			m.lost += uint64(missing)
		}
		if p.Seq == c.seq+1 && p.Timestamp == c.timestamp+voice.FrameSamples && !p.Silence && c.sound.Equal(c.at) {
			m.jitter.addDuration((p.At.Sub(c.at) - audio.FrameDuration).Abs())
		}
	}
	if !p.Silence {
		if !c.ended.IsZero() && p.At.Sub(c.sound) > spurtGap && p.At.After(c.ended) {
			m.first.addDuration(p.At.Sub(c.ended))
			c.ended = time.Time{}
		}
		c.sound = p.At
	}
	c.seq, c.timestamp, c.at = p.Seq, p.Timestamp, p.At
}

// voice records a packet of another player, and how many are missing before it.
func (m *farMeter) voice(missing int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.voices++
	m.gaps += uint64(max(0, missing))
}

func (m *farMeter) report() PeerReport {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := PeerReport{Packets: m.packets, Lost: m.lost, Voices: m.voices, VoicesLost: m.gaps, DecryptFailures: m.failed}
	if d := m.jitter.distribution(); d.total > 0 {
		jitter := lateness(d)
		r.Jitter = &jitter
	}
	if d := m.first.distribution(); d.total > 0 {
		first := percentiles(d)
		r.FirstSound = &first
	}
	if cpu, known := processorTime(); known {
		r.CPUPercent = percent(cpu-m.cpu, time.Since(m.began))
	}
	rss, _ := resident()
	r.RSSMB = megabytes(rss)
	return r
}

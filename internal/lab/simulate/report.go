package simulate

import (
	"math"
	"time"
)

// Report is the result of a simulation; it marshals to one JSON object. Times
// are in milliseconds.
type Report struct {
	Tables  int `json:"tables"`
	Players int `json:"players"` // at each table
	NPCs    int `json:"npcs"`    // at each table
	// Minutes is the measured time; less than requested if the simulation was
	// interrupted.
	Minutes     float64 `json:"minutes"`
	Interrupted bool    `json:"interrupted"`
	Seed        uint64  `json:"seed"`
	// Codec is the sound codec, "none" without libopus.
	Codec string `json:"codec"`
	// Detection is the voice detector: silero, energy or webrtc.
	Detection string `json:"detection"`

	// Frames is the number of frames of NPC sound at all tables.
	Frames uint64 `json:"frames"`
	// FrameLateness runs from when a frame was due until it was handed over for
	// encoding and sending. It is nil without frames.
	FrameLateness *Lateness `json:"frame_lateness_ms"`
	// Underruns are frames more than 60 ms late, which listeners hear as a gap.
	Underruns uint64 `json:"underruns"`
	// FirstSound runs from the end of a player's speech to the first sound of
	// an NPC, over all turns that needed an answer. A turn that failed before
	// counts with all its time. It is nil without such turns.
	FirstSound *Percentiles `json:"first_sound_ms"`

	// Engines are the results of the NPCs of each engine.
	Engines map[string]EngineReport `json:"engines"`

	Utterances uint64            `json:"utterances"`
	Turns      uint64            `json:"turns"` // those that have ended
	Outcomes   map[string]uint64 `json:"outcomes"`
	// Notices counts the tables' warnings and errors.
	Notices map[string]uint64 `json:"notices,omitempty"`

	// CPUPercent is relative to one processor: two have 200. It includes the
	// simulated providers, and the players unless they are at a far end.
	CPUPercent float64 `json:"cpu_percent"`
	Processors int     `json:"processors"`
	// RSSMB and Goroutines are the observed maxima.
	RSSMB      float64 `json:"rss_mb"`
	Goroutines int     `json:"goroutines"`
	// Packets counts the players' packets, DroppedPackets those that lanes
	// dropped because they were not read in time.
	Packets        uint64 `json:"packets"`
	DroppedPackets uint64 `json:"dropped_packets"`

	// Discord is the traffic of voice channels, and Browser that of browsers;
	// each is nil without them.
	Discord *DiscordReport `json:"discord,omitempty"`
	Browser *BrowserReport `json:"browser,omitempty"`

	// Remarks say which figures could not be measured here, and why.
	Remarks []string `json:"remarks,omitempty"`
}

// DiscordReport is the traffic of voice channels.
type DiscordReport struct {
	// Mode is the encryption to Discord, DAVE the version of the end-to-end
	// encryption, 0 without it.
	Mode string `json:"mode"`
	DAVE int    `json:"dave"`
	// WriteLateness runs from when a frame was due until it had been encoded,
	// encrypted and passed to the network.
	WriteLateness *Lateness `json:"write_lateness_ms"`
	// Sent and Received count packets of sound, including the silence that ends
	// a spurt; Unsent could not be sent, Lost and DecryptFailures concern those
	// received.
	Sent            uint64 `json:"sent"`
	Unsent          uint64 `json:"unsent"`
	Received        uint64 `json:"received"`
	Lost            uint64 `json:"lost"`
	DecryptFailures uint64 `json:"decrypt_failures"`
	// Interruptions are connections after each table's first.
	Interruptions uint64 `json:"interruptions"`
	// Peer is the other end's report.
	Peer PeerReport `json:"peer"`
}

// BrowserReport is the traffic of browsers.
type BrowserReport struct {
	// Guests is the number of guests connected at the end, GuestsLost of those
	// no longer connected.
	Guests     int `json:"guests"`
	GuestsLost int `json:"guests_lost"`
	// WriteLateness runs from when a frame was due until it had been encoded,
	// encrypted for each guest of the table and passed to the network.
	WriteLateness *Lateness `json:"write_lateness_ms"`
	// Sent counts packets of the NPCs' sound, each sent to all guests of a
	// table.
	Sent uint64 `json:"sent"`
	// Peer counts the packets received by each guest. Failed decryptions count
	// as lost.
	Peer PeerReport `json:"peer"`
}

// PeerReport is the traffic at the players' end, and that end's cost.
type PeerReport struct {
	// Packets and Lost count the NPCs' sound, Voices and VoicesLost the other
	// players' voices, which the bot does not forward in voice channels.
	Packets         uint64 `json:"packets"`
	Lost            uint64 `json:"lost"`
	Voices          uint64 `json:"voices,omitempty"`
	VoicesLost      uint64 `json:"voices_lost,omitempty"`
	DecryptFailures uint64 `json:"decrypt_failures"`
	// Jitter is how far the interval of two consecutive packets was from 20 ms.
	Jitter *Lateness `json:"jitter_ms"`
	// FirstSound runs from the last packet of a player's words to the first of
	// an NPC's.
	FirstSound *Percentiles `json:"first_sound_ms"`
	CPUPercent float64      `json:"cpu_percent"`
	RSSMB      float64      `json:"rss_mb"`
}

// EngineReport is the result of one engine's NPCs at all tables.
type EngineReport struct {
	NPCs  int    `json:"npcs"`
	Turns uint64 `json:"turns"` // those that have ended
	// FirstSound is as in [Report].
	FirstSound *Percentiles `json:"first_sound_ms"`
}

// Lateness holds percentiles of the frames' lateness, in milliseconds.
type Lateness struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// Percentiles are in milliseconds.
type Percentiles struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

// Point holds the measurements at one place of a plot.
type Point struct {
	// X is the number of tables, or minutes since the beginning.
	X             float64
	FrameLateness Lateness
	FirstSound    Percentiles
	CPUPercent    float64
	RSSMB         float64
}

// Point returns the report as a point over its number of tables.
func (r *Report) Point() Point {
	p := Point{X: float64(r.Tables), CPUPercent: r.CPUPercent, RSSMB: r.RSSMB}
	if r.FrameLateness != nil {
		p.FrameLateness = *r.FrameLateness
	}
	if r.FirstSound != nil {
		p.FirstSound = *r.FirstSound
	}
	return p
}

func lateness(d distribution) Lateness {
	return Lateness{d.quantile(0.50), d.quantile(0.99), d.max()}
}

func percentiles(d distribution) Percentiles {
	return Percentiles{d.quantile(0.50), d.quantile(0.95), d.quantile(0.99)}
}

// percent returns used as a percentage of elapsed, to a tenth.
func percent(used, elapsed time.Duration) float64 {
	if elapsed <= 0 {
		return 0
	}
	return math.Round(1000*float64(used)/float64(elapsed)) / 10
}

// megabytes returns n bytes in megabytes, to a tenth.
func megabytes(n int64) float64 { return math.Round(float64(n)/1e5) / 10 }

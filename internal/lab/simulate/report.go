package simulate

import (
	"math"
	"time"
)

// Report is what a simulation came to; it marshals to one JSON object. Times
// are in milliseconds.
type Report struct {
	Tables  int `json:"tables"`
	Players int `json:"players"` // at each table
	NPCs    int `json:"npcs"`    // at each table
	// Minutes is how long was played and measured; less than asked for if the
	// simulation was interrupted.
	Minutes     float64 `json:"minutes"`
	Interrupted bool    `json:"interrupted"`
	Seed        uint64  `json:"seed"`
	// Codec is what encoded and decoded the sound, "none" without libopus.
	Codec string `json:"codec"`
	// Detection is what told the players' voices from noise: silero, energy or
	// webrtc.
	Detection string `json:"detection"`

	// Frames is how many the NPCs' sound had, of all tables.
	Frames uint64 `json:"frames"`
	// FrameLateness is from when a frame was due until it was handed over to be
	// encoded and sent. It is nil if there was no frame.
	FrameLateness *Lateness `json:"frame_lateness_ms"`
	// Underruns are frames more than 60 ms late, which listeners hear as a gap.
	Underruns uint64 `json:"underruns"`
	// FirstSound is from the end of a player's speech to the first sound of an
	// NPC, of all turns that were to be answered. A turn that failed before
	// counts with all its time. It is nil if there was no such turn.
	FirstSound *Percentiles `json:"first_sound_ms"`

	// Engines is what the NPCs of each engine came to.
	Engines map[string]EngineReport `json:"engines"`

	Utterances uint64            `json:"utterances"`
	Turns      uint64            `json:"turns"` // that have ended
	Outcomes   map[string]uint64 `json:"outcomes"`
	// Notices counts the warnings and errors that tables gave.
	Notices map[string]uint64 `json:"notices,omitempty"`

	// CPUPercent is of one processor: on two, 200 is all there is. The
	// simulated providers are part of it, and so are the players unless they are at a far end.
	CPUPercent float64 `json:"cpu_percent"`
	Processors int     `json:"processors"`
	// RSSMB and Goroutines are the most that was seen.
	RSSMB      float64 `json:"rss_mb"`
	Goroutines int     `json:"goroutines"`
	// Packets is how many the players sent, DroppedPackets how many of them the
	// lanes gave up because nobody took them in time.
	Packets        uint64 `json:"packets"`
	DroppedPackets uint64 `json:"dropped_packets"`

	// Discord is what went over voice channels, and Browser what went to browsers; each is nil
	// without them.
	Discord *DiscordReport `json:"discord,omitempty"`
	Browser *BrowserReport `json:"browser,omitempty"`

	// Remarks say what could not be measured here, and why.
	Remarks []string `json:"remarks,omitempty"`
}

// DiscordReport is what went over voice channels.
type DiscordReport struct {
	// Mode is the encryption on the way to Discord, DAVE the version of that from
	// end to end, 0 without it.
	Mode string `json:"mode"`
	DAVE int    `json:"dave"`
	// WriteLateness is from when a frame was due until it had been encoded,
	// encrypted and given to the network.
	WriteLateness *Lateness `json:"write_lateness_ms"`
	// Sent and Received count packets of sound, silence that ends a spurt among
	// them; Unsent could not be sent, Lost and DecryptFailures are of those received.
	Sent            uint64 `json:"sent"`
	Unsent          uint64 `json:"unsent"`
	Received        uint64 `json:"received"`
	Lost            uint64 `json:"lost"`
	DecryptFailures uint64 `json:"decrypt_failures"`
	// Interruptions are connections made beyond the first of each table.
	Interruptions uint64 `json:"interruptions"`
	// Peer is what arrived at the other end.
	Peer PeerReport `json:"peer"`
}

// BrowserReport is what went to browsers and came from there.
type BrowserReport struct {
	// Guests are those connected at the end, GuestsLost those who were not any more.
	Guests     int `json:"guests"`
	GuestsLost int `json:"guests_lost"`
	// WriteLateness is from when a frame was due until it had been encoded, encrypted for
	// each guest of the table and given to the network.
	WriteLateness *Lateness `json:"write_lateness_ms"`
	// Sent counts packets of the NPCs' sound, each of which goes to all guests of a table.
	Sent uint64 `json:"sent"`
	// Peer is what the guests received, each counted for itself. It knows of no failed
	// decryption: what cannot be decrypted is lost.
	Peer PeerReport `json:"peer"`
}

// PeerReport is what arrived where the players are, and what that end took.
type PeerReport struct {
	// Packets and Lost are of the NPCs' sound, Voices and VoicesLost of the other players'
	// voices, which the bot does not pass on in voice channels.
	Packets         uint64 `json:"packets"`
	Lost            uint64 `json:"lost"`
	Voices          uint64 `json:"voices,omitempty"`
	VoicesLost      uint64 `json:"voices_lost,omitempty"`
	DecryptFailures uint64 `json:"decrypt_failures"`
	// Jitter is by how much two packets in a row came more or less than 20 ms apart.
	Jitter *Lateness `json:"jitter_ms"`
	// FirstSound is from the last packet of a player's words to the first of an NPC's.
	FirstSound *Percentiles `json:"first_sound_ms"`
	CPUPercent float64      `json:"cpu_percent"`
	RSSMB      float64      `json:"rss_mb"`
}

// EngineReport is what the NPCs of one engine came to, of all tables.
type EngineReport struct {
	NPCs  int    `json:"npcs"`
	Turns uint64 `json:"turns"` // that have ended
	// FirstSound is as in [Report].
	FirstSound *Percentiles `json:"first_sound_ms"`
}

// Lateness are percentiles of how late frames were, in milliseconds.
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

// Point is what was measured at one place of a plot.
type Point struct {
	// X is the number of tables, or the minutes since the beginning.
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

// percent is used of elapsed, to a tenth.
func percent(used, elapsed time.Duration) float64 {
	if elapsed <= 0 {
		return 0
	}
	return math.Round(1000*float64(used)/float64(elapsed)) / 10
}

// megabytes is n bytes, to a tenth.
func megabytes(n int64) float64 { return math.Round(float64(n)/1e5) / 10 }

//go:build unix

package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/saytest"
	"github.com/MrWong99/glyphoxa/internal/lab/voicetest"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// hearing decodes the bot's audio at a peer; the voices are tones.
type hearing struct {
	t       testing.TB
	peer    *voicetest.Peer
	bot     string
	pitches []float64 // of all voices, at least 100 Hz apart
	decoder opus.Decoder
	frames  []heardFrame
}

// heardFrame is 20 ms of audio at a peer.
type heardFrame struct {
	at time.Time
	// voice is the index of the pitch, -1 for silence, -2 for another sound.
	voice int
	// end marks the frames that end a spurt.
	end bool
}

func newHearing(t testing.TB, peer *voicetest.Peer, bot string, pitches ...float64) *hearing {
	t.Helper()
	lib, err := opus.Load()
	if err != nil {
		t.Fatal(err)
	}
	d, err := opus.NewDecoder(lib)
	if err != nil {
		t.Fatal(err)
	}
	return &hearing{t: t, peer: peer, bot: bot, pitches: pitches, decoder: d}
}

// catchUp returns all frames received so far. It is for one goroutine.
func (h *hearing) catchUp() []heardFrame {
	h.t.Helper()
	for _, heard := range h.peer.Heard(h.bot)[len(h.frames):] {
		f := heardFrame{at: heard.At, voice: -1, end: heard.Silent()}
		var sound audio.Frame
		if err := h.decoder.Decode(&sound, heard.Payload); err != nil {
			h.t.Fatalf("decoding what the peer heard: %v", err)
		}
		if !f.end {
			f.voice = h.voiceIn(sound[:])
		}
		h.frames = append(h.frames, f)
	}
	return h.frames
}

// audibleFrom is the smallest peak of a frame that counts as audible: 60 dB
// below full scale.
const audibleFrom = 33

func (h *hearing) voiceIn(sound []int16) int {
	if max(slices.Max(sound), -slices.Min(sound)) < audibleFrom {
		return -1
	}
	power := 0.0
	for _, v := range sound {
		power += float64(v) * float64(v)
	}
	for i, pitch := range h.pitches {
		if a := saytest.Tone(sound, pitch, audio.SampleRate); a*a/2 > 0.4*power/float64(len(sound)) {
			return i
		}
	}
	return -2
}

// await waits until the frames from a number on meet a condition, and returns
// them.
func (h *hearing) await(from int, what string, met func([]heardFrame) bool) []heardFrame {
	h.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if all := h.catchUp(); met(all[from:]) {
			return all[from:]
		}
		if time.Now().After(end) {
			h.t.Fatalf("waiting for %s: it was not heard; the peer says %v", what, h.peer.Events())
		}
	}
}

// patience bounds the wait for an expected event.
const patience = 2 * time.Minute

// awaitVoice waits for a number of frames of a voice, from a frame on.
func (h *hearing) awaitVoice(from, voice, frames int) []heardFrame {
	h.t.Helper()
	return h.await(from, fmt.Sprintf("voice %d", voice), func(all []heardFrame) bool { return countVoice(all, voice) >= frames })
}

// awaitEnd waits, from a frame on, until a spurt with a voice has ended.
func (h *hearing) awaitEnd(from, voice int) []heardFrame {
	h.t.Helper()
	return h.await(from, fmt.Sprintf("the end of voice %d", voice), func(all []heardFrame) bool {
		return countVoice(all, voice) > 0 && all[len(all)-1].end
	})
}

func countVoice(all []heardFrame, voice int) (n int) {
	for _, f := range all {
		if f.voice == voice {
			n++
		}
	}
	return n
}

// onlyVoice requires that no frame contains another voice.
func (h *hearing) onlyVoice(all []heardFrame, voice int, when string) {
	h.t.Helper()
	other := 0
	for _, f := range all {
		if f.voice != voice && f.voice >= 0 {
			other++
		}
	}
	if n := countVoice(all, voice); n == 0 || other > 0 {
		h.t.Errorf("%s: %d frames of voice %d are heard, and %d of others", when, n, voice, other)
	}
}

// botEvent is a line of "run --json".
type botEvent struct {
	event
	Guild string `json:"guild"`
	Order string `json:"order"`
}

func (e botEvent) String() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s %s %s%s %s %s %s", e.Turn, e.Kind, e.Speaker, e.NPC, e.Tool, e.Tier, e.Outcome, e.Text))
}

// botEvents are the events of a bot that was started with --json.
type botEvents struct {
	t    testing.TB
	done chan struct{} // closed when the bot has closed its output

	mu   sync.Mutex // guards the fields below
	all  []botEvent
	odd  []string     // lines that are not events
	text bytes.Buffer // output that the reader waiting for the end has not read
}

// watchEvents reads a bot's output from now on.
func watchEvents(t testing.TB, s *session) *botEvents {
	b := &botEvents{t: t, done: make(chan struct{})}
	lines := bufio.NewScanner(s.out)
	lines.Buffer(nil, 1<<20)
	s.out = bufio.NewReader(b)
	go func() { // ends with the bot, which the end of the test kills
		defer close(b.done)
		for lines.Scan() {
			b.add(lines.Bytes())
		}
	}()
	return b
}

func (b *botEvents) add(line []byte) {
	var e botEvent
	err := json.Unmarshal(line, &e)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text.Write(append(line, '\n'))
	if err != nil || e.Kind == "" || e.Time.IsZero() {
		b.odd = append(b.odd, string(line))
		return
	}
	b.all = append(b.all, e)
}

// Read passes the program's whole output to the reader that waits for its end.
func (b *botEvents) Read(p []byte) (int, error) {
	<-b.done
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.odd) > 0 {
		b.t.Errorf("the bot prints what is no event: %q", b.odd)
		b.odd = nil
	}
	return b.text.Read(p)
}

// of returns the events of a guild so far.
func (b *botEvents) of(guild string) (all []botEvent) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.all {
		if e.Guild == guild {
			all = append(all, e)
		}
	}
	return all
}

// await waits for an event of a guild, from an index on.
func (b *botEvents) await(t testing.TB, guild string, from int, what string, is func(botEvent) bool) botEvent {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		all := b.of(guild)
		if i := slices.IndexFunc(all[from:], is); i >= 0 {
			return all[from+i]
		}
		if time.Now().After(end) {
			t.Fatalf("waiting for %s; since then: %v", what, all[from:])
		}
	}
}

// voiceTurn is a turn as its guild's events describe it.
type voiceTurn struct {
	started, ended botEvent
	called         []botEvent // tools, in the order in which their calls ended
	ledger         ledger
}

// gist returns the longest word of a phrase besides NPC names, which identifies
// its turn.
func gist(phrase string) string {
	best := ""
	for _, w := range strings.Fields(phrase) {
		if w = strings.Trim(w, ",.?!"); len(w) > len(best) && !slices.Contains([]string{"Bartok", "Mira", "Sage"}, w) {
			best = w
		}
	}
	return best
}

// turnOf waits for the end of the turn that a phrase begins, from an index on.
func (b *botEvents) turnOf(t testing.TB, guild string, from int, speaker, phrase string) (v voiceTurn) {
	t.Helper()
	said := b.await(t, guild, from, speaker+" to say "+phrase, func(e botEvent) bool {
		return e.Kind == "utterance" && e.Speaker == speaker && strings.Contains(e.Text, gist(phrase))
	})
	v.ended = b.await(t, guild, from, "the turn to end", func(e botEvent) bool { return e.Kind == "turn.ended" && e.Turn == said.Turn })
	for _, e := range b.of(guild)[from:] {
		switch {
		case e.Turn != said.Turn:
		case e.Kind == "turn.started":
			v.started = e
		case e.Kind == "tool.finished":
			v.called = append(v.called, e)
		}
	}
	if err := json.Unmarshal(v.ended.Ledger, &v.ledger); err != nil {
		t.Fatal(err)
	}
	return v
}

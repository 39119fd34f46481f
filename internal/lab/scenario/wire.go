package scenario

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	// windowSamples is the length of sound needed to recognise a sentence, and
	// windowStep the distance between the stored windows.
	windowSamples = 8
	windowStep    = 96
	// leastPause is the silence after which sound counts as a new beginning.
	leastPause = 200 * time.Millisecond
)

// ducked is the divisor of a line's sound while a player talks over it.
const ducked = 4

type window [windowSamples]int16

// source is a synthesised sentence.
type source struct {
	npc, text string
	own       bool // from a model with its own voice
	samples   int  // its audible samples, in whole frames
	whole     bool // complete
	sounded   int  // of samples, so far
}

// span is a stretch of sound on the wire from one source.
type span struct {
	source   int // -1 for sound without a sentence
	from, to time.Time
}

// wire receives the table's output. It recognises each frame's sentence, and so
// knows what was really heard, and when. It is safe for concurrent use.
type wire struct {
	rec  *record
	hear func(time.Time, *audio.Frame, string, string) // passes frames on to microphones
	keep bool                                          // the sound, for a file

	mu      sync.Mutex // guards the fields below
	sources []source
	windows map[window]int // by window of sound, its source
	spans   []span
	sound   []int16
	began   time.Time // of sound
}

func newWire(rec *record, keep bool) *wire {
	return &wire{rec: rec, keep: keep, windows: map[window]int{}}
}

// addSentence adds a sentence to be spoken and returns its number.
func (w *wire) addSentence(npc, text string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sources = append(w.sources, source{npc: npc, text: text})
	return len(w.sources) - 1
}

// ownSentence marks a sentence of a model with its own voice, which an
// interruption may break off.
func (w *wire) ownSentence(id int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sources[id].own = true
}

// estimate is how much too early the end of a model's own sentence may be
// assumed, because the model does not say where it ends in the sound.
const estimate = 300 * time.Millisecond

// soundedAsFar reports whether text is the beginning of a sentence of a model
// with its own voice, and about that much of it sounded.
func (w *wire) soundedAsFar(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.sources, func(s source) bool {
		share := float64(len(text)) / float64(len(s.text))
		return s.own && strings.HasPrefix(s.text, text) && s.sounded > 0 && float64(s.sounded+rig.SamplesIn(estimate)) >= share*float64(s.samples)
	})
}

// learnSound adds sound of sentence id, in order; whole marks the last piece.
func (w *wire) learnSound(id int, samples []int16, whole bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := 0; i+windowSamples <= len(samples); i += windowStep {
		k := window(samples[i : i+windowSamples])
		if first, end := loudRange(k[:]); first == end {
			continue
		}
		w.windows[k] = id
		for i := range k {
			k[i] /= ducked
		}
		w.windows[k] = id
	}
	for chunk := range slices.Chunk(samples, audio.FrameSamples) {
		if _, end := loudRange(chunk); end > 0 {
			w.sources[id].samples += len(chunk)
		}
	}
	w.sources[id].whole = whole
}

// Write implements mixer.Outlet.
func (w *wire) Write(_ context.Context, frame *audio.Frame) error {
	now := time.Now()
	on, src := w.fileFrame(now, frame)
	if on {
		w.rec.noteAt(now, kindVoiceOn, "npc", src.npc, "text", src.text)
	}
	if w.hear != nil {
		w.hear(now, frame, src.npc, src.text)
	}
	return nil
}

// fileFrame records a frame and reports whether a voice begins in it, and
// whose.
func (w *wire) fileFrame(now time.Time, frame *audio.Frame) (begins bool, src source) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.keep {
		w.saveFrame(now, frame)
	}
	first, end := loudRange(frame[:])
	if end == 0 {
		return false, src
	}
	id := w.recognise(frame[first:end])
	if id >= 0 {
		w.sources[id].sounded += audio.FrameSamples
		src = w.sources[id]
	} else {
		src.npc = unknown
	}
	from := now.Add(audio.Duration(first, audio.SampleRate))
	to := now.Add(audio.Duration(end, audio.SampleRate))
	if n := len(w.spans); n > 0 {
		last := &w.spans[n-1]
		if quiet := from.Sub(last.to); quiet < leastPause {
			same := last.source == id
			if id < 0 && end-first <= audio.FrameSamples/2 {
				same = true // only a fade-in and a fade-out
			}
			if same {
				last.to = to
				return false, src
			}
			begins = id >= 0 && (last.source < 0 || w.sources[last.source].npc != src.npc)
			w.spans = append(w.spans, span{id, from, to})
			return begins, src
		}
	}
	w.spans = append(w.spans, span{id, from, to})
	return true, src
}

// recognise returns the source of sound, or -1.
func (w *wire) recognise(s []int16) int {
	for i := 0; i+windowSamples <= len(s); i++ {
		if id, ok := w.windows[window(s[i:i+windowSamples])]; ok {
			return id
		}
	}
	return -1
}

// saveFrame stores a frame at its time.
func (w *wire) saveFrame(now time.Time, frame *audio.Frame) {
	if w.began.IsZero() {
		w.began = w.rec.start
	}
	at := rig.SamplesIn(now.Sub(w.began))
	if gap := at - len(w.sound); gap > 0 {
		w.sound = append(w.sound, make([]int16, gap)...)
	}
	w.sound = append(w.sound, frame[:]...)
}

// voices returns when each voice was heard: spans of the same NPC less than 200
// ms apart are joined.
func (w *wire) voices() []voiced {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []voiced
	for _, s := range w.spans {
		v := voiced{npc: unknown, from: s.from, to: s.to}
		if s.source >= 0 {
			v.npc, v.text = w.sources[s.source].npc, w.sources[s.source].text
		}
		if n := len(out); n > 0 && out[n-1].npc == v.npc && v.from.Sub(out[n-1].to) < leastPause {
			out[n-1].to, out[n-1].text = v.to, v.text
			continue
		}
		out = append(out, v)
	}
	return out
}

// unknown is the speaker of sound without a sentence: two voices at once, or
// one altered on the way.
const unknown = "(unknown)"

// voiced is a stretch of one NPC's voice. text is the sentence in which it
// ended.
type voiced struct {
	npc, text string
	from, to  time.Time
}

// heard returns the sentences played to the end, in the order of their ends.
func (w *wire) heard() []source {
	w.mu.Lock()
	defer w.mu.Unlock()
	type end struct {
		id int
		at time.Time
	}
	last := make([]time.Time, len(w.sources))
	for _, s := range w.spans {
		if s.source >= 0 {
			last[s.source] = s.to
		}
	}
	var ends []end
	for id, s := range w.sources {
		// Frames at either end, and around a pause, may count for a neighbour.
		if s.whole && s.sounded > 0 && s.sounded+2*audio.FrameSamples+s.samples/20 >= s.samples {
			ends = append(ends, end{id, last[id]})
		}
	}
	slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) })
	out := make([]source, len(ends))
	for i, e := range ends {
		out[i] = w.sources[e.id]
	}
	return out
}

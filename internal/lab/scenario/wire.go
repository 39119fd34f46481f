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
	// windowSamples is how much of a sentence it takes to recognise it, and
	// windowStep how far apart the windows are that are kept.
	windowSamples = 8
	windowStep    = 96
	// leastPause is the silence from which on the next sound begins anew.
	leastPause = 200 * time.Millisecond
)

// ducked is by how much the sound of a line is divided that a player talks over.
const ducked = 4

type window [windowSamples]int16

// source is a sentence that was synthesised.
type source struct {
	npc, text string
	own       bool // it is of a model with a voice of its own
	samples   int  // of it that can be heard, in whole frames
	whole     bool // nothing more is made of it
	sounded   int  // of samples, so far
}

// span is a stretch of sound on the wire from one source.
type span struct {
	source   int // -1 for sound that no sentence has
	from, to time.Time
}

// wire is the end of the table's sound. It recognises in each frame which
// sentence it comes from, and so knows what was really heard, and when. It is
// safe for concurrent use.
type wire struct {
	rec  *record
	hear func(time.Time, *audio.Frame, string, string) // passes frames on to microphones
	keep bool                                          // the sound, for a file

	mu      sync.Mutex // guards the fields below
	sources []source
	windows map[window]int // which source it is of
	spans   []span
	sound   []int16
	began   time.Time // of sound
}

func newWire(rec *record, keep bool) *wire {
	return &wire{rec: rec, keep: keep, windows: map[window]int{}}
}

// addSentence adds a sentence that is going to be spoken and returns its number.
func (w *wire) addSentence(npc, text string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sources = append(w.sources, source{npc: npc, text: text})
	return len(w.sources) - 1
}

// ownSentence says that a sentence is of a model with a voice of its own, which
// others may break off.
func (w *wire) ownSentence(id int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sources[id].own = true
}

// estimate is by how much a model's own sentence may be taken to end too early: where
// it ends in the sound nobody tells.
const estimate = 300 * time.Millisecond

// soundedAsFar reports whether text is the beginning of a sentence of a model with a
// voice of its own, and about so much of it sounded.
func (w *wire) soundedAsFar(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.sources, func(s source) bool {
		share := float64(len(text)) / float64(len(s.text))
		return s.own && strings.HasPrefix(s.text, text) && s.sounded > 0 && float64(s.sounded+rig.SamplesIn(estimate)) >= share*float64(s.samples)
	})
}

// learnSound takes in sound of sentence id, in the order it is made; whole says that
// it was the last.
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

// fileFrame files a frame and reports whether a voice begins to sound in it, and
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
				same = true // nothing but a fade in and a fade out
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

// recognise returns the source of sound, -1 if it has none.
func (w *wire) recognise(s []int16) int {
	for i := 0; i+windowSamples <= len(s); i++ {
		if id, ok := w.windows[window(s[i:i+windowSamples])]; ok {
			return id
		}
	}
	return -1
}

// saveFrame keeps a frame where it belongs in time.
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

// voices returns when whose voice was heard: spans of the same NPC with less
// than 200 ms between them are one.
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

// unknown is who speaks sound that is no sentence's: two voices at once, or one
// that was changed on the way.
const unknown = "(unknown)"

// voiced is a stretch of one NPC's voice. text is the sentence it ended in.
type voiced struct {
	npc, text string
	from, to  time.Time
}

// heard returns the sentences that sounded to their end, in the order in which
// they ended.
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
		// Frames at either end, and around a pause, may be counted with a neighbour.
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

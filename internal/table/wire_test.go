package table_test

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// sound is a voice that makes a fixed amount of sound per sentence after a delay, or fails.
type sound struct {
	takes, lasts time.Duration
	err          error
}

// levels identify the voices. A ducked line plays at a fourth of its level.
var levels = map[string]int16{"mira": 1000, "bart": 5000, "zed": 25000}

func (v sound) Synthesize(ctx context.Context, npc config.NPC, _ string) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		select {
		case <-time.After(v.takes):
		case <-ctx.Done():
			yield(nil, ctx.Err())
			return
		}
		if v.err != nil {
			yield(nil, v.err)
			return
		}
		pcm := make([]int16, max(int(v.lasts.Seconds()*audio.SampleRate), audio.FrameSamples))
		for i := range pcm {
			pcm[i] = levels[npc.ID]
		}
		yield(pcm, nil)
	}
}

// wire records a table's sound.
type wire struct {
	mu     sync.Mutex
	frames []wireFrame
}

// wireFrame is the time of a frame with sound, and a sample past any fade.
type wireFrame struct {
	at     time.Time
	sample int16
}

// voice returns the NPC whose level matches the frame, or "" if none does.
func (f wireFrame) voice() string {
	for id, level := range levels {
		if f.sample >= level/4 && f.sample <= level {
			return id
		}
	}
	return ""
}

func (w *wire) Write(_ context.Context, f *audio.Frame) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f[0] != 0 || f[len(f)-1] != 0 || f[len(f)/2] != 0 {
		w.frames = append(w.frames, wireFrame{time.Now(), f[len(f)/2]})
	}
	return nil
}

// heard returns the frames with sound so far.
func (w *wire) heard() []wireFrame {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.frames)
}

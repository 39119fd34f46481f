package play

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

const (
	// minMeasured is the amount of measured speech below which the loudness of a voice is unknown. From familiar on,
	// it is known well enough.
	minMeasured, wellMeasured = 1500 * time.Millisecond, 5 * time.Second
	// unmeasuredDelay is how long the first sound of a voice with unknown loudness is delayed to measure more of
	// the sentence. patience is the same for a voice between strange and familiar. Most providers are faster
	// than speech.
	unmeasuredDelay, measuringDelay = 60 * time.Millisecond, 15 * time.Millisecond
	// maxMeasuredAhead is the most of a sentence that is measured before its first sound.
	maxMeasuredAhead = 3 * time.Second
)

// levels holds how loud voices speak. The zero value is ready to use. It is safe for concurrent use.
type levels struct {
	mu    sync.Mutex // guards the field below
	known map[string]*audio.VoiceLevel
}

// levelOf returns the known loudness of a voice of a provider.
func (ls *levels) levelOf(by string, v tts.Voice) *audio.VoiceLevel {
	key := fmt.Sprintf("%q %+v", by, v)
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l, ok := ls.known[key]
	if !ok {
		if ls.known == nil {
			ls.known = map[string]*audio.VoiceLevel{}
		}
		l = &audio.VoiceLevel{}
		ls.known[key] = l
	}
	return l
}

// equalizeLoudness yields the pieces of a sentence at the common loudness of all voices. The first piece of a
// voice that is not known well waits briefly for the following ones. It returns the buffers of yielded pieces
// to spare.
func (ls *levels) equalizeLoudness(v tts.Voice, pieces <-chan piece, spare bufferPool, yield func([]int16, error) bool) {
	first, ok := <-pieces
	if !ok {
		return
	}
	level := ls.levelOf(first.by, v)
	loud := audio.NewLoudness(level, nil)
	defer loud.End()
	var out []int16
	give := func(p piece) bool {
		if p.err != nil {
			yield(nil, p.err)
			return false
		}
		out = loud.Process(out[:0], p.samples)
		spare.put(p.samples)
		return yield(out, nil)
	}
	for _, p := range measureAhead(loud, level.Speech(), first, pieces) {
		if !give(p) {
			return
		}
	}
	for p := range pieces {
		loud.Measure(p.samples)
		if !give(p) {
			return
		}
	}
}

// measureAhead measures the first piece of a sentence and those that come in time, and returns all of them.
// known is how much speech of the voice was measured before.
func measureAhead(loud *audio.Loudness, known time.Duration, first piece, pieces <-chan piece) []piece {
	loud.Measure(first.samples)
	all := []piece{first}
	if known >= wellMeasured || first.err != nil {
		return all
	}
	wait := measuringDelay
	if known < minMeasured {
		wait = unmeasuredDelay
	}
	over := time.NewTimer(wait)
	defer over.Stop()
	for loud.Measured() < maxMeasuredAhead {
		select {
		case p, ok := <-pieces:
			if !ok {
				return all
			}
			loud.Measure(p.samples)
			if all = append(all, p); p.err != nil {
				return all
			}
		case <-over.C:
			return all
		}
	}
	return all
}

// learnLevel synthesizes a text of an NPC without playing it, to learn how loud its voice is.
func (v *voice) learnLevel(ctx context.Context, npc config.NPC, text string) error {
	var loud *audio.Loudness
	for p := range v.makeSound(ctx, npc, text, nil) {
		if p.err != nil {
			return p.err
		}
		if loud == nil {
			loud = audio.NewLoudness(v.levels.levelOf(p.by, npc.Voice), nil)
			defer loud.End()
		}
		loud.Measure(p.samples)
	}
	return nil
}

// Level implements [table.Leveler].
func (v *voice) Level(npc config.NPC, samples []int16) ([]int16, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	l, ok := v.engineLoudness[npc.ID]
	if !ok {
		if v.engineLoudness == nil {
			v.engineLoudness = map[string]*audio.Loudness{}
		}
		l = audio.NewLoudness(&audio.VoiceLevel{}, nil)
		v.engineLoudness[npc.ID] = l
	}
	l.Measure(samples)
	return l.Process(nil, samples), nil
}

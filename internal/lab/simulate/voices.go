package simulate

import (
	"context"
	"iter"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

const (
	// piece is the length of one piece of a voice's sound, and speed how many
	// times faster than real time it is delivered.
	piece = 100 * time.Millisecond
	speed = 4
	// voiceRate is the sample rate of services.
	voiceRate = audio.SampleRate / 2
)

// voices is a simulated speech synthesiser with the NPCs' names as voices. It
// is safe for concurrent use.
type voices struct {
	pool    *pool
	dice    *dice
	latency Latency // to the first sound of a sentence
}

func (v *voices) Name() string { return "simulated" }

// Synthesize speaks text at speaking pace with sound from the pool.
func (v *voices) Synthesize(ctx context.Context, text string, voice tts.Voice) iter.Seq2[tts.PCM, error] {
	return func(yield func(tts.PCM, error) bool) {
		if err := rig.Pause(ctx, v.dice.latency(v.latency)); err != nil {
			yield(tts.PCM{}, err)
			return
		}
		sound := v.pool.spoken[pitchOf(voice.ID)]
		sound = sound[:min(int(speaking(text)*voiceRate/time.Second), len(sound))]
		for len(sound) > 0 {
			n := min(int(piece*voiceRate/time.Second), len(sound))
			if !yield(tts.PCM{Samples: sound[:n:n], Rate: voiceRate}, nil) {
				return
			}
			if sound = sound[n:]; len(sound) == 0 {
				return
			}
			if err := rig.Pause(ctx, audio.Duration(n, voiceRate)/speed); err != nil {
				yield(tts.PCM{}, err)
				return
			}
		}
	}
}

// pitchOf assigns each NPC a pitch.
func pitchOf(npc string) int {
	for i, name := range names {
		if name == npc {
			return (i + 1) % len(pitches)
		}
	}
	return 0
}

package simulate

import (
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// interimEvery is the length of sound between two interim transcripts.
const interimEvery = 300 * time.Millisecond

// newRecogniser returns a speech recogniser for one table's players: it
// recognises every word, after a random latency.
func newRecogniser(words map[string]*rig.Words, d *dice, latency Latency) *rig.Recogniser {
	return &rig.Recogniser{
		WordsOf:      func(speaker string) *rig.Words { return words[speaker] },
		InterimEvery: interimEvery,
		Transcribe: func(s *rig.Stream, _ string, said stt.Result, now time.Time) {
			s.Final(said, now.Add(d.latency(latency)))
		},
	}
}

package waveform

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	// roomNoise is the amplitude of the microphone's noise without speech.
	roomNoise = 20
	// patience bounds every wait.
	patience = time.Minute
	// rest is the silence before the next line.
	rest = 800 * time.Millisecond
)

// stage is a room with a speaker and the program.
type stage struct {
	t    *testing.T
	room *peers.Room

	mu    sync.Mutex // guards queue
	queue []int16    // the next sound
}

// newStage creates a room. Its noise ends with the test.
func newStage(t *testing.T) *stage {
	s := &stage{t: t, room: peers.NewRoom(t)}
	done, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- s.sound(done) }() // until the test ends
	t.Cleanup(func() {
		close(done)
		if err := <-ended; err != nil {
			t.Errorf("the microphone: %v", err)
		}
	})
	return s
}

// sound plays the room's noise and speech, at the pace of the device.
func (s *stage) sound(done <-chan struct{}) error {
	chance := rand.New(rand.NewPCG(1, 2))
	for {
		select {
		case <-done:
			return nil
		default:
		}
		frame := make([]int16, audio.FrameSamples)
		s.mu.Lock()
		s.queue = s.queue[copy(frame, s.queue):]
		s.mu.Unlock()
		for i := range frame {
			frame[i] += int16(chance.IntN(2*roomNoise+1) - roomNoise)
		}
		if err := s.room.Say(frame); err != nil {
			return err
		}
	}
}

func (s *stage) say(sound []int16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, sound...)
}

// now returns the end of the recording, in samples of each channel.
func (s *stage) now() int { return s.room.Recorded() / 2 }

// channels returns the recording between two positions: the microphone's and
// the loudspeaker's channel.
func (s *stage) channels(from, to int) (mic, ear []int16) {
	both := s.room.HeardBetween(2*from, 2*to)
	for pair := range slices.Chunk(both, 2) {
		mic, ear = append(mic, pair[0]), append(ear, pair[1])
	}
	return mic, ear
}

// until waits for a condition and reports whether it came true.
func until(limit time.Duration, met func() bool) bool {
	for end := time.Now().Add(limit); ; time.Sleep(20 * time.Millisecond) {
		if met() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

func isAudible(v int16) bool { return v > audible || v < -audible }

// sounds reports whether the loudspeaker is audible between two positions.
func (s *stage) sounds(from, to int) bool {
	_, ear := s.channels(from, to)
	return slices.ContainsFunc(ear, isAudible)
}

// awaitEar waits for a sound of the loudspeaker after a position, and awaitMic
// for the end of a clip played after it.
func (s *stage) awaitEar(from int) bool {
	return until(patience, func() bool {
		was := from
		from = s.now()
		return s.sounds(was, from)
	})
}

func (s *stage) awaitMic(c clip, from int) bool {
	begun := -1
	return until(patience, func() bool {
		now := s.now()
		if begun < 0 {
			mic, _ := s.channels(from, now)
			if first := slices.IndexFunc(mic, isLoud); first >= 0 {
				begun = from + first
			}
			from = now
		}
		return begun >= 0 && now > begun+len(c.sound)
	})
}

func isLoud(v int16) bool { return v > loud || v < -loud }

// find returns the position of a clip between two positions: the sample of the
// recording with the clip's first sample. The error is errDisturbed if the
// microphone had a gap.
func (s *stage) find(c clip, from, to int) (int, error) {
	mic, _ := s.channels(from, to)
	first := slices.IndexFunc(mic, isLoud)
	if first < 0 {
		return 0, fmt.Errorf("%w: %q was not said", errDisturbed, c.text)
	}
	begin, apart := c.align(mic, first-c.first, c.first)
	end, later := c.align(mic, first-c.first, c.last-alignSamples)
	if begin != end || max(apart, later) > 2*roomNoise {
		return 0, fmt.Errorf("%w: %q sounded otherwise in the room", errDisturbed, c.text)
	}
	return from + begin, nil
}

// alignSamples is the length of a clip used to find it.
const alignSamples = audio.SampleRate / 100

// align returns where a clip begins in a recording, near a position, by its
// samples from of on, and their average difference.
func (c clip) align(mic []int16, around, of int) (place int, apart float64) {
	of = max(0, min(of, len(c.sound)-alignSamples))
	want := c.sound[of : of+alignSamples]
	apart = math.Inf(1)
	for at := around - audio.SampleRate/50; at <= around+audio.SampleRate/50; at++ {
		if at+of < 0 || at+of+alignSamples > len(mic) {
			continue
		}
		sum := 0.0
		for i, v := range want {
			sum += math.Abs(float64(mic[at+of+i]) - float64(v))
		}
		if sum/alignSamples < apart {
			place, apart = at, sum/alignSamples
		}
	}
	return place, apart
}

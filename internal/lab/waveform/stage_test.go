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
	// roomNoise is the amplitude of what it hears when nobody speaks.
	roomNoise = 20
	// patience is how long anything may take.
	patience = time.Minute
	// rest is how long it is quiet before the next thing is said.
	rest = 800 * time.Millisecond
)

// stage is a room in which somebody speaks to the program.
type stage struct {
	t    *testing.T
	room *peers.Room

	mu    sync.Mutex // guards queue
	queue []int16    // what is said next
}

// newStage makes a room. Its noise ends with the test.
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

// sound plays the room and what is said in it, as fast as the device takes it.
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

// say says a clip.
func (s *stage) say(sound []int16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, sound...)
}

// now is the place of the recording's end, in samples of each channel.
func (s *stage) now() int { return s.room.Recorded() / 2 }

// channels are the recording from one place to another: the microphone's and the ear's.
func (s *stage) channels(from, to int) (mic, ear []int16) {
	both := s.room.HeardBetween(2*from, 2*to)
	for pair := range slices.Chunk(both, 2) {
		mic, ear = append(mic, pair[0]), append(ear, pair[1])
	}
	return mic, ear
}

// until waits for a condition; it reports whether it came.
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

// sounds tells whether something is heard at the ear between two places.
func (s *stage) sounds(from, to int) bool {
	_, ear := s.channels(from, to)
	return slices.ContainsFunc(ear, isAudible)
}

// awaitEar waits for a sound at the ear after a place, and awaitMic until a clip that
// was said after it is over.
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

// find is where a clip was said between two places: the sample of the recording that is
// the first of the clip. The error is errDisturbed if the microphone stumbled.
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

// alignSamples is what a clip is found again by.
const alignSamples = audio.SampleRate / 100

// align is where a clip begins in a recording, around a place, by the samples of it from
// of on, and how far both are apart on average.
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

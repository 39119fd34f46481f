//go:build unix

package terminal

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// TestShortAnswerIsHeardBeforeTheNext: a short answer is played at once and whole, and does not
// wait in the player's buffer for the next one. A busy machine may delay it, but it contains
// nothing of the previous answer.
func TestShortAnswerIsHeardBeforeTheNext(t *testing.T) {
	for _, argv := range playerCommands() {
		program := argv[0]
		if program == "pw-cat" || program == "ffplay" {
			continue // one needs a device for its sound system, the other drops late sound
		}
		t.Run(program, func(t *testing.T) {
			ear := peers.NewLoudspeaker(t)
			leaveOnly(t, program)
			p, err := startPlayer()
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(500 * time.Millisecond) // time to connect
			for i := range 3 {
				before := sounding(ear.Heard())
				sayShortly(t, p)
				var got time.Duration
				for range 100 { // the players wait for it
					if got = sounding(ear.Heard()) - before; got >= 250*time.Millisecond {
						break
					}
					time.Sleep(50 * time.Millisecond)
				}
				if got < 250*time.Millisecond || got > 550*time.Millisecond {
					t.Errorf("of answer %d, 300 ms long, %v were heard before the next", i+1, got)
				}
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestShortEndIsHeard: the rest of an interrupted answer may be shorter than the device's
// buffer. It too is played at once, and not at the beginning of the next answer.
func TestShortEndIsHeard(t *testing.T) {
	ear := peers.NewLoudspeaker(t)
	leaveOnly(t, "pacat")
	s := &outlets{notify: func(level, text string) { t.Errorf("%s: %s", level, text) }}
	sound, err := s.openOutlets(Options{Aloud: true})
	if err != nil {
		t.Fatal(err)
	}
	m := mixer.New(sound.Outlet, &sound.Playback)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	for i, long := range []time.Duration{time.Second, audio.FrameDuration, audio.FrameDuration, audio.FrameDuration} {
		before := sounding(ear.Heard())
		l := mixer.NewLine(uint64(i + 1))
		l.Begin()
		tone := make([]int16, long*audio.SampleRate/time.Second)
		for k := range tone {
			tone[k] = int16(8000 * math.Sin(2*math.Pi*400*float64(k)/audio.SampleRate))
		}
		l.Append(tone)
		l.Close()
		m.Play(l)
		var got time.Duration
		for range 100 {
			if time.Sleep(50 * time.Millisecond); sounding(ear.Heard()) > before+got {
				got = sounding(ear.Heard()) - before // playback may continue
			} else if got > 0 {
				break
			}
		}
		if got == 0 {
			t.Errorf("line %d, %v long, was not heard in five seconds", i+1, long)
		}
	}
	stop()
	if err := errors.Join(<-done, s.Close()); err != nil {
		t.Error(err)
	}
}

// leaveOnly removes every program except one from the path.
func leaveOnly(t *testing.T, program string) {
	t.Helper()
	only := t.TempDir()
	if err := os.Symlink(peers.Program(t, program), filepath.Join(only, program)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", only)
}

// TestDeviceVanishesAndComesBack: if the device vanishes in the middle of a word, people read a
// notice and the voices appear as text. With a device again, they are audible.
func TestDeviceVanishesAndComesBack(t *testing.T) {
	for _, program := range []string{"pacat", "aplay"} {
		t.Run(program, func(t *testing.T) {
			ear, path := peers.NewLoudspeaker(t), os.Getenv("PATH")
			leaveOnly(t, program)
			told := make(chan string, 100)
			s := &outlets{notify: func(level, text string) { told <- level + ": " + text }}
			if _, err := s.openOutlets(Options{Aloud: true}); err != nil {
				t.Fatal(err)
			}
			speakUntil(t, s, func() bool { return sounding(ear.Heard()) > 300*time.Millisecond })
			ear.Vanish(t)
			speakUntil(t, s, isTold(t, told, "warning: you cannot hear the NPCs, but their text goes on: "+program))
			if !s.unheard.Load() {
				t.Error("the voices are not read")
			}
			t.Setenv("PATH", path)
			ear = peers.NewLoudspeaker(t)
			leaveOnly(t, program)
			speakUntil(t, s, isTold(t, told, "info: you can hear the NPCs again, through "))
			speakUntil(t, s, func() bool { return sounding(ear.Heard()) > 300*time.Millisecond })
			if s.unheard.Load() {
				t.Error("the voices are still read")
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// isTold returns a function that reports whether a notice arrived. The notice must begin with
// want.
func isTold(t *testing.T, told <-chan string, want string) func() bool {
	return func() bool {
		select {
		case got := <-told:
			if !strings.HasPrefix(got, want) {
				t.Errorf("told %q, want %q", got, want)
			}
			return true
		default:
			return false
		}
	}
}

// speakUntil plays a tone in real time.
func speakUntil(t *testing.T, s *outlets, until func() bool) {
	t.Helper()
	var frame audio.Frame
	for i := range frame {
		frame[i] = int16(8000 * math.Sin(2*math.Pi*400*float64(i)/audio.SampleRate))
	}
	for range 60 * 50 {
		if until() {
			return
		}
		if err := s.Write(t.Context(), &frame); err != nil {
			t.Fatal(err)
		}
		time.Sleep(audio.FrameDuration)
	}
	t.Fatal("not within a minute")
}

// sayShortly plays 300 ms in real time.
func sayShortly(t *testing.T, p *player) {
	frame := make([]int16, audio.FrameSamples)
	for i := range frame {
		frame[i] = 1 + int16(8000*math.Abs(math.Sin(2*math.Pi*400*float64(i)/audio.SampleRate)))
	}
	began := time.Now()
	for i := range 15 {
		time.Sleep(time.Until(began.Add(time.Duration(i)*audio.FrameDuration - lead)))
		if err := p.Write(t.Context(), frame); err != nil {
			t.Fatal(err)
		}
	}
}

// sounding returns how much of a recording is not silent.
func sounding(heard []int16) time.Duration {
	var n int
	for _, v := range heard {
		if v != 0 {
			n++
		}
	}
	return time.Duration(n) * time.Second / audio.SampleRate
}

//go:build unix

package terminal

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/peers"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// A short answer is heard when it is said, whole, and not only once the next one pushes
// it out of the player's buffer.
func TestShortAnswerIsHeardBeforeTheNext(t *testing.T) {
	for _, argv := range playerCommands() {
		program := argv[0]
		if program != "pacat" && program != "aplay" {
			continue // their sound systems are not to be had without a device
		}
		t.Run(program, func(t *testing.T) {
			ear := peers.NewLoudspeaker(t)
			path, err := exec.LookPath(program)
			if err != nil {
				t.Fatalf("%s; run: make peers", err)
			}
			only := t.TempDir()
			if err := os.Symlink(path, filepath.Join(only, program)); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", only)
			p, err := startPlayer()
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(500 * time.Millisecond) // it connects
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
				if got < 250*time.Millisecond || got > 320*time.Millisecond {
					t.Errorf("of answer %d, 300 ms long, %v were heard before the next", i+1, got)
				}
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// sayShortly plays 300 ms in its own time.
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

// sounding is how much of a recording is sound.
func sounding(heard []int16) time.Duration {
	var n int
	for _, v := range heard {
		if v != 0 {
			n++
		}
	}
	return time.Duration(n) * time.Second / audio.SampleRate
}

//go:build unix

package terminal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// fakeRecorder replaces parec by a shell script.
func fakeRecorder(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "parec"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// recording returns a capture of the recorder at a fake seat. The test fails if anything of it
// remains at its end.
func recording(t *testing.T) (*capture, *fakeSeat) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
	c, err := newCapture("Ana=mic", "Player")
	if err != nil {
		t.Fatal(err)
	}
	if c.speaker != "Ana" || c.recorders[0][0] != "parec" {
		t.Fatalf("capture = %+v, want Ana through parec", c)
	}
	s := newFakeSeat()
	c.seat = s
	return c, s
}

func TestRecorderThatDies(t *testing.T) {
	for _, row := range []struct {
		name, script, want string
		frames             int
	}{
		{"with_a_complaint", "head -c 3840 /dev/zero; echo No such device >&2; exit 3", "parec ended: No such device", 2},
		{"without_a_word", "exit 3", "parec ended: exit status 3", 0},
		{"in_peace", "head -c 5000 /dev/zero", "parec ended", 2},
		{"leaving_somebody_behind", "head -c 1920 /dev/zero; sleep 30 2>/dev/null & exit 3", "parec ended: exit status 3", 1},
		{"closing_only_its_output", "exec >&-; exec sleep 30", "parec ended: signal: killed", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			fakeRecorder(t, row.script)
			c, s := recording(t)
			if err := c.runRecorder(t.Context(), c.recorders[0]); err == nil || !strings.HasPrefix(err.Error(), row.want) {
				t.Errorf("err = %v, want %q", err, row.want)
			}
			if len(s.got) != row.frames {
				t.Errorf("%d frames came, want %d", len(s.got), row.frames)
			}
		})
	}
}

// TestLastSoundIsHeardLate: a recorder ended long before its sound is read. All of the sound
// arrives, and a process that only holds the pipe open does not delay the capture repeatedly.
func TestLastSoundIsHeardLate(t *testing.T) {
	sound := voiced(500 * time.Millisecond)
	ours, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = ours.Close(), theirs.Close() }()
	if _, err := theirs.Write(audio.AppendS16LE(nil, sound)); err != nil {
		t.Fatal(err)
	}
	if err := ours.SetReadDeadline(time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	frames := make(chan audio.Frame, len(sound)/audio.FrameSamples)
	if err := readFrames(t.Context(), &lastSound{pipe: ours, life: t.Context()}, frames); err != nil {
		t.Errorf("err = %v, want the end of the sound", err)
	}
	if len(frames) != cap(frames) {
		t.Errorf("%d frames came, want %d", len(frames), cap(frames))
	}
}

// TestRecorderThatBringsNothing checks that leaving does not wait for a silent recorder.
func TestRecorderThatBringsNothing(t *testing.T) {
	fakeRecorder(t, "exec sleep 600")
	c, _ := recording(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := c.runRecorder(ctx, c.recorders[0]); err == nil {
		t.Error("err = nil, want the end of the recorder")
	}
}

// TestRecorderThatCannotStart checks that the next recorder is tried if the first delivers no
// sound, and that a recorder which delivered sound is not replaced.
func TestRecorderThatCannotStart(t *testing.T) {
	const refused, deaf, good = "echo refused >&2; exit 1", "exit 1", "head -c 1920 /dev/zero"
	for _, row := range []struct {
		name, parec, arecord string
		want                 []string
	}{
		{"second_hears", refused, good, []string{
			"info: the NPCs hear Ana through parec", "warning: parec ended: refused; trying arecord",
			"info: the NPCs hear Ana through arecord", "warning: the NPCs can no longer hear Ana: arecord ended",
		}},
		{"none_hears", refused, deaf, []string{
			"info: the NPCs hear Ana through parec", "warning: parec ended: refused; trying arecord",
			"info: the NPCs hear Ana through arecord", "warning: the NPCs can no longer hear Ana: arecord ended: exit status 1",
		}},
		{"first_heard", good, good, []string{
			"info: the NPCs hear Ana through parec", "warning: the NPCs can no longer hear Ana: parec ended",
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			fakeRecorder(t, row.parec)
			c, _ := recording(t)
			path := filepath.Join(t.TempDir(), "arecord")
			if err := os.WriteFile(path, []byte("#!/bin/sh\n"+row.arecord+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", filepath.Dir(path)+string(os.PathListSeparator)+os.Getenv("PATH"))
			c.recorders = [][]string{{"parec"}, {"arecord"}}
			var got []string
			c.tryRecorders(t.Context(), func(level, text string) { got = append(got, level+": "+text) })
			if !slices.Equal(got, row.want) {
				t.Errorf("people were told %q, want %q", got, row.want)
			}
		})
	}
}

func TestOneMicrophoneForOnePlayer(t *testing.T) {
	fakeRecorder(t, "exit 0")
	dir := t.TempDir()
	file := filepath.Join(dir, "glyphoxa.yaml")
	if err := os.WriteFile(file, []byte("providers: {stt: {name: deepgram, api_key: key}}\nnpcs: [{name: Mira}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := play.LoadConfig(file)
	if err != nil {
		t.Fatal(err)
	}
	if all, err := openCaptures(cfg, []string{"mic"}, "Ana"); err != nil || len(all) != 1 || all[0].speaker != "Ana" || all[0].recorders == nil {
		t.Errorf("captures = %+v, %v, want Ana's through the recorder", all, err)
	}
	_, err = openCaptures(cfg, []string{"mic", "Ben=mic"}, "Ana")
	if !errors.Is(err, userfile.ErrUsage) || !strings.Contains(err.Error(), "through the microphone") {
		t.Errorf("err = %v, want wrong usage", err)
	}
	// A player named "mic" is not the microphone.
	if _, err = openCaptures(cfg, []string{"mic=nowhere.wav", "mic"}, "Ana"); err == nil || !strings.Contains(err.Error(), "nowhere.wav") {
		t.Errorf("err = %v, want the missing file", err)
	}
}

package scenario

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/espeak"
)

// ErrNoSpeech means that no installed program can speak for players and NPCs.
var ErrNoSpeech = errors.New("nothing speaks on this machine")

// Synthesiser returns this machine's synthesiser: espeak-ng, else flite. The
// error wraps [ErrNoSpeech] and says what to install.
func Synthesiser() (tts.Provider, error) {
	first := espeak.New(nil)
	err := first.Available()
	if err == nil {
		return first, nil
	}
	if path, lookErr := exec.LookPath("flite"); lookErr == nil {
		return flite{path}, nil
	}
	return nil, fmt.Errorf("%w: %v", ErrNoSpeech, err)
}

// flite speaks English with the program flite: one process per sentence, which
// ends with its context.
type flite struct{ path string }

func (flite) Name() string { return "flite" }

// Synthesize implements tts.Provider and returns the whole sentence in one
// piece.
func (f flite) Synthesize(ctx context.Context, text string, _ tts.Voice) iter.Seq2[tts.PCM, error] {
	return func(yield func(tts.PCM, error) bool) {
		pcm, err := f.speak(ctx, text)
		if err != nil {
			err = fmt.Errorf("speaking with flite: %w", err)
		}
		yield(pcm, err)
	}
}

func (f flite) speak(ctx context.Context, text string) (_ tts.PCM, err error) {
	dir, err := os.MkdirTemp("", "glyphoxa-flite-")
	if err != nil {
		return tts.PCM{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "speech.wav")
	cmd := exec.CommandContext(ctx, f.path, "-f", "/dev/stdin", "-o", file)
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		return tts.PCM{}, fmt.Errorf("%w: %.200s", err, out)
	}
	r, err := os.Open(file)
	if err != nil {
		return tts.PCM{}, err
	}
	wav, err := audio.ReadWAV(r)
	if err = errors.Join(err, r.Close()); err != nil {
		return tts.PCM{}, err
	}
	return tts.PCM{Samples: wav.Mono(), Rate: wav.Rate}, nil
}

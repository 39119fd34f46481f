package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// pcmSink takes the table's sound at audio.SampleRate.
type pcmSink interface {
	Write(samples []int16) error
	Close() error
}

// voice speaks sentences into sinks, one at a time.
type voice struct {
	provider tts.Provider
	mu       sync.Mutex // one sentence at a time; guards the fields below
	sinks    []pcmSink
	rate     int
	resample *audio.Resampler
	buf      []int16
}

// Speak implements table.Speaker. Without sinks there is nothing to hear, so
// nothing is synthesised.
func (v *voice) Speak(ctx context.Context, npc config.NPC, text string, started func()) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.sinks) == 0 {
		return nil
	}
	first := true
	for pcm, err := range v.provider.Synthesize(ctx, text, npc.Voice) {
		if err != nil {
			return err
		}
		samples, err := v.convert(pcm)
		if err != nil {
			return err
		}
		if err := v.write(samples); err != nil {
			return err
		}
		if first && len(samples) > 0 {
			started()
			first = false
		}
	}
	if v.resample != nil {
		v.buf = v.resample.Flush(v.buf[:0])
		v.resample.Reset()
		return v.write(v.buf)
	}
	return nil
}

// convert brings a piece to the house rate.
func (v *voice) convert(pcm tts.PCM) ([]int16, error) {
	if pcm.Rate == audio.SampleRate {
		v.resample, v.rate = nil, pcm.Rate
		return pcm.Samples, nil
	}
	if v.resample == nil || v.rate != pcm.Rate {
		r, err := audio.NewResampler(pcm.Rate, audio.SampleRate)
		if err != nil {
			return nil, fmt.Errorf("converting the voice: %w", err)
		}
		v.resample, v.rate = r, pcm.Rate
	}
	v.buf = v.resample.Process(v.buf[:0], pcm.Samples)
	return v.buf, nil
}

func (v *voice) write(samples []int16) error {
	for _, s := range v.sinks {
		if err := s.Write(samples); err != nil {
			return fmt.Errorf("writing sound: %w", err)
		}
	}
	return nil
}

// Close ends the sinks.
func (v *voice) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	var errs []error
	for _, s := range v.sinks {
		errs = append(errs, s.Close())
	}
	v.sinks = nil
	return errors.Join(errs...)
}

// player is a program of this machine that plays raw sound from its stdin.
type player struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	raw []byte
}

// players are tried in this order.
func players() [][]string {
	rate := strconv.Itoa(audio.SampleRate)
	return [][]string{
		{"pacat", "--raw", "--format=s16le", "--channels=1", "--rate=" + rate},
		{"aplay", "-q", "-t", "raw", "-f", "S16_LE", "-c", "1", "-r", rate, "-"},
		{"play", "-q", "-t", "raw", "-e", "signed", "-b", "16", "-c", "1", "-r", rate, "-"},
		{"ffplay", "-loglevel", "quiet", "-nodisp", "-autoexit", "-f", "s16le", "-ar", rate, "-i", "-"},
	}
}

// startPlayer starts the first player found. It ends with Close.
func startPlayer() (*player, error) {
	for _, argv := range players() {
		path, err := exec.LookPath(argv[0])
		if err != nil {
			continue
		}
		cmd := exec.Command(path, argv[1:]...)
		in, err := cmd.StdinPipe()
		if err != nil {
			return nil, fmt.Errorf("starting %s: %w", argv[0], err)
		}
		if err := cmd.Start(); err != nil {
			return nil, fmt.Errorf("starting %s: %w", argv[0], err)
		}
		return &player{cmd: cmd, in: in}, nil
	}
	return nil, errors.New("no program to play sound was found; install one, for example: apt-get install alsa-utils")
}

func (p *player) Write(samples []int16) error {
	p.raw = audio.AppendS16LE(p.raw[:0], samples)
	_, err := p.in.Write(p.raw)
	return err
}

// Close lets the player finish what it has and waits for it.
func (p *player) Close() error {
	return errors.Join(p.in.Close(), p.cmd.Wait())
}

package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// pcmSink takes the table's sound at audio.SampleRate.
type pcmSink interface {
	// Write returns once the sound is handed over, or ctx ends.
	Write(ctx context.Context, samples []int16) error
	Close() error
}

// wavSink writes to a regular file, which never blocks for long.
type wavSink struct{ *audio.WAVWriter }

func (w wavSink) Write(_ context.Context, samples []int16) error { return w.WAVWriter.Write(samples) }

// createWAV refuses what is no regular file: a pipe that nobody reads would
// hold up the table.
func createWAV(path string) (pcmSink, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, Usage(fmt.Errorf("--wav: %s is no regular file", path))
	}
	w, err := audio.CreateWAV(path, audio.SampleRate, 1)
	if err != nil {
		return nil, fmt.Errorf("creating the WAV file: %w", plainPath(err))
	}
	return wavSink{w}, nil
}

// voice speaks sentences into sinks, one at a time.
type voice struct {
	provider tts.Provider
	language string             // of NPCs whose voice has none
	stop     context.CancelFunc // ends warming; nil without
	warming  sync.WaitGroup

	mu       sync.Mutex // one sentence at a time; guards the fields below
	sinks    []pcmSink
	rate     int
	resample *audio.Resampler
	buf      []int16
	level    []int16                    // buf at the level of all voices
	loudness map[string]*audio.Loudness // by NPC
}

// warm speaks the phrases that are wanted without delay into the void, so that
// the cache has them. It returns at once and is called once, before the first
// sentence; Close ends it.
func (v *voice) warm(cast []config.NPC) {
	ctx, stop := context.WithCancel(context.Background())
	v.stop = stop
	v.warming.Go(func() {
		for _, npc := range cast {
			for _, text := range warmLines(npc) {
				for _, err := range v.provider.Synthesize(ctx, v.spoken(npc, text), npc.Voice) {
					if err != nil {
						return // who speaks next will see why
					}
				}
			}
		}
	})
}

// Speak implements table.Speaker. Without sinks there is nothing to hear, so
// nothing is synthesised.
func (v *voice) Speak(ctx context.Context, npc config.NPC, text string, started func()) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.sinks) == 0 {
		return nil
	}
	if v.resample != nil {
		v.resample.Reset() // an earlier sentence may have been cut off
	}
	loudness, err := v.loudnessOf(npc)
	if err != nil {
		return err
	}
	first := true
	for pcm, err := range v.provider.Synthesize(ctx, v.spoken(npc, text), npc.Voice) {
		if err != nil {
			return err
		}
		samples, err := v.convert(pcm)
		if err != nil {
			return err
		}
		v.level = loudness.Process(v.level[:0], samples)
		if err := v.write(ctx, v.level); err != nil {
			return err
		}
		if first && len(samples) > 0 {
			started()
			first = false
		}
	}
	if v.resample != nil {
		v.buf = v.resample.Flush(v.buf[:0])
		v.level = loudness.Process(v.level[:0], v.buf)
		return v.write(ctx, v.level)
	}
	return nil
}

// loudnessOf returns what brings an NPC's voice to the level of the others. It
// knows the voice from earlier sentences.
func (v *voice) loudnessOf(npc config.NPC) (*audio.Loudness, error) {
	if l, ok := v.loudness[npc.ID]; ok {
		return l, nil
	}
	l, err := audio.NewLoudness(audio.SampleRate, nil)
	if err != nil {
		return nil, fmt.Errorf("speaking: %w", err)
	}
	if v.loudness == nil {
		v.loudness = map[string]*audio.Loudness{}
	}
	v.loudness[npc.ID] = l
	return l, nil
}

// spoken is a sentence as the voice gets it; people read it as it was.
func (v *voice) spoken(npc config.NPC, text string) string {
	return speech.Speakable(text, cmp.Or(npc.Voice.Language, v.language))
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

func (v *voice) write(ctx context.Context, samples []int16) error {
	for _, s := range v.sinks {
		if err := s.Write(ctx, samples); err != nil {
			return fmt.Errorf("writing sound: %w", err)
		}
	}
	return nil
}

// Close ends warming and the sinks.
func (v *voice) Close() error {
	if v.stop != nil {
		v.stop()
	}
	v.warming.Wait()
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
	in  *os.File // our end of its stdin
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
		theirs, ours, err := os.Pipe()
		if err != nil {
			return nil, fmt.Errorf("starting %s: %w", argv[0], err)
		}
		cmd.Stdin = theirs
		err = cmd.Start()
		if closed := theirs.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("starting %s: %w", argv[0], err), ours.Close())
		}
		return &player{cmd: cmd, in: ours}, nil
	}
	return nil, errors.New("no program to play sound was found; install one, for example: apt-get install alsa-utils")
}

// Write hands sound to the player, which takes it as fast as it plays. When ctx
// ends, it gives up at once.
func (p *player) Write(ctx context.Context, samples []int16) error {
	p.raw = audio.AppendS16LE(p.raw[:0], samples)
	if err := p.in.SetWriteDeadline(time.Time{}); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() {
		_ = p.in.SetWriteDeadline(time.Unix(1, 0)) // the pipe is open: Close comes after all writes
	})
	defer stop()
	_, err := p.in.Write(p.raw)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Close lets the player finish what it has, waits for it, and ends it if it
// does not leave.
func (p *player) Close() error {
	err := p.in.Close()
	timer := time.AfterFunc(farewell, func() { _ = p.cmd.Process.Kill() }) // it may have left just now
	defer timer.Stop()
	return errors.Join(err, p.cmd.Wait())
}

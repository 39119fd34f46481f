package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
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

// voice gives NPCs their voices: words instead of signs, at one rate and one
// loudness. It is safe for concurrent use.
type voice struct {
	provider tts.Provider
	language string             // of NPCs whose voice has none
	stop     context.CancelFunc // ends warming; nil without
	warming  sync.WaitGroup

	mu     sync.Mutex        // guards the field below
	levels map[string]*level // by NPC
}

// level brings an NPC's voice to the loudness of the others. It knows the voice
// from earlier sentences.
type level struct {
	mu       sync.Mutex // guards the field below
	loudness *audio.Loudness
}

// warm speaks the phrases of some occasions into the void, so that the cache has
// them. It returns at once and is called once, before the first sentence; Close
// ends it.
func (v *voice) warm(cast []config.NPC, occasions ...string) {
	ctx, stop := context.WithCancel(context.Background())
	v.stop = stop
	v.warming.Go(func() {
		for _, npc := range cast {
			for _, text := range stockLines(npc, occasions...) {
				for _, err := range v.provider.Synthesize(ctx, v.spoken(npc, text), npc.Voice) {
					if err != nil {
						return // who speaks next will see why
					}
				}
			}
		}
	})
}

// Synthesize implements table.Voices.
func (v *voice) Synthesize(ctx context.Context, npc config.NPC, text string) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		l, err := v.levelOf(npc)
		if err != nil {
			yield(nil, err)
			return
		}
		var c converter
		var out []int16
		for pcm, err := range v.provider.Synthesize(ctx, v.spoken(npc, text), npc.Voice) {
			if err != nil {
				yield(nil, err)
				return
			}
			samples, err := c.convert(pcm)
			if err != nil {
				yield(nil, err)
				return
			}
			if out = l.process(out[:0], samples); !yield(out, nil) {
				return
			}
		}
		if rest := c.flush(); len(rest) > 0 {
			yield(l.process(out[:0], rest), nil)
		}
	}
}

func (v *voice) levelOf(npc config.NPC) (*level, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if l, ok := v.levels[npc.ID]; ok {
		return l, nil
	}
	loudness, err := audio.NewLoudness(audio.SampleRate, nil)
	if err != nil {
		return nil, fmt.Errorf("speaking: %w", err)
	}
	if v.levels == nil {
		v.levels = map[string]*level{}
	}
	v.levels[npc.ID] = &level{loudness: loudness}
	return v.levels[npc.ID], nil
}

func (l *level) process(dst, samples []int16) []int16 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.loudness.Process(dst, samples)
}

// spoken is a sentence as the voice gets it; people read it as it was.
func (v *voice) spoken(npc config.NPC, text string) string {
	return speech.Speakable(text, cmp.Or(npc.Voice.Language, v.language))
}

// Close ends warming.
func (v *voice) Close() error {
	if v.stop != nil {
		v.stop()
	}
	v.warming.Wait()
	return nil
}

// converter brings the pieces of one sentence to the house rate. The zero value
// is ready.
type converter struct {
	rate     int
	resample *audio.Resampler
	buf      []int16
}

func (c *converter) convert(pcm tts.PCM) ([]int16, error) {
	if pcm.Rate == audio.SampleRate {
		return pcm.Samples, nil
	}
	if c.resample == nil || c.rate != pcm.Rate {
		r, err := audio.NewResampler(pcm.Rate, audio.SampleRate)
		if err != nil {
			return nil, fmt.Errorf("converting the voice: %w", err)
		}
		c.resample, c.rate = r, pcm.Rate
	}
	c.buf = c.resample.Process(c.buf[:0], pcm.Samples)
	return c.buf, nil
}

func (c *converter) flush() []int16 {
	if c.resample == nil {
		return nil
	}
	c.buf = c.resample.Flush(c.buf[:0])
	return c.buf
}

// sinks is where the table is heard. It implements mixer.Outlet.
type sinks []pcmSink

func (s sinks) Write(ctx context.Context, frame *audio.Frame) error {
	for _, sink := range s {
		if err := sink.Write(ctx, frame[:]); err != nil {
			return fmt.Errorf("writing sound: %w", err)
		}
	}
	return nil
}

func (s sinks) Close() error {
	var errs []error
	for _, sink := range s {
		errs = append(errs, sink.Close())
	}
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

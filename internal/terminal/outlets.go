package terminal

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// pcmSink takes the table's sound at audio.SampleRate.
type pcmSink interface {
	// Write returns once the sound is handed over, or ctx ends.
	Write(ctx context.Context, samples []int16) error
	Close() error
}

// soundFile writes what sounds to a regular file, which never blocks for long, with the
// time in between.
type soundFile struct {
	*audio.WAVWriter
	last, end time.Time // when sound was last written, and when all that was written is over
}

const (
	// longestSilence is how much of a silence a recording keeps.
	longestSilence = 10 * time.Second
	// unbroken is how long after a frame the next may follow as if it had come in time:
	// what a busy machine takes is no silence.
	unbroken = 100 * time.Millisecond
)

// Write implements pcmSink.
func (f *soundFile) Write(_ context.Context, samples []int16) error {
	now, long := time.Now(), audio.Duration(len(samples), audio.SampleRate)
	switch over := f.last.Add(long); {
	case f.last.IsZero():
		f.end = now
	case now.Sub(f.last) > unbroken:
		if f.end.After(over) { // it was given ahead of its time
			over = f.end
		}
		if err := f.writeSilence(min(now.Sub(over), longestSilence)); err != nil {
			return err
		}
		f.end = now
	}
	f.last, f.end = now, f.end.Add(long)
	return f.WAVWriter.Write(samples)
}

func (f *soundFile) writeSilence(d time.Duration) error {
	var second [audio.SampleRate]int16
	for left := int(d.Seconds() * audio.SampleRate); left > 0; left -= len(second) {
		if err := f.WAVWriter.Write(second[:min(left, len(second))]); err != nil {
			return err
		}
	}
	return nil
}

// createWAV refuses what is no regular file: a pipe that nobody reads would
// hold up the table.
func createWAV(path string) (pcmSink, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, userfile.Usage(fmt.Errorf("--wav: %s is no regular file", path))
	}
	w, err := audio.CreateWAV(path, audio.SampleRate, 1)
	if err != nil {
		return nil, fmt.Errorf("creating the WAV file: %w", userfile.PlainFileError(err))
	}
	return &soundFile{WAVWriter: w}, nil
}

// lead is how much sound a player on this machine is given before its time: it
// has a buffer of its own, which must not run dry.
const lead = playerBuffer

// trail is how much silence it is given behind sound: PulseAudio keeps an end that is shorter
// than its buffer for later, and may play the last of what it has once more when it runs dry.
const trail = playerBuffer + 2*audio.FrameDuration

// outlets is where the table is heard. It implements [mixer.Outlet].
type outlets struct {
	file  pcmSink // nil without
	aloud pcmSink // nil without
	// back brings a player that plays again; nil if none was ever sought. stop ends seeking.
	back    chan *player
	stop    context.CancelFunc
	seeking sync.WaitGroup
	// unheard says that nothing takes the sound any more.
	unheard atomic.Bool
	tell    func(level, text string)
}

// openOutlets opens what o asks for, and says how it is played there.
func (s *outlets) openOutlets(o Options) (play.Sound, error) {
	sound := play.Sound{Unheard: s.unheard.Load}
	if o.WAV != "" {
		w, err := createWAV(o.WAV)
		if err != nil {
			return sound, err
		}
		s.file = w
	}
	if o.Aloud {
		p, err := startPlayer()
		if err != nil {
			sound.Notice = "nothing will be heard: " + err.Error()
		} else {
			s.aloud = p
			sound.Playback = mixer.Options{Lead: lead, Trail: trail}
		}
	}
	if s.file != nil || s.aloud != nil {
		sound.Outlet = s
	}
	return sound, nil
}

// Write implements [mixer.Outlet]. Without a working sound device the play goes
// on without: people are told, and once there is one again, it goes on there.
func (s *outlets) Write(ctx context.Context, frame *audio.Frame) error {
	if s.file != nil {
		if err := s.file.Write(ctx, frame[:]); err != nil {
			return fmt.Errorf("writing sound: %w", err)
		}
	}
	select {
	case p := <-s.back:
		s.aloud = p
	default:
	}
	if s.aloud == nil {
		return nil
	}
	err := s.aloud.Write(ctx, frame[:])
	if err == nil || ctx.Err() != nil {
		return err
	}
	s.aloud = nil
	s.unheard.Store(s.file == nil)
	s.tell("warning", "nothing is heard, the text goes on: "+err.Error()+
		". Check this machine's sound output and its volume, or keep the voices in a file with --wav.")
	s.seekPlayer()
	return nil
}

// A device that vanished is sought after firstSearch, then ever less often, at last
// every lastSearch.
const firstSearch, lastSearch = 2 * time.Second, 30 * time.Second

// seekPlayer looks for a player that plays, in the background, until there is one or the
// outlet is closed.
func (s *outlets) seekPlayer() {
	ctx, stop := context.WithCancel(context.Background())
	back := make(chan *player, 1)
	s.stop, s.back = stop, back
	s.seeking.Go(func() {
		defer stop()
		for wait := firstSearch; sleepUntil(ctx, time.Now().Add(wait)); wait = min(2*wait, lastSearch) {
			p, err := startPlayer()
			if err != nil {
				continue
			}
			if p.plays(ctx) {
				back <- p
				s.unheard.Store(false)
				s.tell("info", "sound is heard again, through "+p.name)
				return
			}
			_ = p.Close() // that it does not play is known
		}
	})
}

// Close ends the player, whose complaints come too late to do more than tell
// them, and completes the file.
func (s *outlets) Close() error {
	if s.stop != nil {
		s.stop()
		s.seeking.Wait()
		select {
		case p := <-s.back:
			s.aloud = p
		default:
		}
	}
	if s.aloud != nil {
		if err := s.aloud.Close(); err != nil {
			s.tell("warning", "the last words may not have been heard: "+err.Error())
		}
	}
	if s.file != nil {
		return s.file.Close()
	}
	return nil
}

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

// pcmSink receives the table's sound at audio.SampleRate.
type pcmSink interface {
	// Write returns when the sound was passed on, or when ctx ends.
	Write(ctx context.Context, samples []int16) error
	Close() error
}

// soundFile writes sound to a regular file, whose writes never block for long, with the pauses between.
type soundFile struct {
	*audio.WAVWriter
	last, end time.Time // when sound was last written, and when all written sound has been played
}

const (
	// longestSilence bounds a pause in a recording.
	longestSilence = 10 * time.Second
	// unbroken is how late a frame may be without counting as after a pause, because a busy machine can delay
	// it.
	unbroken = 100 * time.Millisecond
)

// Write implements pcmSink.
func (f *soundFile) Write(_ context.Context, samples []int16) error {
	now, long := time.Now(), audio.Duration(len(samples), audio.SampleRate)
	switch over := f.last.Add(long); {
	case f.last.IsZero():
		f.end = now
	case now.Sub(f.last) > unbroken:
		if f.end.After(over) { // the sound was written ahead of time
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

// createWAV creates a sound file. It rejects files that are not regular, because a pipe without a reader
// would block the table.
func createWAV(path string) (pcmSink, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, userfile.Usage(fmt.Errorf("--wav: %s is not a regular file", path))
	}
	w, err := audio.CreateWAV(path, audio.SampleRate, 1)
	if err != nil {
		return nil, fmt.Errorf("creating the WAV file: %w", userfile.PlainFileError(err))
	}
	return &soundFile{WAVWriter: w}, nil
}

// lead is how much sound a player on this machine receives ahead of time, because its own buffer must not run
// empty.
const lead = playerBuffer

// trail is the silence written after sound: PulseAudio holds back an end that is shorter than its buffer, and
// may repeat its last part when the buffer runs empty.
const trail = playerBuffer + 2*audio.FrameDuration

// outlets plays the table's sound. It implements [mixer.Outlet].
type outlets struct {
	file  pcmSink // nil without a file
	aloud pcmSink // nil without a player
	// back receives a working player after a search; nil before the first search. stop ends the search.
	back    chan *player
	stop    context.CancelFunc
	seeking sync.WaitGroup
	// unheard reports that no one receives the sound any more.
	unheard atomic.Bool
	notify  func(level, text string)
}

// openOutlets opens the outputs in o, and describes the playback.
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
			sound.Notice = "you will not hear the NPCs: " + err.Error()
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

// Write implements [mixer.Outlet]. If the sound device fails, it reports that, drops the sound, and resumes
// when a device works again.
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
	s.notify("warning", "you cannot hear the NPCs, but their text goes on: "+err.Error()+
		". Check this machine's sound output and its volume, or keep the voices in a file with --wav.")
	s.seekPlayer()
	return nil
}

// A lost device is searched after firstSearch, then with doubling pauses up to lastSearch.
const firstSearch, lastSearch = 2 * time.Second, 30 * time.Second

// seekPlayer searches for a working player in the background, until it finds one or the outlets are closed.
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
				s.notify("info", "you can hear the NPCs again, through "+p.name)
				return
			}
			_ = p.Close() // it is known not to work
		}
	})
}

// Close ends the player, whose errors are only reported because it is too late to handle them, and completes
// the file.
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
			s.notify("warning", "you may not have heard the last words: "+err.Error())
		}
	}
	if s.file != nil {
		return s.file.Close()
	}
	return nil
}

package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	// microphone is the source that means the microphone.
	microphone = "mic"
	// tail is the minimum silence after a recording, so that the table can detect the end of the speech.
	tail = 500 * time.Millisecond
	// inquiry is how often the table is asked whether it has processed all of the sound.
	inquiry = 100 * time.Millisecond
)

// seat receives a player's sound. It is safe for concurrent use.
type seat interface {
	// Push never blocks.
	Push(ear.Packet)
	Stats() ear.Stats
	// Pending reports whether some speech has not become a turn yet and was not discarded either.
	Pending(context.Context) (bool, error)
}

// capture passes a player's sound to a seat.
type capture struct {
	speaker   string
	from      string     // for display
	sound     []int16    // of a recording, at audio.SampleRate
	recorders [][]string // recording programs with their arguments; nil for a recording
	done      chan struct{}
	seat      seat // once joined

	// Used only by the goroutine that runs the capture.
	seq   uint16
	heard bool // a frame was pushed
}

// captures passes players' sound to a table. The zero value has no players.
type captures struct {
	all    []*capture
	screen *screen
	// detection is the voice detection; nil without players.
	detection *providers.Detection
	stop      context.CancelFunc
	work      sync.WaitGroup
}

// openCaptures parses the values of --hear: [NAME=]mic or [NAME=]FILE.wav. Without a name, the player is
// speaker.
func openCaptures(cfg *config.Config, asked []string, speaker string) ([]*capture, error) {
	if len(asked) == 0 {
		return nil, nil
	}
	if _, err := providers.Recognition(cfg.Providers.STT, nil); err != nil {
		return nil, userfile.Usage(fmt.Errorf("--hear: %w", err))
	}
	var all []*capture
	taken := map[string]bool{}
	for _, ask := range asked {
		c, err := newCapture(ask, speaker)
		if err != nil {
			return nil, userfile.Usage(fmt.Errorf("--hear %s: %w", ask, err))
		}
		if taken[c.speaker] {
			return nil, userfile.Usage(fmt.Errorf("--hear %s: %s is already heard; give each player a name, such as --hear Ana=ana.wav", ask, c.speaker))
		}
		if c.recorders != nil && taken[microphone] {
			return nil, userfile.Usage(fmt.Errorf("--hear %s: one player is already heard through the microphone", ask))
		}
		taken[c.speaker] = true
		taken[microphone] = taken[microphone] || c.recorders != nil
		all = append(all, c)
	}
	return all, nil
}

func newCapture(ask, speaker string) (*capture, error) {
	from := ask
	if called, source, ok := strings.Cut(ask, "="); ok {
		speaker, from = called, source
	}
	speaker, err := untrusted.Name(speaker)
	if err != nil || from == "" {
		return nil, errors.New("name the player and the source, such as Ana=ana.wav or Ana=mic")
	}
	c := &capture{speaker: speaker, from: from, done: make(chan struct{})}
	if from == microphone {
		var err error
		c.recorders, err = findRecorders()
		return c, err
	}
	sound, rate, err := readRecording(from)
	if err != nil {
		return nil, err
	}
	if rate != audio.SampleRate {
		r, err := audio.NewResampler(rate, audio.SampleRate)
		if err != nil {
			return nil, err
		}
		sound = r.Flush(r.Process(nil, sound))
	}
	c.sound = sound
	return c, nil
}

// refuseOverwriting returns an error if the output file is the recording of a player.
func refuseOverwriting(players []*capture, written string) error {
	out, err := os.Stat(written)
	if err != nil {
		return nil // the file does not exist, or writing it reports the problem
	}
	for _, c := range players {
		if in, err := os.Stat(c.from); err == nil && c.recorders == nil && os.SameFile(in, out) {
			return userfile.Usage(fmt.Errorf("--wav %s: %s is heard from this file; choose another", written, c.speaker))
		}
	}
	return nil
}

// seatPlayers gives every player a seat, and passes on their sound until it ends, ctx ends, or stopCaptures
// is called.
func (cs *captures) seatPlayers(ctx context.Context, t *table.Table) error {
	for _, c := range cs.all {
		if _, err := t.Admit(ctx, c.speaker, ""); err != nil && ctx.Err() == nil {
			return userfile.Usage(fmt.Errorf("--hear %s=%s: %w; give the player another name", c.speaker, c.from, err))
		}
		s, err := t.Join(ctx, c.speaker, &table.JoinOptions{Detector: cs.detection.NewDetector()})
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("--hear: %w", err)
		}
		c.seat = s
	}
	ctx, cs.stop = context.WithCancel(ctx)
	for _, c := range cs.all {
		cs.work.Go(func() {
			defer close(c.done)
			cs.runCapture(ctx, c)
		})
	}
	return nil
}

// stopCaptures stops all captures and waits for them.
func (cs *captures) stopCaptures() {
	if cs.stop != nil {
		cs.stop()
	}
	cs.work.Wait()
}

// awaitEnd waits until all sound has become turns, ctx ends, or the output has failed.
func (cs *captures) awaitEnd(ctx context.Context) {
	for _, c := range cs.all {
		select {
		case <-c.done:
		case <-cs.screen.broken:
			return
		case <-ctx.Done():
			return
		}
	}
}

// awaitLastTurns waits for the last answers. At a terminal, it does not wait for players who are still
// speaking.
func (p *console) awaitLastTurns(ctx context.Context) error {
	if !p.o.Terminal {
		p.captures.awaitEnd(ctx)
	}
	return p.screen.awaitQuiet(ctx)
}

// describeSeats describes each seat's sound.
func (cs *captures) describeSeats() []string {
	var lines []string
	for _, c := range cs.all {
		s := c.seat.Stats()
		line := fmt.Sprintf("%s (%s): %s, %d dropped, %d lost; %s, %s", c.speaker, c.from, plural.Count(int(s.Packets.Packets), "packet", "packets"), s.Packets.Dropped, s.Packets.Lost,
			plural.Count(cs.screen.utterancesOf(c.speaker), "utterance", "utterances"), plural.Count(int(s.Late), "late transcript", "late transcripts"))
		if s.Early > 0 {
			line += fmt.Sprintf("; %d asked for early, %d of them in vain", s.Early, s.Vain)
		}
		if s.Broken > 0 {
			line += "; the speech recognition was missing or broke off " + plural.Count(int(s.Broken), "time", "times")
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		lines = []string{"the NPCs cannot hear anyone; start with --hear mic or --hear NAME=FILE.wav"}
	}
	return lines
}

// runCapture passes on a player's sound, followed by silence, until all of it has become turns.
func (cs *captures) runCapture(ctx context.Context, c *capture) {
	if c.recorders == nil {
		cs.screen.showNotice("info", fmt.Sprintf("the NPCs hear %s from %s", c.speaker, c.from))
	} else {
		c.tryRecorders(ctx, cs.screen.showNotice)
	}
	c.playRecording(ctx)
	if ctx.Err() == nil && c.heard && cs.screen.utterancesOf(c.speaker) == 0 {
		cs.screen.showNotice("warning", fmt.Sprintf("the NPCs heard no words from %s (%s); check the recording or the microphone", c.speaker, c.from))
	}
}

// playRecording pushes a recording at the speed of speech, then silence until the table has processed it.
func (c *capture) playRecording(ctx context.Context) {
	began := time.Now()
	over := began.Add(audio.Duration(len(c.sound), audio.SampleRate) + tail)
	for at := began; ; at = at.Add(audio.FrameDuration) {
		if !sleepUntil(ctx, at) {
			return
		}
		if !at.Before(over) {
			if pending, err := c.seat.Pending(ctx); !pending || err != nil {
				return // the table reports errors
			}
			over = at.Add(inquiry)
		}
		var f audio.Frame
		c.sound = c.sound[copy(f[:], c.sound):]
		c.pushFrame(&f)
	}
}

// pushFrame pushes the next frame to the table.
func (c *capture) pushFrame(f *audio.Frame) {
	c.seat.Push(ear.Packet{Seq: c.seq, Frame: f})
	c.seq++
	c.heard = true
}

// sleepUntil waits until a time. It returns false if ctx ends first.
func sleepUntil(ctx context.Context, at time.Time) bool {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

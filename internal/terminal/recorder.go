package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	// maxAhead is how many frames of a recorder wait to be pushed: it may bring
	// them in bursts. Beyond that, it has to wait.
	maxAhead = 32
	maxDelay = (maxAhead + 1) * audio.FrameDuration
	// evenOver is over how many frames the bursts of a recorder even out. What waits
	// all that time is no burst but a delay, which must not last: everything would be
	// answered later by it.
	evenOver = 20
	// mostHurry is how much sooner than it was recorded a frame may then follow the
	// one before.
	mostHurry = 8 * time.Millisecond
	// parting is how long a recorder that brings no more may take to end, and how
	// much earlier than this program it may: a key that ends both reaches it first.
	parting = 200 * time.Millisecond
	// remains is how long a pipe may bring nothing once its recorder has ended,
	// before somebody must have been left behind who only holds it open.
	remains = 2 * time.Second
	// maxComplaint is how much of what a recorder complains about is kept, in
	// bytes.
	maxComplaint = 500
)

// recorderCommands are tried in this order. They are asked for short pieces: what
// comes late is answered late.
func recorderCommands() [][]string {
	rate := strconv.Itoa(audio.SampleRate)
	piece := strconv.Itoa(2 * audio.FrameSamples)
	all := [][]string{
		{"parec", "--raw", "--format=s16le", "--channels=1", "--rate=" + rate, "--latency-msec=10"},
		{"arecord", "-q", "-t", "raw", "-f", "S16_LE", "-c", "1", "-r", rate, "--period-time=20000", "--buffer-time=200000"},
		{"rec", "-q", "--buffer", piece, "-t", "raw", "-e", "signed", "-b", "16", "-L", "-c", "1", "-r", rate, "-"},
	}
	input := map[string][]string{"linux": {"-f", "alsa", "-i", "default"}, "darwin": {"-f", "avfoundation", "-i", ":default"}}[runtime.GOOS]
	if input != nil {
		ffmpeg := append([]string{"ffmpeg", "-nostdin", "-loglevel", "error"}, input...)
		all = append(all, append(ffmpeg, "-ac", "1", "-ar", rate, "-f", "s16le", "-"))
	}
	return all
}

// findRecorders returns the recorders that are installed.
func findRecorders() ([][]string, error) {
	var found [][]string
	for _, argv := range recorderCommands() {
		if _, err := exec.LookPath(argv[0]); err == nil {
			found = append(found, argv)
		}
	}
	if len(found) == 0 {
		return nil, errors.New("no program to record sound was found; install one, for example: apt-get install alsa-utils")
	}
	return found, nil
}

// recorder is a program of this machine that writes what it hears to its
// stdout.
type recorder struct {
	cmd       *exec.Cmd
	sound     *os.File // our end of its stdout
	complaint tailWriter
}

// startRecorder starts a program, which ends with ctx.
func startRecorder(ctx context.Context, argv []string) (*recorder, error) {
	ours, theirs, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", argv[0], err)
	}
	r := &recorder{cmd: exec.CommandContext(ctx, argv[0], argv[1:]...), sound: ours}
	r.cmd.Stdout, r.cmd.Stderr, r.cmd.WaitDelay = theirs, &r.complaint, parting
	err = r.cmd.Start()
	if closed := theirs.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting %s: %w", argv[0], err), ours.Close())
	}
	return r, nil
}

// tryRecorders pushes what the first recorder hears that hears anything, until it
// ends or ctx does.
func (c *capture) tryRecorders(ctx context.Context, tell func(level, text string)) {
	for i, argv := range c.recorders {
		tell("info", fmt.Sprintf("%s is heard through %s", c.speaker, argv[0]))
		err := c.runRecorder(ctx, argv)
		if ctx.Err() != nil {
			return
		}
		if c.heard || i+1 == len(c.recorders) {
			tell("warning", fmt.Sprintf("%s is not heard any more: %v", c.speaker, err))
			return
		}
		tell("warning", fmt.Sprintf("%v; trying %s", err, c.recorders[i+1][0]))
	}
}

// runRecorder pushes what a recorder hears until it ends, with the reason, or life
// does.
func (c *capture) runRecorder(life context.Context, argv []string) error {
	ctx, cancel := context.WithCancel(life)
	defer cancel()
	r, err := startRecorder(ctx, argv)
	if err != nil {
		return err
	}
	frames := make(chan audio.Frame, maxAhead)
	read, ended := make(chan error, 1), make(chan error, 1)
	go func() { // ends with the recorder, which ends with ctx
		err := r.cmd.Wait()
		until := time.Now()
		if life.Err() == nil {
			until = until.Add(remains)
		}
		// Somebody it left behind may hold the pipe open. Where pipes have no
		// deadline, that is waited for.
		_ = r.sound.SetReadDeadline(until)
		ended <- err
	}()
	go func() { // ends with the sound or ctx
		defer close(frames)
		read <- readFrames(ctx, &lastSound{pipe: r.sound, life: life}, frames)
	}()
	c.pushInTime(ctx, frames)
	timer := time.AfterFunc(parting, cancel) // it may only have closed its output
	defer timer.Stop()
	err = errors.Join(<-ended, <-read, r.sound.Close())
	sleepUntil(life, time.Now().Add(parting))
	return fmt.Errorf("%s ended%s", argv[0], endReason(err, r.complaint.String()))
}

// lastSound reads a pipe to its end, however late it is read: a deadline that
// passed while nobody read says nothing of what is left. It is over when the
// deadline passes a second time and nothing came in between, or with life.
type lastSound struct {
	pipe *os.File
	life context.Context
	idle bool // the deadline passed, and nothing came since
}

func (s *lastSound) Read(p []byte) (int, error) {
	n, err := s.pipe.Read(p)
	for errors.Is(err, os.ErrDeadlineExceeded) && !s.idle && s.life.Err() == nil {
		s.idle = true
		_ = s.pipe.SetReadDeadline(time.Now().Add(parting)) // it has deadlines
		n, err = s.pipe.Read(p)
	}
	s.idle = s.idle && n == 0
	return n, err
}

// endReason says why a recorder ended: what it complained about, else what is
// known of its end.
func endReason(err error, complaint string) string {
	switch {
	case complaint != "":
		return ": " + complaint
	case err != nil:
		return ": " + userfile.OneLine(err)
	}
	return ""
}

// readFrames sends what r brings, frame by frame, until it ends, its time is
// over or ctx ends. A piece of a frame at the end is left out.
func readFrames(ctx context.Context, r io.Reader, frames chan<- audio.Frame) error {
	samples := audio.NewS16LEReader(r)
	var f audio.Frame
	for n := 0; ; {
		got, err := samples.Read(f[n:])
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, os.ErrDeadlineExceeded):
			return nil
		case err != nil:
			return err
		}
		if n += got; n < len(f) {
			continue
		}
		n = 0
		select {
		case frames <- f:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// pushInTime pushes frames at the pace they were recorded at, however they come,
// until there are no more or ctx ends.
func (c *capture) pushInTime(ctx context.Context, frames <-chan audio.Frame) {
	due := time.Now()
	least, counted, sooner := maxDelay, 0, time.Duration(0)
	for {
		waits := len(frames) > 0
		f, more := <-frames
		if !more {
			return
		}
		delay := max(0, time.Until(due))
		if waits { // it is not known how long
			delay = time.Duration(len(frames)+1) * audio.FrameDuration
		}
		least = min(least, delay)
		if counted++; counted == evenOver {
			sooner, least, counted = min(least/evenOver, mostHurry), maxDelay, 0
		}
		if !sleepUntil(ctx, due) {
			return
		}
		now := time.Now()
		c.pushFrame(&f)
		if now.Sub(due) > audio.FrameDuration {
			due = now // it came late, and so will the next
		}
		due = due.Add(audio.FrameDuration - sooner)
	}
}

// tailWriter keeps the last line written to it. The zero value is empty.
type tailWriter struct{ kept []byte }

func (w *tailWriter) Write(p []byte) (int, error) {
	w.kept = append(w.kept, p...)
	w.kept = w.kept[max(0, len(w.kept)-maxComplaint):]
	return len(p), nil
}

// String returns the last line that is not empty.
func (w *tailWriter) String() string {
	lines := bytes.Split(bytes.TrimSpace(w.kept), []byte("\n"))
	return strings.TrimSpace(string(lines[len(lines)-1]))
}

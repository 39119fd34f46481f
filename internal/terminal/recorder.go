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
	// maxAhead bounds a recorder's frames waiting to be pushed, because it may deliver them in bursts. At the
	// limit, the recorder blocks.
	maxAhead = 32
	maxDelay = (maxAhead + 1) * audio.FrameDuration
	// evenOver is the number of frames over which a recorder's bursts even out. A backlog that lasts longer
	// is a delay, which must be reduced because it would delay all answers.
	evenOver = 20
	// mostHurry bounds how much sooner than recorded a frame may follow the previous one to reduce a delay.
	mostHurry = 8 * time.Millisecond
	// parting is how long a recorder without sound may take to exit, and how much earlier than this program
	// it may exit: Ctrl-C reaches the recorder first.
	parting = 200 * time.Millisecond
	// remains is how long a pipe may deliver nothing after its recorder has exited, before it is assumed to
	// be held open by a child process.
	remains = 2 * time.Second
	// maxComplaint bounds the kept error output of a recorder, in bytes.
	maxComplaint = 500
)

// recorderCommands are tried in this order. They are configured for short buffers, because delayed sound
// delays answers.
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

// findRecorders returns the installed recorders.
func findRecorders() ([][]string, error) {
	var found [][]string
	for _, argv := range recorderCommands() {
		if _, err := exec.LookPath(argv[0]); err == nil {
			found = append(found, argv)
		}
	}
	if len(found) == 0 {
		return nil, errors.New("no program that records sound was found; install one, for example: apt-get install alsa-utils")
	}
	return found, nil
}

// recorder is a program of this machine that writes recorded sound to its stdout.
type recorder struct {
	cmd       *exec.Cmd
	sound     *os.File // read end of its stdout
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

// tryRecorders pushes the sound of the first working recorder until it or ctx ends.
func (c *capture) tryRecorders(ctx context.Context, tell func(level, text string)) {
	for i, argv := range c.recorders {
		tell("info", fmt.Sprintf("the NPCs hear %s through %s", c.speaker, argv[0]))
		err := c.runRecorder(ctx, argv)
		if ctx.Err() != nil {
			return
		}
		if c.heard || i+1 == len(c.recorders) {
			tell("warning", fmt.Sprintf("the NPCs can no longer hear %s: %v", c.speaker, err))
			return
		}
		tell("warning", fmt.Sprintf("%v; trying %s", err, c.recorders[i+1][0]))
	}
}

// runRecorder pushes a recorder's sound until it ends, and returns the reason, or until life ends.
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
		// A child process may hold the pipe open. If pipes have no deadlines here, it is waited for.
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

// lastSound reads a pipe to its end, even if it is read late: a deadline that passed while no one was reading
// says nothing about the remaining data. It ends when the deadline passes twice without data in between, or
// with life.
type lastSound struct {
	pipe *os.File
	life context.Context
	idle bool // the deadline passed, and no data arrived since
}

func (s *lastSound) Read(p []byte) (int, error) {
	n, err := s.pipe.Read(p)
	for errors.Is(err, os.ErrDeadlineExceeded) && !s.idle && s.life.Err() == nil {
		s.idle = true
		_ = s.pipe.SetReadDeadline(time.Now().Add(parting)) // the pipe supports deadlines
		n, err = s.pipe.Read(p)
	}
	s.idle = s.idle && n == 0
	return n, err
}

// endReason describes why a recorder ended: its error output, or else its exit error.
func endReason(err error, complaint string) string {
	switch {
	case complaint != "":
		return ": " + complaint
	case err != nil:
		return ": " + userfile.OneLine(err)
	}
	return ""
}

// readFrames sends the frames of r until it ends, its deadline passes, or ctx ends. It drops an incomplete
// frame at the end.
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

// pushInTime pushes frames at the pace of the recording, until there are no more or ctx ends.
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
		if waits { // the exact delay is unknown
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
			due = now // the frame was late, and so will be the next
		}
		due = due.Add(audio.FrameDuration - sooner)
	}
}

// tailWriter keeps the end of the data written to it. The zero value is empty.
type tailWriter struct{ tail []byte }

func (w *tailWriter) Write(p []byte) (int, error) {
	w.tail = append(w.tail, p...)
	w.tail = w.tail[max(0, len(w.tail)-maxComplaint):]
	return len(p), nil
}

// String returns the last line that is not empty.
func (w *tailWriter) String() string {
	lines := bytes.Split(bytes.TrimSpace(w.tail), []byte("\n"))
	return strings.TrimSpace(string(lines[len(lines)-1]))
}

package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// playerPatience is how long a player may take to finish its sound.
const playerPatience = 5 * time.Second

// player plays raw sound through a program of this machine. If a program fails, the next one replaces it.
type player struct {
	untried     [][]string // programs not tried yet
	why         []string   // why the others failed
	name        string
	cmd         *exec.Cmd // nil if none is running
	in          *os.File  // write end of its stdin
	errorOutput *outputTail
	raw         []byte
}

// playerBuffer is the sound that a player buffers before it starts, and still plays when it receives no more.
const playerBuffer = 60 * time.Millisecond

// outputTail keeps the end of a program's output on stderr.
type outputTail struct{ text []byte }

func (l *outputTail) Write(b []byte) (int, error) {
	l.text = append(l.text, b...)
	l.text = l.text[max(0, len(l.text)-maxWords):]
	return len(b), nil
}

// maxWords bounds that output, in bytes.
const maxWords = 200

// deaf is how long a player may accept no sound before it is replaced. A player whose device has gone may
// block forever.
const deaf = 2 * time.Second

// exitPatience is how long a program's output is awaited after its end.
const exitPatience = time.Second

// playerCommands are tried in this order. They have options for small buffers where possible, because by
// default PulseAudio buffers two seconds of sound before it plays, and plays as much after an interruption.
func playerCommands() [][]string {
	rate, buffer := strconv.Itoa(audio.SampleRate), playerBuffer.Milliseconds()
	return [][]string{
		{"pacat", "--raw", "--format=s16le", "--channels=1", "--rate=" + rate, fmt.Sprintf("--latency-msec=%d", buffer)},
		{"pw-cat", "--playback", "--raw", "--format=s16", "--channels=1", "--rate=" + rate, fmt.Sprintf("--latency=%dms", buffer), "-"},
		{"aplay", "-q", "-t", "raw", "-f", "S16_LE", "-c", "1", "-r", rate,
			fmt.Sprintf("--buffer-time=%d", (buffer+20)*1000), "--period-time=20000", "--start-delay=1", "-"},
		{"play", "-q", "--buffer", strconv.Itoa(2 * audio.FrameSamples), "-t", "raw", "-e", "signed", "-b", "16", "-c", "1", "-r", rate, "-"},
		{"ffplay", "-loglevel", "quiet", "-nodisp", "-autoexit", "-fflags", "nobuffer", "-probesize", "32", "-analyzeduration", "0", "-f", "s16le", "-ar", rate, "-i", "-"},
	}
}

// startPlayer starts the first available player. It ends with Close.
func startPlayer() (*player, error) {
	p := &player{untried: playerCommands()}
	return p, p.startNext()
}

// startNext starts the next available program.
func (p *player) startNext() error {
	for len(p.untried) > 0 {
		argv := p.untried[0]
		p.untried = p.untried[1:]
		path, err := exec.LookPath(argv[0])
		if err != nil {
			continue
		}
		p.name = argv[0]
		if err = p.startProgram(exec.Command(path, argv[1:]...)); err == nil {
			return nil
		}
		p.why = append(p.why, p.name+": "+err.Error())
	}
	if len(p.why) == 0 {
		return errors.New("no program that plays sound was found; install one, for example: apt-get install alsa-utils")
	}
	return errors.New(strings.Join(p.why, "; "))
}

func (p *player) startProgram(cmd *exec.Cmd) error {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	p.errorOutput = &outputTail{}
	cmd.Stdin, cmd.Stderr, cmd.WaitDelay = theirs, p.errorOutput, exitPatience
	err = cmd.Start()
	if closed := theirs.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return errors.Join(err, ours.Close())
	}
	p.cmd, p.in = cmd, ours
	return nil
}

// Write passes sound to the player, which accepts it as fast as it plays. A player that accepts none for two
// seconds is replaced. When ctx ends, Write returns immediately. An error means that no program can play.
func (p *player) Write(ctx context.Context, samples []int16) error {
	p.raw = audio.AppendS16LE(p.raw[:0], samples)
	for {
		err := p.writeRaw(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		_ = p.cmd.Process.Kill() // it accepts no sound; it may have exited
		p.why = append(p.why, p.endProgram().Error())
		if err := p.startNext(); err != nil {
			return err
		}
	}
}

func (p *player) writeRaw(ctx context.Context) error {
	in := p.in
	if err := in.SetWriteDeadline(time.Now().Add(deaf)); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() {
		_ = in.SetWriteDeadline(time.Unix(1, 0)) // the pipe is open, because Close follows all writes
	})
	defer stop()
	_, err := in.Write(p.raw)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// plays reports whether a second of silence can be played in time.
func (p *player) plays(ctx context.Context) bool {
	frame := make([]int16, audio.FrameSamples)
	for range time.Second / audio.FrameDuration {
		if p.Write(ctx, frame) != nil || !sleepUntil(ctx, time.Now().Add(audio.FrameDuration)) {
			return false
		}
	}
	return true
}

// endProgram closes the program's stdin, waits for it to exit, and returns the reason in one line with its
// name.
func (p *player) endProgram() error {
	err := errors.Join(p.in.Close(), p.cmd.Wait())
	p.cmd = nil
	why := "it ended"
	if lines := strings.Split(strings.TrimSpace(string(p.errorOutput.text)), "\n"); lines[len(lines)-1] != "" {
		why = lines[len(lines)-1]
	} else if err != nil {
		why = err.Error()
	}
	if err == nil {
		err = errPlayerEnded
	}
	return playerError{p.name + ": " + strings.TrimPrefix(why, p.name+": "), err}
}

// errPlayerEnded reports that a program exited without an error.
var errPlayerEnded = errors.New("the player ended")

// playerError is why a program exited.
type playerError struct {
	text string
	err  error
}

func (e playerError) Error() string { return e.text }
func (e playerError) Unwrap() error { return e.err }

// Close lets the player finish its sound and waits for it. It kills a player that takes too long.
func (p *player) Close() error {
	if p.cmd == nil {
		return nil
	}
	process := p.cmd.Process
	timer := time.AfterFunc(playerPatience, func() { _ = process.Kill() }) // it may have exited
	defer timer.Stop()
	if err := p.endProgram(); !errors.Is(err, errPlayerEnded) {
		return err
	}
	return nil
}

// FindPlayer returns the path of the program that would play sound, "" if there is none.
func FindPlayer() string {
	for _, argv := range playerCommands() {
		if path, err := exec.LookPath(argv[0]); err == nil {
			return path
		}
	}
	return ""
}

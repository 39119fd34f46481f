package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// playerPatience is how long a player may take to finish what it has.
const playerPatience = 5 * time.Second

// player is a program of this machine that plays raw sound from its stdin.
type player struct {
	cmd *exec.Cmd
	in  *os.File // our end of its stdin
	raw []byte
}

// playerCommands are tried in this order.
func playerCommands() [][]string {
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
	for _, argv := range playerCommands() {
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
	timer := time.AfterFunc(playerPatience, func() { _ = p.cmd.Process.Kill() }) // it may have left just now
	defer timer.Stop()
	return errors.Join(err, p.cmd.Wait())
}

// FindPlayer returns the path of the program that would play sound, empty if
// there is none.
func FindPlayer() string {
	for _, argv := range playerCommands() {
		if path, err := exec.LookPath(argv[0]); err == nil {
			return path
		}
	}
	return ""
}

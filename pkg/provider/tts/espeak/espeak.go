// Package espeak speaks through the espeak-ng program: robotic, but free,
// offline and in a hundred languages.
//
// It starts one short-lived process per sentence, a second one if the first ends
// without a sound or a word of complaint, as on a busy machine it may, and hands it the text on standard input, never as an argument. Each process
// is killed with all its children and waited for before its sequence returns.
package espeak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// Errors of this provider.
var (
	// ErrNotInstalled means the espeak-ng program cannot be found.
	ErrNotInstalled = errors.New("espeak-ng is not installed")
	// ErrVoice means a voice espeak-ng cannot take: a malformed id, or pitch
	// or speed out of range.
	ErrVoice = fmt.Errorf("%w with espeak-ng", tts.ErrVoice)
	// ErrFailed means espeak-ng ended with an error or made no sound format we
	// know.
	ErrFailed = errors.New("espeak-ng failed")
	// errSilentFailure is an ErrFailed that the program did not explain.
	errSilentFailure = fmt.Errorf("%w", ErrFailed)
)

const (
	program = "espeak-ng"
	// piecesPerSecond bounds one piece to 100 ms.
	piecesPerSecond = 10
	// maxStderr bounds how much of the program's complaint an error repeats.
	maxStderr = 400
	// killGrace bounds the wait for pipes that someone outside the process
	// group still holds.
	killGrace = 250 * time.Millisecond
)

// Options configure a [Provider].
type Options struct {
	// Path is the program's path or name. If empty, "espeak-ng" is looked up
	// in PATH.
	Path string
}

// Provider implements [tts.Provider]. It is safe for concurrent use.
type Provider struct {
	path string
}

var _ tts.Provider = (*Provider)(nil)

// New returns a provider; opts may be nil. It does not look for the program:
// see [Provider.Available].
func New(opts *Options) *Provider {
	p := &Provider{path: program}
	if opts != nil && opts.Path != "" {
		p.path = opts.Path
	}
	return p
}

// Name returns "espeak".
func (*Provider) Name() string { return "espeak" }

// SpeaksClauses implements [tts.Clauser]: espeak-ng gives each clause a melody of its
// own, by the sign behind it, also within a text.
func (*Provider) SpeaksClauses() bool { return true }

// Available reports whether the program can be started. An error wraps
// [ErrNotInstalled] and says how to install it.
func (p *Provider) Available() error {
	_, err := p.lookPath()
	return err
}

func (p *Provider) lookPath() (string, error) {
	path, err := exec.LookPath(p.path)
	if err != nil {
		return "", fmt.Errorf("%w: %v; install it, on Debian or Ubuntu with \"apt-get install espeak-ng\"", ErrNotInstalled, err)
	}
	return path, nil
}

// Synthesize speaks text in pieces of at most 100 ms, usually at 22,050 Hz.
// Text without anything to say yields nothing. The voice's ID is an espeak-ng
// voice such as "de" or "en-us+m3", or a variant alone ("+f2") that colours
// the voice's language; Instructions are ignored. Errors wrap ErrNotInstalled,
// ErrVoice or ErrFailed; once ctx is done the error wraps ctx.Err and its cause.
func (p *Provider) Synthesize(ctx context.Context, text string, voice tts.Voice) iter.Seq2[tts.PCM, error] {
	return func(yield func(tts.PCM, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(tts.PCM{}, stopped(ctx))
			return
		}
		text = speakable(text)
		if text == "" {
			return
		}
		args, err := arguments(voice)
		if err != nil {
			yield(tts.PCM{}, err)
			return
		}
		path, err := p.lookPath()
		if err != nil {
			yield(tts.PCM{}, err)
			return
		}
		heard := false
		err = run(ctx, path, args, text, func(p tts.PCM, err error) bool {
			heard = true
			return yield(p, err)
		})
		if errors.Is(err, errSilentFailure) && !heard && ctx.Err() == nil {
			err = run(ctx, path, args, text, yield)
		}
		if err != nil {
			yield(tts.PCM{}, err)
		}
	}
}

// speakable returns text without invisible runes and without opening
// brackets, two of which make espeak-ng read phoneme codes. It returns "" if
// no letter, digit or symbol is left to be spoken.
func speakable(text string) string {
	text = strings.ReplaceAll(untrusted.Clean(text, 0), "[", " ")
	if !tts.Speakable(text) {
		return ""
	}
	return strings.TrimSpace(text)
}

// run speaks text through one process. It returns nil if the consumer has
// seen enough.
func run(parent context.Context, path string, args []string, text string, yield func(tts.PCM, error) bool) error {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = environment()
	cmd.Stdin = strings.NewReader(text)
	stderr := &headWriter{room: 4 * maxStderr}
	cmd.Stderr = stderr
	cmd.WaitDelay = killGrace
	killWholeGroup(cmd)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("%w: opening its output: %v", ErrFailed, err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w: starting it: %v", errSilentFailure, err)
	}
	wait := sync.OnceValue(cmd.Wait)
	defer func() { // also when yield panics
		cancel()
		_ = wait()
	}()
	defer closeWhenDone(ctx, stdout)()
	enough, readErr := stream(stdout, yield)
	if enough {
		return nil
	}
	if readErr != nil {
		cancel()
	}
	waitErr := wait()
	if readErr == nil && errors.Is(waitErr, exec.ErrWaitDelay) {
		waitErr = nil // it ended well and was heard to the end; its pipes were slow to close
	}
	if parent.Err() != nil && (readErr != nil || waitErr != nil) {
		return stopped(parent)
	}
	return failure(readErr, waitErr, stderr.String())
}

// closeWhenDone closes c once ctx is done, which wakes a read that a process
// outside the killed group would otherwise hold up. The returned function ends
// this and waits for a Close under way.
func closeWhenDone(ctx context.Context, c io.Closer) func() {
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		_ = c.Close() // the reader meets the error
	})
	return func() {
		if !stop() {
			<-closed
		}
	}
}

// stream yields the sound in r piece by piece. It reports whether the consumer
// has seen enough.
func stream(r io.Reader, yield func(tts.PCM, error) bool) (enough bool, err error) {
	format, err := audio.ReadWAVHeader(r)
	if err != nil {
		return false, err
	}
	if format.Channels != 1 {
		return false, fmt.Errorf("%d channels: %w", format.Channels, audio.ErrUnsupportedWAV)
	}
	samples := audio.NewS16LEReader(r)
	buf := make([]int16, format.Rate/piecesPerSecond)
	for {
		n, err := samples.Read(buf)
		if n > 0 && !yield(tts.PCM{Samples: slices.Clone(buf[:n]), Rate: format.Rate}, nil) {
			return true, nil
		}
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
}

// failure turns the outcome of a process that was left to finish into an
// error. What the program says about itself explains more than what is
// missing from its output.
func failure(readErr, waitErr error, said string) error {
	said = untrusted.Clean(strings.Join(strings.Fields(said), " "), maxStderr)
	switch {
	case waitErr == nil && readErr == nil:
		return nil
	case said != "":
		return fmt.Errorf("%w: %s", ErrFailed, said)
	case readErr != nil:
		return fmt.Errorf("%w: %w", errSilentFailure, readErr)
	}
	return fmt.Errorf("%w: %v", errSilentFailure, waitErr)
}

// stopped is the error after ctx is done.
func stopped(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == err {
		return fmt.Errorf("speaking: %w", err)
	}
	return fmt.Errorf("speaking: %w: %w", err, cause)
}

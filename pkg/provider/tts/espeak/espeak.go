// Package espeak implements speech synthesis through the espeak-ng program: robotic, but free, offline and in
// a hundred languages.
//
//	p := espeak.New(nil)
//	for pcm, err := range p.Synthesize(ctx, "Welcome!", tts.Voice{Language: "en"}) { … }
//
// It starts one short-lived process per sentence and passes the text on standard input, never as an argument.
// If the process ends without audio or an error message, as may happen on a busy machine, it starts a second
// one. Each process is killed with all its children and waited for before its sequence returns.
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
	// ErrNotInstalled means that the espeak-ng program was not found.
	ErrNotInstalled = errors.New("espeak-ng is not installed")
	// ErrVoice means that espeak-ng cannot use the voice: its ID is malformed, or its pitch or speed is out
	// of range.
	ErrVoice = fmt.Errorf("%w with espeak-ng", tts.ErrVoice)
	// ErrFailed means that espeak-ng ended with an error or produced an unsupported format.
	ErrFailed = errors.New("espeak-ng failed")
	// errSilentFailure is an ErrFailed without an error message from the program.
	errSilentFailure = fmt.Errorf("%w", ErrFailed)
)

const (
	program = "espeak-ng"
	// piecesPerSecond limits a piece to 100 ms.
	piecesPerSecond = 10
	// maxStderr is the maximum length of the program's error output quoted in an error.
	maxStderr = 400
	// killGrace is the maximum wait for pipes that a process outside the process group still holds.
	killGrace = 250 * time.Millisecond
)

// Options configure a [Provider].
type Options struct {
	// Path is the path or name of the program. If empty, "espeak-ng" is looked up in PATH.
	Path string
}

// Provider implements [tts.Provider]. It is safe for concurrent use.
type Provider struct {
	path string
}

var _ tts.Provider = (*Provider)(nil)

// New returns a provider; opts may be nil. It does not look for the program, see [Provider.Available].
func New(opts *Options) *Provider {
	p := &Provider{path: program}
	if opts != nil && opts.Path != "" {
		p.path = opts.Path
	}
	return p
}

// Name returns "espeak".
func (*Provider) Name() string { return "espeak" }

// SpeaksClauses implements [tts.Clauser]. Even within a text, espeak-ng gives each clause an intonation of
// its own, determined by the mark after it.
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

// Synthesize speaks text in pieces of at most 100 ms, usually at 22,050 Hz. Text without anything to say
// yields nothing. The voice's ID is an espeak-ng voice such as "de" or "en-us+m3", or only a variant ("+f2")
// of the voice's language; Instructions are ignored. Errors wrap ErrNotInstalled, ErrVoice or ErrFailed; once
// ctx is done the error wraps ctx.Err and its cause.
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

// speakable returns text without invisible runes and opening brackets, because two brackets make espeak-ng
// read phoneme codes. It returns "" if the text contains no letter, digit or symbol.
func speakable(text string) string {
	text = strings.ReplaceAll(untrusted.Clean(text, 0), "[", " ")
	if !tts.Speakable(text) {
		return ""
	}
	return strings.TrimSpace(text)
}

// run speaks text with one process. It returns nil if the consumer stops.
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
		waitErr = nil // it succeeded and all output was read; only its pipes were slow to close
	}
	if parent.Err() != nil && (readErr != nil || waitErr != nil) {
		return stopped(parent)
	}
	return failure(readErr, waitErr, stderr.String())
}

// closeWhenDone closes c once ctx is done. That unblocks a read which a process outside the killed group
// would otherwise hold up. The returned function cancels this and waits for a Close in progress.
func closeWhenDone(ctx context.Context, c io.Closer) func() {
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		_ = c.Close() // the reader gets the error
	})
	return func() {
		if !stop() {
			<-closed
		}
	}
}

// stream yields the audio in r piece by piece. It reports whether the consumer stopped.
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

// failure returns the error for the outcome of a process that was left to finish. It prefers the program's
// own message, which explains more than an incomplete output.
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

// stopped returns the error to report once ctx is done.
func stopped(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == err {
		return fmt.Errorf("speaking: %w", err)
	}
	return fmt.Errorf("speaking: %w: %w", err, cause)
}

package mcphost

import (
	"bytes"
	"log/slog"
	"sync"

	"golang.org/x/time/rate"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

const (
	// maxWords bounds one line of a server in the log, in bytes.
	maxWords = 1000
	// wordsPerSecond and wordsAtOnce bound how much of what a server says
	// reaches the log; the rest is counted.
	wordsPerSecond = 20
	wordsAtOnce    = 100
)

// words logs what a server says outside the protocol, line by line, without
// secrets and never faster than the log can bear. It is safe for concurrent
// use.
type words struct {
	log     *slog.Logger
	secrets *secrets

	mu      sync.Mutex // guards the fields below
	limit   *rate.Limiter
	line    []byte // the beginning of an unfinished line
	last    string // the last line that said something
	dropped int    // lines kept from the log since one passed
}

func newWords(log *slog.Logger, s *secrets) *words {
	return &words{log: log, secrets: s, limit: rate.NewLimiter(wordsPerSecond, wordsAtOnce)}
}

// Write takes a piece of stderr. It never fails.
func (w *words) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for rest := p; len(rest) > 0; {
		piece, after, ended := bytes.Cut(rest, []byte{'\n'})
		if room := maxWords - len(w.line); len(piece) > room {
			piece = piece[:room]
		}
		w.line = append(w.line, piece...)
		if ended {
			w.say("stderr", w.line)
			w.line = w.line[:0]
		}
		rest = after
	}
	return len(p), nil
}

// flush logs a last line that has no end.
func (w *words) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.say("stderr", w.line)
	w.line = w.line[:0]
}

// stray logs a line on stdout that is no message.
func (w *words) stray(line []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.say("stdout", line[:min(len(line), maxWords)])
}

// say logs one line. Callers hold mu.
func (w *words) say(stream string, line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	if !w.limit.Allow() {
		w.dropped++
		w.last = string(line) // cleaned when somebody asks
		return
	}
	w.last = string(line)
	text := w.secrets.hide(untrusted.Clean(w.last, maxWords))
	if w.dropped > 0 {
		w.log.Info("server says", stream, text, "dropped_lines", w.dropped)
		w.dropped = 0
		return
	}
	w.log.Info("server says", stream, text)
}

// lastLine returns the last line the server wrote, fit for an error message.
func (w *words) lastLine() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.secrets.line(w.last)
}

package mcphost

import (
	"bytes"
	"log/slog"
	"sync"

	"golang.org/x/time/rate"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

const (
	// maxLogLine bounds one logged line of a server, in bytes.
	maxLogLine = 1000
	// linesPerSecond and linesAtOnce bound the rate at which a server's lines are logged. Further lines are
	// counted and dropped.
	linesPerSecond = 20
	linesAtOnce    = 100
)

// outputLog logs a server's output outside the protocol, line by line, with secrets removed and at a bounded
// rate. It is safe for concurrent use.
type outputLog struct {
	log     *slog.Logger
	secrets *secrets

	mu      sync.Mutex // guards the fields below
	limit   *rate.Limiter
	line    []byte // beginning of an unfinished line
	last    string // last line that was not blank
	dropped int    // lines dropped since the last logged one
}

func newOutputLog(log *slog.Logger, s *secrets) *outputLog {
	return &outputLog{log: log, secrets: s, limit: rate.NewLimiter(linesPerSecond, linesAtOnce)}
}

// Write logs a chunk of stderr. It never fails.
func (o *outputLog) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for rest := p; len(rest) > 0; {
		piece, after, ended := bytes.Cut(rest, []byte{'\n'})
		if room := maxLogLine - len(o.line); len(piece) > room {
			piece = piece[:room]
		}
		o.line = append(o.line, piece...)
		if ended {
			o.logLine("stderr", o.line)
			o.line = o.line[:0]
		}
		rest = after
	}
	return len(p), nil
}

// flush logs a final line without a line end.
func (o *outputLog) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.logLine("stderr", o.line)
	o.line = o.line[:0]
}

// logStray logs a line on stdout that is not a protocol message.
func (o *outputLog) logStray(line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.logLine("stdout", line[:min(len(line), maxLogLine)])
}

// logLine logs one line. Callers hold mu.
func (o *outputLog) logLine(stream string, line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	if !o.limit.Allow() {
		o.dropped++
		o.last = string(line) // lastLine cleans it
		return
	}
	o.last = string(line)
	text := o.secrets.redact(untrusted.Clean(o.last, maxLogLine))
	if o.dropped > 0 {
		o.log.Info("server says", stream, text, "dropped_lines", o.dropped)
		o.dropped = 0
		return
	}
	o.log.Info("server says", stream, text)
}

// lastLine returns the last line that the server wrote, cleaned for an error message.
func (o *outputLog) lastLine() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.secrets.cleanLine(o.last)
}

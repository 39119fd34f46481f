package web

import (
	"log/slog"

	"github.com/pion/logging"

	"github.com/MrWong99/glyphoxa/internal/observe"
)

// pionLogs directs the WebRTC library's logs to the operator's log. By default, the library writes a line to
// standard error for each packet that it cannot use.
type pionLogs struct{ to *observe.LibraryLogs }

// NewLogger implements [logging.LoggerFactory].
func (l pionLogs) NewLogger(scope string) logging.LeveledLogger {
	return pionLogger{l.to, "pion/" + scope}
}

// pionLogger logs for one part of the library.
type pionLogger struct {
	to    *observe.LibraryLogs
	scope string
}

func (l pionLogger) Trace(string)              {} // once per packet
func (l pionLogger) Tracef(string, ...any)     {}
func (l pionLogger) Debug(text string)         { l.to.Print(l.scope, slog.LevelDebug, text) }
func (l pionLogger) Debugf(f string, a ...any) { l.to.Printf(l.scope, slog.LevelDebug, f, a...) }
func (l pionLogger) Info(text string)          { l.to.Print(l.scope, slog.LevelInfo, text) }
func (l pionLogger) Infof(f string, a ...any)  { l.to.Printf(l.scope, slog.LevelInfo, f, a...) }
func (l pionLogger) Warn(text string)          { l.to.Print(l.scope, slog.LevelWarn, text) }
func (l pionLogger) Warnf(f string, a ...any)  { l.to.Printf(l.scope, slog.LevelWarn, f, a...) }
func (l pionLogger) Error(text string)         { l.to.Print(l.scope, slog.LevelError, text) }
func (l pionLogger) Errorf(f string, a ...any) { l.to.Printf(l.scope, slog.LevelError, f, a...) }

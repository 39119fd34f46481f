package observe

// LibraryLogs pass on what libraries log, at a bounded rate. A guest's packets decide how
// often a library logs, so that every line of one would fill the game master's screen or the
// operator's log.
//
//	logs := observe.NewLibraryLogs(logger)
//	server.ErrorLog = log.New(logs.Writer("net/http"), "", 0)
//
// Each kind of message of a library appears once a minute; the next line of its kind says how many
// were left out. A library's error is logged as a warning, because the part of Glyphoxa that uses
// the library reports what fails.

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// every is how often one kind of message is logged.
	every = time.Minute
	// maxKinds limits the kinds that are counted separately; further ones count as one kind,
	// because a message may hold words of a packet's sender.
	maxKinds = 256
	// kindSize limits the text that distinguishes two kinds, in bytes.
	kindSize = 80
	// maxText limits a message, in bytes.
	maxText = 500
)

// LibraryLogs receives the messages of libraries. It is safe for concurrent use.
type LibraryLogs struct {
	target atomic.Pointer[slog.Logger]

	mu    sync.Mutex // guards kinds
	kinds map[kind]*record
}

// kind is one kind of message of a library.
type kind struct{ library, message string }

// record holds when a kind was last logged, and how many messages were suppressed since.
type record struct {
	at      time.Time
	skipped int
}

// NewLibraryLogs returns Logs that log to target. If target is nil, they log nothing until [Logs.To].
func NewLibraryLogs(target *slog.Logger) *LibraryLogs {
	l := &LibraryLogs{kinds: map[kind]*record{}}
	if target == nil {
		target = slog.New(slog.DiscardHandler)
	}
	l.To(target)
	return l
}

// To logs to target from now on.
func (l *LibraryLogs) To(target *slog.Logger) { l.target.Store(target) }

// Printf logs a library's message; all messages with one format are of one kind.
func (l *LibraryLogs) Printf(library string, level slog.Level, format string, args ...any) {
	if !l.target.Load().Enabled(context.Background(), capped(level)) {
		return
	}
	l.log(context.Background(), library, level, format, fmt.Sprintf(format, args...))
}

// Print logs a library's message; messages that differ only in numbers are of one kind.
func (l *LibraryLogs) Print(library string, level slog.Level, text string) {
	l.log(context.Background(), library, level, text, text)
}

// capped returns the level at which a library's message is logged.
func capped(level slog.Level) slog.Level { return min(level, slog.LevelWarn) }

// log logs a message unless one of its kind was logged in the last minute.
func (l *LibraryLogs) log(ctx context.Context, library string, level slog.Level, message, text string, args ...any) {
	target, level := l.target.Load(), capped(level)
	if !target.Enabled(ctx, level) {
		return
	}
	skipped, ok := l.allow(kind{library, kindOf(message)}, time.Now())
	if !ok {
		return
	}
	if skipped > 0 {
		args = append(args, "left_out", skipped)
	}
	target.Log(ctx, level, clip(text, maxText), append([]any{"library", library}, args...)...)
}

// allow reports whether to log a message of a kind now, and how many of its kind were
// suppressed since the last one.
func (l *LibraryLogs) allow(k kind, now time.Time) (skipped int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.kinds[k]
	if r == nil && len(l.kinds) >= maxKinds {
		for old, was := range l.kinds {
			if now.Sub(was.at) >= every && was.skipped == 0 {
				delete(l.kinds, old)
			}
		}
		if len(l.kinds) >= maxKinds {
			k = kind{}
			r = l.kinds[k]
		}
	}
	switch {
	case r == nil:
		l.kinds[k] = &record{at: now}
		return 0, true
	case now.Sub(r.at) < every:
		r.skipped++
		return 0, false
	}
	skipped, r.at, r.skipped = r.skipped, now, 0
	return skipped, true
}

// kindOf returns the part common to messages of a kind: their beginning, without numbers.
func kindOf(message string) string {
	out := make([]byte, 0, min(len(message), kindSize))
	for i := 0; i < len(message) && len(out) < kindSize; i++ {
		c := message[i]
		if c >= '0' && c <= '9' {
			if len(out) > 0 && out[len(out)-1] == '#' {
				continue
			}
			c = '#'
		}
		out = append(out, c)
	}
	return string(out)
}

// clip returns the beginning of a text.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}

// Logger returns a logger for a library that accepts a slog.Logger.
func (l *LibraryLogs) Logger(library string) *slog.Logger {
	return slog.New(&handler{logs: l, library: library})
}

// handler passes records on.
type handler struct {
	logs    *LibraryLogs
	library string
	attrs   []any
	group   string
}

func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.logs.target.Load().Enabled(ctx, capped(level))
}

func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	args := h.attrs[:len(h.attrs):len(h.attrs)]
	r.Attrs(func(a slog.Attr) bool {
		args = append(args, h.named(a))
		return true
	})
	h.logs.log(ctx, h.library, r.Level, r.Message, r.Message, args...)
	return nil
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	more := *h
	more.attrs = h.attrs[:len(h.attrs):len(h.attrs)]
	for _, a := range attrs {
		more.attrs = append(more.attrs, h.named(a))
	}
	return &more
}

func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	more := *h
	more.group += name + "."
	return &more
}

func (h *handler) named(a slog.Attr) slog.Attr {
	a.Key = h.group + a.Key
	return a
}

// Writer returns a writer for a library that writes lines, such as one with a log.Logger.
func (l *LibraryLogs) Writer(library string) io.Writer { return writer{l, library} }

type writer struct {
	logs    *LibraryLogs
	library string
}

func (w writer) Write(p []byte) (int, error) {
	if text := string(bytes.TrimSpace(p)); text != "" {
		w.logs.Print(w.library, slog.LevelWarn, text)
	}
	return len(p), nil
}

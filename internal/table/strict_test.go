package table_test

import (
	"context"
	"log/slog"
	"testing"
)

// strict is a logger that fails a test for any logged error, so that every test notices a wrong
// move of a turn.
type strict struct{ t testing.TB }

func (strict) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelError }

func (s strict) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		s.t.Errorf("logged: %s: %s", r.Message, a)
		return true
	})
	return nil
}

func (s strict) WithAttrs([]slog.Attr) slog.Handler { return s }
func (s strict) WithGroup(string) slog.Handler      { return s }

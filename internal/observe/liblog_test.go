package observe_test

import (
	"bytes"
	"fmt"
	"log"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/observe"
)

// TestALineAMinute floods the log with one kind of message: one line a minute is logged,
// with the number of suppressed lines. Other kinds and libraries are not limited by it.
func TestALineAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		logs := observe.NewLibraryLogs(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))
		web := log.New(logs.Writer("net/http"), "", 0)
		for i := range 1000 {
			logs.Printf("pion", slog.LevelError, "no stream for %d", i)
			logs.Logger("sdk").With("session", i).Error("the client is gone")
			web.Printf("http: TLS handshake error from 192.0.2.7:%d: EOF", 1024+i)
		}
		logs.Printf("pion", slog.LevelInfo, "something else")
		time.Sleep(61 * time.Second)
		logs.Printf("pion", slog.LevelError, "no stream for %d", 7)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 5 {
			t.Fatalf("%d lines, want 5:\n%s", len(lines), out.String())
		}
		for i, want := range []string{"no stream for 0", "the client is gone", "TLS handshake error", "something else", "left_out=999"} {
			if !strings.Contains(lines[i], want) || strings.Contains(lines[i], "level=ERROR") {
				t.Errorf("line %d is %q, want %q and no error", i, lines[i], want)
			}
		}
	})
}

// TestKindsAreBounded: once there are too many kinds, messages that a remote party words
// differently each time share one line a minute.
func TestKindsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		logs := observe.NewLibraryLogs(slog.New(slog.NewTextHandler(&out, nil)))
		for i := range 5000 {
			word := strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(i))
			fmt.Fprintf(logs.Writer("net/http"), "bad method %s", word)
		}
		if n := strings.Count(out.String(), "\n"); n != 257 {
			t.Errorf("%d lines, want 257", n)
		}
	})
}
